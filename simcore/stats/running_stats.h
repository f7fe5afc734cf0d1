// SPDX-License-Identifier: MIT
//
// RunningStats: count, mean, variance, least and greatest of numbers that come one by one and are not kept.
//
// Welford's recurrence, which does not cancel as the difference of two sums does; two of them merge (Chan, Golub and
// LeVeque 1983).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace simcore {

class RunningStats {
 public:
  void add(double value) {
    ++count_;
    const double off = value - mean_;
    mean_ += off / static_cast<double>(count_);
    squares_ += off * (value - mean_);
    least_ = std::min(least_, value);
    greatest_ = std::max(greatest_, value);
  }

  void merge(const RunningStats& other) {
    if (other.count_ == 0) return;
    const double off = other.mean_ - mean_;
    const auto mine = static_cast<double>(count_);
    const auto theirs = static_cast<double>(other.count_);
    count_ += other.count_;
    mean_ += off * theirs / (mine + theirs);
    squares_ += other.squares_ + off * off * mine * theirs / (mine + theirs);
    least_ = std::min(least_, other.least_);
    greatest_ = std::max(greatest_, other.greatest_);
  }

  std::uint64_t count() const { return count_; }
  double mean() const { return mean_; }  // 0 of nothing
  // Of the sample, with n - 1; 0 of fewer than two.
  double variance() const { return count_ < 2 ? 0.0 : squares_ / static_cast<double>(count_ - 1); }
  double deviation() const { return std::sqrt(variance()); }
  double least() const { return least_; }        // +infinity of nothing
  double greatest() const { return greatest_; }  // -infinity of nothing

 private:
  std::uint64_t count_ = 0;
  double mean_ = 0;
  double squares_ = 0;  // of the distances from the mean
  double least_ = std::numeric_limits<double>::infinity();
  double greatest_ = -std::numeric_limits<double>::infinity();
};

}  // namespace simcore
