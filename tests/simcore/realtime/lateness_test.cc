// SPDX-License-Identifier: MIT
#include "simcore/realtime/lateness.h"

#include <gtest/gtest.h>

#include <limits>

namespace simcore {
namespace {

TEST(LatenessTest, nothing_recorded_is_zero) {
  const Lateness lateness;
  EXPECT_EQ(lateness.count(), 0u);
  EXPECT_EQ(lateness.max(), Duration::zero());
  EXPECT_EQ(lateness.percentile(99.9), Duration::zero());
}

TEST(LatenessTest, small_values_are_exact) {
  Lateness lateness;
  for (int ns = 1; ns <= 10; ++ns) lateness.record(Duration::ns(ns));
  EXPECT_EQ(lateness.percentile(50), Duration::ns(5));
  EXPECT_EQ(lateness.percentile(100), Duration::ns(10));
}

TEST(LatenessTest, percentiles_are_within_a_sixteenth_above_the_value) {
  for (std::int64_t ns = 17; ns < std::int64_t{1} << 50; ns = ns * 3 + 1) {
    Lateness lateness;
    lateness.record(Duration::ns(ns));
    lateness.record(Duration::ns(std::int64_t{1} << 60));  // so that the maximum does not cap the first
    const std::int64_t median = lateness.percentile(50).count_ns();
    EXPECT_GE(median, ns);
    EXPECT_LE(median, ns + ns / 16);
  }
}

TEST(LatenessTest, one_in_a_thousand_shows_above_the_999th_permille) {
  Lateness lateness;
  for (int i = 0; i < 999; ++i) lateness.record(Duration::ns(10));
  lateness.record(Duration::ms(5));
  EXPECT_EQ(lateness.percentile(99.9), Duration::ns(10));
  EXPECT_EQ(lateness.percentile(99.95), Duration::ms(5));
  EXPECT_EQ(lateness.max(), Duration::ms(5));
  EXPECT_EQ(lateness.later_than(Duration::ms(1)), 1u);
  EXPECT_EQ(lateness.later_than(Duration::ms(10)), 0u);
}

TEST(LatenessTest, the_whole_range_has_a_bucket) {
  Lateness lateness;
  lateness.record(Duration::ns(-5));
  lateness.record(Duration::ns(std::numeric_limits<std::int64_t>::max()));
  EXPECT_EQ(lateness.percentile(50), Duration::zero());
  EXPECT_EQ(lateness.percentile(100), Duration::ns(std::numeric_limits<std::int64_t>::max()));
}

}  // namespace
}  // namespace simcore
