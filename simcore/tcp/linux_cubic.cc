// SPDX-License-Identifier: MIT
#include "simcore/tcp/linux_cubic.h"

#include <algorithm>
#include <cmath>

namespace simcore {

namespace {

constexpr double kC = 0.4;
constexpr std::int64_t kBeta = 717;  // of 1024
constexpr std::int64_t kOne = 1024;
constexpr double kRenoAcked = 15.0 / 8;  // windows of acknowledgements for one segment more
constexpr double kBeforeLoss = 20;
constexpr double kFastest = 2;
constexpr double kSlowest = 100;  // windows
constexpr Duration kUnheardAfterReduction = Duration::seconds(1);
constexpr Duration kLookEvery = Duration::ns(1'000'000'000 / 32);

}  // namespace

void LinuxCubic::on_ack(const AckSample& sample, CongestionWindow& window) {
  hear(sample, window);
  if (!sample.window_limited) return;
  std::int64_t acked = sample.acked;
  if (window.slow_start()) {
    acked = slow_start(acked, window);
    if (acked == 0) return;
  }
  const std::int64_t segments = window.segments();
  const double acked_segments = static_cast<double>(acked) / static_cast<double>(window.mss);
  update(sample.now, segments, acked_segments);
  growth_.grow(acked_per_increase_, acked_segments, window);
}

// Round trips, also of what the window did not hold back (cubictcp_acked). Those of the first second after a reduction are
// those of its queue, and do not count.
void LinuxCubic::hear(const AckSample& sample, CongestionWindow& window) {
  if (!sample.rtt || (in_epoch_ && sample.now - epoch_start_ < kUnheardAfterReduction)) return;
  min_rtt_ = std::min(min_rtt_, *sample.rtt);
  if (!use_hystart_ || hystart_done_ || !window.slow_start() || !hystart_.on_ack(sample, window)) return;
  hystart_done_ = true;  // `found` of hystart_update: the slow start after an idle time is left alone
  window.ssthresh = window.cwnd;
}

// Sets how much must be acknowledged for the next segment of window.
void LinuxCubic::update(SimTime now, std::int64_t segments, double acked) {
  reno_acked_ += acked;
  if (in_epoch_ && segments == updated_at_ && now - updated_ <= kLookEvery) return;
  updated_ = now;
  updated_at_ = segments;
  const auto cwnd = static_cast<double>(segments);
  if (!in_epoch_) {
    in_epoch_ = true;
    epoch_start_ = now;
    reno_acked_ = acked;
    reno_window_ = cwnd;
    origin_ = std::max(last_max_, cwnd);
    k_ = std::cbrt((origin_ - cwnd) / kC);
  }
  const Duration ahead = min_rtt_ == Duration::infinite() ? Duration::zero() : min_rtt_;
  const double offset = (now + ahead - epoch_start_).in_seconds() - k_;
  const double target = origin_ + std::trunc(kC * offset * offset * offset);
  acked_per_increase_ = target > cwnd ? std::floor(cwnd / (target - cwnd)) : kSlowest * cwnd;
  if (last_max_ == 0) acked_per_increase_ = std::min(acked_per_increase_, kBeforeLoss);

  const double acked_per_reno_increase = std::floor(cwnd * kRenoAcked);
  while (reno_acked_ > acked_per_reno_increase) {
    reno_acked_ -= acked_per_reno_increase;
    ++reno_window_;
  }
  if (reno_window_ > cwnd) {
    acked_per_increase_ = std::min(acked_per_increase_, std::floor(cwnd / (reno_window_ - cwnd)));
  }
  acked_per_increase_ = std::max(acked_per_increase_, kFastest);
}

std::int64_t LinuxCubic::reduced(CongestionEvent event, const CongestionWindow& window, std::int64_t,
                                 SimTime) {
  in_epoch_ = false;
  growth_.forget();  // tcp_init_cwnd_reduction, tcp_enter_loss
  const std::int64_t segments = window.segments();
  const auto cwnd = static_cast<double>(segments);
  if (event == CongestionEvent::timeout) {
    last_max_ = 0;  // and all else that was learnt: bictcp_reset
    min_rtt_ = Duration::infinite();
    hystart_ = HyStart{};
    hystart_done_ = false;
  } else {
    const std::int64_t converged =
        segments * (kOne + kBeta) / (2 * kOne);  // in whole segments, as the kernel's
    last_max_ = cwnd < last_max_ ? static_cast<double>(converged) : cwnd;
  }
  return std::max<std::int64_t>(segments * kBeta / kOne, 2) * window.mss;
}

// Whenever nothing is in flight, however short the pause was: cubictcp_cwnd_event.
void LinuxCubic::on_sending_starts(const SendingStart& start, CongestionWindow&) {
  if (in_epoch_) epoch_start_ = std::min(epoch_start_ + start.idle, start.now);
}

}  // namespace simcore
