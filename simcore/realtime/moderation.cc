// SPDX-License-Identifier: MIT
#include "simcore/realtime/moderation.h"

namespace simcore {

void Moderation::turn_begins(std::int64_t now_ns, bool found_work) {
  if (interval_ns_ == 0) return;
  turn_began_ns_ = now_ns;
  if (active_) {
    active_ = found_work;
    return;
  }
  const std::int64_t elapsed_ns = now_ns - interval_began_ns_;
  if (elapsed_ns < interval_ns_) {
    ++turns_;
    return;
  }
  // An interval without a single turn was not busy either.
  const bool busy = turns_ >= kBusyTurns && elapsed_ns < 2 * interval_ns_;
  busy_intervals_ = busy ? busy_intervals_ + 1 : 0;
  interval_began_ns_ = now_ns;
  turns_ = 1;
  if (busy_intervals_ == kBusyIntervals) {
    active_ = true;
    busy_intervals_ = 0;
  }
}

}  // namespace simcore
