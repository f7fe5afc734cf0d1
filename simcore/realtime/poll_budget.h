// SPDX-License-Identifier: MIT
//
// PollBudget: bounds what a loop spends on looking for work instead of sleeping, to a small part of a core. It is earned
// while time passes, up to a bound, and spent on looking. Units: nanoseconds of one monotonic clock.
#pragma once

#include <algorithm>
#include <cstdint>

#include "simcore/units/time.h"

namespace simcore {

class PollBudget {
 public:
  static constexpr std::int64_t kPart = 25;                // of the time that passes: 4 % of a core
  static constexpr Duration kMostSaved = Duration::ms(2);  // of a budget that was not used

  // Until `now_ns` time has passed.
  void earn(std::int64_t now_ns) {
    if (earned_ns_ != 0) left_ns_ = std::min(left_ns_ + (now_ns - earned_ns_) / kPart, kMostSaved.count_ns());
    earned_ns_ = now_ns;
  }

  bool has(Duration wanted) const { return left_ns_ >= wanted.count_ns(); }
  void spend(Duration spent) { left_ns_ -= spent.count_ns(); }

 private:
  std::int64_t left_ns_ = 0;
  std::int64_t earned_ns_ = 0;  // until when; 0: not begun
};

}  // namespace simcore
