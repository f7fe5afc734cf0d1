// SPDX-License-Identifier: MIT
//
// WindowTest: a congestion control alone, with a sender that its window always holds back: each segment is acknowledged one
// round trip later, and nothing else happens.
#pragma once

#include <gtest/gtest.h>

#include "simcore/tcp/congestion_control.h"

namespace simcore::testing {

inline constexpr std::int64_t kMss = 1000;

template <class Control>
class WindowTest : public ::testing::Test {
 protected:
  // Acknowledges one segment that was sent `round_trip_` ago.
  void acknowledge() {
    una_ += kMss;
    const AckSample sample = sample_of_now();
    control_.observe(sample);
    control_.on_ack(sample, window_);
  }

  // Acknowledges one window, segment by segment, within a round trip.
  void round() {
    const std::int64_t segments = window_.cwnd / kMss;
    for (std::int64_t i = 0; i < segments; ++i) {
      now_ = now_ + round_trip_ / segments;
      acknowledge();
    }
  }

  // A whole episode at once: the window is what the reduction left.
  void lose(CongestionEvent event = CongestionEvent::loss) {
    window_.ssthresh = control_.reduced(event, window_, window_.cwnd, now_);
    window_.cwnd = window_.ssthresh;
    control_.on_recovery_end(window_, now_, event == CongestionEvent::timeout);
  }

  // The same window for so many round trips.
  void hold(int rounds) {
    const std::int64_t cwnd = window_.cwnd;
    for (int i = 0; i < rounds; ++i) {
      round();
      window_.cwnd = cwnd;
    }
  }

  AckSample sample_of_now() const {
    AckSample sample;
    sample.now = now_;
    sample.acked = kMss;
    sample.delivered = kMss;
    sample.in_flight = window_.cwnd - kMss;
    sample.prior_in_flight = window_.cwnd;
    sample.snd_una = una_;
    sample.snd_nxt = una_ + window_.cwnd - kMss;
    sample.rtt = round_trip_;
    sample.srtt = round_trip_;
    sample.window_limited = true;
    return sample;
  }

  std::int64_t segments() const { return window_.cwnd / kMss; }

  Duration round_trip_ = Duration::ms(10);
  Control control_ = make();
  CongestionWindow window_{100 * kMss, 100 * kMss, kMss};  // in congestion avoidance
  SimTime now_ = SimTime::zero();
  std::int64_t una_ = 1;

 private:
  static Control make() {
    if constexpr (std::is_constructible_v<Control, const TcpOptions&>) {
      return Control(TcpOptions::linux_like());
    } else {
      return Control();
    }
  }
};

}  // namespace simcore::testing
