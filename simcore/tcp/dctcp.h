// SPDX-License-Identifier: MIT
//
// Dctcp: data center TCP, Reno whose reaction to marks is as large as their share (RFC 8257; Linux net/ipv4/tcp_dctcp.c).
//
//   once a round trip   alpha = 15/16 alpha + 1/16 (bytes whose acknowledgements echo a mark / bytes delivered)
//   an echo             cwnd = cwnd (1 - alpha / 2), once a round trip
//   loss, timeout       half
//
// Its receiver echoes exactly what was marked (TcpReceiver), so both ends have to have it, and it asks for
// ECN by itself. Where the peer does not agree to ECN it is Reno. The queue on the way marks what finds more than a threshold
// waiting: RED with weight 1, and `most` a byte above `least`. In the kernel's fixed point: alpha is 1024ths.
#pragma once

#include <cstdint>

#include "simcore/tcp/reno.h"

namespace simcore {

class Dctcp final : public Reno {
 public:
  static constexpr std::int64_t kOne = 1'024;

  explicit Dctcp(const TcpOptions& options) : Reno(options) {}

  void observe(const AckSample& sample) override {
    delivered_ += sample.delivered;
    marked_ += sample.marked;
    if (sample.snd_una < round_end_) return;
    alpha_ -= alpha_ < kForget ? alpha_ : alpha_ / kForget;
    if (marked_ > 0)
      alpha_ = std::min(alpha_ + marked_ * (kOne / kForget) / std::max<std::int64_t>(delivered_, 1), kOne);
    round_end_ = sample.snd_nxt;
    delivered_ = 0;
    marked_ = 0;
  }

  std::int64_t reduced(CongestionEvent event, const CongestionWindow& window, std::int64_t flight,
                       SimTime now) override {
    Reno::reduced(event, window, flight, now);
    const std::int64_t segments = window.segments();
    const std::int64_t back =
        event == CongestionEvent::ecn_echo ? segments * alpha_ / (2 * kOne) : segments - segments / 2;
    return std::max<std::int64_t>(segments - back, 2) * window.mss;
  }

  std::int64_t alpha() const { return alpha_; }

 private:
  static constexpr std::int64_t kForget = 16;  // 1 / g

  std::int64_t alpha_ = kOne;
  std::int64_t delivered_ = 0;  // bytes in this round trip
  std::int64_t marked_ = 0;
  std::int64_t round_end_ = 0;
};

}  // namespace simcore
