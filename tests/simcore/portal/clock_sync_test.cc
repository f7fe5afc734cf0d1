// SPDX-License-Identifier: MIT
#include "simcore/portal/clock_sync.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <random>

namespace simcore {
namespace {

// The peer's clock shows here + offset + drift * here.
struct Peer {
  Duration offset = Duration::zero();
  double drift = 0.0;

  SimTime shows(SimTime here) const {
    return here + offset + Duration::ns(std::llround(static_cast<double>(here.count_ns()) * drift));
  }

  // A request sent at `start` that takes `there` to the peer, 5 us in it, and `back`.
  ClockSync::Exchange exchange(SimTime start, Duration there, Duration back) const {
    const SimTime received = start + there;
    const SimTime replied = received + Duration::us(5);
    return {start, shows(received), shows(replied), replied + back};
  }
};

std::int64_t error_ns(const ClockSync& clock, const Peer& peer, SimTime here) {
  return std::abs((clock.to_local(peer.shows(here)) - here).count_ns());
}

SimTime at_ms(std::int64_t ms) { return SimTime::at_ns(ms * 1'000'000); }

TEST(ClockSync, a_symmetric_path_gives_the_offset_exactly) {
  const Peer peer{Duration::seconds(-3), 0.0};
  ClockSync clock;
  for (int i = 0; i < 8; ++i) {
    EXPECT_FALSE(clock.synchronized());
    ASSERT_TRUE(clock.add(peer.exchange(at_ms(5 * i), Duration::us(40), Duration::us(40))));
  }
  EXPECT_TRUE(clock.synchronized());
  EXPECT_EQ(clock.offset(), Duration::seconds(-3));
  EXPECT_EQ(clock.least_round_trip(), Duration::us(80));
  EXPECT_EQ(clock.asymmetry_bound(), Duration::us(40));
  EXPECT_EQ(error_ns(clock, peer, at_ms(1'000)), 0);
}

TEST(ClockSync, one_prompt_exchange_outweighs_many_delayed_ones) {
  const Peer peer{Duration::ms(700), 0.0};
  ClockSync clock;
  for (int i = 0; i < 20; ++i) clock.add(peer.exchange(at_ms(10 * i), Duration::us(30), Duration::ms(4)));
  clock.add(peer.exchange(at_ms(200), Duration::us(30), Duration::us(30)));
  for (int i = 21; i < 40; ++i) clock.add(peer.exchange(at_ms(10 * i), Duration::ms(2), Duration::us(30)));
  EXPECT_EQ(clock.offset(), Duration::ms(700));
}

TEST(ClockSync, drift_is_followed_beyond_the_last_exchange) {
  const Peer peer{Duration::seconds(5), 50e-6};  // 50 ppm: 5 us in 100 ms
  ClockSync clock;
  for (int i = 0; i < 128; ++i) clock.add(peer.exchange(at_ms(100 * i), Duration::us(50), Duration::us(50)));
  EXPECT_NEAR(clock.drift_ppm(), 50.0, 0.1);
  EXPECT_LE(error_ns(clock, peer, at_ms(12'800)), 50);
  EXPECT_LE(error_ns(clock, peer, at_ms(13'700)), 150);  // a second of silence would cost 50 us without drift
}

TEST(ClockSync, jitter_of_hundreds_of_microseconds_leaves_an_error_of_tens) {
  const Peer peer{Duration::seconds(-40), -20e-6};
  std::mt19937 random(11);
  std::exponential_distribution<double> queueing(1.0 / 150e3);  // mean 150 us each way
  ClockSync clock;
  std::int64_t worst = 0;
  for (int i = 0; i < 1'500; ++i) {
    const auto way = [&] { return Duration::us(40) + Duration::ns(std::llround(queueing(random))); };
    clock.add(peer.exchange(at_ms(100 * i), way(), way()));
    if (i > 512) worst = std::max(worst, error_ns(clock, peer, at_ms(100 * i + 100)));
  }
  // The round trip's excess is the sum of two exponentials; the least of 32 is about 150 us * sqrt(2 / 32) = 38 us, which
  // puts a section's offset within 19 us, sometimes twice that. The line averages sixteen.
  EXPECT_LE(worst, 30'000);
}

TEST(ClockSync, an_asymmetric_path_is_wrong_by_no_more_than_the_bound) {
  const Peer peer{Duration::seconds(1), 0.0};
  ClockSync clock;
  for (int i = 0; i < 20; ++i) clock.add(peer.exchange(at_ms(10 * i), Duration::us(10), Duration::us(90)));
  EXPECT_EQ(error_ns(clock, peer, at_ms(300)), 40'000);
  EXPECT_EQ(clock.asymmetry_bound(), Duration::us(50));
}

TEST(ClockSync, an_exchange_shorter_here_than_there_is_refused) {
  ClockSync clock;
  EXPECT_FALSE(clock.add({at_ms(10), at_ms(0), at_ms(5), at_ms(14)}));
  EXPECT_FALSE(clock.add({at_ms(10), at_ms(5), at_ms(0), at_ms(14)}));
  EXPECT_FALSE(clock.add({at_ms(14), at_ms(0), at_ms(0), at_ms(10)}));
  EXPECT_EQ(clock.exchanges(), 0u);
}

TEST(ClockSync, the_path_of_long_ago_is_forgotten) {
  const Peer peer{Duration::seconds(1), 0.0};
  ClockSync clock;
  clock.add(peer.exchange(at_ms(0), Duration::us(10), Duration::us(10)));
  for (int i = 1; i <= 512; ++i) clock.add(peer.exchange(at_ms(100 * i), Duration::us(60), Duration::us(60)));
  EXPECT_EQ(clock.least_round_trip(), Duration::us(120));
}

}  // namespace
}  // namespace simcore
