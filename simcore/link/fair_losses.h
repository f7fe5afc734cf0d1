// SPDX-License-Identifier: MIT
//
// FairLosses: what more is taken of a fluid of TCP than a full queue takes of it by itself.
//
// A fluid comes evenly and finds the places of a full queue as they become free. Packets come in bursts, and lose several
// times as much. Those of TCP would come in bursts, too. So of the fluid so much more is lost that over some time both
// lose the same share:
//
//   dx/dt = 2 (p - f) / T        p, f: the shares of packets and fluid that were lost in the last T or so
//
// Where packets lose no more than the fluid, or are too few to tell, x comes to nothing.
#pragma once

#include <algorithm>
#include <cmath>

namespace simcore {

class FairLosses {
 public:
  static constexpr double kMemory = 2.0;  // T, s
  static constexpr double kEnough = 100;  // packets in that time
  static constexpr double kMost = 0.5;

  // What was offered and lost in a step (s): packets, and fluid in any unit, with what was taken of it here.
  struct Step {
    double length;
    double packets;
    double lost_packets;
    double fluid;
    double lost_fluid;
  };
  void observe(const Step& step) {
    const double kept = std::exp(-step.length / kMemory);
    packets_ = packets_ * kept + step.packets;
    lost_packets_ = lost_packets_ * kept + step.lost_packets;
    fluid_ = fluid_ * kept + step.fluid;
    lost_fluid_ = lost_fluid_ * kept + step.lost_fluid;
    const double p = packets_ < kEnough ? 0.0 : lost_packets_ / packets_;
    const double f = fluid_ > 0 ? lost_fluid_ / fluid_ : 0.0;
    share_ = std::clamp(share_ + 2 * (p - f) * (1 - kept), 0.0, kMost);
  }

  // Of the fluid that comes now.
  double share() const { return share_; }

 private:
  double packets_ = 0.0;
  double lost_packets_ = 0.0;
  double fluid_ = 0.0;
  double lost_fluid_ = 0.0;
  double share_ = 0.0;
};

}  // namespace simcore
