// SPDX-License-Identifier: MIT
#include "simcore/link/tcp_background.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "simcore/options/option_table.h"
#include "simcore/units/error.h"

namespace simcore {

namespace {

constexpr std::int64_t kMostFlows = 1'000'000;
constexpr std::int64_t kLeastRoundTrip = 100'000;        // ns
constexpr std::int64_t kMostRoundTrip = 10'000'000'000;  // ns
constexpr std::int64_t kLeastSegment = 64;
constexpr std::int64_t kMostSegment = 65'536;
constexpr std::int64_t kStepsOfRoundTrip = 10;
constexpr std::size_t kPast = 16'384;  // steps

constexpr double kLeastWindow = 1.0;
constexpr double kMostWindow = 1e9;
constexpr double kCubicGrowth = 0.4;  // c, segments per cubic second (RFC 9438 section 5)
constexpr double kCubicCut = 0.3;     // b = 1 - beta (RFC 9438 section 4.6)

void check(const TcpBackground::Config& config) {
  const auto require = [](const std::string& what, std::int64_t value, std::int64_t least,
                          std::int64_t most) {
    if (value >= least && value <= most) return;
    throw ConfigError("make tcp background: " + what + " is " + std::to_string(value) + "; write " +
                      std::to_string(least) + " to " + std::to_string(most));
  };
  require("flows", config.flows, 1, kMostFlows);
  require("round_trip (ns)", config.round_trip.count_ns(), kLeastRoundTrip, kMostRoundTrip);
  require("segment (bytes)", config.segment.count(), kLeastSegment, kMostSegment);
}

}  // namespace

TcpBackground::TcpBackground(const Config& config)
    : config_(config), step_(config.round_trip / kStepsOfRoundTrip), losses_(kPast, 0.0) {
  check(config);
}

FluidPiece TcpBackground::next(SimTime now, const FluidFeedback& seen) {
  const double round_trip = (config_.round_trip + seen.waiting).in_seconds();
  losses_[steps_ % kPast] = window_ / round_trip * seen.lost;
  ++steps_;
  const double losses = losses_before(round_trip);
  if (config_.congestion == Congestion::reno) {
    follow_reno(round_trip, losses);
  } else {
    follow_cubic(losses);
  }
  window_ = std::clamp(window_, kLeastWindow, kMostWindow);
  const double rate =
      static_cast<double>(config_.flows) * window_ * static_cast<double>(config_.segment.bits()) / round_trip;
  return {.bits_per_second = std::llround(std::min(rate, static_cast<double>(kMostFluidRate))),
          .until = now + step_};
}

// The losses per second that a flow learns of now: those of a round trip ago.
double TcpBackground::losses_before(double round_trip) const {
  const auto ago = static_cast<std::uint64_t>(std::llround(round_trip / step_.in_seconds()));
  const std::uint64_t back = std::min<std::uint64_t>(ago, kPast - 1);
  return back < steps_ ? losses_[(steps_ - 1 - back) % kPast] : 0.0;
}

void TcpBackground::follow_reno(double round_trip, double losses) {
  window_ += step_.in_seconds() * (1 / round_trip - window_ / 2 * losses);
}

void TcpBackground::follow_cubic(double losses) {
  const double step = step_.in_seconds();
  // A step has one loss of a flow at most.
  const double lost = std::min(1.0, step * losses);
  window_at_loss_ += lost * (window_ - window_at_loss_);
  since_loss_ += step - since_loss_ * lost;
  const double from_plateau = since_loss_ - std::cbrt(window_at_loss_ * kCubicCut / kCubicGrowth);
  window_ = kCubicGrowth * from_plateau * from_plateau * from_plateau + window_at_loss_;
}

const OptionTable<TcpBackground::Config>& TcpBackground::Config::options() {
  using C = Config;
  static const OptionTable<C> table(
      "tcp_flows", "equal TCP flows with endless data, as the fluid of Misra, Gong and Towsley (2000)", {},
      {
          {"flows", &C::flows, {.help = "so many", .least = 1, .most = kMostFlows, .required = true}},
          {"round_trip",
           &C::round_trip,
           {.help = "of a flow, without what it waits in this queue",
            .least = kLeastRoundTrip,
            .most = kMostRoundTrip,
            .required = true}},
          {"segment",
           &C::segment,
           {.help = "a full one on the wire, headers included",
            .least = kLeastSegment,
            .most = kMostSegment}},
          {"congestion",
           &C::congestion,
           {{"reno", Congestion::reno}, {"cubic", Congestion::cubic}},
           {.help = "how the window grows and shrinks"}},
      });
  return table;
}

BackgroundModel tcp_background(const TcpBackground::Config& config) {
  check(config);
  return [config](const RandomStream&) { return std::make_unique<TcpBackground>(config); };
}

}  // namespace simcore
