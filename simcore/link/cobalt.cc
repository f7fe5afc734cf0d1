// SPDX-License-Identifier: MIT
#include "simcore/link/cobalt.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "simcore/link/ecn.h"
#include "simcore/options/option_table.h"
#include "simcore/units/error.h"

namespace simcore {

namespace {

constexpr double kBlueMore = 1.0 / 256;
constexpr double kBlueLess = 1.0 / 4'096;
constexpr ByteCount kFullFrame = ByteCount::bytes(1'514);

}  // namespace

CobaltControl::Config CobaltControl::Config::on_link(Duration target, Duration interval, Duration frame,
                                                     bool ecn) {
  const Duration longer = std::max(target, frame * 3 / 2);
  return {.target = longer,
          .interval = std::max(interval + (longer - target), longer * 2),
          .frame = frame,
          .ecn = ecn};
}

// cobalt_queue_full
void CobaltControl::overflowed(const Config& config, SimTime now) {
  if (now - blue_changed_ > config.target) {
    blue_ = std::min(blue_ + kBlueMore, 1.0);
    blue_changed_ = now;
  }
  dropping_ = true;
  drop_next_ = now;
  count_ = std::max(count_, 1U);
}

// cobalt_queue_empty
void CobaltControl::ran_empty(const Config& config, SimTime now) {
  if (blue_ > 0 && now - blue_changed_ > config.target) {
    blue_ = std::max(blue_ - kBlueLess, 0.0);
    blue_changed_ = now;
  }
  dropping_ = false;
  if (count_ > 0 && now >= drop_next_) forget_one(config);
}

// cobalt_should_drop
bool CobaltControl::to_drop(const Config& config, Packet& packet, SimTime now, RandomStream& random,
                            std::uint64_t& marked) {
  const Duration sojourn = now - packet.first_arrival;
  const bool due = count_ > 0 && now >= drop_next_;
  if (sojourn > config.target && sojourn > config.frame * 4) {
    if (!dropping_) {
      dropping_ = true;
      drop_next_ = after(now, config);
    }
    count_ = std::max(count_, 1U);
  } else {
    dropping_ = false;
  }
  bool dropped = false;
  if (due && dropping_) {
    if (config.ecn && mark_congestion(packet)) {
      ++marked;
    } else {
      dropped = true;
    }
    if (count_ < UINT32_MAX) ++count_;
    drop_next_ = after(drop_next_, config);
  } else {
    while (due && count_ > 0 && now >= drop_next_) forget_one(config);
  }
  if (blue_ > 0 && random.bernoulli(blue_)) dropped = true;
  if (count_ == 0) {
    drop_next_ = now + config.interval;
  } else if (now > drop_next_ && !dropped) {
    drop_next_ = now;
  }
  return dropped;
}

void CobaltControl::forget_one(const Config& config) {
  --count_;
  drop_next_ = after(drop_next_, config);
}

SimTime CobaltControl::after(SimTime from, const Config& config) const {
  const double interval = static_cast<double>(config.interval.count_ns());
  return from + Duration::ns(std::llround(interval / std::sqrt(std::max(static_cast<double>(count_), 1.0))));
}

void check_cobalt(Duration target, Duration interval, std::int64_t limit, const std::string& queue) {
  const auto require = [&queue](bool holds, const std::string& what, std::int64_t value) {
    if (!holds)
      throw ConfigError("make " + queue + " queue: " + what + " is " + std::to_string(value) +
                        "; it must be positive");
  };
  require(target > Duration::zero(), "target (ns)", target.count_ns());
  require(interval > Duration::zero(), "interval (ns)", interval.count_ns());
  require(limit >= 1, "limit (packets)", limit);
}

Cobalt::Cobalt(const Config& config, std::int64_t limit, Duration frame, RandomStream random)
    : config_(CobaltControl::Config::on_link(config.target, config.interval, frame, config.ecn)),
      limit_(limit),
      random_(random) {
  check_cobalt(config.target, config.interval, limit, "COBALT");
}

void Cobalt::admit(PacketPtr packet, SimTime now, ByteCount) {
  waiting_.push(std::move(packet));
  if (waiting_.packets() <= limit_) return;
  control_.overflowed(config_, now);
  drop(waiting_.pop(), DropReason::queue_full);
}

PacketPtr Cobalt::release(SimTime now) {
  for (;;) {
    PacketPtr packet = waiting_.pop();
    if (!packet) {
      control_.ran_empty(config_, now);
      return nullptr;
    }
    if (!control_.to_drop(config_, *packet, now, random_, counters_.marked) || waiting_.empty())
      return packet;
    drop(std::move(packet), DropReason::aqm);
  }
}

const OptionTable<Cobalt::Config>& Cobalt::Config::options() {
  using C = Config;
  static const OptionTable<C> table(
      "cobalt", "CoDel and BLUE, the queue management of CAKE (Palmei 2019)", C{},
      {
          {"target", &C::target, {.help = "how long packets may stand in the queue", .least = 1}},
          {"interval",
           &C::interval,
           {.help = "for how long before one is dropped: about a round trip", .least = 1}},
          {"ecn", &C::ecn, {.help = "mark instead of dropping, where the sender understands it"}},
      });
  return table;
}

std::unique_ptr<QueueDiscipline> make_queue(const Cobalt::Config& config, const QueuePlace& place,
                                            RandomStream random) {
  require_no_bytes(place, "COBALT");
  const Duration frame = place.rate ? serialization(kFullFrame, *place.rate) : Duration::zero();
  return std::make_unique<Cobalt>(config, place.packets, frame, random);
}

}  // namespace simcore
