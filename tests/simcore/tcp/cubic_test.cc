// SPDX-License-Identifier: MIT
//
// What RFC 9438 says of windows, in segments and seconds:
//
//   W_cubic(t) = C (t - K)^3 + W_max   K = cbrt((W_max - cwnd_epoch) / C)   C = 0.4   beta = 0.7
#include "simcore/tcp/cubic.h"

#include <gtest/gtest.h>

#include <cmath>

namespace simcore {
namespace {

constexpr std::int64_t kMss = 1'000;
constexpr double kC = 0.4;
constexpr double kBeta = 0.7;

double curve(double t, double w_max, double cwnd_epoch) {
  const double k = std::cbrt((w_max - cwnd_epoch) / kC);
  return kC * std::pow(t - k, 3) + w_max;
}

TcpOptions without_hystart() {
  TcpOptions options = TcpOptions::linux_like();
  options.hystart = false;
  return options;
}

// A sender whose window is the limit, each of whose segments is acknowledged one round trip later.
class CubicTest : public ::testing::Test {
 protected:
  void ack(std::int64_t bytes) {
    AckSample sample;
    sample.now = now;
    sample.acked = sample.delivered = bytes;
    sample.rtt = sample.srtt = round_trip;
    sample.snd_una = una += bytes;
    sample.snd_nxt = una + window.cwnd;
    sample.window_limited = limited;
    cubic.on_ack(sample, window);
  }
  // One window, segment by segment, within a round trip.
  void round() {
    const std::int64_t segments = window.cwnd / kMss;
    for (std::int64_t i = 0; i < segments; ++i) {
      now = now + round_trip / segments;
      ack(kMss);
    }
  }
  void rounds(int count) {
    for (int i = 0; i < count; ++i) round();
  }
  // Congestion avoidance begins, and so much later a whole window is acknowledged at once.
  void acknowledge_after(Duration time) {
    ack(1);
    now = now + time;
    ack(window.cwnd);
  }
  void lose(CongestionEvent event = CongestionEvent::loss) {
    window.ssthresh = cubic.reduced(event, window, window.cwnd, now);
    window.cwnd = event == CongestionEvent::timeout ? kMss : window.ssthresh;
  }
  double segments() const { return static_cast<double>(window.cwnd) / kMss; }
  double seconds() const { return (now - SimTime::zero()).in_seconds(); }

