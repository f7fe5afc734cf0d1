// SPDX-License-Identifier: MIT
//
// Reno: slow start and congestion avoidance (RFC 5681 section 3.1), with appropriate byte counting (RFC 3465).
//
//   slow start            cwnd += min(acked, L * MSS) per acknowledgement
//   congestion avoidance  cwnd += MSS per window of acknowledged bytes; or, with byte counting off,
//                         cwnd += MSS * MSS / cwnd per acknowledgement, which delayed acknowledgements slow down
//   loss                  ssthresh = max(FlightSize / 2, 2 * MSS)
//
// Tahoe, Reno and NewReno grow alike; they differ in what they do after a loss, which is LossRecovery's.
#pragma once

#include "simcore/tcp/congestion_control.h"

namespace simcore {

class Reno : public CongestionControl {
 public:
  explicit Reno(const TcpOptions& options)
      : bytes_per_ack_(options.bytes_counted_per_ack), byte_counting_(options.byte_counting) {}

  void on_ack(const AckSample& sample, CongestionWindow& window) override {
    if (!sample.window_limited) return;
    std::int64_t acked = sample.acked;
    if (window.slow_start()) {
      acked = slow_start(acked, window);
      if (acked == 0) return;
    }
    avoid_congestion(acked, window);
  }

  std::int64_t reduced(CongestionEvent, const CongestionWindow& window, std::int64_t flight,
                       SimTime) override {
    counted_ = 0;
    return half_of_flight(flight, window.mss);
  }

 protected:
  // Grows the window up to ssthresh; returns the acknowledged bytes that are left for congestion avoidance.
  std::int64_t slow_start(std::int64_t acked, CongestionWindow& window) const {
    const bool all = bytes_per_ack_ == 0;
    const std::int64_t counted = all ? acked : std::min(acked, bytes_per_ack_ * window.mss);
    const std::int64_t grown = std::min(counted, window.ssthresh - window.cwnd);
    window.cwnd += grown;
    return all ? acked - grown : 0;
  }

  // Grows the window by what was acknowledged above ssthresh.
  virtual void avoid_congestion(std::int64_t acked, CongestionWindow& window) {
    if (!byte_counting_) {
      window.cwnd += std::max<std::int64_t>(1, window.mss * window.mss / window.cwnd);
      return;
    }
    counted_ += acked;
    if (counted_ >= window.cwnd) {
      counted_ -= window.cwnd;
      window.cwnd += window.mss;
    }
  }

 private:
  std::int64_t bytes_per_ack_;
  bool byte_counting_;
  std::int64_t counted_ = 0;
};

}  // namespace simcore
