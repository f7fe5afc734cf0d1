// SPDX-License-Identifier: MIT
#include "simcore/tcp/illinois.h"

#include <algorithm>

namespace simcore {

namespace {

constexpr std::int64_t kLeastAlpha = 3 * Illinois::kAlphaOne / 10;
constexpr std::int64_t kMostAlpha = 10 * Illinois::kAlphaOne;
constexpr std::int64_t kLeastCost = Illinois::kBetaOne / 8;
constexpr std::int64_t kMostCost = Illinois::kBetaOne / 2;
constexpr std::int64_t kAdaptiveFrom = 15;  // segments: win_thresh
constexpr int kQuickRounds = 5;             // theta
constexpr std::int64_t kLongestUs = 0xffff'ffff / kMostAlpha;

// The part of the window that a loss costs.
std::int64_t decrease(std::int64_t delay, std::int64_t largest) {
  const std::int64_t low = largest / 10;
  const std::int64_t high = 8 * largest / 10;
  if (delay <= low) return kLeastCost;
  if (delay >= high || high <= low) return kMostCost;
  return (kLeastCost * (high - delay) + kMostCost * (delay - low)) / (high - low);
}

}  // namespace

void Illinois::observe(const AckSample& sample) {
  if (sample.after_timeout && !after_timeout_) {
    alpha_ = kAlphaOne;
    beta_ = kMostCost;
    delayed_ = false;
    quick_rounds_ = 0;
    start_round(sample.snd_nxt);
  }
  after_timeout_ = sample.after_timeout;
  if (!sample.rtt) return;
  const std::int64_t us = std::clamp<std::int64_t>(sample.rtt->count_ns() / 1'000, 1, kLongestUs);
  smallest_us_ = smallest_us_ == 0 ? us : std::min(smallest_us_, us);
  largest_us_ = std::max(largest_us_, us);
  sum_us_ += us;
  ++samples_;
}

void Illinois::on_ack(const AckSample& sample, CongestionWindow& window) {
  if (sample.snd_una > round_end_) end_round(sample, window.segments());
  Reno::on_ack(sample, window);
}

void Illinois::end_round(const AckSample& sample, std::int64_t segments) {
  if (segments < kAdaptiveFrom) {
    alpha_ = kAlphaOne;
    beta_ = kMostCost;
  } else if (samples_ > 0) {
    const std::int64_t delay = sum_us_ / samples_ - smallest_us_;
    const std::int64_t largest = largest_us_ - smallest_us_;
    alpha_ = increase(delay, largest);
    beta_ = decrease(delay, largest);
  }
  start_round(sample.snd_nxt);
}

void Illinois::start_round(std::int64_t position) {
  round_end_ = position;
  sum_us_ = 0;
  samples_ = 0;
}

std::int64_t Illinois::increase(std::int64_t delay, std::int64_t largest) {
  const std::int64_t low = largest / 100;
  if (delay > low) {
    delayed_ = true;
    const std::int64_t range = largest - low;
    return range * kMostAlpha / (range + (delay - low) * (kMostAlpha - kLeastAlpha) / kLeastAlpha);
  }
  if (!delayed_) return kMostAlpha;
  if (++quick_rounds_ < kQuickRounds) return alpha_;
  quick_rounds_ = 0;
  delayed_ = false;
  return kMostAlpha;
}

void Illinois::avoid_congestion(std::int64_t acked, CongestionWindow& window) {
  counted_ += acked;
  const std::int64_t earned = counted_ / window.mss * alpha_ / kAlphaOne;
  const std::int64_t segments = window.segments();
  if (earned < segments) return;
  window.cwnd = (segments + earned / segments) * window.mss;
  counted_ = 0;
}

std::int64_t Illinois::reduced(CongestionEvent, const CongestionWindow& window, std::int64_t, SimTime) {
  counted_ = 0;
  const std::int64_t segments = window.segments();
  return std::max<std::int64_t>(segments - segments * beta_ / kBetaOne, 2) * window.mss;
}

}  // namespace simcore
