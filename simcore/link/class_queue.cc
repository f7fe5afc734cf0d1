// SPDX-License-Identifier: MIT
#include "simcore/link/class_queue.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "simcore/link/flow_hash.h"
#include "simcore/options/option_table.h"
#include "simcore/packet/byte_order.h"
#include "simcore/packet/ethernet.h"
#include "simcore/packet/transport_place.h"
#include "simcore/units/error.h"

namespace simcore {

namespace {

constexpr double kMostPort = 65'535;
constexpr std::size_t kSelectors = 8;
constexpr std::int64_t kUsualBands = 3;

// The class selector of an IP packet: the upper three bits of its DSCP. None of what is no IP packet.
std::optional<std::size_t> class_selector(const Packet& packet) {
  const auto ethernet = EthernetHeader::parse(packet.bytes());
  if (!ethernet || ethernet->payload().size() < 2) return std::nullopt;
  if (ethernet->ether_type() == EtherType::ipv4) return std::size_t{ethernet->payload()[1]} >> 5;
  if (ethernet->ether_type() == EtherType::ipv6) return std::size_t{ethernet->payload()[0]} >> 1 & 7;
  return std::nullopt;
}

template <class C>
Option<C> by_option() {
  return {"by",
          &C::by,
          {{"dscp", ClassBy::dscp}, {"flow", ClassBy::flow}},
          {.help = "what tells the class of a packet: the class selector of its DSCP, or its flow"}};
}

template <class C>
Option<C> ports_option() {
  return {"ports",
          &C::ports,
          {.help = "of flows: the first is class 0, and so on; all others are the last class",
           .least = 1,
           .most = kMostPort}};
}

}  // namespace

ClassQueue::ClassQueue(Classes classes, const QueuePlace& place, RandomStream random)
    : classes_(classes.count), told_(std::move(classes)), place_(place), salt_(random()) {}

std::size_t ClassQueue::class_of(const Packet& packet) const {
  const std::size_t last = classes_.size() - 1;
  if (told_.by == ClassBy::dscp) {
    const std::optional<std::size_t> selector = class_selector(packet);
    if (!selector) return 0;
    return (kSelectors - 1 - *selector) * classes_.size() / kSelectors;
  }
  if (told_.ports.empty()) return static_cast<std::size_t>(flow_hash(packet, salt_) % classes_.size());
  const auto place = find_transport(packet.bytes(), packet.virtual_payload);
  if (!place) return last;
  const std::uint8_t* const header = packet.bytes().data() + place->transport;
  const auto found = std::ranges::find_if(told_.ports, [header](std::int64_t port) {
    return port == load_be16(header) || port == load_be16(header + 2);
  });
  return static_cast<std::size_t>(found - told_.ports.begin());
}

bool ClassQueue::fits(const Packet& packet, ByteCount on_wire) const {
  const std::int64_t here = packets_ + (on_wire > ByteCount::zero() ? 1 : 0);
  return here < place_.packets && (!place_.bytes || bytes_ + on_wire + packet.wire_size() <= *place_.bytes);
}

void ClassQueue::admit(PacketPtr packet, SimTime, ByteCount on_wire) {
  const std::size_t coming = class_of(*packet);
  while (!fits(*packet, on_wire)) {
    const std::size_t other = victim(coming);
    if (other == coming) return drop(std::move(packet), DropReason::queue_full);
    PacketPtr newest = classes_[other].pop_back();
    --packets_;
    bytes_ -= newest->wire_size();
    drop(std::move(newest), DropReason::queue_full);
  }
  hold(std::move(packet));
}

void ClassQueue::hold(PacketPtr packet) {
  ++packets_;
  bytes_ += packet->wire_size();
  PacketFifo& queue = classes_[class_of(*packet)];
  queue.push(std::move(packet));
}

PacketPtr ClassQueue::pop_of(std::size_t of_class) {
  PacketPtr packet = classes_[of_class].pop();
  if (!packet) return nullptr;
  --packets_;
  bytes_ -= packet->wire_size();
  return packet;
}

std::vector<PacketPtr> ClassQueue::drain() {
  std::vector<PacketPtr> all;
  for (PacketFifo& queue : classes_) {
    while (PacketPtr packet = queue.pop()) all.push_back(std::move(packet));
  }
  std::ranges::stable_sort(all, {}, [](const PacketPtr& packet) { return packet->first_arrival; });
  packets_ = 0;
  bytes_ = ByteCount::zero();
  return all;
}

void ClassQueue::look(const std::function<void(const Packet&)>& see) const {
  for (const PacketFifo& queue : classes_) queue.look(see);
}

PriorityQueue::PriorityQueue(const PriorityConfig& config, const QueuePlace& place, RandomStream random)
    : ClassQueue({config.by,
                  config.by == ClassBy::flow ? config.ports.size() + 1
                                             : static_cast<std::size_t>(config.bands.value_or(kUsualBands)),
                  config.ports},
                 place, random) {
  if (config.by == ClassBy::flow && config.ports.empty())
    throw ConfigError("make priority queue: by flow, and no ports say which goes first; write ports");
  if (config.by == ClassBy::flow && config.bands)
    throw ConfigError(
        "make priority queue: bands are classes by DSCP, and by flow there is one for each port and one for "
        "all others; "
        "leave bands out");
  if (config.by == ClassBy::dscp && !config.ports.empty())
    throw ConfigError("make priority queue: ports are of classes by flow; write by flow, or leave them out");
}

std::size_t PriorityQueue::victim(std::size_t coming) const {
  for (std::size_t last = classes_.size() - 1; last > coming; --last) {
    if (!classes_[last].empty()) return last;
  }
  return coming;
}

PacketPtr PriorityQueue::release(SimTime) {
  for (std::size_t first = 0; first < classes_.size(); ++first) {
    if (!classes_[first].empty()) return pop_of(first);
  }
  return nullptr;
}

WeightedQueue::WeightedQueue(const WeightedConfig& config, const QueuePlace& place, RandomStream random)
    : ClassQueue({config.by, config.weights.size(), config.ports}, place, random),
      config_(config),
      credit_(config.weights.size(), 0) {
  if (config.by == ClassBy::dscp && !config.ports.empty())
    throw ConfigError("make weighted queue: ports are of classes by flow; write by flow, or leave them out");
  if (!config.ports.empty() && config.weights.size() != config.ports.size() + 1)
    throw ConfigError("make weighted queue: " + std::to_string(config.ports.size()) + " ports and " +
                      std::to_string(config.weights.size()) +
                      " weights; write a weight for each port, and one for all other flows");
}

// The class that holds most for its weight, the coming packet counted.
std::size_t WeightedQueue::victim(std::size_t coming) const {
  std::size_t fattest = coming;
  const auto packets = [&](std::size_t each) { return classes_[each].packets() + (each == coming ? 1 : 0); };
  for (std::size_t each = 0; each < classes_.size(); ++each) {
    if (packets(each) * config_.weights[fattest] > packets(fattest) * config_.weights[each]) fattest = each;
  }
  return fattest;
}

PacketPtr WeightedQueue::release(SimTime) {
  if (packets() == 0) return nullptr;
  for (;;) {
    PacketFifo& queue = classes_[turn_];
    if (begins_ && !queue.empty()) credit_[turn_] += config_.weights[turn_] * config_.quantum.count();
    begins_ = false;
    if (!queue.empty() && queue.front().wire_size().count() <= credit_[turn_]) {
      PacketPtr packet = pop_of(turn_);
      credit_[turn_] -= packet->wire_size().count();
      return packet;
    }
    if (queue.empty()) credit_[turn_] = 0;
    turn_ = turn_ + 1 < classes_.size() ? turn_ + 1 : 0;
    begins_ = true;
  }
}

const OptionTable<PriorityConfig>& PriorityConfig::options() {
  using C = PriorityConfig;
  static const OptionTable<C> table(
      "priority", "strict priority: no packet is sent while one of an earlier class waits", C{},
      {by_option<C>(),
       {"bands", &C::bands, {.help = "classes by DSCP; 3 if left out", .least = 1, .most = kSelectors}},
       ports_option<C>()});
  return table;
}

const OptionTable<WeightedConfig>& WeightedConfig::options() {
  using C = WeightedConfig;
  static const OptionTable<C> table(
      "weighted", "classes take turns, each with its share of the rate (deficit round robin)", C{},
      {by_option<C>(),
       {"weights", &C::weights, {.help = "one for each class", .least = 1, .most = 1'000, .least_items = 1}},
       ports_option<C>(),
       {"quantum", &C::quantum, {.help = "what a weight of 1 may send in a turn", .least = 1}}});
  return table;
}

std::unique_ptr<QueueDiscipline> make_queue(const PriorityConfig& config, const QueuePlace& place,
                                            RandomStream random) {
  return std::make_unique<PriorityQueue>(config, place, random);
}

std::unique_ptr<QueueDiscipline> make_queue(const WeightedConfig& config, const QueuePlace& place,
                                            RandomStream random) {
  return std::make_unique<WeightedQueue>(config, place, random);
}

}  // namespace simcore
