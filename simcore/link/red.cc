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

Red::Red(const Config& config, RandomStream random) : config_(config), random_(random) {
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
  if (idle_) {
    if (config_.typical > Duration::zero()) {
      const double typical_packets = static_cast<double>((now - idle_since_).count_ns()) /
                                     static_cast<double>(config_.typical.count_ns());
      average_ *= std::pow(1.0 - config_.weight, typical_packets);
    }
    idle_ = false;
  }
  average_ += config_.weight * (static_cast<double>(waiting_.bytes().count()) - average_);
}

// Whether the packet that comes now is dropped or marked.
bool Red::chosen() {
  const auto least = static_cast<double>(config_.least.count());
  const auto most = static_cast<double>(config_.most.count());
  if (average_ < least) {
    count_ = -1;
    return false;
  }
  if (average_ >= most) {
    count_ = 0;
    return true;
  }
  count_ = std::max<std::int64_t>(count_, 0);
  const double share = config_.highest * (average_ - least) / (most - least);
  const double spread = 1.0 - static_cast<double>(count_) * share;
  if (spread > 0 && !random_.bernoulli(share / spread)) {
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
