// SPDX-License-Identifier: MIT
#include "simcore/stats/running_stats.h"

#include <gtest/gtest.h>

namespace simcore {
namespace {

TEST(RunningStats, meanAndVarianceOfASample) {
  RunningStats stats;
  for (const double x : {2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0}) stats.add(x);
  EXPECT_EQ(stats.count(), 8U);
  EXPECT_DOUBLE_EQ(stats.mean(), 5.0);
  EXPECT_DOUBLE_EQ(stats.variance(), 32.0 / 7.0);
  EXPECT_EQ(stats.least(), 2.0);
  EXPECT_EQ(stats.greatest(), 9.0);
}

TEST(RunningStats, keepsItsPrecisionFarFromZero) {
  RunningStats stats;
  for (const double x : {4.0, 7.0, 13.0, 16.0}) stats.add(1e9 + x);
  EXPECT_DOUBLE_EQ(stats.variance(), 30.0);
}

TEST(RunningStats, twoMergedAreTheWhole) {
  RunningStats whole;
  RunningStats left;
  RunningStats right;
  RunningStats nothing;
  for (int i = 0; i < 100; ++i) {
    const double x = i * i % 37;
    whole.add(x);
    (i < 30 ? left : right).add(x);
  }
  left.merge(right);
  left.merge(nothing);
  nothing.merge(left);
  for (const RunningStats& merged : {left, nothing}) {
    EXPECT_EQ(merged.count(), whole.count());
    EXPECT_NEAR(merged.mean(), whole.mean(), 1e-12);
    EXPECT_NEAR(merged.variance(), whole.variance(), 1e-10);
    EXPECT_EQ(merged.greatest(), whole.greatest());
  }
}

TEST(RunningStats, ofOneNumberHasNoVariance) {
  RunningStats stats;
  EXPECT_EQ(stats.mean(), 0.0);
  stats.add(3.0);
  EXPECT_EQ(stats.variance(), 0.0);
}

}  // namespace
}  // namespace simcore
