// SPDX-License-Identifier: MIT
//
// HyStart: leaves slow start before it overshoots (Ha and Rhee, "Taming the elephants: New TCP slow start", 2011), with
// the constants of Linux net/ipv4/tcp_cubic.c.
//
// Per round trip, from 16 segments of window on, slow start ends when (1) acknowledgements that follow each other within
// 2 ms have come for more than half of the smallest round trip and of what four trains take, at most 1 ms, or (2) the
// smallest round-trip sample is above the smallest ever by an eighth of it, between 4 and 16 ms; it is looked at from the
// ninth sample on.
#pragma once

#include <algorithm>
#include <cstdint>

#include "simcore/tcp/congestion_control.h"

namespace simcore {

class HyStart {
 public:
  // Says whether slow start is to end now. Precondition: the sender is in slow start.
  bool on_ack(const AckSample& sample, const CongestionWindow& window) {
    if (sample.rtt) min_rtt_ = std::min(min_rtt_, *sample.rtt);
    if (sample.snd_una > round_end_) start_round(sample);
    if (window.cwnd < kLowWindow * window.mss || !sample.rtt) return false;

    if (sample.now - last_ack_ <= kAckSpacing) {
      last_ack_ = sample.now;
      if (sample.now - round_start_ > (min_rtt_ + trains_delay(sample, window)) / 2) return true;
    }
    round_rtt_ = std::min(round_rtt_, *sample.rtt);
    if (samples_ < kSamples) {
      ++samples_;
      return false;
    }
    return round_rtt_ > min_rtt_ + std::clamp(min_rtt_ / 8, kLeastRise, kMostRise);
  }

 private:
  static constexpr std::int64_t kLowWindow = 16;
  static constexpr int kSamples = 8;
  static constexpr Duration kAckSpacing = Duration::ms(2);
  static constexpr Duration kLeastRise = Duration::ms(4);
  static constexpr Duration kMostRise = Duration::ms(16);
  static constexpr double kFourTrains = 4 * 65'536;  // bytes

  // What trains may delay acknowledgements by, at the rate of slow start (hystart_ack_delay).
  static Duration trains_delay(const AckSample& sample, const CongestionWindow& window) {
    const double seconds = kFourTrains * sample.srtt.in_seconds() / (2.0 * static_cast<double>(window.cwnd));
    return seconds < 1e-3 ? Duration::ns(static_cast<std::int64_t>(seconds * 1e9)) : Duration::ms(1);
  }

  void start_round(const AckSample& sample) {
    round_end_ = sample.snd_nxt;
    round_start_ = sample.now;
    last_ack_ = sample.now;
    round_rtt_ = Duration::infinite();
    samples_ = 0;
  }

  std::int64_t round_end_ = 0;
  SimTime round_start_ = SimTime::zero();
  SimTime last_ack_ = SimTime::zero();
  Duration min_rtt_ = Duration::infinite();
  Duration round_rtt_ = Duration::infinite();
  int samples_ = 0;
};

}  // namespace simcore
