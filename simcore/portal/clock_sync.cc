// SPDX-License-Identifier: MIT
#include "simcore/portal/clock_sync.h"

#include <algorithm>
#include <cmath>

namespace simcore {

namespace {

// Below this the samples lie too close together to tell drift from noise.
constexpr Duration kLeastBaseline = Duration::seconds(2);

// No quartz is worse, and NTP slews by at most 500 ppm: more is noise.
constexpr double kMostDrift = 1e-3;

// What quartz crystals usually differ by: a drift is believed as far as the exchanges tell
// it better than this.
constexpr double kUsualDrift = 30e-6;

// How much the best exchange is trusted: reading the clock and the socket takes about this long.
constexpr double kFloorNs = 1'000.0;

}  // namespace

ClockSync::ClockSync() {
  window_.resize(kWindow);
  best_.reserve(kSections);
}

void ClockSync::set_exact(Duration offset) {
  exact_ = true;
  offset_ = offset;
  drift_ = 0.0;
  least_round_trip_ = Duration::zero();
}

bool ClockSync::add(const Exchange& exchange) {
  const Duration here = exchange.reply_received - exchange.request_sent;
  const Duration there = exchange.reply_sent - exchange.request_received;
  if (there < Duration::zero() || here < there) return false;
  Sample& sample = window_[exchanges_ % kWindow];
  sample.middle = exchange.request_sent + here / 2;
  sample.round_trip = here - there;
  const Duration forward = exchange.request_received - exchange.request_sent;
  const Duration backward = exchange.reply_sent - exchange.reply_received;
  sample.offset = (forward + backward) / 2;
  ++exchanges_;
  if (!exact_) estimate();
  return true;
}

SimTime ClockSync::to_local(SimTime peer) const {
  const SimTime rough = peer - offset_;
  const double gone_ns = static_cast<double>((rough - reference_).count_ns());
  return rough - Duration::ns(std::llround(gone_ns * drift_));
}

// The sample taken `age` exchanges before the newest.
const ClockSync::Sample& ClockSync::sample(std::size_t age) const {
  return window_[(exchanges_ - 1 - age) % kWindow];
}

void ClockSync::estimate() {
  const std::size_t count = static_cast<std::size_t>(std::min<std::uint64_t>(exchanges_, kWindow));
  const std::size_t sections = std::min(count, kSections);
  best_.clear();
  for (std::size_t section = 0; section < sections; ++section) {
    const std::size_t end = (section + 1) * count / sections;
    std::size_t least = section * count / sections;
    for (std::size_t age = least + 1; age < end; ++age) {
      if (sample(age).round_trip < sample(least).round_trip) least = age;
    }
    best_.push_back(sample(least));
  }
  const auto by_round_trip = [](const Sample& a, const Sample& b) { return a.round_trip < b.round_trip; };
  const Sample best = *std::min_element(best_.begin(), best_.end(), by_round_trip);
  least_round_trip_ = best.round_trip;
  if (!synchronized()) return;
  if (best_.front().middle - best_.back().middle < kLeastBaseline) {
    reference_ = best.middle;
    offset_ = best.offset;
    drift_ = 0.0;
    return;
  }
  fit(best_);
}

// The weighted least-squares line of offset over time. Differences to the newest sample keep
// the doubles exact.
void ClockSync::fit(const std::vector<Sample>& best) {
  const SimTime origin = sample(0).middle;
  const Duration base = best.front().offset;
  double sum_w = 0.0, sum_t = 0.0, sum_o = 0.0;
  const auto weight = [this](const Sample& s) {
    const double error = kFloorNs + static_cast<double>((s.round_trip - least_round_trip_).count_ns()) / 2;
    return 1.0 / (error * error);
  };
  const auto time = [origin](const Sample& s) { return static_cast<double>((s.middle - origin).count_ns()); };
  const auto excess = [base](const Sample& s) { return static_cast<double>((s.offset - base).count_ns()); };
  for (const Sample& s : best) {
    sum_w += weight(s);
    sum_t += weight(s) * time(s);
    sum_o += weight(s) * excess(s);
  }
  const double mean_t = sum_t / sum_w;
  const double mean_o = sum_o / sum_w;
  double covariance = 0.0, variance = 0.0;
  for (const Sample& s : best) {
    covariance += weight(s) * (time(s) - mean_t) * (excess(s) - mean_o);
    variance += weight(s) * (time(s) - mean_t) * (time(s) - mean_t);
  }
  const double prior = 1.0 / (kUsualDrift * kUsualDrift);
  drift_ = std::clamp(covariance / (variance + prior), -kMostDrift, kMostDrift);
  reference_ = origin;
  offset_ = base + Duration::ns(std::llround(mean_o - drift_ * mean_t));
}

}  // namespace simcore
