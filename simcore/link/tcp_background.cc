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

// The round trip of flows beside one queue.
Duration round_trip_of(const TcpBackground::Config& config) {
  check_tcp_flows(config);
  if (config.round_trip) return *config.round_trip;
  throw ConfigError("make tcp background: round_trip is missing; write that of a flow, without this queue");
}

}  // namespace

void check_tcp_flows(const TcpBackground::Config& config) {
  const auto require = [](const std::string& what, std::int64_t value, std::int64_t least,
                          std::int64_t most) {
    if (value >= least && value <= most) return;
    throw ConfigError("make tcp background: " + what + " is " + std::to_string(value) + "; write " +
                      std::to_string(least) + " to " + std::to_string(most));
  };
  require("flows", config.flows, 1, kMostFlows);
  if (config.round_trip) {
    require("round_trip (ns)", config.round_trip->count_ns(), kLeastRoundTrip, kMostRoundTrip);
  }
  require("segment (bytes)", config.segment.count(), kLeastSegment, kMostSegment);
}

TcpBackground::TcpBackground(const Config& config)
    : config_(config),
      step_(round_trip_of(config) / kStepsOfRoundTrip),
      tcp_(config.congestion),
      losses_(kPast, 0.0) {}

FluidPiece TcpBackground::next(SimTime now, const FluidFeedback& seen) {
  const double round_trip = (*config_.round_trip + seen.waiting).in_seconds();
  losses_[steps_ % kPast] = tcp_.rate(round_trip) * seen.lost;
  ++steps_;
  tcp_.follow(step_.in_seconds(), round_trip, losses_before(round_trip));
  const double rate = static_cast<double>(config_.flows) * tcp_.rate(round_trip) *
                      static_cast<double>(config_.segment.bits());
  return {.bits_per_second = std::llround(std::min(rate, static_cast<double>(kMostFluidRate))),
          .until = now + step_};
}

// The losses per second that a flow learns of now: those of a round trip ago.
double TcpBackground::losses_before(double round_trip) const {
  const auto ago = static_cast<std::uint64_t>(std::llround(round_trip / step_.in_seconds()));
  const std::uint64_t back = std::min<std::uint64_t>(ago, kPast - 1);
  return back < steps_ ? losses_[(steps_ - 1 - back) % kPast] : 0.0;
}

const OptionTable<TcpBackground::Config>& TcpBackground::Config::options() {
  using C = Config;
  static const OptionTable<C> table(
      "tcp_flows", "equal TCP flows with endless data, as the fluid of Misra, Gong and Towsley (2000)", {},
      {
          {"flows", &C::flows, {.help = "so many", .least = 1, .most = kMostFlows, .required = true}},
          {"round_trip",
           &C::round_trip,
           {.help = "of a flow, without what it waits in this queue; null: its way says it",
            .least = kLeastRoundTrip,
            .most = kMostRoundTrip}},
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
  [[maybe_unused]] const Duration checked = round_trip_of(config);
  return [config](const RandomStream&) { return std::make_unique<TcpBackground>(config); };
}

}  // namespace simcore
