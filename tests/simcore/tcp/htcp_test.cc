// SPDX-License-Identifier: MIT
#include "simcore/tcp/htcp.h"

#include <gtest/gtest.h>

#include "tests/simcore/tcp/window_test.h"

namespace simcore {
namespace {

using testing::kMss;

class HTcpTest : public testing::WindowTest<HTcp> {};

// With beta of a half and a round trip of 100 ms, alpha is f(t).
TEST_F(HTcpTest, TheStepGrowsWithTheTimeSinceTheLastCongestion) {
  round_trip_ = Duration::ms(100);
  acknowledge();
  for (const auto& [seconds, step] : {std::pair{1, 1}, {2, 11}, {3, 22}, {11, 126}}) {
    HTcp fresh = control_;
    fresh.reduced(CongestionEvent::loss, window_, window_.cwnd, SimTime::zero() + Duration::seconds(seconds));
    EXPECT_EQ(fresh.alpha(), step * HTcp::kOne) << seconds;  // 1 + 10 (t - 1) + ((t - 1) / 2)^2
  }
}

// 100 ms is the reference; scale lies between 1/2 and 10.
TEST_F(HTcpTest, TheStepIsThatOfAPathOfAHundredMilliseconds) {
  for (const auto& [ms, step] : {std::pair{50, 11}, {200, 44}, {1'000, 44}, {5, 2}}) {
    HTcp fresh(TcpOptions::linux_like());
    round_trip_ = Duration::ms(ms);
    fresh.observe(sample_of_now());
    fresh.reduced(CongestionEvent::loss, window_, window_.cwnd, SimTime::zero() + Duration::seconds(3));
    EXPECT_EQ(fresh.alpha(), step * HTcp::kOne) << ms;
  }
}

TEST_F(HTcpTest, InTheFirstSecondItIsReno) {
  for (int i = 0; i < 90; ++i) round();  // 0.9 s
  EXPECT_NEAR(static_cast<double>(segments()), 190, 2);
  lose();
  EXPECT_NEAR(static_cast<double>(segments()), 95, 1);
}

// Of a window of which 40 in 140 stand in the queue, 100 / 140 are left.
TEST_F(HTcpTest, WithASteadyThroughputALossCostsTheQueue) {
  round_trip_ = Duration::ms(100);
  hold(5);
  for (int i = 0; i < 3; ++i) {
    window_.cwnd = 140 * kMss;
    for (const int ms : {110, 125, 140}) {
      round_trip_ = Duration::ms(ms);
      window_.cwnd = ms * kMss;
      hold(3);
    }
    lose();
  }
  EXPECT_EQ(control_.beta(), 100 * HTcp::kOne / 140);
  EXPECT_EQ(segments(), 140 * (100 * HTcp::kOne / 140) / HTcp::kOne);
}

TEST_F(HTcpTest, OnAShortPathALossCostsHalf) {
  for (int i = 0; i < 4; ++i) {
    window_.cwnd = 100 * kMss;
    hold(20);
    lose();
    EXPECT_EQ(control_.beta(), HTcp::kOne / 2);
    EXPECT_EQ(segments(), 50);
  }
}

TEST_F(HTcpTest, ANeedlessReductionDoesNotBeginTheTimeAnew) {
  round_trip_ = Duration::ms(100);
  acknowledge();
  now_ = SimTime::zero() + Duration::seconds(2);
  control_.reduced(CongestionEvent::loss, window_, window_.cwnd, now_);
  control_.on_undo(window_);
  control_.reduced(CongestionEvent::loss, window_, window_.cwnd, SimTime::zero() + Duration::seconds(3));
  EXPECT_EQ(control_.alpha(), 22 * 2 * (HTcp::kOne - control_.beta()));  // f(3 s) = 22
}

}  // namespace
}  // namespace simcore
