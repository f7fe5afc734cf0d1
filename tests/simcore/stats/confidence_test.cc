// SPDX-License-Identifier: MIT
#include "simcore/stats/confidence.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "simcore/units/error.h"

namespace simcore {
namespace {

TEST(StudentT, oneDegreeOfFreedomIsCauchy) {
  for (const double t : {-3.0, -0.5, 0.0, 1.0, 20.0}) {
    EXPECT_NEAR(student_t_cdf(t, 1), 0.5 + std::atan(t) / std::numbers::pi, 1e-12);
  }
}

TEST(StudentT, twoDegreesOfFreedomHaveAClosedForm) {
  for (const double t : {-3.0, -0.5, 0.0, 1.0, 20.0}) {
    EXPECT_NEAR(student_t_cdf(t, 2), 0.5 + t / (2 * std::sqrt(2 + t * t)), 1e-12);
  }
}

TEST(StudentT, manyDegreesOfFreedomAreNormal) {
  EXPECT_NEAR(student_t_cdf(1.0, 100'000'000), 0.5 * std::erfc(-1.0 / std::numbers::sqrt2), 1e-8);
}

TEST(StudentT, theQuantileIsTheInverse) {
  for (const std::uint64_t degrees : {1U, 2U, 9U, 49U, 1'000U}) {
    for (const double p : {0.001, 0.025, 0.5, 0.9, 0.975, 0.9995}) {
      EXPECT_NEAR(student_t_cdf(student_t_quantile(p, degrees), degrees), p, 1e-11);
    }
  }
  // Printed in every table.
  EXPECT_NEAR(student_t_quantile(0.975, 49), 2.0096, 5e-5);
  EXPECT_NEAR(student_t_quantile(0.975, 9), 2.2622, 5e-5);
}

TEST(ConfidenceInterval, isTheMeanPlusOrMinusTStandardErrors) {
  RunningStats stats;
  for (const double x : {1.0, 2.0, 3.0}) stats.add(x);
  const Interval interval = confidence_interval(stats, 0.95);
  // Two degrees of freedom: t = 4.3027, and the standard error is 1 / sqrt(3).
  EXPECT_NEAR(interval.low, 2 - 4.30265 / std::sqrt(3.0), 1e-4);
  EXPECT_NEAR(interval.high, 2 + 4.30265 / std::sqrt(3.0), 1e-4);
  EXPECT_TRUE(interval.holds(2.0));
  EXPECT_FALSE(interval.holds(5.0));
}

TEST(ConfidenceInterval, needsTwoReplicationsAndALevel) {
  RunningStats stats;
  stats.add(1.0);
  EXPECT_THROW(confidence_interval(stats), ConfigError);
  stats.add(2.0);
  EXPECT_THROW(confidence_interval(stats, 95.0), ConfigError);
}

}  // namespace
}  // namespace simcore
