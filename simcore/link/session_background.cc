// SPDX-License-Identifier: MIT
#include "simcore/link/session_background.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "simcore/options/option_table.h"
#include "simcore/units/error.h"

namespace simcore {

namespace {

constexpr double kLeastPerSecond = 1e-6;
constexpr double kMostPerSecond = 1e6;
constexpr std::int64_t kMostSize = std::int64_t{1} << 40;
constexpr double kMostShape = 100;
constexpr double kMostSessions = 100'000;  // there on average; the number is Poisson's, so never much more
constexpr double kLongestWait = 1e18;      // ns

void check(const SessionBackground::Config& config) {
  const auto require = [](bool holds, const std::string& what) {
    if (!holds) throw ConfigError("make poisson_sessions background: " + what);
  };
  require(config.per_second >= kLeastPerSecond && config.per_second <= kMostPerSecond,
          "per_second is " + std::to_string(config.per_second) + "; write 0.000001 to 1,000,000");
  require(
      config.size.count() >= 1 && config.size.count() <= kMostSize,
      "size is " + std::to_string(config.size.count()) + " bytes; write 1 to " + std::to_string(kMostSize));
  require(config.shape > 1 && config.shape <= kMostShape,
          "shape is " + std::to_string(config.shape) +
              "; write more than 1, or there is no mean, and at most 100");
  require(!config.sharing || config.peak, "sharing is of a rate, and there is none; give peak");
  if (!config.peak) return;
  const std::int64_t peak = config.peak->bits_per_second();
  require(peak >= 1 && peak <= kMostFluidRate,
          "peak is " + std::to_string(peak) + " bit/s; write 1 bit/s to 10 Tbit/s");
  const double load = config.per_second * static_cast<double>(config.size.bits()) / static_cast<double>(peak);
  if (config.sharing) {
    require(load < 1, "sessions bring " + std::to_string(load) +
                          " of what peak carries, and would become more and more; write a higher peak");
  } else {
    require(load <= kMostSessions, std::to_string(load) +
                                       " sessions would be there at a time, more than 100,000; "
                                       "write fewer, shorter ones or a higher peak");
  }
}

SimTime after(SimTime now, double nanoseconds) {
  return now + Duration::ns(std::max<std::int64_t>(1, std::llround(std::min(nanoseconds, kLongestWait))));
}

}  // namespace

SessionBackground::SessionBackground(const Config& config, const RandomStream& random)
    : config_(config), random_(random) {
  check(config);
}

ByteCount SessionBackground::draw_size() {
  const auto mean = static_cast<double>(config_.size.count());
  double size = mean;
  if (config_.sizes == Sizes::exponential) size = random_.exponential(mean);
  if (config_.sizes == Sizes::pareto) {
    const double least = mean * (config_.shape - 1) / config_.shape;
    size = least * std::pow(1.0 - random_.uniform(), -1.0 / config_.shape);
  }
  return ByteCount::bytes(
      std::clamp<std::int64_t>(std::llround(std::min(size, static_cast<double>(kMostSize))), 1, kMostSize));
}

// With a peak: when it will have sent all.
void SessionBackground::begin(ByteCount size, SimTime now) {
  const double sends =
      static_cast<double>(size.bits()) * 1e9 / static_cast<double>(config_.peak->bits_per_second());
  if (config_.sharing && !ends_.empty()) {
    ends_.front() = after(ends_.front(), sends);
    return;
  }
  ends_.push_back(after(now, sends));
  std::push_heap(ends_.begin(), ends_.end(), std::greater<>());
}

FluidPiece SessionBackground::next(SimTime now, const FluidFeedback&) {
  const double gap = 1e9 / config_.per_second;
  if (next_begins_ == SimTime::never()) next_begins_ = after(now, random_.exponential(gap));
  while (!ends_.empty() && ends_.front() <= now) {
    std::pop_heap(ends_.begin(), ends_.end(), std::greater<>());
    ends_.pop_back();
  }
  ByteCount at_once = ByteCount::zero();
  if (next_begins_ <= now) {
    const ByteCount size = draw_size();
    next_begins_ = after(now, random_.exponential(gap));
    if (config_.peak) {
      begin(size, now);
    } else {
      at_once = size;
    }
  }
  FluidPiece piece{.until = next_begins_, .at_once = at_once};
  if (!ends_.empty()) {
    piece.until = std::min(piece.until, ends_.front());
    const auto rate = static_cast<__int128>(ends_.size()) * config_.peak->bits_per_second();
    piece.bits_per_second = static_cast<std::int64_t>(std::min<__int128>(rate, kMostFluidRate));
  }
  return piece;
}

const OptionTable<SessionBackground::Config>& SessionBackground::Config::options() {
  using C = Config;
  static const OptionTable<C> table(
      "poisson_sessions", "sessions that begin at random, each with a size of its own", {},
      {
          {"per_second",
           &C::per_second,
           {.help = "sessions that begin, on average",
            .least = kLeastPerSecond,
            .most = kMostPerSecond,
            .required = true}},
          {"size", &C::size, {.help = "mean of a session", .least = 1, .most = kMostSize, .required = true}},
          {"sizes",
           &C::sizes,
           {{"fixed", Sizes::fixed}, {"exponential", Sizes::exponential}, {"pareto", Sizes::pareto}},
           {.help = "how sizes are distributed"}},
          {"shape",
           &C::shape,
           {.help = "of a Pareto distribution: the smaller, the heavier its tail",
            .least = 1,
            .most = kMostShape,
            .above = true}},
          {"peak", &C::peak, {.help = "rate of a session; none: its bytes come all at once"}},
          {"sharing", &C::sharing, {.help = "the peak is of all sessions together, which share it"}},
      });
  return table;
}

BackgroundModel session_background(const SessionBackground::Config& config) {
  check(config);
  return [config](const RandomStream& random) { return std::make_unique<SessionBackground>(config, random); };
}

}  // namespace simcore
