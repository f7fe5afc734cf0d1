// SPDX-License-Identifier: MIT
//
// Illinois: Reno whose steps follow the queueing delay (Liu, Basar and Srikant, "TCP-Illinois: A loss- and delay-based
// congestion control algorithm for high-speed networks", 2008; Linux net/ipv4/tcp_illinois.c).
//
//   once a round trip   d = mean round trip - smallest ever,  D = largest ever - smallest ever
//
//   alpha, segments more for each window that is acknowledged: 10 while d <= D / 100, falling to 0.3 at d = D. Once it was
//   less than 10 it takes five such round trips to have 10 again.
//   beta, the part of the window that a loss costs: 1/8 while d <= D / 10, rising to 1/2 from d = 8 D / 10 on.
//
// Below 15 segments, and after a timeout, it is Reno: alpha 1, beta 1/2. In the kernel's whole numbers: alpha in 128ths,
// beta in 64ths.
#pragma once

#include <cstdint>

#include "simcore/tcp/reno.h"

namespace simcore {

class Illinois final : public Reno {
 public:
  static constexpr std::int64_t kAlphaOne = 128;
  static constexpr std::int64_t kBetaOne = 64;

  explicit Illinois(const TcpOptions& options) : Reno(options) {}

  void observe(const AckSample& sample) override;
  void on_ack(const AckSample& sample, CongestionWindow& window) override;
  std::int64_t reduced(CongestionEvent event, const CongestionWindow& window, std::int64_t flight,
                       SimTime now) override;

  std::int64_t alpha() const { return alpha_; }  // 128ths of a segment
  std::int64_t beta() const { return beta_; }    // 64ths of the window

 protected:
  void avoid_congestion(std::int64_t acked, CongestionWindow& window) override;

 private:
  void end_round(const AckSample& sample, std::int64_t segments);
  void start_round(std::int64_t position);
  std::int64_t increase(std::int64_t delay, std::int64_t largest);

  std::int64_t alpha_ = 10 * kAlphaOne;
  std::int64_t beta_ = kBetaOne / 2;
  std::int64_t counted_ = 0;      // bytes acknowledged since the window last grew
  std::int64_t smallest_us_ = 0;  // 0: none yet
  std::int64_t largest_us_ = 0;
  std::int64_t sum_us_ = 0;  // of this round trip
  std::int64_t samples_ = 0;
  std::int64_t round_end_ = 0;  // behind this position the next round trip begins
  bool delayed_ = false;        // alpha was less than the most
  int quick_rounds_ = 0;
  bool after_timeout_ = false;
};

}  // namespace simcore
