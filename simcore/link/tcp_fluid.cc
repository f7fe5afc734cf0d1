// SPDX-License-Identifier: MIT
#include "simcore/link/tcp_fluid.h"

#include <algorithm>
#include <cmath>

namespace simcore {

namespace {

constexpr double kLeastWindow = 1.0;
constexpr double kMostWindow = 1e9;
constexpr double kCubicGrowth = 0.4;  // c, segments per cubic second (RFC 9438 section 5)
constexpr double kCubicCut = 0.3;     // b = 1 - beta (RFC 9438 section 4.6)
constexpr double kFriendlyGrowth = 3 * kCubicCut / (2 - kCubicCut);  // segments per round trip (section 4.3)

}  // namespace

void TcpFluid::follow(double step, double round_trip, double losses) {
  if (congestion_ == Congestion::reno) {
    window_ += step * (1 / round_trip - window_ / 2 * losses);
  } else {
    follow_cubic(step, round_trip, losses);
  }
  window_ = std::clamp(window_, kLeastWindow, kMostWindow);
}

void TcpFluid::stall() {
  window_ = window_at_loss_ = kLeastWindow;
  since_loss_ = 0.0;
}

void TcpFluid::go_on(double window) {
  window_ = std::clamp(window, kLeastWindow, kMostWindow);
  window_at_loss_ = window_ / (1 - kCubicCut);
  since_loss_ = 0.0;
}

void TcpFluid::follow_cubic(double step, double round_trip, double losses) {
  // A step has one loss of a flow at most.
  const double lost = std::min(1.0, step * losses);
  window_at_loss_ += lost * (window_ - window_at_loss_);
  since_loss_ += step - since_loss_ * lost;
  const double from_plateau = since_loss_ - std::cbrt(window_at_loss_ * kCubicCut / kCubicGrowth);
  const double cubic = kCubicGrowth * from_plateau * from_plateau * from_plateau + window_at_loss_;
  const double friendly = (1 - kCubicCut) * window_at_loss_ + kFriendlyGrowth * since_loss_ / round_trip;
  window_ = std::max(cubic, friendly);
}

}  // namespace simcore
