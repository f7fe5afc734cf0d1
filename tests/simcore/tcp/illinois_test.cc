// SPDX-License-Identifier: MIT
#include "simcore/tcp/illinois.h"

#include <gtest/gtest.h>

#include "tests/simcore/tcp/window_test.h"

namespace simcore {
namespace {

using testing::kMss;

class IllinoisTest : public testing::WindowTest<Illinois> {};

constexpr std::int64_t kTen = 10 * Illinois::kAlphaOne;

// After 10 acknowledgements 10 * 10 / 100 = 1 segment; then after 11 of them each, because 10 * 10 is less than 101: of 100
// acknowledgements 10 + 8 * 11 = 98 count.
TEST_F(IllinoisTest, WithoutAQueueTheWindowGrowsByTenInARoundTrip) {
  round();
  EXPECT_EQ(control_.alpha(), kTen);
  EXPECT_EQ(segments(), 109);
}

TEST_F(IllinoisTest, WithTheLongestQueueItGrowsByThreeTenths) {
  hold(1);
  round_trip_ = Duration::ms(20);
  hold(2);
  EXPECT_EQ(control_.alpha(), 38);  // 128 * 0.3
  EXPECT_EQ(control_.beta(), 32);
}

// D = 10 ms, d = 4.5 ms lies in the middle between D / 10 and 8 D / 10.
TEST_F(IllinoisTest, BetweenALittleAndMuchQueueingALossCostsAShareThatGrowsWithIt) {
  hold(1);
  round_trip_ = Duration::ms(20);
  hold(1);
  round_trip_ = Duration::us(14'500);
  hold(3);
  EXPECT_EQ(control_.beta(), (8 + 32) / 2);
  // kappa1 / (kappa2 + d), with D of 10 ms and a hundredth of it off: 9900 * 10 / (9900 + 4400 * (10 - 0.3) / 0.3) = 0.64
  EXPECT_NEAR(static_cast<double>(control_.alpha()) / Illinois::kAlphaOne, 0.64, 0.02);
}

TEST_F(IllinoisTest, WithoutAQueueALossCostsAnEighth) {
  hold(2);
  lose();
  EXPECT_EQ(segments(), 100 - 12);
}

TEST_F(IllinoisTest, AfterAQueueItTakesFiveQuickRoundTripsToBeFastAgain) {
  hold(1);
  round_trip_ = Duration::ms(20);
  hold(2);
  round_trip_ = Duration::ms(10);
  hold(1);  // its mean still holds one long round trip
  hold(4);
  EXPECT_LT(control_.alpha(), kTen);
  hold(2);
  EXPECT_EQ(control_.alpha(), kTen);
}

TEST_F(IllinoisTest, ASmallWindowIsRenos) {
  window_.cwnd = window_.ssthresh = 12 * kMss;
  round();
  EXPECT_EQ(control_.alpha(), Illinois::kAlphaOne);
  EXPECT_EQ(segments(), 13);
  lose();
  EXPECT_EQ(segments(), 7);  // 13 - 13 / 2
}

TEST_F(IllinoisTest, ATimeoutMakesItReno) {
  hold(2);
  AckSample sample = sample_of_now();
  sample.after_timeout = true;
  control_.observe(sample);
  EXPECT_EQ(control_.alpha(), Illinois::kAlphaOne);
  EXPECT_EQ(control_.beta(), Illinois::kBetaOne / 2);
}

}  // namespace
}  // namespace simcore
