// SPDX-License-Identifier: MIT
//
// Confidence intervals of a mean over independent replications, by Student's t distribution.
#pragma once

#include <cstdint>

#include "simcore/stats/running_stats.h"

namespace simcore {

struct Interval {
  double low;
  double high;

  bool holds(double value) const { return low <= value && value <= high; }
};

// The probability that a t-distributed number with so many degrees of freedom is at most `t`. Precondition: degrees >= 1.
double student_t_cdf(double t, std::uint64_t degrees);

// The t at which that probability is `p`. Preconditions: 0 < p < 1, degrees >= 1.
double student_t_quantile(double p, std::uint64_t degrees);

// Holds the mean of what `replications` estimates with probability `level`.
// Throws ConfigError when there are fewer than two replications, or the level is not between 0 and 1.
Interval confidence_interval(const RunningStats& replications, double level = 0.95);

}  // namespace simcore
