// SPDX-License-Identifier: MIT
#include "simcore/tcp/yeah.h"

namespace simcore {

namespace {

constexpr std::int64_t kMostQueued = 80;  // TCP_YEAH_ALPHA, segments
constexpr std::int64_t kPartOfBase = 8;   // TCP_YEAH_PHY
constexpr std::int64_t kAlone = 16;  // TCP_YEAH_RHO: fewer slow round trips, and nobody else fills the queue
constexpr std::int64_t kForgetReno = 50;         // TCP_YEAH_ZETA, fast round trips
constexpr std::int64_t kAckedPerIncrease = 100;  // TCP_SCALABLE_AI_CNT
constexpr std::int64_t kLeastPartLost = 8;       // 2^TCP_YEAH_DELTA
constexpr std::int64_t kFewestSegments = 2;      // segments

}  // namespace

void Yeah::on_ack(const AckSample& sample, CongestionWindow& window) {
  if (!sample.window_limited) return;
  Reno::on_ack(sample, window);
  if (!rounds_.ended(sample)) return;
  if (rounds_.known()) judge(window);
  rounds_.start();
}

void Yeah::avoid_congestion(std::int64_t acked, CongestionWindow& window) {
  const std::int64_t segments = window.segments();
  const std::int64_t per_increase = fast() ? std::min(segments, kAckedPerIncrease) : segments;
  growth_.grow(static_cast<double>(per_increase),
               static_cast<double>(acked) / static_cast<double>(window.mss), window);
}

// After a round trip.
void Yeah::judge(CongestionWindow& window) {
  const std::int64_t segments = window.segments();
  queued_ = segments * rounds_.queueing().count_ns() / rounds_.smallest().count_ns();
  if (queued_ <= kMostQueued && rounds_.queueing() <= rounds_.base() / kPartOfBase) {
    slow_rounds_ = 0;
    if (++fast_rounds_ <= kForgetReno) return;
    reno_ = kFewestSegments;
    fast_rounds_ = 0;
    return;
  }
  std::int64_t left = segments;
  if (queued_ > kMostQueued && segments > reno_) {
    left = std::max(segments - std::min(queued_, segments / 2), reno_);
    window.cwnd = window.ssthresh = left * window.mss;
  }
  reno_ = reno_ <= kFewestSegments ? std::max(left / 2, kFewestSegments) : reno_ + 1;
  ++slow_rounds_;
}

std::int64_t Yeah::reduced(CongestionEvent, const CongestionWindow& window, std::int64_t, SimTime) {
  const std::int64_t segments = window.segments();
  const std::int64_t half = std::max(segments / 2, kFewestSegments);
  const std::int64_t back =
      slow_rounds_ < kAlone ? std::max(std::min(queued_, half), segments / kLeastPartLost) : half;
  growth_.forget();
  fast_rounds_ = 0;
  reno_ = std::max(reno_ / 2, kFewestSegments);
  return std::max(segments - back, kFewestSegments) * window.mss;
}

}  // namespace simcore
