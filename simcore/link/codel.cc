// SPDX-License-Identifier: MIT
#include "simcore/link/codel.h"

#include <cmath>
#include <string>
#include <utility>

#include "simcore/link/ecn.h"
#include "simcore/options/option_table.h"
#include "simcore/units/error.h"

namespace simcore {

void check(const CodelConfig& config) {
  const auto require = [](bool holds, const std::string& what, std::int64_t value) {
    if (!holds)
      throw ConfigError("make CoDel queue: " + what + " is " + std::to_string(value) +
                        "; it must be positive");
  };
  require(config.target > Duration::zero(), "target (ns)", config.target.count_ns());
  require(config.interval > Duration::zero(), "interval (ns)", config.interval.count_ns());
  require(config.mtu > ByteCount::zero(), "mtu (bytes)", config.mtu.count());
}

CodelControl::Head CodelControl::take(const CodelConfig& config, PacketFifo& queue, SimTime now) {
  PacketPtr packet = queue.pop();
  if (!packet) {
    first_above_ = SimTime::zero();
    return {nullptr, false};
  }
  const Duration sojourn = now - packet->first_arrival;
  if (sojourn < config.target || queue.bytes() <= config.mtu) {
    first_above_ = SimTime::zero();
    return {std::move(packet), false};
  }
  if (first_above_ == SimTime::zero()) {
    first_above_ = now + config.interval;
    return {std::move(packet), false};
  }
  return {std::move(packet), now >= first_above_};
}

bool CodelControl::mark(const CodelConfig& config, Packet& packet, std::uint64_t& marked) {
  if (!config.ecn || !mark_congestion(packet)) return false;
  ++marked;
  return true;
}

SimTime CodelControl::law(const CodelConfig& config, SimTime from, std::uint32_t count) {
  const double interval = static_cast<double>(config.interval.count_ns());
  return from + Duration::ns(std::llround(interval / std::sqrt(static_cast<double>(count))));
}

Codel::Codel(const CodelConfig& config, std::int64_t limit) : config_(config), limit_(limit) {
  check(config);
  if (limit < 1) {
    throw ConfigError("make CoDel queue: the limit is " + std::to_string(limit) +
                      " packets; it must be at least 1");
  }
}

void Codel::admit(PacketPtr packet, SimTime, ByteCount) {
  if (waiting_.packets() >= limit_) return drop(std::move(packet), DropReason::queue_full);
  waiting_.push(std::move(packet));
}

PacketPtr Codel::release(SimTime now) {
  return control_.next(config_, waiting_, now, counters_.marked,
                       [this](PacketPtr packet) { drop(std::move(packet), DropReason::aqm); });
}

const OptionTable<CodelConfig>& CodelConfig::options() {
  using C = CodelConfig;
  static const OptionTable<C> table(
      "codel", "controlled delay (RFC 8289)", C{},
      {
          {"target", &C::target, {.help = "how long packets may stand in the queue", .least = 1}},
          {"interval",
           &C::interval,
           {.help = "for how long before one is dropped: about a round trip", .least = 1}},
          {"ecn", &C::ecn, {.help = "mark instead of dropping, where the sender understands it"}},
      });
  return table;
}

std::unique_ptr<QueueDiscipline> make_queue(const CodelConfig& config, const QueuePlace& place,
                                            RandomStream) {
  require_no_bytes(place, "CoDel");
  return std::make_unique<Codel>(config, place.packets);
}

}  // namespace simcore
