// SPDX-License-Identifier: MIT
#include "simcore/link/fq_codel.h"

#include <algorithm>
#include <string>
#include <utility>

#include "simcore/link/flow_hash.h"
#include "simcore/options/option_table.h"
#include "simcore/units/error.h"

namespace simcore {

namespace {

constexpr std::int64_t kMostDroppedAtOnce = 64;

}  // namespace

FqCodel::FqCodel(const Config& config, RandomStream random) : config_(config), salt_(random()) {
  check(config.codel);
  const auto require = [](bool holds, const std::string& what, std::int64_t value, const std::string& cure) {
    if (!holds)
      throw ConfigError("make FQ-CoDel queue: " + what + " is " + std::to_string(value) + "; " + cure);
  };
  require(config.limit >= 1, "limit (packets)", config.limit, "it must be at least 1");
  require(config.flows >= 1 && config.flows <= 65'536, "the number of flows", config.flows,
          "write 1 to 65536");
  require(config.quantum.count() >= 1, "quantum (bytes)", config.quantum.count(), "it must be at least 1");
  flows_ = std::vector<Flow>(static_cast<std::size_t>(config.flows));
}

std::size_t FqCodel::flow_of(const Packet& packet) const {
  return static_cast<std::size_t>(flow_hash(packet, salt_) % flows_.size());
}

void FqCodel::admit(PacketPtr packet, SimTime, ByteCount) {
  hold(std::move(packet));
  if (packets_ > config_.limit) drop_from_fattest();
}

void FqCodel::hold(PacketPtr packet) {
  const std::size_t index = flow_of(*packet);
  Flow& flow = flows_[index];
  ++packets_;
  bytes_ += packet->wire_size();
  flow.queue.push(std::move(packet));
  if (!flow.waiting) {
    flow.waiting = true;
    flow.credit = config_.quantum.count();
    fresh_.push(index);
  }
}

std::vector<PacketPtr> FqCodel::drain() {
  std::vector<PacketPtr> all;
  for (Flow& flow : flows_) {
    while (PacketPtr packet = flow.queue.pop()) all.push_back(std::move(packet));
  }
  std::ranges::stable_sort(all, {}, [](const PacketPtr& packet) { return packet->first_arrival; });
  packets_ = 0;
  bytes_ = ByteCount::zero();
  return all;
}

void FqCodel::look(const std::function<void(const Packet&)>& see) const {
  for (const Ring<std::size_t>* const list : {&fresh_, &others_}) {
    for (std::size_t place = 0; place < list->size(); ++place) flows_[(*list)[place]].queue.look(see);
  }
}

void FqCodel::drop_from_fattest() {
  Flow& fattest = *std::max_element(flows_.begin(), flows_.end(), [](const Flow& a, const Flow& b) {
    return a.queue.bytes() < b.queue.bytes();
  });
  const std::int64_t enough = fattest.queue.bytes().count() / 2;
  std::int64_t dropped = 0;
  for (std::int64_t count = 0; count < kMostDroppedAtOnce && (count == 0 || dropped < enough); ++count) {
    PacketPtr packet = fattest.queue.pop();
    dropped += packet->wire_size().count();
    take_out(*packet);
    drop(std::move(packet), DropReason::queue_full);
  }
}

PacketPtr FqCodel::release(SimTime now) {
  for (;;) {
    const bool from_fresh = !fresh_.empty();
    Ring<std::size_t>& list = from_fresh ? fresh_ : others_;
    if (list.empty()) return nullptr;
    const std::size_t index = list.front();
    Flow& flow = flows_[index];
    if (flow.credit <= 0) {
      flow.credit += config_.quantum.count();
      list.pop();
      others_.push(index);
      continue;
    }
    PacketPtr packet = next_of(flow, now);
    if (packet) {
      flow.credit -= packet->wire_size().count();
      return packet;
    }
    list.pop();
    // A fresh flow that has run empty waits behind the others once, or it could always come first.
    if (from_fresh) {
      others_.push(index);
    } else {
      flow.waiting = false;
    }
  }
}

PacketPtr FqCodel::next_of(Flow& flow, SimTime now) {
  PacketPtr packet =
      flow.control.next(config_.codel, flow.queue, now, counters_.marked, [this](PacketPtr dropped) {
        take_out(*dropped);
        drop(std::move(dropped), DropReason::aqm);
      });
  if (packet) take_out(*packet);
  return packet;
}

void FqCodel::take_out(const Packet& packet) {
  --packets_;
  bytes_ -= packet.wire_size();
}

const OptionTable<FqCodel::Config>& FqCodel::Config::options() {
  using C = Config;
  static const OptionTable<C> table(
      "fq_codel", "a queue for each flow, in turns, each with CoDel (RFC 8290)", C{},
      joined<C>({CodelConfig::options().within(&C::codel),
                 {
                     {"flows",
                      &C::flows,
                      {.help = "queues, to which flows are hashed", .least = 1, .most = 65'536}},
                     {"quantum", &C::quantum, {.help = "what a flow may send in a turn", .least = 1}},
                 }}));
  return table;
}

std::unique_ptr<QueueDiscipline> make_queue(const FqCodel::Config& config, const QueuePlace& place,
                                            RandomStream random) {
  require_no_bytes(place, "FQ-CoDel");
  FqCodel::Config here = config;
  here.limit = place.packets;
  return std::make_unique<FqCodel>(here, random);
}

}  // namespace simcore
