// SPDX-License-Identifier: MIT
//
// HTcp: H-TCP, Reno whose step grows with the time since the last congestion (Shorten and Leith, "H-TCP: TCP for
// high-speed and long-distance networks", 2004; Linux net/ipv4/tcp_htcp.c, with its RTT scaling and bandwidth switch).
//
//   t = time since the end of the last recovery, seconds
//   f(t) = 1 for t <= 1, else 1 + 10 (t - 1) + ((t - 1) / 2)^2, a whole number
//   alpha = 2 (1 - beta) f(t) / scale,  scale = 0.1 s / smallest round trip, between 1/2 and 10: the step of a path of 100 ms
//   beta  = smallest / largest round trip, between 0.5 and 0.8: a loss leaves just the queue's worth; 0.5 where the smallest
//           is no more than 10 ms, at the first loss, and when the throughput before it was more than a fifth off that
//           before the last one
//
// In the kernel's fixed point: alpha and beta are 128ths. Left out: the clock's ticks, in which Linux measures round trips.
#pragma once

#include <cstdint>

#include "simcore/tcp/reno.h"

namespace simcore {

class HTcp final : public Reno {
 public:
  static constexpr std::int64_t kOne = 128;

  explicit HTcp(const TcpOptions& options) : Reno(options) {}

  void observe(const AckSample& sample) override;
  void on_ack(const AckSample& sample, CongestionWindow& window) override;
  std::int64_t reduced(CongestionEvent event, const CongestionWindow& window, std::int64_t flight,
                       SimTime now) override;
  void on_recovery_end(CongestionWindow& window, SimTime now, bool after_timeout) override;
  void on_undo(CongestionWindow& window) override;

  std::int64_t alpha() const { return alpha_; }  // segments for each window that is acknowledged
  std::int64_t beta() const { return beta_; }    // what a loss leaves of the window

 protected:
  void avoid_congestion(std::int64_t acked, CongestionWindow& window) override;

 private:
  void measure_rtt(Duration rtt, bool open);
  void measure_throughput(const AckSample& sample);
  void update_alpha(SimTime now);
  void update_beta();

  struct Episode {  // what an undone reduction gives back
    SimTime congested = SimTime::zero();
    Duration largest_rtt = Duration::zero();
    double largest_before = 0;
  };

  std::int64_t alpha_ = kOne;
  std::int64_t beta_ = kOne / 2;
  bool adaptive_ = false;  // modeswitch: there was a congestion event with a steady throughput
  SimTime now_ = SimTime::zero();
  SimTime congested_ = SimTime::zero();  // the end of the last congestion
  bool started_ = false;
  bool in_episode_ = false;
  Episode before_;

  Duration smallest_rtt_ = Duration::infinite();
  Duration largest_rtt_ = Duration::zero();

  std::int64_t window_ = 0;   // at the latest acknowledgement; 0: there was none
  std::int64_t step_ = 0;     // alpha then, in bytes
  std::int64_t counted_ = 0;  // bytes acknowledged since the window last grew
  std::int64_t arrived_ = 0;  // bytes since the latest sample of throughput
  SimTime sampled_ = SimTime::zero();
  double throughput_ = 0;  // bytes per second
  double largest_throughput_ = 0;
  double largest_before_ = 0;  // before the last congestion
};

}  // namespace simcore
