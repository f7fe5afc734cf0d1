// SPDX-License-Identifier: MIT
//
// WindowedMinimum: the smallest round trip of the last minutes (RFC 8985 section 6.2, step 1), in constant memory.
//
// It keeps the smallest sample, the smallest after that, and the smallest after that, as Nichols' filter in Linux does
// (lib/win_minmax.c). When the first is too old, the second takes its place. So the minimum is exact while it falls; when it
// rises, it may have forgotten what came in the quarter of the window after the smallest.
#pragma once

#include <array>

#include "simcore/units/time.h"

namespace simcore {

class WindowedMinimum {
 public:
  explicit WindowedMinimum(Duration window) : window_(window) {}

  bool has_sample() const { return kept_[0].rtt != Duration::infinite(); }
  // Zero before the first sample.
  Duration smallest() const { return has_sample() ? kept_[0].rtt : Duration::zero(); }

  void sample(SimTime now, Duration rtt) {
    const Sample latest{now, rtt};
    if (rtt <= kept_[0].rtt || now - kept_[2].at > window_) {
      kept_.fill(latest);
      return;
    }
    if (rtt <= kept_[1].rtt) {
      kept_[1] = kept_[2] = latest;
    } else if (rtt <= kept_[2].rtt) {
      kept_[2] = latest;
    }
    const Duration age = now - kept_[0].at;
    if (age > window_) {
      move_up(latest);
      if (now - kept_[0].at > window_) move_up(latest);
    } else if (kept_[1].at == kept_[0].at && age > window_ / 4) {
      kept_[1] = kept_[2] = latest;
    } else if (kept_[2].at == kept_[1].at && age > window_ / 2) {
      kept_[2] = latest;
    }
  }

 private:
  struct Sample {
    SimTime at = SimTime::zero();
    Duration rtt = Duration::infinite();
  };

  void move_up(const Sample& latest) { kept_ = {kept_[1], kept_[2], latest}; }

  Duration window_;
  std::array<Sample, 3> kept_;
};

}  // namespace simcore
