// SPDX-License-Identifier: MIT
#include "simcore/link/cake.h"

#include <algorithm>
#include <utility>

#include "simcore/options/option_table.h"
#include "simcore/packet/ethernet.h"
#include "simcore/units/error.h"

namespace simcore {

namespace {

constexpr std::size_t kFlows = 1'024;  // of a tin
constexpr std::size_t kWays = 8;
constexpr ByteCount kWholeFrame = ByteCount::bytes(1'514);
constexpr std::int64_t kLeastQuantum = 300;  // bytes
constexpr std::size_t kBestEffort = 0;
constexpr std::size_t kBulk = 1;

// 0 for what is no IP.
int dscp(const Packet& packet) {
  const auto ethernet = EthernetHeader::parse(packet.bytes());
  if (!ethernet || ethernet->payload().size() < 2) return 0;
  const auto& header = ethernet->payload();
  if (ethernet->ether_type() == EtherType::ipv4) return header[1] >> 2;
  if (ethernet->ether_type() == EtherType::ipv6) return (header[0] & 0x0f) << 2 | header[1] >> 6;
  return 0;
}

bool is_bulk(int codepoint) { return codepoint == 8 || codepoint == 1; }
// CS7, CS6, EF, VA.
bool is_urgent(int codepoint) {
  return codepoint == 56 || codepoint == 48 || codepoint == 46 || codepoint == 44;
}
constexpr int kTos4 = 4;

}  // namespace

Cake::Cake(const Config& config, std::int64_t limit, DataRate rate, RandomStream random)
    : by_(config.tins), isolation_(config.isolation), limit_(limit), random_(random), salt_(random_()) {
  check_cobalt(config.target, config.interval, limit, "CAKE");
  // Best effort, bulk, and then those that come before both.
  std::vector<std::int64_t> shares = {1};
  if (by_ == CakeTins::diffserv3) shares = {1, 16, 4};
  if (by_ == CakeTins::diffserv4) shares = {1, 16, 2, 4};
  for (const std::int64_t share : shares) {
    const DataRate own = DataRate::bps(std::max<std::int64_t>(rate.bits_per_second() / share, 1));
    Tin tin{.control = CobaltControl::Config::on_link(config.target, config.interval,
                                                      serialization(kWholeFrame, own), config.ecn),
            .rate = own.bits_per_second(),
            .quantum = std::clamp(own.bits_per_second() / 8 / 4'096, kLeastQuantum, kWholeFrame.count())};
    tin.flows = std::vector<Flow>(kFlows);
    tins_.push_back(std::move(tin));
  }
}

std::size_t Cake::tin_of(const Packet& packet) const {
  const int codepoint = dscp(packet);
  if (by_ == CakeTins::besteffort) return kBestEffort;
  if (is_bulk(codepoint)) return kBulk;
  if (by_ == CakeTins::diffserv3) return is_urgent(codepoint) || codepoint == kTos4 ? 2 : kBestEffort;
  if (is_urgent(codepoint) || codepoint == 40 || codepoint == 32) return 3;  // CS5, CS4
  const bool assured = codepoint >= 18 && codepoint <= 38 && codepoint % 2 == 0 && codepoint % 8 != 0;
  const bool video = assured || codepoint == 16 || codepoint == 24 || codepoint == kTos4;
  return video ? 2 : kBestEffort;
}

// cake_hash(): its own queue, or one of its set that is free, or else it shares the first.
Cake::Flow& Cake::flow_of(Tin& tin, const Packet& packet, std::uint64_t hash, std::size_t& index) const {
  const std::size_t set = hash % (kFlows / kWays) * kWays;
  const auto find = [&](auto wanted) {
    for (std::size_t way = 0; way < kWays; ++way) {
      if (wanted(tin.flows[set + way])) return way;
    }
    return kWays;
  };
  std::size_t way = find([hash](const Flow& each) { return each.set != Set::none && each.tag == hash; });
  if (way == kWays) {
    way = find([](const Flow& each) { return each.set == Set::none; });
    // One that decays is empty, too.
    if (way == kWays) way = find([](const Flow& each) { return each.set == Set::decaying; });
    if (way == kWays) {
      index = set;
      return tin.flows[index];
    }
    Flow& taken = tin.flows[set + way];
    taken.tag = hash;
    taken.hosts = host_hashes(packet, salt_);
  }
  index = set + way;
  return tin.flows[index];
}

void Cake::admit(PacketPtr packet, SimTime now, ByteCount) {
  hold(std::move(packet));
  if (packets_ > limit_) drop_from_longest(now);
}

void Cake::hold(PacketPtr packet) {
  Tin& tin = tins_[tin_of(*packet)];
  std::size_t index = 0;
  Flow& flow = flow_of(tin, *packet, flow_hash(*packet, salt_), index);
  // A tin that was empty owes nothing.
  if (tin.waiting == 0) tin.next = std::max(tin.next, packet->first_arrival);
  ++packets_;
  ++tin.waiting;
  bytes_ += packet->wire_size();
  flow.queue.push(std::move(packet));
  if (flow.set == Set::none || flow.set == Set::decaying) {
    set_out(tin, flow, Set::sparse);
    flow.deficit = turn_of(tin, flow);
    tin.fresh.push(index);
  } else if (flow.set == Set::sparse_waits) {
    set_out(tin, flow, Set::bulk);
  }
}

// Keeps the counts of the tin; lists are the caller's. Who leaves the decaying ones stays in their list, where it is passed
// over.
void Cake::set_out(Tin& tin, Flow& flow, Set set) {
  const auto active = [](Set which) { return which != Set::none && which != Set::decaying; };
  if (flow.set == Set::bulk) count_hosts(tin, flow, -1);
  tin.active += (active(set) ? 1 : 0) - (active(flow.set) ? 1 : 0);
  flow.set = set;
  if (set == Set::bulk) count_hosts(tin, flow, 1);
}

void Cake::count_hosts(Tin& tin, const Flow& flow, std::int64_t step) const {
  if (isolation_ == CakeIsolation::flows) return;
  const auto count = [step](std::unordered_map<std::uint64_t, std::int64_t>& hosts, std::uint64_t host) {
    const auto found = hosts.try_emplace(host, 0).first;
    found->second += step;
    if (found->second == 0) hosts.erase(found);
  };
  count(tin.from, flow.hosts.source);
  count(tin.to, flow.hosts.destination);
}

// cake_get_flow_quantum(): rounded up or down at random, so that shares are right on average.
std::int64_t Cake::turn_of(Tin& tin, const Flow& flow) {
  if (isolation_ == CakeIsolation::flows) return tin.quantum;
  const auto busy = [](const std::unordered_map<std::uint64_t, std::int64_t>& hosts, std::uint64_t host) {
    const auto found = hosts.find(host);
    return found == hosts.end() ? std::int64_t{1} : found->second;
  };
  const std::int64_t flows =
      std::max(busy(tin.from, flow.hosts.source), busy(tin.to, flow.hosts.destination));
  const auto carry = static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(flows));
  return (tin.quantum + carry) / flows;
}

// In shaped mode: the last tin that is within its rate, or whose turn comes first.
Cake::Tin* Cake::next_tin(SimTime now) {
  Tin* best = nullptr;
  for (Tin& tin : tins_) {
    if (tin.active == 0) continue;
    if (best == nullptr || tin.next <= now || tin.next <= best->next) best = &tin;
  }
  return best;
}

PacketPtr Cake::release(SimTime now) {
  bool first = true;
  while (packets_ > 0) {
    Tin* const tin = next_tin(now);
    PacketPtr packet = release_from(*tin, now, first);
    if (!packet) continue;
    const Duration took = serialization(packet->wire_size(), DataRate::bps(tin->rate));
    tin->next = tin->next < now ? tin->next + took : std::max(tin->next, now + took);
    return packet;
  }
  return nullptr;
}

// `first`: of this packet's looks. Then one decaying flow is looked at, so that their controls come to rest.
Ring<std::size_t>* Cake::next_list(Tin& tin, bool first) const {
  if (first && !tin.decaying.empty()) return &tin.decaying;
  if (!tin.fresh.empty()) return &tin.fresh;
  if (!tin.others.empty()) return &tin.others;
  return tin.decaying.empty() ? nullptr : &tin.decaying;
}

// Null: the flow whose turn it was is empty, so another tin may be next.
PacketPtr Cake::release_from(Tin& tin, SimTime now, bool& first) {
  for (;;) {
    Ring<std::size_t>* const list = next_list(tin, std::exchange(first, false));
    if (list == nullptr) return nullptr;
    const std::size_t index = list->front();
    Flow& flow = tin.flows[index];
    if (list == &tin.decaying && flow.set != Set::decaying) {
      list->drop_front();  // it is in another list
      continue;
    }
    if (flow.deficit <= 0) {
      if (flow.set == Set::sparse) set_out(tin, flow, flow.queue.empty() ? Set::sparse_waits : Set::bulk);
      flow.deficit += turn_of(tin, flow);
      list->drop_front();
      tin.others.push(index);
      continue;
    }
    PacketPtr packet = take_from(tin, flow, now);
    if (packet) {
      flow.deficit -= packet->wire_size().count();
      return packet;
    }
    list->drop_front();
    flow.control.ran_empty(tin.control, now);
    const bool rests = flow.control.at_rest(now);
    set_out(tin, flow, rests ? Set::none : Set::decaying);
    if (!rests) tin.decaying.push(index);
    return nullptr;
  }
}

PacketPtr Cake::take_from(Tin& tin, Flow& flow, SimTime now) {
  while (PacketPtr packet = pop(tin, flow)) {
    const bool dropped = flow.control.to_drop(tin.control, *packet, now, random_, counters_.marked);
    if (!dropped || flow.queue.empty()) return packet;
    flow.deficit -= packet->wire_size().count();
    drop(std::move(packet), DropReason::aqm);
  }
  return nullptr;
}

PacketPtr Cake::pop(Tin& tin, Flow& flow) {
  PacketPtr packet = flow.queue.pop();
  if (!packet) return nullptr;
  --packets_;
  --tin.waiting;
  bytes_ -= packet->wire_size();
  return packet;
}

void Cake::drop_from_longest(SimTime now) {
  Tin* of = &tins_.front();
  Flow* longest = &of->flows.front();
  for (Tin& tin : tins_) {
    // Who has packets is in one of these lists.
    for (const Ring<std::size_t>* const list : {&tin.fresh, &tin.others}) {
      for (std::size_t place = 0; place < list->size(); ++place) {
        Flow& flow = tin.flows[(*list)[place]];
        if (flow.queue.bytes() <= longest->queue.bytes()) continue;
        of = &tin;
        longest = &flow;
      }
    }
  }
  longest->control.overflowed(of->control, now);
  drop(pop(*of, *longest), DropReason::queue_full);
}

void Cake::look(const std::function<void(const Packet&)>& see) const {
  for (auto tin = tins_.rbegin(); tin != tins_.rend(); ++tin) {
    for (const Ring<std::size_t>* const list : {&tin->fresh, &tin->others}) {
      for (std::size_t place = 0; place < list->size(); ++place) tin->flows[(*list)[place]].queue.look(see);
    }
  }
}

std::vector<PacketPtr> Cake::drain() {
  std::vector<PacketPtr> all;
  for (Tin& tin : tins_) {
    for (Flow& flow : tin.flows) {
      while (PacketPtr packet = pop(tin, flow)) all.push_back(std::move(packet));
    }
  }
  std::ranges::stable_sort(all, {}, [](const PacketPtr& packet) { return packet->first_arrival; });
  return all;
}

const OptionTable<Cake::Config>& Cake::Config::options() {
  using C = Config;
  static const OptionTable<C> table(
      "cake", "hosts and flows share the link, each flow with COBALT (CAKE 2018), as Linux's", C{},
      {
          {"tins",
           &C::tins,
           {{"besteffort", CakeTins::besteffort},
            {"diffserv3", CakeTins::diffserv3},
            {"diffserv4", CakeTins::diffserv4}},
           {.help = "which packets come first, by DSCP"}},
          {"isolation",
           &C::isolation,
           {{"flows", CakeIsolation::flows}, {"triple", CakeIsolation::triple}},
           {.help = "who shares: flows alone, or hosts first and then the flows of each"}},
          {"target", &C::target, {.help = "how long packets may stand in a flow's queue", .least = 1}},
          {"interval",
           &C::interval,
           {.help = "for how long before one is dropped: about a round trip", .least = 1}},
          {"ecn", &C::ecn, {.help = "mark instead of dropping, where the sender understands it"}},
      });
  return table;
}

std::unique_ptr<QueueDiscipline> make_queue(const Cake::Config& config, const QueuePlace& place,
                                            RandomStream random) {
  require_no_bytes(place, "CAKE");
  if (!place.rate)
    throw ConfigError("make CAKE queue: the link has no rate, of which its tins have shares; give it one");
  return std::make_unique<Cake>(config, place.packets, *place.rate, random);
}

}  // namespace simcore
