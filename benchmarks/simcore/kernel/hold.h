// SPDX-License-Identifier: MIT
//
// The hold model: N events are pending, and each that fires schedules itself again, an exponential increment later. The
// increments are drawn before the measurement, so that it measures the queue and not the logarithm.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "simcore/kernel/random.h"
#include "simcore/units/time.h"

namespace simcore::bench {

class Increments {
 public:
  // A second on average, as timers have it; what matters is that increments spread over all pending events.
  static constexpr double kMeanNanoseconds = 1e9;

  // How many are drawn before they repeat: a prime number, so that no event sees the same one again and again.
  static constexpr std::size_t kCount = 16'381;

  Increments() {
    RandomStream random(1, "hold");
    drawn_.reserve(kCount);
    for (std::size_t i = 0; i < kCount; ++i) {
      drawn_.push_back(Duration::ns(static_cast<std::int64_t>(random.exponential(kMeanNanoseconds))));
    }
  }

  Duration next() {
    if (index_ == kCount) index_ = 0;
    return drawn_[index_++];
  }

 private:
  std::vector<Duration> drawn_;
  std::size_t index_ = 0;
};

}  // namespace simcore::bench
