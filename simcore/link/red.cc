// SPDX-License-Identifier: MIT
#include "simcore/link/red.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "simcore/link/ecn.h"
#include "simcore/link/probability.h"
#include "simcore/options/option_table.h"

namespace simcore {

namespace {

constexpr Duration kAdaptEvery = Duration::ms(500);
constexpr double kStep = 0.01;
constexpr double kLeastAdapted = 0.01;
constexpr double kMostAdapted = 0.5;

}  // namespace

Red::Red(const Config& config, RandomStream random)
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

void Red::admit(PacketPtr packet, SimTime now, ByteCount) {
  if (config_.adaptive) adapt(now);
  sample(now);
  const bool full = waiting_.bytes() + packet->wire_size() > config_.limit;
  if (chosen()) {
    if (!config_.ecn || !mark_congestion(*packet)) return drop(std::move(packet), DropReason::aqm);
    if (!full) ++counters_.marked;
  }
  if (full) return drop(std::move(packet), DropReason::queue_full);
  waiting_.push(std::move(packet));
}

// The average begins with what the queue begins with.
void Red::hold(PacketPtr packet) {
  waiting_.push(std::move(packet));
  average_ = static_cast<double>(waiting_.bytes().count());
  idle_ = false;
}

PacketPtr Red::release(SimTime now) {
  PacketPtr packet = waiting_.pop();
  if (waiting_.empty() && !idle_) {
    idle_ = true;
    idle_since_ = now;
  }
  return packet;
}

void Red::sample(SimTime now) {
  average_ = average_at(now);
  idle_ = false;
  average_ += config_.weight * (static_cast<double>(waiting_.bytes().count()) - average_);
}

// Without the packet that comes then.
double Red::average_at(SimTime time) const {
  if (!idle_ || config_.typical <= Duration::zero()) return average_;
  const double typical_packets =
      static_cast<double>((time - idle_since_).count_ns()) / static_cast<double>(config_.typical.count_ns());
  return average_ * std::pow(1.0 - config_.weight, typical_packets);
}

void Red::adapt(SimTime now) {
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

// Of the packets that come, at this average, which is neither too small nor too large.
double Red::share() const {
  const auto least = static_cast<double>(config_.least.count());
  const auto most = static_cast<double>(config_.most.count());
  if (average_ < most) return highest_ * (average_ - least) / (most - least);
  return highest_ + (1 - highest_) * (average_ - most) / most;
}

// Whether the packet that comes now is dropped or marked.
bool Red::chosen() {
  if (average_ < static_cast<double>(config_.least.count())) {
    count_ = -1;
    return false;
  }
  const bool too_large = average_ >= static_cast<double>(config_.most.count()) * (config_.gentle ? 2 : 1);
  if (too_large) {
    count_ = 0;
    return true;
  }
  count_ = std::max<std::int64_t>(count_, 0);
  const double chance = share();
  const double spread = 1.0 - static_cast<double>(count_) * chance;
  if (spread > 0 && !random_.bernoulli(chance / spread)) {
    ++count_;
    return false;
  }
  count_ = 0;
  return true;
}

const OptionTable<Red::Config>& Red::Config::options() {
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

std::unique_ptr<QueueDiscipline> make_queue(const Red::Config& config, const QueuePlace& place,
                                            RandomStream random) {
  constexpr ByteCount kTypicalPacket = ByteCount::bytes(1'500);
  Red::Config here = config;
  if (here.typical == Duration::zero() && place.rate)
    here.typical = serialization(kTypicalPacket, *place.rate);
  return std::make_unique<Red>(here, random);
}

}  // namespace simcore
