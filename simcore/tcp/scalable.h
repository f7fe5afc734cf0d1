// SPDX-License-Identifier: MIT
//
// Scalable TCP (Kelly, "Scalable TCP: Improving Performance in Highspeed Wide Area Networks", 2003), with the constants of
// Linux net/ipv4/tcp_scalable.c: one segment more for every hundredth that is acknowledged, an eighth less for a loss.
//
// So the time between two losses does not depend on the window: log(8/7) / log(1.01) = 13 round trips. Windows of fewer
// than a hundred segments grow as Reno's.
#pragma once

#include <algorithm>
#include <cstdint>

#include "simcore/tcp/credited_growth.h"
#include "simcore/tcp/reno.h"

namespace simcore {

class Scalable final : public Reno {
 public:
  explicit Scalable(const TcpOptions& options) : Reno(options) {}

  std::int64_t reduced(CongestionEvent, const CongestionWindow& window, std::int64_t, SimTime) override {
    growth_.forget();
    const std::int64_t segments = window.segments();
    return std::max<std::int64_t>(segments - segments / kPartLost, 2) * window.mss;
  }

 protected:
  void avoid_congestion(std::int64_t acked, CongestionWindow& window) override {
    const std::int64_t per_increase = std::min(window.segments(), kAckedPerIncrease);
    growth_.grow(static_cast<double>(per_increase),
                 static_cast<double>(acked) / static_cast<double>(window.mss), window);
  }

 private:
  static constexpr std::int64_t kAckedPerIncrease = 100;  // TCP_SCALABLE_AI_CNT
  static constexpr std::int64_t kPartLost = 8;            // 2^TCP_SCALABLE_MD_SCALE

  CreditedGrowth growth_;
};

}  // namespace simcore
