// SPDX-License-Identifier: MIT
#include "simcore/link/red_control.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "simcore/link/probability.h"
#include "simcore/options/option_table.h"

namespace simcore {

namespace {

constexpr Duration kAdaptEvery = Duration::ms(500);
constexpr double kStep = 0.01;
constexpr double kLeastAdapted = 0.01;
constexpr double kMostAdapted = 0.5;

}  // namespace

RedControl::RedControl(const Config& config, RandomStream random)
    : config_(config), random_(random), highest_(config.highest) {
  const auto require = [](bool holds, const std::string& what) {
    if (!holds) throw ConfigError("make RED queue: " + what);
  };
  require_probability("RED queue", "highest", config.highest);
  require_probability("RED queue", "weight", config.weight);
  require(config.weight > 0, "weight is 0; it must be positive, or the average never moves");
  require(config.limit.count() >= 1,
          "limit is " + std::to_string(config.limit.count()) + " bytes; it must be at least 1");
  require(config.least >= ByteCount::zero() && config.least < config.most,
          "least is " + std::to_string(config.least.count()) + " bytes and most " +
              std::to_string(config.most.count()) + "; write 0 <= least < most");
  require(config.typical >= Duration::zero(), "typical is negative");
}

void RedControl::begin_with(ByteCount queued) {
  average_ = static_cast<double>(queued.count());
  idle_ = false;
}

void RedControl::empty(SimTime now) {
  if (idle_) return;
  idle_ = true;
  idle_since_ = now;
}

// Without the packet that comes then.
double RedControl::average_at(SimTime time) const {
  if (!idle_ || config_.typical <= Duration::zero()) return average_;
  const double typical_packets =
      static_cast<double>((time - idle_since_).count_ns()) / static_cast<double>(config_.typical.count_ns());
  return average_ * std::pow(1.0 - config_.weight, typical_packets);
}

void RedControl::adapt(SimTime now) {
  if (adapt_next_ == SimTime::never()) adapt_next_ = now + kAdaptEvery;
  const auto least = static_cast<double>(config_.least.count());
  const double range = static_cast<double>(config_.most.count()) - least;
  for (bool moves = true; moves && adapt_next_ <= now; adapt_next_ = adapt_next_ + kAdaptEvery) {
    const double average = average_at(adapt_next_);
    const double before = highest_;
    if (average > least + 0.6 * range && highest_ <= kMostAdapted) {
      highest_ += std::min(kStep, highest_ / 4);
    } else if (average < least + 0.4 * range && highest_ >= kLeastAdapted) {
      highest_ *= 0.9;
    }
    moves = highest_ != before;
  }
  // Nothing moved, and nothing will before the next packet.
  if (adapt_next_ <= now) adapt_next_ = adapt_next_ + kAdaptEvery * ((now - adapt_next_) / kAdaptEvery + 1);
}

bool RedControl::too_small() const { return average_ < static_cast<double>(config_.least.count()); }

bool RedControl::too_large() const {
  return average_ >= static_cast<double>(config_.most.count()) * (config_.gentle ? 2 : 1);
}

// At this average, which is neither too small nor too large.
double RedControl::chance() const {
  const auto least = static_cast<double>(config_.least.count());
  const auto most = static_cast<double>(config_.most.count());
  if (average_ < most) return highest_ * (average_ - least) / (most - least);
  return highest_ + (1 - highest_) * (average_ - most) / most;
}

bool RedControl::chosen(SimTime now, ByteCount queued) {
  if (config_.adaptive) adapt(now);
  average_ = average_at(now);
  idle_ = false;
  average_ += config_.weight * (static_cast<double>(queued.count()) - average_);
  if (too_small()) {
    count_ = -1;
    return false;
  }
  if (too_large()) {
    count_ = 0;
    return true;
  }
  count_ = std::max<std::int64_t>(count_, 0);
  const double share = chance();
  const double spread = 1.0 - static_cast<double>(count_) * share;
  if (spread > 0 && !random_.bernoulli(share / spread)) {
    ++count_;
    return false;
  }
  count_ = 0;
  return true;
}

double RedControl::flow(SimTime now, double packets, ByteCount queued) {
  idle_ = false;
  if (config_.adaptive) adapt(now);
  // An empty queue counts as if typical packets found it empty.
  if (queued == ByteCount::zero() && config_.typical > Duration::zero()) {
    packets = std::max(packets, (now - flowed_).in_seconds() / config_.typical.in_seconds());
  }
  flowed_ = now;
  const auto queue = static_cast<double>(queued.count());
  average_ = queue + (average_ - queue) * std::pow(1 - config_.weight, packets);
  if (too_small()) return 0;
  if (too_large()) return 1;
  return 2 * chance() / (1 + chance());
}

const OptionTable<RedControl::Config>& RedControl::Config::options() {
  using C = Config;
  static const OptionTable<C> table(
      "red",
      "random early detection (Floyd and Jacobson 1993), in bytes as Linux's; the defaults are what Mininet "
      "gives to tc",
      C{.most = ByteCount::bytes(35'000), .highest = 1.0, .weight = 0.5},
      {
          {"limit", &C::limit, {.help = "bound of the queue", .least = 1}},
          {"least", &C::least, {.help = "average length below which nobody is dropped"}},
          {"most", &C::most, {.help = "average length from which everybody is dropped", .least = 1}},
          {"highest", &C::highest, {.help = "share that is dropped just below `most`", .unit = "%"}},
          {"weight",
           &C::weight,
           {.help = "of a new sample in the average", .least = 0, .most = 1, .above = true}},
          {"ecn", &C::ecn, {.help = "mark instead of dropping, where the sender understands it"}},
          {"gentle",
           &C::gentle,
           {.help = "from `most` on the share rises to all at twice `most`, instead of at once"}},
          {"adaptive",
           &C::adaptive,
           {.help = "`highest` follows the average, so that that comes to the middle (Floyd 2001)"}},
      });
  return table;
}

RedControl::Config with_typical_packet(RedControl::Config config, DataRate rate) {
  constexpr ByteCount kTypicalPacket = ByteCount::bytes(1'500);
  if (config.typical == Duration::zero()) config.typical = serialization(kTypicalPacket, rate);
  return config;
}

}  // namespace simcore
