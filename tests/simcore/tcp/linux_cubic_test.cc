// SPDX-License-Identifier: MIT
#include "simcore/tcp/linux_cubic.h"

#include <gtest/gtest.h>

#include "tests/simcore/tcp/window_test.h"

namespace simcore {
namespace {

using testing::kMss;

class LinuxCubicTest : public testing::WindowTest<LinuxCubic> {};

TEST_F(LinuxCubicTest, BeforeAnyLossTheWindowGrowsByATwentiethInARoundTrip) {
  round();
  EXPECT_EQ(window_.cwnd, 105 * kMss);
}

TEST_F(LinuxCubicTest, ALossLeaves717Of1024RoundedDown) {
  window_.cwnd = 9 * kMss;
  lose();
  EXPECT_EQ(window_.cwnd, 6 * kMss);  // 9 * 717 / 1024 = 6.3
}

TEST_F(LinuxCubicTest, ASmallWindowKeepsAtLeastTwoSegments) {
  window_.cwnd = 2 * kMss;
  lose();
  EXPECT_EQ(window_.cwnd, 2 * kMss);
}

TEST_F(LinuxCubicTest, TheReductionRestsWhereTheWindowWas) {
  round_trip_ = Duration::ms(200);
  lose();
  // K = cbrt((100 - 70) / 0.4) = 4.2 s; then the plateau.
  while (now_ < SimTime::zero() + Duration::ms(4200)) round();
  EXPECT_NEAR(static_cast<double>(window_.cwnd) / kMss, 100, 3);
}

// With a curve that stands still what is left is Reno's: 8 / 15 of a segment in each round trip, and no whole one, however
// long it is above the window before the loss.
TEST_F(LinuxCubicTest, OnShortPathsTheRenoWindowGrowsByHalfASegmentInARoundTrip) {
  window_.cwnd = window_.ssthresh = 20 * kMss;
  lose();  // 14; K = 2.5 s
  for (int i = 0; i < 100; ++i) round();
  EXPECT_NEAR(static_cast<double>(window_.cwnd) / kMss, 14 + 100 * 8.0 / 15, 3);
}

TEST_F(LinuxCubicTest, OfASmallWindowTheFirstSegmentIsWonBackWithinAFewRoundTrips) {
  window_.cwnd = 10 * kMss;
  lose();  // 7: 0.4 * K^3 = 3, and what the curve lacks is rounded down to 2 at once
  round();
  EXPECT_EQ(window_.cwnd, 8 * kMss);
}

// tcp_init_cwnd_reduction: snd_cwnd_cnt is 0.
TEST_F(LinuxCubicTest, AReductionForgetsWhatWasAcknowledgedBefore) {
  lose();                                      // 70
  for (int i = 0; i < 60; ++i) acknowledge();  // of the 70 that it takes
  lose();
  ASSERT_EQ(window_.cwnd, 49 * kMss);
  acknowledge();
  EXPECT_EQ(window_.cwnd, 49 * kMss);
}

TEST_F(LinuxCubicTest, ATimeoutForgetsTheWindowThatWas) {
  lose(CongestionEvent::timeout);
  round();
  EXPECT_EQ(window_.cwnd, 73 * kMss);  // 70, and a twentieth of it as before any loss
}

}  // namespace
}  // namespace simcore
