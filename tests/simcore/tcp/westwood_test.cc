// SPDX-License-Identifier: MIT
#include "simcore/tcp/westwood.h"

#include <gtest/gtest.h>

#include "tests/simcore/tcp/window_test.h"

namespace simcore {
namespace {

using testing::kMss;

class WestwoodTest : public testing::WindowTest<Westwood> {};

// 100 segments of 1000 bytes in 100 ms are 1 MB/s.
TEST_F(WestwoodTest, ALossLeavesWhatThePathHoldsWithoutItsQueue) {
  round_trip_ = Duration::ms(100);
  hold(20);
  EXPECT_NEAR(control_.bandwidth(), 1e6, 1);
  round_trip_ = Duration::ms(150);
  window_.cwnd = 150 * kMss;
  hold(20);
  EXPECT_NEAR(control_.bandwidth(), 1e6, 1);
  lose();
  EXPECT_NEAR(static_cast<double>(segments()), 100, 1);
  EXPECT_EQ(window_.ssthresh, window_.cwnd);
}

TEST_F(WestwoodTest, DuringARecoveryTheWindowShrinksToHalf) {
  hold(20);
  EXPECT_EQ(control_.reduced(CongestionEvent::loss, window_, window_.cwnd, now_), 50 * kMss);
}

// An eighth of an eighth of what half a rate lacks.
TEST_F(WestwoodTest, TheEstimateIsSmoothedTwice) {
  round_trip_ = Duration::ms(100);
  const auto until_it_changes = [&](Duration spacing) {
    for (const double before = control_.bandwidth(); control_.bandwidth() == before;) {
      now_ = now_ + spacing;
      acknowledge();
    }
  };
  until_it_changes(Duration::ms(1));
  EXPECT_NEAR(control_.bandwidth(), 1e6, 1);
  until_it_changes(Duration::ms(2));
  EXPECT_NEAR(control_.bandwidth(), 1e6 * (1 - 0.5 / 64), 1);
}

TEST_F(WestwoodTest, SamplesLastFiftyMillisecondsAtLeast) {
  round_trip_ = Duration::ms(1);
  window_.cwnd = 10 * kMss;
  hold(50);
  EXPECT_EQ(control_.bandwidth(), 0);
  hold(2);
  EXPECT_NEAR(control_.bandwidth(), 10e6, 1e5);
}

TEST_F(WestwoodTest, ATimeoutMeasuresTheRoundTripAnew) {
  round_trip_ = Duration::ms(100);
  hold(20);
  lose(CongestionEvent::timeout);
  EXPECT_NEAR(static_cast<double>(window_.ssthresh) / kMss, 100, 1);
  // The path became longer: at the same rate it holds twice as much.
  round_trip_ = Duration::ms(200);
  window_.cwnd = 200 * kMss;
  hold(20);
  lose();
  EXPECT_NEAR(static_cast<double>(segments()), 200, 1);
}

TEST_F(WestwoodTest, WithoutAMeasurementItIsReno) {
  lose();
  EXPECT_EQ(segments(), 50);
}

}  // namespace
}  // namespace simcore
