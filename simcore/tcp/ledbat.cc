// SPDX-License-Identifier: MIT
#include "simcore/tcp/ledbat.h"

#include <algorithm>
#include <cmath>

namespace simcore {

namespace {

constexpr Duration kTarget = Duration::ms(100);
constexpr Duration kMinute = Duration::seconds(60);
constexpr std::int64_t kFewest = 2;           // MIN_CWND, segments
constexpr std::int64_t kAllowedIncrease = 1;  // ALLOWED_INCREASE, segments

}  // namespace

void Ledbat::observe(const AckSample& sample) {
  if (!sample.rtt) return;
  if (sample.now >= minute_end_) {
    minute_end_ = sample.now + kMinute;
    minute_ = (minute_ + 1) % kMinutes;
    base_[minute_] = {};
  }
  base_[minute_].smallest = std::min(base_[minute_].smallest, *sample.rtt);
  latest_[next_] = {*sample.rtt};
  next_ = (next_ + 1) % kLatest;
}

Duration Ledbat::queueing() const {
  const Duration latest = std::ranges::min(latest_, {}, &Delay::smallest).smallest;
  if (latest == Duration::infinite()) return Duration::zero();
  return latest - std::ranges::min(base_, {}, &Delay::smallest).smallest;
}

void Ledbat::on_ack(const AckSample& sample, CongestionWindow& window) {
  const double off_target = 1 - queueing().in_seconds() / kTarget.in_seconds();
  growth_ += off_target * static_cast<double>(sample.acked) * static_cast<double>(window.mss) /
             static_cast<double>(window.cwnd);
  const double whole = std::trunc(growth_);
  growth_ -= whole;
  window.cwnd += static_cast<std::int64_t>(whole);
  if (!sample.window_limited)
    window.cwnd = std::min(window.cwnd, sample.prior_in_flight + kAllowedIncrease * window.mss);
  window.cwnd = std::max(window.cwnd, kFewest * window.mss);
  window.ssthresh = window.cwnd;  // so nobody takes it for a slow start
}

std::int64_t Ledbat::reduced(CongestionEvent, const CongestionWindow& window, std::int64_t, SimTime) {
  growth_ = 0;
  return std::min(window.cwnd, std::max(window.cwnd / 2, kFewest * window.mss));
}

}  // namespace simcore
