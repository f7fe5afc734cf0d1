// SPDX-License-Identifier: MIT
#include "simcore/tcp/linux_cubic.h"

#include <gtest/gtest.h>

namespace simcore {
namespace {

constexpr std::int64_t kMss = 1000;

// A sender whose window is the limit, in congestion avoidance: each segment is acknowledged one round trip later.
class LinuxCubicTest : public ::testing::Test {
 protected:
  // Acknowledges one window, segment by segment, within a round trip.
  void round() {
    const std::int64_t segments = window_.cwnd / kMss;
    for (std::int64_t i = 0; i < segments; ++i) {
      now_ = now_ + round_trip_ / segments;
      AckSample sample;
      sample.now = now_;
      sample.acked = kMss;
      sample.delivered = kMss;
      sample.rtt = round_trip_;
      sample.srtt = round_trip_;
      sample.window_limited = true;
      cubic_.on_ack(sample, window_);
    }
  }

  void lose(CongestionEvent event = CongestionEvent::loss) {
    window_.ssthresh = cubic_.reduced(event, window_, window_.cwnd, now_);
    window_.cwnd = window_.ssthresh;
  }

  Duration round_trip_ = Duration::ms(10);
  LinuxCubic cubic_{TcpOptions::linux_like()};
  CongestionWindow window_{100 * kMss, 100 * kMss, kMss};
  SimTime now_ = SimTime::zero();
};

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

TEST_F(LinuxCubicTest, ATimeoutForgetsTheWindowThatWas) {
  lose(CongestionEvent::timeout);
  round();
  EXPECT_EQ(window_.cwnd, 73 * kMss);  // 70, and a twentieth of it as before any loss
}

}  // namespace
}  // namespace simcore
