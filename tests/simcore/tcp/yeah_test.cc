// SPDX-License-Identifier: MIT
#include "simcore/tcp/yeah.h"

#include <gtest/gtest.h>

#include "tests/simcore/tcp/window_test.h"

namespace simcore {
namespace {

using testing::kMss;

class YeahTest : public testing::WindowTest<Yeah> {};

// A path of 100 ms, and 1000 segments.
class YeahOverAHundredMilliseconds : public YeahTest {
 protected:
  YeahOverAHundredMilliseconds() {
    round_trip_ = Duration::ms(100);
    window_.cwnd = window_.ssthresh = 1'000 * kMss;
    hold(2);
  }

  void wait(int ms) {
    round_trip_ = Duration::ms(100 + ms);
    hold(2);  // the second begins and ends with it
  }
};

TEST_F(YeahOverAHundredMilliseconds, WithoutAQueueEveryHundredthSegmentGrowsTheWindow) {
  round();
  EXPECT_EQ(segments(), 1'010);
}

// Of 600 segments 600 * 13 / 113 = 69 wait, which is few, but 13 ms is more than an eighth of 100.
TEST_F(YeahOverAHundredMilliseconds, ALongQueueMakesItReno) {
  window_.cwnd = window_.ssthresh = 600 * kMss;
  wait(13);
  EXPECT_FALSE(control_.fast());
  round();
  EXPECT_EQ(segments(), 601);
  wait(0);
  EXPECT_TRUE(control_.fast());
}

// 1000 * 10 / 110 = 90 segments wait, more than 80.
TEST_F(YeahOverAHundredMilliseconds, WhatWaitsIsGivenBackBeforeALoss) {
  round_trip_ = Duration::ms(110);
  window_.cwnd = 1'000 * kMss;
  hold(1);
  while (window_.cwnd >= 1'000 * kMss) acknowledge();
  EXPECT_NEAR(static_cast<double>(segments()), 1'000 - 90, 5);  // it grew until then
}

TEST_F(YeahOverAHundredMilliseconds, ALossCostsAnEighthWhenNothingWaits) {
  lose();
  EXPECT_EQ(segments(), 875);
}

// 800 * 20 / 120 = 133 segments wait: more than an eighth, less than half.
TEST_F(YeahOverAHundredMilliseconds, ALossCostsWhatWaits) {
  window_.cwnd = window_.ssthresh = 800 * kMss;
  wait(20);
  window_.cwnd = window_.ssthresh = 800 * kMss;
  lose();
  EXPECT_NEAR(static_cast<double>(segments()), 800 - 133, 5);
}

TEST_F(YeahOverAHundredMilliseconds, WhoHasHadAQueueForSixteenRoundTripsIsNotAloneAndLosesHalf) {
  window_.cwnd = window_.ssthresh = 400 * kMss;
  for (int i = 0; i < 20; ++i) wait(15);  // 400 * 15 / 115 = 52: as Reno
  lose();
  EXPECT_EQ(segments(), 200);
}

}  // namespace
}  // namespace simcore
