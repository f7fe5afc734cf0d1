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

Cobalt::Cobalt(const Config& config, std::int64_t limit, Duration frame, RandomStream random)
    : config_(config), limit_(limit), frame_(frame), random_(random) {
  const auto require = [](bool holds, const std::string& what, std::int64_t value) {
    if (!holds)
      throw ConfigError("make COBALT queue: " + what + " is " + std::to_string(value) +
                        "; it must be positive");
  };
  require(config.target > Duration::zero(), "target (ns)", config.target.count_ns());
  require(config.interval > Duration::zero(), "interval (ns)", config.interval.count_ns());
  require(limit >= 1, "limit (packets)", limit);
  config_.target = std::max(config.target, frame * 3 / 2);
  config_.interval = std::max(config.interval + (config_.target - config.target), config_.target * 2);
}

void Cobalt::admit(PacketPtr packet, SimTime now, ByteCount) {
  waiting_.push(std::move(packet));
  if (waiting_.packets() <= limit_) return;
  overflowed(now);
  drop(waiting_.pop(), DropReason::queue_full);
}

// cobalt_queue_full
void Cobalt::overflowed(SimTime now) {
  if (now - blue_changed_ > config_.target) {
    blue_ = std::min(blue_ + kBlueMore, 1.0);
    blue_changed_ = now;
  }
  dropping_ = true;
  drop_next_ = now;
  count_ = std::max(count_, 1U);
}

PacketPtr Cobalt::release(SimTime now) {
  for (;;) {
    PacketPtr packet = waiting_.pop();
    if (!packet) {
      ran_empty(now);
      return nullptr;
    }
    if (!to_drop(*packet, now) || waiting_.empty()) return packet;
    drop(std::move(packet), DropReason::aqm);
  }
}

// cobalt_queue_empty
void Cobalt::ran_empty(SimTime now) {
  if (blue_ > 0 && now - blue_changed_ > config_.target) {
    blue_ = std::max(blue_ - kBlueLess, 0.0);
    blue_changed_ = now;
  }
  dropping_ = false;
  if (count_ > 0 && now >= drop_next_) forget_one();
}

// cobalt_should_drop: of a packet that is about to leave, which may be marked.
bool Cobalt::to_drop(Packet& packet, SimTime now) {
  const Duration sojourn = now - packet.first_arrival;
  const bool due = count_ > 0 && now >= drop_next_;
  if (sojourn > config_.target && sojourn > frame_ * 4) {
    if (!dropping_) {
      dropping_ = true;
      drop_next_ = after(now);
    }
    count_ = std::max(count_, 1U);
  } else {
    dropping_ = false;
  }
  bool dropped = false;
  if (due && dropping_) {
    if (config_.ecn && mark_congestion(packet)) {
      ++counters_.marked;
    } else {
      dropped = true;
    }
    if (count_ < UINT32_MAX) ++count_;
    drop_next_ = after(drop_next_);
  } else {
    while (due && count_ > 0 && now >= drop_next_) forget_one();
  }
  if (blue_ > 0 && random_.bernoulli(blue_)) dropped = true;
  if (count_ == 0) {
    drop_next_ = now + config_.interval;
  } else if (now > drop_next_ && !dropped) {
    drop_next_ = now;
  }
  return dropped;
}

void Cobalt::forget_one() {
  --count_;
  drop_next_ = after(drop_next_);
}

SimTime Cobalt::after(SimTime from) const {
  const double interval = static_cast<double>(config_.interval.count_ns());
  return from + Duration::ns(std::llround(interval / std::sqrt(std::max(static_cast<double>(count_), 1.0))));
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
