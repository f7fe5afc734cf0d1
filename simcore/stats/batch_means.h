// SPDX-License-Identifier: MIT
//
// Batch means: how sure the mean of a series is whose values depend on each other, from one run of it.
//
// Source: Law, "Simulation modeling and analysis", 5th edition, 2015, section 9.5.3. The batches' own dependence, where their
// first autocorrelation r is above 0, makes the variance (1 + r) / (1 - r) times as large, as in a series of order one.
#pragma once

#include <span>

namespace simcore {

struct BatchMeans {
  double mean;
  double
      half_width;  // of the interval that holds the true mean with the probability asked for; infinite: nobody knows
  double drift;  // the mean of the second half less that of the first
};

// Of batches of equally many values, one behind the other: their means. Preconditions: four or more; 0 < level < 1.
BatchMeans batch_means(std::span<const double> batches, double level);

}  // namespace simcore
