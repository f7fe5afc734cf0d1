// SPDX-License-Identifier: MIT
#include "simcore/tcp/cubic.h"

#include <algorithm>
#include <cmath>

namespace simcore {

namespace {

constexpr double kC = 0.4;
constexpr double kBeta = 0.7;
constexpr double kRenoAlpha = 3 * (1 - kBeta) / (1 + kBeta);  // section 4.3

double in_segments(std::int64_t bytes, const CongestionWindow& window) {
  return static_cast<double>(bytes) / static_cast<double>(window.mss);
}

}  // namespace

void Cubic::on_ack(const AckSample& sample, CongestionWindow& window) {
  if (!sample.window_limited) return;
  std::int64_t acked = sample.acked;
  if (window.slow_start()) {
    if (use_hystart_ && hystart_.on_ack(sample, window)) {
      window.ssthresh = window.cwnd;
    } else {
      acked = slow_start(acked, window);
      if (acked == 0) return;
    }
  }
  const double segments = in_segments(window.cwnd, window);
  if (!in_epoch_) start_epoch(sample.now, segments);

  // Section 4.2: the target is the curve one round trip ahead, at most half a window away.
  const double t = (sample.now - epoch_start_).in_seconds();
  const double target = std::clamp(cubic_window(t + sample.srtt.in_seconds()), segments, 1.5 * segments);
  const double acked_segments = in_segments(acked, window);

  w_est_ += (w_est_ >= prior_cwnd_ ? 1.0 : kRenoAlpha) * acked_segments / segments;
  if (cubic_window(t) < w_est_) {
    growth_ += std::max(0.0, w_est_ - segments - growth_);
  } else {
    growth_ += (target - segments) / segments * acked_segments;
  }
  const double whole = std::floor(growth_);
  growth_ -= whole;
  window.cwnd += static_cast<std::int64_t>(whole) * window.mss;
}

double Cubic::cubic_window(double t) const {
  const double offset = t - k_;
  return origin_ + kC * offset * offset * offset;
}

void Cubic::start_epoch(SimTime now, double segments) {
  in_epoch_ = true;
  epoch_start_ = now;
  growth_ = 0;
  w_est_ = segments;
  origin_ = std::max(w_max_, segments);
  k_ = std::cbrt((origin_ - segments) / kC);
}

std::int64_t Cubic::reduced(CongestionEvent event, const CongestionWindow& window, std::int64_t flight,
                            SimTime now) {
  Reno::reduced(event, window, flight, now);
  in_epoch_ = false;
  const double segments = in_segments(window.cwnd, window);
  prior_w_max_ = w_max_;
  prior_cwnd_ = segments;
  if (event == CongestionEvent::timeout) {
    w_max_ = 0;  // section 4.8: what follows slow start begins with its own window as the plateau
  } else {
    w_max_ = segments < w_max_ ? segments * (1 + kBeta) / 2 : segments;
  }
  const auto kept = static_cast<std::int64_t>(static_cast<double>(flight) * kBeta);
  return std::max(kept, 2 * window.mss);
}

void Cubic::on_undo(CongestionWindow&) {
  w_max_ = prior_w_max_;
  in_epoch_ = false;
}

// An idle time is not time on the curve (section 5.8).
void Cubic::on_sending_starts(const SendingStart& start, CongestionWindow&) {
  if (in_epoch_ && start.rested) epoch_start_ = epoch_start_ + start.idle;
}

}  // namespace simcore
