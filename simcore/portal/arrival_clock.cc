// SPDX-License-Identifier: MIT
#include "simcore/portal/arrival_clock.h"

#include <algorithm>

#include "simcore/sys/clock.h"

namespace simcore {

void ArrivalClock::begin_batch() {
  // In simulated time nobody slews a clock, and reading it moves it.
  if (!loop_.clock_is_simulated() || to_monotonic_ns_ == 0) {
    to_monotonic_ns_ = monotonic_minus_realtime_ns();
  }
  now_ = loop_.turn_now();
}

SimTime ArrivalClock::advance_to(std::int64_t realtime_ns) {
  if (realtime_ns == 0) return loop_.advance(now_);
  const SimTime arrival = loop_.simulated_at(realtime_ns + to_monotonic_ns_);
  if (arrival > now_) now_ = loop_.read_clock();  // it came while the batch was being read
  return loop_.advance(std::min(arrival, now_));
}

}  // namespace simcore
