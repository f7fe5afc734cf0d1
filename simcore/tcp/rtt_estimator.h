// SPDX-License-Identifier: MIT
//
// RttEstimator: SRTT, RTTVAR and the retransmission timeout (RFC 6298), with its back-off.
//
//   first sample R:   SRTT = R, RTTVAR = R/2
//   next samples:     RTTVAR = 3/4 RTTVAR + 1/4 |SRTT - R|;  SRTT = 7/8 SRTT + 1/8 R
//   RTO = SRTT + max(G, 4 RTTVAR), between the minimum and the maximum, doubled by every expiry
//
// Linux puts its minimum under the variance instead of under the sum, and takes for the variance the largest of each round
// trip, which falls by a quarter of what it is too large, once a round trip. A sample below SRTT counts an eighth of what it
// makes the variance larger (net/ipv4/tcp_input.c, tcp_rtt_estimator). `variance_of_linux` does that.
#pragma once

#include <algorithm>
#include <cstdint>

#include "simcore/units/time.h"

namespace simcore {

template <class T>
class OptionTable;

constexpr Duration kLinuxTimer = Duration::ms(2);  // TCP_TIMEOUT_MIN: what Linux's short timers wait beyond

class RttEstimator {
 public:
  struct Config {
    Duration initial_rto = Duration::seconds(1);
    Duration minimum_rto = Duration::seconds(1);
    Duration maximum_rto = Duration::seconds(60);
    Duration granularity = Duration::ms(1);  // G of RFC 6298: of the clock that measures
    bool variance_of_linux = false;

    static const OptionTable<Config>& options();
  };

  explicit RttEstimator(const Config& config) : config_(config), rto_(config.initial_rto) {}

  // A round trip was measured. `acknowledged` and `sent` are positions, snd_una and snd_nxt: with them Linux counts round
  // trips.
  void sample(Duration rtt, std::int64_t acknowledged, std::int64_t sent) {
    if (!has_sample_) {
      srtt_ = rtt;
      rttvar_ = rtt / 2;
      has_sample_ = true;
      largest_variance_ = spread_ = std::max(config_.minimum_rto, rttvar_ * 4);
      round_trip_end_ = sent;
    } else {
      const bool below = rtt < srtt_;
      const Duration deviation = below ? srtt_ - rtt : rtt - srtt_;
      srtt_ = (srtt_ * 7 + rtt) / 8;
      if (config_.variance_of_linux) {
        take_deviation_as_linux(deviation, below, acknowledged, sent);
      } else {
        rttvar_ = (rttvar_ * 3 + deviation) / 4;
      }
    }
    latest_ = rtt;
    rto_ = config_.variance_of_linux
               ? srtt_ + spread_
               : std::max(config_.minimum_rto, srtt_ + std::max(config_.granularity, rttvar_ * 4));
    rto_ = std::min(rto_, config_.maximum_rto);
  }

  bool has_sample() const { return has_sample_; }
  Duration srtt() const { return srtt_; }
  Duration rttvar() const { return rttvar_; }
  Duration latest() const { return latest_; }

  // The timeout to arm now: backed off `backoff()` times.
  Duration rto() const {
    Duration timeout = rto_;
    for (int i = 0; i < backoff_ && timeout < config_.maximum_rto; ++i) timeout = timeout * 2;
    return std::min(timeout, config_.maximum_rto);
  }
  Duration rto_without_backoff() const { return rto_; }

  int backoff() const { return backoff_; }
  void back_off() { backoff_ = std::min(backoff_ + 1, 32); }
  void take_back_off() { backoff_ = std::max(backoff_ - 1, 0); }
  void forget_backoff() { backoff_ = 0; }

  // RFC 6298 section 5.7: the SYN was retransmitted, so data starts with at least three seconds.
  void start_data_at_least(Duration timeout) {
    if (!has_sample_) rto_ = std::max(rto_, timeout);
  }

 private:
  void take_deviation_as_linux(Duration deviation, bool below, std::int64_t acknowledged, std::int64_t sent) {
    Duration change = (deviation - rttvar_) / 4;
    if (below && change > Duration::zero()) change = change / 8;
    rttvar_ = rttvar_ + change;
    largest_variance_ = std::max(largest_variance_, rttvar_ * 4);
    spread_ = std::max(spread_, largest_variance_);
    if (acknowledged <= round_trip_end_) return;
    spread_ = spread_ - (spread_ - largest_variance_) / 4;
    round_trip_end_ = sent;
    largest_variance_ = config_.minimum_rto;
  }

  Config config_;
  Duration srtt_ = Duration::zero();
  Duration rttvar_ = Duration::zero();
  Duration latest_ = Duration::zero();
  Duration spread_ = Duration::zero();            // what Linux's RTO has above SRTT: rttvar_us
  Duration largest_variance_ = Duration::zero();  // of the present round trip: mdev_max_us
  std::int64_t round_trip_end_ = 0;               // rtt_seq
  Duration rto_;
  int backoff_ = 0;
  bool has_sample_ = false;
};

}  // namespace simcore
