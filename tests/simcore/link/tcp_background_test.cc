// SPDX-License-Identifier: MIT
#include "simcore/link/tcp_background.h"

#include <gtest/gtest.h>

#include <cmath>

#include "simcore/link/fluid_queue.h"
#include "simcore/units/error.h"

namespace simcore {
namespace {

// The window when the path has shown the same loss and delay for so long.
double window_at(TcpBackground& source, FluidFeedback path, double seconds) {
  SimTime now = SimTime::zero();
  while (now.in_seconds() < seconds) now = source.next(now, path).until;
  return source.window();
}

TEST(TcpBackgroundTest, aStepIsATenthOfTheRoundTrip) {
  TcpBackground source({.round_trip = Duration::ms(30)});
  EXPECT_EQ(source.next(SimTime::zero(), {}).until, SimTime::at_ns(3'000'000));
  EXPECT_EQ(source.step(), Duration::ms(3));
}

TEST(TcpBackgroundTest, withoutLossAWindowGrowsByASegmentEachRoundTrip) {
  TcpBackground source({.round_trip = Duration::ms(40)});
  // 10 ms of queue upon it: 50 ms.
  EXPECT_NEAR(window_at(source, {.waiting = Duration::ms(10)}, 5.0), 1 + 5.0 / 0.050, 1.0);
}

TEST(TcpBackgroundTest, renosWindowComesToTheSquareRootLawOfTheFluid) {
  for (const double p : {0.0001, 0.001, 0.01, 0.05}) {
    TcpBackground source({.round_trip = Duration::ms(50)});
    const double window = window_at(source, {.waiting = Duration::ms(10), .lost = p}, 200);
    EXPECT_NEAR(window, std::sqrt(2 / p), 0.01 * std::sqrt(2 / p)) << p;
    // Of one flow with evenly spaced losses: sqrt(3 / 2) instead of sqrt(2).
    EXPECT_NEAR(window / std::sqrt(1.5 / p), std::sqrt(4.0 / 3.0), 0.02) << p;
  }
}

TEST(TcpBackgroundTest, cubicsWindowComesSlowlyFromBelowToWhereGrowthAndLossesAreEqual) {
  const double p = 0.0001;  // where losses are more frequent, Reno's growth leads further
  const TcpBackground::Config config{.round_trip = Duration::ms(90),
                                     .congestion = TcpBackground::Congestion::cubic};
  const double expected = std::pow(0.1 / p, 0.75) * std::pow(0.4 / 0.3, 0.25);
  TcpBackground soon(config);
  TcpBackground late(config);
  const double missing_soon = 1 - window_at(soon, {.waiting = Duration::ms(10), .lost = p}, 320) / expected;
  const double missing_late = 1 - window_at(late, {.waiting = Duration::ms(10), .lost = p}, 5'120) / expected;
  EXPECT_LT(missing_soon, 0.1);
  // The plateau of the cubic is flat, so what is missing shrinks as one over the root of the time: to a quarter.
  EXPECT_NEAR(missing_late, missing_soon / 4, 0.1 * missing_soon);
  EXPECT_GT(missing_late, 0);
}

TEST(TcpBackgroundTest, theRateIsThatOfAllFlowsTogether) {
  TcpBackground one({.flows = 1, .round_trip = Duration::ms(100)});
  TcpBackground many({.flows = 100'000, .round_trip = Duration::ms(100)});
  const std::int64_t rate = one.next(SimTime::zero(), {}).bits_per_second;
  EXPECT_EQ(rate, 132'000);  // 1.1 segments of 12,000 bits in 0.1 s
  EXPECT_EQ(many.next(SimTime::zero(), {}).bits_per_second, 100'000 * rate);
}

TEST(TcpBackgroundTest, flowsFillADropTailQueueAndLoseAsTheSquareRootLawSays) {
  // 50 flows on 100 Mbit/s. The round trip is 40 ms and what waits; the queue is as long as the path.
  constexpr std::int64_t kFlows = 50;
  auto made =
      std::make_unique<TcpBackground>(TcpBackground::Config{.flows = kFlows, .round_trip = Duration::ms(40)});
  FluidQueue queue({.rate = DataRate::mbps(100), .packets = 333}, std::move(made), RandomStream(1, "places"),
                   SimTime::zero());
  const auto at = [](std::int64_t ms) { return SimTime::at_ns(ms * 1'000'000); };
  const FluidQueue::Counters begin = queue.counters(at(50'000));
  double waiting = 0;
  constexpr int kLooks = 10'000;
  for (int look = 0; look < kLooks; ++look)
    waiting += queue.waiting(at(50'000 + 10 * look)).in_seconds() / kLooks;
  const FluidQueue::Counters end = queue.counters(at(150'000));
  const auto served = static_cast<double>(end.served_bytes - begin.served_bytes);
  const auto lost = static_cast<double>(end.lost_bytes - begin.lost_bytes);
  EXPECT_GT(served, 0.97 * 100e6 / 8 * 100);
  const double p = lost / (served + lost);
  const double window = served * 8 / 100 / kFlows / 12'000 * (0.040 + waiting);
  // The loss comes in moments, in which windows are large: the mean window is a little below that of an even loss.
  EXPECT_NEAR(window, std::sqrt(2 / p), 0.15 * std::sqrt(2 / p));
}

TEST(TcpBackgroundTest, whatIsOutOfRangeIsRefused) {
  EXPECT_THROW(TcpBackground({.flows = 0}), ConfigError);
  EXPECT_THROW(TcpBackground({.round_trip = Duration::us(99)}), ConfigError);
  EXPECT_THROW(tcp_background({.segment = ByteCount::bytes(63)}), ConfigError);
}

}  // namespace
}  // namespace simcore
