// SPDX-License-Identifier: MIT
#include "simcore/link/on_off_background.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "simcore/options/option_table.h"
#include "simcore/units/error.h"

namespace simcore {

namespace {

constexpr std::int64_t kLeastMean = 1'000;  // ns
constexpr std::int64_t kMostFlows = 100'000;
constexpr double kLongest = 3.6e15;  // ns: 1,000 hours

void check(const OnOffBackground::Config& config) {
  const auto require = [](bool holds, const std::string& what) {
    if (!holds) throw ConfigError("make on_off background: " + what);
  };
  const std::int64_t rate = config.rate.bits_per_second();
  require(config.mean_on.count_ns() >= kLeastMean,
          "mean_on is " + std::to_string(config.mean_on.count_ns()) + " ns; it must be at least 1 us");
  require(config.mean_off.count_ns() >= kLeastMean,
          "mean_off is " + std::to_string(config.mean_off.count_ns()) + " ns; it must be at least 1 us");
  require(config.flows >= 1 && config.flows <= kMostFlows,
          "flows is " + std::to_string(config.flows) + "; write 1 to " + std::to_string(kMostFlows));
  require(rate >= 1 && rate <= kMostFluidRate / config.flows,
          std::to_string(config.flows) + " flows of " + std::to_string(rate) +
              " bit/s; write at least 1 bit/s, and 10 Tbit/s for all together at most");
}

}  // namespace

OnOffBackground::OnOffBackground(const Config& config, const RandomStream& random)
    : config_(config), random_(random) {
  check(config);
}

FluidPiece OnOffBackground::next(SimTime now, const FluidFeedback&) {
  const auto mean_on = static_cast<double>(config_.mean_on.count_ns());
  const auto mean_off = static_cast<double>(config_.mean_off.count_ns());
  if (on_ < 0) {
    on_ = 0;
    for (std::int64_t flow = 0; flow < config_.flows; ++flow) {
      if (random_.bernoulli(mean_on / (mean_on + mean_off))) ++on_;
    }
  } else {
    on_ += grows_ ? 1 : -1;
  }
  const double birth = static_cast<double>(config_.flows - on_) / mean_off;
  const double death = static_cast<double>(on_) / mean_on;
  const double time = std::min(random_.exponential(1.0 / (birth + death)), kLongest);
  grows_ = random_.bernoulli(birth / (birth + death));
  return {.bits_per_second = on_ * config_.rate.bits_per_second(),
          .until = now + Duration::ns(std::max<std::int64_t>(1, std::llround(time)))};
}

const OptionTable<OnOffBackground::Config>& OnOffBackground::Config::options() {
  using C = Config;
  static const OptionTable<C> table(
      "on_off", "flows that send and are silent in turns, for exponentially distributed times", {},
      {
          {"rate", &C::rate, {.help = "of a flow that is on", .required = true}},
          {"mean_on", &C::mean_on, {.help = "how long a flow sends", .least = kLeastMean, .required = true}},
          {"mean_off",
           &C::mean_off,
           {.help = "how long a flow is silent", .least = kLeastMean, .required = true}},
          {"flows", &C::flows, {.help = "so many, each on its own", .least = 1, .most = kMostFlows}},
      });
  return table;
}

BackgroundModel on_off_background(const OnOffBackground::Config& config) {
  check(config);
  return [config](const RandomStream& random) { return std::make_unique<OnOffBackground>(config, random); };
}

}  // namespace simcore
