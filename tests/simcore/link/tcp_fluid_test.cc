// SPDX-License-Identifier: MIT
#include "simcore/link/tcp_fluid.h"

#include <gtest/gtest.h>

#include <cmath>

namespace simcore {
namespace {

constexpr double kRoundTrip = 0.06;
constexpr double kStep = 0.005;

// The window after so many seconds in which a share p of all segments is lost.
double window_at(TcpFluid& tcp, double p, double seconds, double round_trip = kRoundTrip) {
  for (double now = 0; now < seconds; now += kStep) {
    tcp.follow(kStep, round_trip, tcp.rate(round_trip) * p);
  }
  return tcp.window();
}

TEST(TcpFluidTest, renosWindowComesToTheSquareRootLaw) {
  for (const double p : {0.0001, 0.001, 0.01}) {
    TcpFluid tcp(TcpFluid::Congestion::reno);
    EXPECT_NEAR(window_at(tcp, p, 200), std::sqrt(2 / p), 0.01 * std::sqrt(2 / p)) << p;
  }
}

TEST(TcpFluidTest, cubicsWindowComesToItsResponseFunction) {
  const double p = 0.0001;
  const double expected = std::pow(0.3 / p, 0.75) * std::pow(0.4 / 0.3, 0.25);
  TcpFluid tcp(TcpFluid::Congestion::cubic);
  EXPECT_NEAR(window_at(tcp, p, 5'000, 0.3), expected, 0.03 * expected);
}

// Where Reno would have more. b W = a / (W p) with a = 3 b / (2 - b), b = 0.3.
TEST(TcpFluidTest, cubicIsFriendlyToReno) {
  const double p = 0.001;
  TcpFluid tcp(TcpFluid::Congestion::cubic);
  const double expected = std::sqrt(3 / 1.7 / p);
  EXPECT_NEAR(window_at(tcp, p, 500), expected, 0.03 * expected);
}

TEST(TcpFluidTest, withoutLossRenoGrowsByASegmentEachRoundTrip) {
  TcpFluid tcp(TcpFluid::Congestion::reno);
  EXPECT_NEAR(window_at(tcp, 0, 3), 1 + 3 / kRoundTrip, 0.2);
}

TEST(TcpFluidTest, aWindowIsAtLeastASegment) {
  for (const auto congestion : {TcpFluid::Congestion::reno, TcpFluid::Congestion::cubic}) {
    TcpFluid tcp(congestion);
    for (int step = 0; step < 1'000; ++step) tcp.follow(kStep, kRoundTrip, 1e6);
    EXPECT_EQ(tcp.window(), 1);
  }
}

TEST(TcpFluidTest, afterAStallItBeginsWithASegmentAgain) {
  TcpFluid reno(TcpFluid::Congestion::reno);
  TcpFluid cubic(TcpFluid::Congestion::cubic);
  for (TcpFluid* const tcp : {&reno, &cubic}) {
    window_at(*tcp, 0.001, 20);
    tcp->stall();
    EXPECT_EQ(tcp->window(), 1);
  }
  EXPECT_NEAR(window_at(reno, 0, 3), 1 + 3 / kRoundTrip, 0.2);
  // 0.4 (s - K)^3 + 1 with K = cbrt(0.3 / 0.4).
  EXPECT_NEAR(window_at(cubic, 0, 12), 1 + 0.4 * std::pow(12 - std::cbrt(0.75), 3), 2.0);
}

}  // namespace
}  // namespace simcore
