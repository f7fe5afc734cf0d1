// SPDX-License-Identifier: MIT
//
// What each action does to a packet. The key follows the frame: later tables see what earlier actions have made.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "simcore/openflow/frame_edit.h"
#include "simcore/openflow/pipeline.h"
#include "simcore/packet/checksum.h"

namespace simcore::openflow {

namespace {

constexpr std::size_t kTag = 4;
constexpr std::size_t kLabel = 4;
constexpr std::size_t kServiceHeader = 18;  // a backbone's addresses and EtherType, and the service tag
constexpr std::uint8_t kNewTtl = 64;

// OpenFlow 1.0 has one action for the ports of all transports, which is read as one of TCP.
const Field& in_its_transport(const Field& of, const FlowKey& key) {
  if (of.id == FieldId::tcp_src) {
    if (holds(Needs::udp, key)) return field(FieldId::udp_src);
    if (holds(Needs::sctp, key)) return field(FieldId::sctp_src);
  } else if (of.id == FieldId::tcp_dst) {
    if (holds(Needs::udp, key)) return field(FieldId::udp_dst);
    if (holds(Needs::sctp, key)) return field(FieldId::sctp_dst);
  }
  return of;
}

}  // namespace

bool Pipeline::apply(Context& context, const Actions& actions, bool last) {
  for (std::size_t at = 0; at < actions.size(); ++at) {
    if (!spend(context, 1)) {
      give_up(context);
      return false;
    }
    if (!apply(context, actions[at], last && at + 1 == actions.size())) return false;
    if (!context.packet) return true;
  }
  return true;
}

bool Pipeline::apply(Context& context, const Action& action, bool last) {
  switch (action.type) {
    case ActionType::output:
      output(context, action.port);
      return true;
    case ActionType::output_field: {
      const auto port = static_cast<std::uint32_t>(action.source.get(context.key));
      output(context, action.source.bits <= 16 ? port_of10(static_cast<std::uint16_t>(port)) : port);
      return true;
    }
    case ActionType::group:
      group(context, action.port, last);
      return true;
    case ActionType::set_queue:
    case ActionType::pop_queue:
    case ActionType::note:
      return true;
    case ActionType::set_field:
      set_field(context, *action.field, action.value, action.mask);
      return true;
    case ActionType::move: {
      const FieldValue value = action.source.get(context.key);
      set_field(context, *action.target.field, value << action.target.first,
                action.target.all_bits() << action.target.first);
      return true;
    }
    case ActionType::set_ip_ttl:
      set_field(context, field(FieldId::ip_ttl), action.number, 0xff);
      return true;
    case ActionType::dec_ip_ttl:
      return decrement_ttl(context, field(FieldId::ip_ttl), Needs::ip);
    case ActionType::set_mpls_ttl:
      set_field(context, field(FieldId::mpls_ttl), action.number, 0xff);
      return true;
    case ActionType::dec_mpls_ttl:
      return decrement_ttl(context, field(FieldId::mpls_ttl), Needs::mpls);
    case ActionType::copy_ttl_out:
    case ActionType::copy_ttl_in:
      copy_ttl(context, action.type == ActionType::copy_ttl_out);
      return true;
    case ActionType::set_vlan_vid:
    case ActionType::set_vlan_pcp: {
      if (!context.key.tagged()) push_tag(context, ethertype::kVlan);
      const bool vid = action.type == ActionType::set_vlan_vid;
      const unsigned value = vid ? 0x1000U | action.number : action.number;
      set_field(context, field(vid ? FieldId::vlan_vid : FieldId::vlan_pcp), value, vid ? 0x1fff : 7);
      return true;
    }
    case ActionType::push_vlan:
      push_tag(context, action.number);
      return true;
    case ActionType::pop_vlan:
      pop_tag(context);
      return true;
    case ActionType::push_mpls:
      push_label(context, action.number);
      return true;
    case ActionType::pop_mpls:
      pop_label(context, action.number);
      return true;
    case ActionType::push_pbb:
      push_service(context, action.number);
      return true;
    case ActionType::pop_pbb:
      pop_service(context);
      return true;
    case ActionType::resubmit:
      resubmit(context, action);
      return true;
    case ActionType::learn:
      learn(context, action);
      return true;
  }
  return true;
}

void Pipeline::set_field(Context& context, const Field& named, FieldValue value, FieldValue mask) {
  const Field& of = in_its_transport(named, context.key);
  if (!holds(of.needs, context.key)) return;
  const bool tag = of.id == FieldId::vlan_vid;
  if (tag && !context.key.tagged()) return;
  settle(context);
  of.set(context.key, (of.get(context.key) & ~mask) | (value & mask));
  if (tag) context.key.set16(at::kVlan, context.key.u16(at::kVlan) | 0x1000U);
  commit(*context.packet, context.layout, of, context.key);
}

// A packet that has used up what it may is counted, and what it has not become stays undone.
void Pipeline::give_up(Context& context) {
  if (!context.packet) return;
  outlet_.drop(DropReason::too_much_work, *context.packet);
  context.packet.reset();
}

PacketPtr Pipeline::copy(Context& context) {
  if (!spend(context, kCopyWork + context.packet->size() / 256)) {
    outlet_.drop(DropReason::too_much_work, *context.packet);
    return nullptr;
  }
  PacketPtr copied = pool_.copy_of(*context.packet);
  if (!copied) outlet_.drop(DropReason::pool_exhausted, *context.packet);
  return copied;
}

// Sends what is to go out of the pending port as it is now.
void Pipeline::settle(Context& context) {
  if (!context.pending) return;
  SwitchPort* const port = ports_.find(*context.pending);
  context.pending.reset();
  if (port == nullptr) return;
  if (PacketPtr copied = copy(context)) outlet_.transmit(*port, std::move(copied));
}

void Pipeline::emit(Context& context, SwitchPort& port) {
  if (!port.forwards()) return;
  settle(context);
  context.pending = port.number;
  context.sent = true;
}

void Pipeline::output(Context& context, std::uint32_t number) {
  const std::uint32_t in_port = context.key.u32(at::kInPort);
  switch (number) {
    case port_no::kInPort:
      if (SwitchPort* const port = ports_.find(in_port)) emit(context, *port);
      return;
    case port_no::kTable: {
      if (++context.depth <= kDeepest) {
        context.way = nullptr;
        run(context, 0);
      }
      --context.depth;
      return;
    }
    case port_no::kNormal:
      return normal(context);
    case port_no::kFlood:
    case port_no::kAll:
      return flood(context, number == port_no::kAll);
    case port_no::kController: {
      const bool miss = context.flow != nullptr && context.flow->is_table_miss();
      return to_controllers(context, miss ? PacketInReason::no_match : PacketInReason::action);
    }
    default:
      if (number == in_port) return;
      if (SwitchPort* const port = ports_.find(number)) emit(context, *port);
  }
}

void Pipeline::flood(Context& context, bool all) {
  const std::uint32_t in_port = context.key.u32(at::kInPort);
  for (auto& [number, port] : ports_.all()) {
    if (number == in_port || number == port_no::kLocal) continue;
    if (all || (port.config & port_config::kNoFlood) == 0) emit(context, port);
  }
}

void Pipeline::normal(Context& context) {
  static constexpr std::uint8_t kBridgesOnly[] = {0x01, 0x80, 0xc2, 0, 0};
  const std::uint8_t* const destination = context.key.bytes() + at::kEthDst;
  if (std::memcmp(destination, kBridgesOnly, 5) == 0 && destination[5] < 16) return;
  bridge_.learn(context.key, context.now);
  const auto known = bridge_.find(context.key, context.now);
  if (!known) return flood(context, false);
  if (*known != context.key.u32(at::kInPort)) output(context, *known);
}

// Also from a port that sends no packet-ins: that is said of table misses alone (1.3.5, 7.2.1), and Open vSwitch has it so.
void Pipeline::to_controllers(Context& context, PacketInReason reason) {
  PacketInCause cause;
  cause.reason = reason;
  cause.table = context.table;
  if (context.flow != nullptr) cause.cookie = context.flow->cookie;
  if (!spend(context, kCopyWork + context.packet->size() / 256)) return give_up(context);
  context.sent = true;
  outlet_.to_controllers(*context.packet, context.key, cause);
}

bool Pipeline::live(Context& context, std::uint32_t port, std::uint32_t number, int depth) const {
  if (port != port_no::kAny) {
    const SwitchPort* const found = ports_.find(port);
    if (found != nullptr && found->live()) return true;
  }
  if (number == kAnyGroup || depth >= kDeepest) return false;
  const auto found = groups_.find(number);
  if (found == groups_.end()) return false;
  return std::ranges::any_of(found->second.buckets,
                             [&](const Bucket& bucket) { return live(context, bucket, depth + 1); });
}

// One that watches nothing counts as live, as in Open vSwitch.
bool Pipeline::live(Context& context, const Bucket& bucket, int depth) const {
  if (!spend(context, 1)) return false;
  const bool watches = bucket.watch_port != port_no::kAny || bucket.watch_group != kAnyGroup;
  return !watches || live(context, bucket.watch_port, bucket.watch_group, depth);
}

// Of `select`: the highest score of those that weigh something and whose watched port lives; so a bucket that comes or
// goes moves few flows.
Bucket* Pipeline::choose(Context& context, Group& of) const {
  const auto alive = [&](const Bucket& bucket) { return live(context, bucket, 0); };
  if (of.type == GroupType::indirect) return of.buckets.data();
  if (of.type == GroupType::fast_failover) {
    const auto found = std::ranges::find_if(of.buckets, alive);
    return found == of.buckets.end() ? nullptr : &*found;
  }
  const std::uint64_t hash = flow_hash(context.key);
  Bucket* best = nullptr;
  double best_score = 0;
  for (std::size_t at = 0; at < of.buckets.size(); ++at) {
    Bucket& bucket = of.buckets[at];
    if (bucket.weight == 0 || !alive(bucket)) continue;
    // -log(uniform)/weight is least with a probability in proportion to the weight.
    const auto uniform = (static_cast<double>(mix(hash, at + 1) >> 11) + 0.5) * 0x1p-53;
    const double score = -std::log(uniform) / bucket.weight;
    if (best == nullptr || score < best_score) {
      best = &bucket;
      best_score = score;
    }
  }
  return best;
}

void Pipeline::group(Context& context, std::uint32_t number, bool last) {
  const auto found = groups_.find(number);
  if (found == groups_.end() || context.depth >= kDeepest || --context.allowance->lookups < 0) return;
  Group& of = found->second;
  of.packets += context.packet->segments;
  of.bytes += context.bytes();
  if (of.type == GroupType::all) {
    for (std::size_t at = 0; at < of.buckets.size() && context.packet; ++at)
      bucket(context, of.buckets[at], last && at + 1 == of.buckets.size());
    return;
  }
  if (of.buckets.empty()) return;
  if (Bucket* const chosen = choose(context, of)) bucket(context, *chosen, last);
}

void Pipeline::resubmit(Context& context, const Action& action) {
  if (context.depth >= kDeepest) return;
  const std::uint32_t in_port = context.key.u32(at::kInPort);
  const Flow* const flow = context.flow;
  const std::uint8_t table = context.table;
  if (action.port != port_no::kInPort) context.key.set32(at::kInPort, action.port);
  ++context.depth;
  Way* const way = std::exchange(context.way, nullptr);
  run(context, action.table == kAllTables ? table : action.table);
  context.way = way;
  --context.depth;
  context.key.set32(at::kInPort, in_port);
  context.flow = flow;
  context.table = table;
}

void Pipeline::learn(Context& context, const Action& action) {
  Way* const way = context.way;
  if (way != nullptr && way->learning == &action) {
    way->learned->used = way->learned->modified = context.now;
    return;
  }
  if (!spend(context, kLearnWork)) return give_up(context);
  const std::uint64_t before = tables_.version();
  Flow* const learned = tables_.learn(*action.learned, context.key, context.now);
  if (tables_.version() != before) outlet_.timeouts_changed();
  if (way == nullptr || learned == nullptr || tables_.version() != way->version) return;
  way->learning = &action;
  way->learned = learned;
}

bool Pipeline::decrement_ttl(Context& context, const Field& ttl, Needs needs) {
  if (!holds(needs, context.key)) return true;
  const FieldValue now = ttl.get(context.key);
  if (now > 1) {
    set_field(context, ttl, now - 1, 0xff);
    return true;
  }
  to_controllers(context, PacketInReason::invalid_ttl);
  return false;
}

bool Pipeline::insert(Context& context, std::size_t offset, std::size_t count) {
  settle(context);
  if (insert_bytes(context.packet, offset, count, pool_)) {
    context.added += static_cast<std::int64_t>(count);
    return true;
  }
  outlet_.drop(DropReason::pool_exhausted, *context.packet);
  context.packet.reset();
  return false;
}

void Pipeline::erase(Context& context, std::size_t offset, std::size_t count) {
  settle(context);
  erase_bytes(*context.packet, offset, count);
  context.added -= static_cast<std::int64_t>(count);
}

// After a change of headers. What was recorded holds no longer where other headers have come to light.
void Pipeline::reparse(Context& context) {
  const std::uint16_t type = context.key.u16(at::kEtherType);
  context.layout = parse(context.packet->bytes(), context.packet->virtual_payload, context.key);
  if (context.key.u16(at::kEtherType) != type) context.way = nullptr;
}

// The key keeps what it knows of the headers behind the tag.
void Pipeline::push_tag(Context& context, std::uint16_t type) {
  if (!insert(context, 12, kTag)) return;
  std::uint8_t* const tag = context.packet->bytes().data() + 12;
  store_be16(tag, type);
  store_be16(tag + 2, 0);
  context.key.set16(at::kVlan, 0x1000);
  context.layout.tag = 12;
  for (std::uint32_t* const place : {&context.layout.ether_type, &context.layout.network,
                                     &context.layout.transport, &context.layout.nd_option})
    *place += *place == 0 ? 0 : static_cast<std::uint32_t>(kTag);
}

void Pipeline::pop_tag(Context& context) {
  if (!context.key.tagged() || context.layout.tag == 0) return;
  erase(context, context.layout.tag, kTag);
  reparse(context);
}

void Pipeline::push_label(Context& context, std::uint16_t type) {
  const FlowKey& key = context.key;
  std::uint32_t entry = 0;
  if (holds(Needs::mpls, key)) {
    entry = key.u32(at::kMpls) & ~0x100U;
  } else {
    const bool ip = holds(Needs::ip, key);
    const std::uint32_t label = holds(Needs::ipv6, key) ? 2 : 0;  // explicit null (RFC 3032)
    const std::uint32_t traffic_class = ip ? key.u8(at::kIpTos) >> 2 & 7U : 0;
    const std::uint32_t ttl = ip && key.u8(at::kIpTtl) != 0 ? key.u8(at::kIpTtl) : kNewTtl;
    entry = label << 12 | traffic_class << 9 | 0x100U | ttl;
  }
  if (!insert(context, context.layout.network, kLabel)) return;
  std::uint8_t* const frame = context.packet->bytes().data();
  store_be16(frame + context.layout.ether_type, type);
  store_be32(frame + context.layout.network, entry);
  reparse(context);
}

void Pipeline::pop_label(Context& context, std::uint16_t type) {
  if (!holds(Needs::mpls, context.key) || context.packet->size() < context.layout.network + kLabel) return;
  settle(context);
  store_be16(context.packet->bytes().data() + context.layout.ether_type, type);
  erase(context, context.layout.network, kLabel);
  context.way = nullptr;
  reparse(context);
}

void Pipeline::push_service(Context& context, std::uint16_t type) {
  const std::uint32_t service = holds(Needs::pbb, context.key) ? context.key.u32(at::kPbb) : 0;
  if (!insert(context, 0, kServiceHeader)) return;
  std::uint8_t* const frame = context.packet->bytes().data();
  std::memcpy(frame, frame + kServiceHeader, 12);
  store_be16(frame + 12, type);
  store_be32(frame + kEthernetHeader, service);
  reparse(context);
}

void Pipeline::pop_service(Context& context) {
  if (!holds(Needs::pbb, context.key) || context.packet->size() < kServiceHeader + kEthernetHeader) return;
  erase(context, 0, kServiceHeader);
  context.way = nullptr;
  reparse(context);
}

// Between the outermost header that has a TTL and the next.
void Pipeline::copy_ttl(Context& context, bool outwards) {
  if (!holds(Needs::mpls, context.key)) return;
  settle(context);
  std::uint8_t* const outer = context.packet->bytes().data() + context.layout.network;
  const std::size_t left = context.packet->size() - context.layout.network;
  if (left < 2 * kLabel) return;
  std::uint8_t* const inner = outer + kLabel;
  std::uint8_t* ttl = nullptr;
  const bool bottom = (outer[2] & 1U) != 0;
  if (!bottom) {
    ttl = inner + 3;
  } else if (inner[0] >> 4 == 4 && left >= kLabel + 20) {
    ttl = inner + 8;
  } else if (inner[0] >> 4 == 6 && left >= kLabel + 40) {
    ttl = inner + 7;
  }
  if (ttl == nullptr) return;
  if (outwards) return set_field(context, field(FieldId::mpls_ttl), *ttl, 0xff);
  if (bottom && inner[0] >> 4 == 4) {
    const std::uint16_t before = load_be16(ttl);
    const auto after = static_cast<std::uint16_t>(outer[3] << 8 | ttl[1]);
    store_be16(inner + 10, updated_checksum(load_be16(inner + 10), before, after));
  }
  *ttl = outer[3];
}

}  // namespace simcore::openflow
