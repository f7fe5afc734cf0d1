// SPDX-License-Identifier: MIT
#include "simcore/stats/batch_means.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "simcore/stats/confidence.h"
#include "simcore/stats/running_stats.h"

namespace simcore {

namespace {

constexpr double kTooDependent = 0.9;  // then the batches are too short to say anything

}  // namespace

BatchMeans batch_means(std::span<const double> batches, double level) {
  RunningStats all;
  RunningStats halves[2];
  for (std::size_t place = 0; place < batches.size(); ++place) {
    all.add(batches[place]);
    halves[place * 2 / batches.size()].add(batches[place]);
  }
  const double drift = halves[1].mean() - halves[0].mean();
  if (all.variance() == 0) return {.mean = all.mean(), .half_width = 0, .drift = drift};
  double together = 0;
  for (std::size_t place = 1; place < batches.size(); ++place) {
    together += (batches[place] - all.mean()) * (batches[place - 1] - all.mean());
  }
  const auto count = static_cast<double>(batches.size());
  const double correlation = std::max(together / (all.variance() * (count - 1)), 0.0);
  if (correlation > kTooDependent) {
    return {.mean = all.mean(), .half_width = std::numeric_limits<double>::infinity(), .drift = drift};
  }
  const double quantile = student_t_quantile((1 + level) / 2, batches.size() - 1);
  const double variance_of_mean = all.variance() / count * (1 + correlation) / (1 - correlation);
  return {.mean = all.mean(), .half_width = quantile * std::sqrt(variance_of_mean), .drift = drift};
}

}  // namespace simcore