  Cubic cubic{without_hystart()};
  CongestionWindow window{100 * kMss, 100 * kMss, kMss};
  SimTime now = SimTime::zero();
  Duration round_trip = Duration::ms(200);
  bool limited = true;
  std::int64_t una = 0;
};

// 4.6: ssthresh = flight_size * beta, at least 2.
TEST_F(CubicTest, a_loss_an_echo_and_a_timeout_leave_seven_tenths_of_the_flight) {
  for (const auto event : {CongestionEvent::loss, CongestionEvent::ecn_echo, CongestionEvent::timeout}) {
    EXPECT_EQ(cubic.reduced(event, window, 100 * kMss, now), 70 * kMss);
    EXPECT_EQ(cubic.reduced(event, window, 50 * kMss, now), 35 * kMss);
    EXPECT_EQ(cubic.reduced(event, window, 2 * kMss, now), 2 * kMss);
  }
}

// 4.2: an acknowledged window of cwnd segments adds target - cwnd, where the target is the curve a round trip ahead.
TEST_F(CubicTest, a_window_that_is_acknowledged_leads_to_where_the_curve_is_a_round_trip_later) {
  lose();
  round_trip = Duration::seconds(1);
  acknowledge_after(Duration::seconds(1));
  EXPECT_EQ(segments(), 95);  // K = 4.22 s, W_cubic(2) = 0.4 (2 - 4.22)^3 + 100 = 95.6, in whole segments
  EXPECT_EQ(std::floor(curve(2, 100, 70)), 95);
}

TEST_F(CubicTest, the_target_is_at_most_half_a_window_away) {
  lose();
  round_trip = Duration::seconds(10);
  acknowledge_after(Duration::seconds(1));  // W_cubic(11) = 225
  EXPECT_EQ(window.cwnd, 105 * kMss);
}

TEST_F(CubicTest, the_window_is_concave_up_to_the_one_of_the_loss_and_convex_above_it) {
  lose();
  const double k = std::cbrt(30 / kC);  // 4.2 s
  for (const double part : {0.25, 0.5, 0.75, 1.0, 1.5, 2.0}) {
    while (seconds() < part * k) round();
    EXPECT_NEAR(segments(), curve(seconds(), 100, 70), 2) << seconds();
  }
}

// 4.7: who loses below W_max takes (1 + beta) / 2 of the window as the next.
TEST_F(CubicTest, fast_convergence_gives_way_when_a_loss_comes_below_the_last_one) {
  lose();
  window.cwnd = 80 * kMss;
  lose();
  const double w_max = 80 * (1 + kBeta) / 2;
  EXPECT_EQ(segments(), 56);
  round_trip = Duration::seconds(1);
  acknowledge_after(Duration::seconds(2));  // K = 3.1 s
  EXPECT_EQ(segments(), std::floor(curve(3, w_max, 56)));
  EXPECT_NE(std::floor(curve(3, w_max, 56)), std::floor(curve(3, 80, 56)));
}

TEST_F(CubicTest, a_loss_above_the_last_one_is_where_the_next_plateau_is) {
  lose();
  window.cwnd = 120 * kMss;
  lose();
  EXPECT_EQ(segments(), 84);
  round_trip = Duration::seconds(1);
  acknowledge_after(Duration::seconds(2));
  EXPECT_EQ(segments(), std::floor(curve(3, 120, 84)));
}

// 4.3: W_est grows by alpha = 3 (1 - beta) / (1 + beta) in a round trip, and by 1 from the window of the loss on.
TEST_F(CubicTest, on_a_short_path_it_is_as_fast_as_reno_with_that_reduction_would_be) {
  window.cwnd = 20 * kMss;
  round_trip = Duration::ms(1);
  lose();
  constexpr double kAlpha = 3 * (1 - kBeta) / (1 + kBeta);
  rounds(10);
  EXPECT_NEAR(segments(), 14 + 10 * kAlpha, 1);
  rounds(30);
  const double slow_rounds = (20 - 14) / kAlpha;  // 11.3
  EXPECT_NEAR(segments(), 20 + (40 - slow_rounds), 2);
  EXPECT_LT(curve(seconds(), 20, 14), 15);  // where the curve alone would be
}

// 4.10: without a loss before, K is 0 and the plateau is where congestion avoidance began.
TEST_F(CubicTest, without_a_loss_before_the_window_grows_from_where_it_is) {
  round_trip = Duration::seconds(1);
  acknowledge_after(Duration::seconds(3));
  EXPECT_EQ(segments(), std::floor(100 + kC * std::pow(4, 3)));  // 125
}

TEST_F(CubicTest, slow_start_doubles_the_window_and_what_is_left_at_its_end_is_not_lost) {
  window = {10 * kMss, 100 * kMss, kMss};
  round();
  EXPECT_EQ(segments(), 20);
  window.cwnd = 99 * kMss;
  ack(99 * kMss);  // the first of them ends slow start; the others are 98 / 100 of a segment, as Reno counts
  EXPECT_EQ(segments(), 100);
  ack(5 * kMss);
  EXPECT_EQ(segments(), 101);
}

TEST_F(CubicTest, with_a_limit_to_counted_bytes_slow_start_takes_no_more_of_an_acknowledgement) {
  TcpOptions options = without_hystart();
  options.bytes_counted_per_ack = 2;
  cubic = Cubic(options);
  window = {10 * kMss, 100 * kMss, kMss};
  ack(10 * kMss);
  EXPECT_EQ(segments(), 12);
}

// 4.8: K is 0 and W_max is the window with which congestion avoidance begins.
TEST_F(CubicTest, after_a_timeout_the_window_grows_from_the_end_of_slow_start_as_if_no_loss_had_been) {
  lose(CongestionEvent::timeout);
  EXPECT_EQ(segments(), 1);
  while (window.slow_start()) ack(kMss);
  EXPECT_EQ(segments(), 70);
  round_trip = Duration::seconds(1);
  acknowledge_after(Duration::seconds(3));
  EXPECT_EQ(segments(), std::floor(70 + kC * std::pow(4, 3)));  // 95
}

TEST_F(CubicTest, a_timeout_that_was_none_leaves_the_plateau_of_the_loss_before) {
  lose();
  lose(CongestionEvent::timeout);
  window.cwnd = 80 * kMss;
  cubic.on_undo(window);
  round_trip = Duration::seconds(1);
  acknowledge_after(Duration::seconds(2));
  EXPECT_EQ(segments(), std::floor(curve(3, 100, 80)));
}

// 5.8: an application that does not fill the window learns nothing of the path.
TEST_F(CubicTest, a_window_that_is_not_the_limit_does_not_grow) {
  lose();
  limited = false;
  rounds(50);
  EXPECT_EQ(segments(), 70);
}

TEST_F(CubicTest, idle_time_is_no_time_on_the_curve) {
  lose();
  rounds(5);  // one second
  const Duration idle = Duration::seconds(60);
  now = now + idle;
  cubic.on_sending_starts({.now = now, .idle = idle, .rested = true}, window);
  rounds(5);
  EXPECT_NEAR(segments(), curve(seconds() - 60, 100, 70), 2);
}

TEST_F(CubicTest, idle_time_before_any_growth_moves_nothing) {
  lose();
  now = now + Duration::seconds(60);
  cubic.on_sending_starts({.now = now, .idle = Duration::seconds(60), .rested = true}, window);
  round_trip = Duration::seconds(1);
  acknowledge_after(Duration::seconds(1));
  EXPECT_EQ(segments(), std::floor(curve(2, 100, 70)));
}

// 4.9: a reduction that was needless leaves the plateau of the one before.
TEST_F(CubicTest, what_was_taken_for_a_loss_and_was_none_is_forgotten) {
  lose();
  window.cwnd = 80 * kMss;
  lose();  // W_max = 68
  window.cwnd = 80 * kMss;
  cubic.on_undo(window);
  round_trip = Duration::seconds(1);
  acknowledge_after(Duration::seconds(2));
  EXPECT_EQ(segments(), std::floor(curve(3, 100, 80)));
}

// HyStart: from 16 segments on, a round whose first eight samples are all 4 ms above the least ever ends slow start.
TEST_F(CubicTest, a_round_trip_that_grows_ends_slow_start_before_a_loss_does) {
  TcpOptions options = TcpOptions::linux_like();
  options.hystart = true;
  cubic = Cubic(options);
  window = {20 * kMss, 1'000 * kMss, kMss};
  round_trip = Duration::ms(10);
  now = now + Duration::seconds(1);
  for (int i = 0; i < 8; ++i) ack(kMss);
  EXPECT_TRUE(window.slow_start());
  round_trip = Duration::ms(20);
  for (int i = 0; i < 100 && window.slow_start(); ++i) {
    now = now + Duration::ms(5);  // not a train
    ack(kMss);
  }
  EXPECT_FALSE(window.slow_start());
  EXPECT_LT(segments(), 64);
}

}  // namespace
}  // namespace simcore
