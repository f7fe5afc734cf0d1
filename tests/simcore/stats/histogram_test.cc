// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "simcore/stats/linear_histogram.h"
#include "simcore/stats/time_weighted.h"
#include "simcore/units/error.h"
#include "simcore/units/log_histogram.h"

namespace simcore {
namespace {

TEST(LinearHistogram, countsInEqualBinsAndOutside) {
  LinearHistogram histogram(0, 10, 5);
  for (const double x : {-1.0, 0.0, 1.99, 2.0, 9.99, 10.0, 11.0}) histogram.add(x);
  EXPECT_EQ(histogram.below(), 1.0);
  EXPECT_EQ(histogram.weight(0), 2.0);
  EXPECT_EQ(histogram.weight(1), 1.0);
  EXPECT_EQ(histogram.weight(4), 1.0);
  EXPECT_EQ(histogram.above(), 2.0);
  EXPECT_EQ(histogram.total(), 7.0);
  EXPECT_DOUBLE_EQ(histogram.lower_bound(3), 6.0);
  EXPECT_DOUBLE_EQ(histogram.share(0), 2.0 / 7.0);
}

TEST(LinearHistogram, refusesBoundsThatMakeNoSense) {
  EXPECT_THROW(LinearHistogram(1, 1, 5), ConfigError);
  EXPECT_THROW(LinearHistogram(0, 1, 0), ConfigError);
}

TEST(LogHistogram, everyValueLiesInItsBinAndBinsAreNarrow) {
  for (std::int64_t value = 1; value > 0 && value < std::numeric_limits<std::int64_t>::max() / 3;
       value = value * 3 + 1) {
    const std::size_t bin = LogHistogram::bin_of(value);
    ASSERT_LT(bin, LogHistogram::kBins);
    EXPECT_LE(LogHistogram::lower_bound(bin), value);
    EXPECT_GE(LogHistogram::upper_bound(bin), value);
    EXPECT_LE(LogHistogram::upper_bound(bin) - LogHistogram::lower_bound(bin), value / 64);
  }
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(LogHistogram::bin_of(most), LogHistogram::kBins - 1);
  EXPECT_EQ(LogHistogram::upper_bound(LogHistogram::kBins - 1), most);
}

TEST(LogHistogram, binsFollowEachOtherWithoutGaps) {
  for (std::size_t bin = 0; bin + 1 < LogHistogram::kBins; ++bin) {
    ASSERT_EQ(LogHistogram::upper_bound(bin) + 1, LogHistogram::lower_bound(bin + 1));
    ASSERT_EQ(LogHistogram::bin_of(LogHistogram::lower_bound(bin)), bin);
  }
}

TEST(LogHistogram, quantilesAreWithinOneSixtyFourth) {
  LogHistogram histogram;
  for (std::int64_t i = 1; i <= 100'000; ++i) histogram.add(i * 1'000);
  for (const double q : {0.01, 0.5, 0.9, 0.99, 0.999, 1.0}) {
    const double exact = q * 100'000 * 1'000;
    const auto got = static_cast<double>(histogram.quantile(q));
    EXPECT_GE(got, exact * (1 - 1e-9)) << q;
    EXPECT_LE(got, exact * (1 + 1.0 / 64)) << q;
  }
  EXPECT_EQ(LogHistogram().quantile(0.5), 0);
}

TEST(LogHistogram, twoMergedAreTheWhole) {
  LogHistogram a;
  LogHistogram b;
  a.add(10);
  b.add(10, 2);
  b.add(-5);
  a.merge(b);
  EXPECT_EQ(a.total(), 4U);
  EXPECT_EQ(a.count(10), 3U);
  EXPECT_EQ(a.count(0), 1U);
}

TEST(TimeWeighted, weighsEveryLevelWithItsTime) {
  TimeWeighted level(4);
  level.set(SimTime::zero() + Duration::seconds(2), 3);    // 0 for 2 s
  level.set(SimTime::zero() + Duration::seconds(5), 1);    // 3 for 3 s
  level.account(SimTime::zero() + Duration::seconds(10));  // 1 for 5 s
  EXPECT_DOUBLE_EQ(level.mean(), (3 * 3 + 1 * 5) / 10.0);
  EXPECT_DOUBLE_EQ(level.share(0), 0.2);
  EXPECT_DOUBLE_EQ(level.share(1), 0.5);
  EXPECT_DOUBLE_EQ(level.share(3), 0.3);
  level.set(SimTime::zero() + Duration::seconds(10), 100);
  level.account(SimTime::zero() + Duration::seconds(20));
  EXPECT_DOUBLE_EQ(level.share(4), 0.5);
}

}  // namespace
}  // namespace simcore
