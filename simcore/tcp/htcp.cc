// SPDX-License-Identifier: MIT
#include "simcore/tcp/htcp.h"

#include <algorithm>

namespace simcore {

namespace {

constexpr std::int64_t kLeastLeft = HTcp::kOne / 2;
constexpr std::int64_t kMostLeft = 102;  // 0.8
constexpr Duration kReferenceRtt = Duration::ms(100);
constexpr Duration kShortPath = Duration::ms(10);
constexpr Duration kBelievableRise =
    Duration::ms(20);  // of the largest round trip, from one sample to the next
constexpr std::int64_t kEighths = 8;

}  // namespace

void HTcp::observe(const AckSample& sample) {
  now_ = sample.now;
  if (!started_) {
    started_ = true;
    congested_ = sampled_ = sample.now;
  }
  if (sample.rtt && *sample.rtt > Duration::zero())
    measure_rtt(*sample.rtt, !sample.recovering && !sample.after_timeout);
  measure_throughput(sample);
}

void HTcp::measure_rtt(Duration rtt, bool open) {
  smallest_rtt_ = std::min(smallest_rtt_, rtt);
  if (!open) return;
  largest_rtt_ = std::max(largest_rtt_, smallest_rtt_);
  if (rtt <= largest_rtt_ + kBelievableRise) largest_rtt_ = std::max(largest_rtt_, rtt);
}

// Once a round trip, outside of recovery.
void HTcp::measure_throughput(const AckSample& sample) {
  if (sample.recovering || sample.after_timeout) {
    arrived_ = 0;
    sampled_ = sample.now;
    return;
  }
  if (window_ == 0) return;
  arrived_ += sample.acked;
  const Duration since = sample.now - sampled_;
  if (arrived_ < window_ - step_ || since < smallest_rtt_ || since <= Duration::zero()) return;
  const double rate = static_cast<double>(arrived_) / since.in_seconds();
  if ((sample.now - congested_) / smallest_rtt_ <= 3) {
    throughput_ = largest_throughput_ = rate;  // just after a reduction
  } else {
    throughput_ = (3 * throughput_ + rate) / 4;
    largest_throughput_ = std::max(largest_throughput_, throughput_);
  }
  arrived_ = 0;
  sampled_ = sample.now;
}

void HTcp::on_ack(const AckSample& sample, CongestionWindow& window) {
  Reno::on_ack(sample, window);
  window_ = window.cwnd;
  step_ = std::max<std::int64_t>(alpha_ / kOne, 1) * window.mss;
}

void HTcp::avoid_congestion(std::int64_t acked, CongestionWindow& window) {
  const std::int64_t segments = window.segments();
  if (counted_ / window.mss * alpha_ / kOne >= segments) {
    window.cwnd = (segments + 1) * window.mss;
    counted_ = 0;
    update_alpha(now_);
  } else {
    counted_ += acked;
  }
}

void HTcp::update_alpha(SimTime now) {
  std::int64_t factor = 1;
  const double t = (now - congested_).in_seconds() - 1;
  if (t > 0) factor += static_cast<std::int64_t>(10 * t + t * t / 4);
  if (smallest_rtt_ != Duration::infinite()) {
    const std::int64_t scale =
        std::clamp<std::int64_t>((kReferenceRtt * kEighths) / smallest_rtt_, kEighths / 2, 10 * kEighths);
    factor = std::max<std::int64_t>(factor * kEighths / scale, 1);
  }
  alpha_ = 2 * factor * (kOne - beta_);
}

void HTcp::update_beta() {
  const double before = largest_before_;
  largest_before_ = largest_throughput_;
  const bool steady = 5 * largest_throughput_ >= 4 * before && 5 * largest_throughput_ <= 6 * before;
  if (!steady) {
    beta_ = kLeastLeft;
    adaptive_ = false;
  } else if (adaptive_ && smallest_rtt_ > kShortPath && largest_rtt_ > Duration::zero()) {
    beta_ = std::clamp((smallest_rtt_ * kOne) / largest_rtt_, kLeastLeft, kMostLeft);
  } else {
    beta_ = kLeastLeft;
    adaptive_ = true;
  }
}

std::int64_t HTcp::reduced(CongestionEvent, const CongestionWindow& window, std::int64_t, SimTime now) {
  const Duration largest = largest_rtt_;
  update_beta();
  update_alpha(now);
  // The largest round trip fades, should the path change.
  if (smallest_rtt_ != Duration::infinite() && largest > smallest_rtt_)
    largest_rtt_ = smallest_rtt_ + (largest - smallest_rtt_) * 95 / 100;
  before_ = {congested_, largest_rtt_, largest_before_};
  in_episode_ = true;
  congested_ = now;
  counted_ = 0;
  return std::max<std::int64_t>(window.segments() * beta_ / kOne, 2) * window.mss;
}

void HTcp::on_recovery_end(CongestionWindow&, SimTime now, bool) {
  if (in_episode_) congested_ = now;
  in_episode_ = false;
}

void HTcp::on_undo(CongestionWindow&) {
  if (!in_episode_) return;
  congested_ = before_.congested;
  largest_rtt_ = before_.largest_rtt;
  largest_before_ = before_.largest_before;
  in_episode_ = false;
}

}  // namespace simcore
