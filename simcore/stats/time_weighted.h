// SPDX-License-Identifier: MIT
//
// TimeWeighted: a level that changes at instants (packets in a queue, jobs in a system): its mean over time, and for how
// long it stood at each value.
#pragma once

#include <cstddef>
#include <vector>

#include "simcore/units/time.h"

namespace simcore {

class TimeWeighted {
 public:
  // Levels of `values` and above share the last place.
  explicit TimeWeighted(std::size_t values) : at_(values + 1, Duration::zero()) {}

  // The level is `level` from now on. Precondition: the instants never decrease.
  void set(SimTime now, std::size_t level) {
    account(now);
    level_ = level;
  }

  // Adds the time since the last change; call it before reading.
  void account(SimTime now) {
    const Duration held = now - since_;
    since_ = now;
    at_[level_ < at_.size() ? level_ : at_.size() - 1] += held;
    area_ += static_cast<double>(level_) * held.in_seconds();
    total_ += held;
  }

  std::size_t level() const { return level_; }
  Duration total() const { return total_; }
  double mean() const { return total_ > Duration::zero() ? area_ / total_.in_seconds() : 0.0; }
  // The part of the time at this level.
  double share(std::size_t level) const {
    return total_ > Duration::zero() ? at_[level].in_seconds() / total_.in_seconds() : 0.0;
  }

 private:
  std::vector<Duration> at_;
  std::size_t level_ = 0;
  SimTime since_ = SimTime::zero();
  Duration total_ = Duration::zero();
  double area_ = 0;  // level times seconds
};

}  // namespace simcore
