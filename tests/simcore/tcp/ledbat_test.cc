// SPDX-License-Identifier: MIT
#include "simcore/tcp/ledbat.h"

#include <gtest/gtest.h>

#include "tests/simcore/tcp/window_test.h"

namespace simcore {
namespace {

using testing::kMss;

class LedbatTest : public testing::WindowTest<Ledbat> {};

TEST_F(LedbatTest, WithoutAQueueTheWindowGrowsByASegmentInARoundTrip) {
  for (int i = 0; i < 10; ++i) round();
  EXPECT_NEAR(static_cast<double>(window_.cwnd) / kMss, 110, 0.6);
}

TEST_F(LedbatTest, AHundredMillisecondsOfQueueHoldIt) {
  hold(1);
  round_trip_ = Duration::ms(110);
  hold(1);
  EXPECT_EQ(control_.queueing(), Duration::ms(100));
  const std::int64_t before = window_.cwnd;
  for (int i = 0; i < 10; ++i) round();
  EXPECT_EQ(window_.cwnd, before);
}

TEST_F(LedbatTest, TwiceThatShrinksItBySegmentInARoundTrip) {
  hold(1);
  round_trip_ = Duration::ms(210);
  hold(1);
  for (int i = 0; i < 10; ++i) round();
  EXPECT_NEAR(static_cast<double>(window_.cwnd) / kMss, 90, 0.6);
}

TEST_F(LedbatTest, OneLateAnswerInFourDoesNotCount) {
  hold(1);
  round_trip_ = Duration::ms(500);
  for (int i = 0; i < 3; ++i) acknowledge();
  EXPECT_EQ(control_.queueing(), Duration::zero());
  acknowledge();
  EXPECT_EQ(control_.queueing(), Duration::ms(490));
}

TEST_F(LedbatTest, ARoundTripOfTenMinutesAgoIsForgotten) {
  acknowledge();
  round_trip_ = Duration::ms(60);
  const auto queueing_after = [&](int minutes) {
    for (int i = 0; i < 4; ++i) {
      now_ = now_ + Duration::seconds(15 * minutes);
      acknowledge();
    }
    return control_.queueing();
  };
  for (int minute = 1; minute < 10; ++minute) EXPECT_EQ(queueing_after(1), Duration::ms(50)) << minute;
  EXPECT_EQ(queueing_after(1), Duration::zero());
}

TEST_F(LedbatTest, AWindowThatIsNotUsedGoesNoFurtherThanASegmentBeyondWhatWasInFlight) {
  AckSample sample = sample_of_now();
  sample.window_limited = false;
  sample.prior_in_flight = 10 * kMss;
  control_.observe(sample);
  control_.on_ack(sample, window_);
  EXPECT_EQ(window_.cwnd, 11 * kMss);
}

TEST_F(LedbatTest, ALossCostsHalfAndLeavesTwoSegments) {
  lose();
  EXPECT_EQ(segments(), 50);
  window_.cwnd = 3 * kMss;
  lose();
  EXPECT_EQ(segments(), 2);
}

}  // namespace
}  // namespace simcore
