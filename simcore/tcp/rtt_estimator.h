// SPDX-License-Identifier: MIT
//
// RttEstimator: SRTT, RTTVAR and the retransmission timeout (RFC 6298), with its back-off.
//
//   first sample R:   SRTT = R, RTTVAR = R/2
//   next samples:     RTTVAR = 3/4 RTTVAR + 1/4 |SRTT - R|;  SRTT = 7/8 SRTT + 1/8 R
//   RTO = SRTT + max(G, 4 RTTVAR), between the minimum and the maximum, doubled by every expiry
//
// Linux puts its minimum under the variance instead of under the sum (net/ipv4/tcp_input.c, tcp_rtt_estimator), so its
// RTO is SRTT + max(minimum, 4 RTTVAR); `floor_on_variance` does that. Its faster decay rules are not modelled.
#pragma once

#include <algorithm>

#include "simcore/units/time.h"

namespace simcore {

template <class T>
class OptionTable;

class RttEstimator {
 public:
  struct Config {
    Duration initial_rto = Duration::seconds(1);
    Duration minimum_rto = Duration::seconds(1);
    Duration maximum_rto = Duration::seconds(60);
    Duration granularity = Duration::ms(1);  // G of RFC 6298: of the clock that measures
    bool floor_on_variance = false;

    static const OptionTable<Config>& options();
  };

  explicit RttEstimator(const Config& config) : config_(config), rto_(config.initial_rto) {}

  void sample(Duration rtt) {
    if (!has_sample_) {
      srtt_ = rtt;
      rttvar_ = rtt / 2;
      has_sample_ = true;
    } else {
      const Duration deviation = rtt > srtt_ ? rtt - srtt_ : srtt_ - rtt;
      rttvar_ = (rttvar_ * 3 + deviation) / 4;
      srtt_ = (srtt_ * 7 + rtt) / 8;
    }
    latest_ = rtt;
    const Duration spread = std::max(config_.granularity, rttvar_ * 4);
    rto_ = config_.floor_on_variance ? srtt_ + std::max(config_.minimum_rto, spread)
                                     : std::max(config_.minimum_rto, srtt_ + spread);
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
  Config config_;
  Duration srtt_ = Duration::zero();
  Duration rttvar_ = Duration::zero();
  Duration latest_ = Duration::zero();
  Duration rto_;
  int backoff_ = 0;
  bool has_sample_ = false;
};

}  // namespace simcore
