// SPDX-License-Identifier: MIT
#include "simcore/link/session_background.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "simcore/link/fluid_queue.h"
#include "simcore/units/error.h"

namespace simcore {
namespace {

using Config = SessionBackground::Config;

constexpr double kLink = 8e6;  // bit/s

// How long a packet would wait that comes at a random instant, on average, in a link of 8 Mbit/s.
double mean_wait(const Config& config, int seconds) {
  FluidQueue queue({.rate = DataRate::bps(8'000'000), .packets = 1'000'000},
                   std::make_unique<SessionBackground>(config, RandomStream(1, "sessions")),
                   RandomStream(1, "places"), SimTime::zero());
  constexpr int kLooks = 1'000;  // a second
  double sum = 0;
  for (std::int64_t look = 1; look <= std::int64_t{seconds} * kLooks; ++look) {
    sum += queue.waiting(SimTime::at_ns(look * 1'000'000)).in_seconds();
  }
  return sum / (seconds * kLooks);
}

TEST(SessionBackgroundTest, sessionsThatComeAtOnceMakeAnMG1Queue) {
  // Pollaczek and Khinchin: rho S (1 + c^2) / (2 (1 - rho)), with c^2 = 0 for equal sizes and 1 for exponential ones.
  const double service = 10'000 * 8 / kLink;
  const double per_second = 60;
  const double rho = per_second * service;
  const double equal = rho * service / (2 * (1 - rho));
  EXPECT_NEAR(mean_wait({.per_second = per_second, .sizes = SessionBackground::Sizes::fixed}, 4'000), equal,
              0.03 * equal);
  EXPECT_NEAR(mean_wait({.per_second = per_second}, 4'000), 2 * equal, 0.03 * 2 * equal);
}

TEST(SessionBackgroundTest, sessionsOfAPeakAreThereAsInAnMGInfinityQueue) {
  // 50 a second, each for 20,000 bytes / 1 Mbit/s = 160 ms on average: 8 at a time, and Poisson's variance, 8.
  for (const auto sizes : {SessionBackground::Sizes::exponential, SessionBackground::Sizes::pareto}) {
    SessionBackground source({.per_second = 50,
                              .size = ByteCount::bytes(20'000),
                              .sizes = sizes,
                              .shape = 2.5,
                              .peak = DataRate::mbps(1)},
                             RandomStream(2, "sessions"));
    SimTime now = SimTime::zero();
    double sum = 0;
    double squares = 0;
    while (now.in_seconds() < 3'000) {
      const FluidPiece piece = source.next(now, {});
      const double active = static_cast<double>(piece.bits_per_second) / 1e6;
      sum += active * (piece.until - now).in_seconds();
      squares += active * active * (piece.until - now).in_seconds();
      now = piece.until;
    }
    const double mean = sum / now.in_seconds();
    EXPECT_NEAR(mean, 8, 0.03 * 8);
    EXPECT_NEAR(squares / now.in_seconds() - mean * mean, 8, 0.1 * 8);
  }
}

TEST(SessionBackgroundTest, sessionsThatShareSendAtThePeakWhileThereIsOne) {
  // 4 Mbit/s of work at a shared 5 Mbit/s: four fifths of the time.
  SessionBackground source(
      {.per_second = 50, .size = ByteCount::bytes(10'000), .peak = DataRate::mbps(5), .sharing = true},
      RandomStream(3, "sessions"));
  SimTime now = SimTime::zero();
  double busy = 0;
  while (now.in_seconds() < 2'000) {
    const FluidPiece piece = source.next(now, {});
    EXPECT_TRUE(piece.bits_per_second == 0 || piece.bits_per_second == 5'000'000);
    if (piece.bits_per_second > 0) busy += (piece.until - now).in_seconds();
    now = piece.until;
  }
  EXPECT_NEAR(busy / now.in_seconds(), 0.8, 0.02);
}

TEST(SessionBackgroundTest, whatIsOutOfRangeIsRefused) {
  EXPECT_THROW(session_background({.per_second = 0}), ConfigError);
  EXPECT_THROW(session_background({.sharing = true}), ConfigError);
  EXPECT_THROW(session_background({.shape = 1.0}), ConfigError);
  EXPECT_THROW(session_background({.per_second = 1e6, .peak = DataRate::bps(1'000)}), ConfigError);
  EXPECT_THROW(session_background({.per_second = 100, .peak = DataRate::mbps(8), .sharing = true}),
               ConfigError);
}

}  // namespace
}  // namespace simcore
