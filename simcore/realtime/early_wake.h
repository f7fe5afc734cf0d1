// SPDX-License-Identifier: MIT
//
// EarlyWake: how long before an event a loop should end its sleep, so that it is awake when the event is due. A core that
// sleeps needs time to wake up (a virtual one tens of microseconds), and without a lead every event after a pause is late
// by as much.
//
// The lead follows what waking up took so far: its mean and its mean deviation, as a retransmission timer follows round
// trips (Jacobson 1988).
#pragma once

#include <algorithm>
#include <cstdint>

#include "simcore/units/time.h"

namespace simcore {

class EarlyWake {
 public:
  static constexpr Duration kMost = Duration::us(150);

  Duration lead() const { return Duration::ns(std::min(mean_ns_ + deviation_ns_, kMost.count_ns())); }

  // A sleep that nothing else ended: it ended `late` after the instant asked for.
  void woke(Duration late);

 private:
  std::int64_t mean_ns_ = 0;
  std::int64_t deviation_ns_ = 0;
};

}  // namespace simcore
