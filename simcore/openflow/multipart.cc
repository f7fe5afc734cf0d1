// SPDX-License-Identifier: MIT
//
// What a controller can ask for in several parts: descriptions and counters. 1.0 calls them statistics.
#include <algorithm>
#include <functional>
#include <utility>

#include "simcore/openflow/flow_filter.h"
#include "simcore/openflow/switch.h"

namespace simcore::openflow {

namespace {

constexpr std::uint8_t kReply13 = 19;
constexpr std::uint8_t kReply10 = 17;
constexpr std::size_t kPart = 60'000;  // bytes of a reply's part, about; a message holds 65,535
constexpr std::uint16_t kMore = 1;

enum : std::uint16_t {
  kDescription = 0,
  kFlows = 1,
  kAggregate = 2,
  kTableCounters = 3,
  kPortCounters = 4,
  kQueues = 5,
  kGroupCounters = 6,
  kGroupDescriptions = 7,
  kGroupFeatures = 8,
  kMeterCounters = 9,
  kMeterConfigs = 10,
  kMeterFeatures = 11,
  kTableFeatures = 12,
  kPortDescriptions = 13,
};

void write_age(Writer& to, Duration age) {
  to.u32(static_cast<std::uint32_t>(age.count_ns() / 1'000'000'000));
  to.u32(static_cast<std::uint32_t>(age.count_ns() % 1'000'000'000));
}

}  // namespace

// A reply that goes out in as many messages as it needs.
class Switch::Parts {
 public:
  Parts(Session& session, std::uint32_t xid, std::uint16_t type)
      : session_(session), xid_(xid), type_(type) {}

  // One entry, whole in one part.
  void add(const std::function<void(Writer&)>& write) {
    Writer to(body_);
    write(to);
    if (body_.size() > kPart) send(kMore);
  }
  void finish() { send(0); }

 private:
  void send(std::uint16_t flags) {
    const bool v13 = session_.version() == Version::v13;
    session_.send(v13 ? kReply13 : kReply10, xid_, [&](Writer& to) {
      to.u16(type_);
      to.u16(flags);
      if (v13) to.zeros(4);
      to.bytes(body_);
    });
    body_.clear();
  }

  Session& session_;
  std::uint32_t xid_;
  std::uint16_t type_;
  std::vector<std::uint8_t> body_;
};

void Switch::multipart(Session& session, std::uint32_t xid, Reader body, Message /*message*/) {
  const std::uint16_t type = body.u16();
  const std::uint16_t flags = body.u16();
  body.skip(4);
  if (type == kTableFeatures && (flags & kMore) != 0) throw ProtocolError(error::kMultipartOverflow);
  Parts parts(session, xid, type);
  switch (type) {
    case kDescription:
      send_description(parts);
      break;
    case kFlows:
      send_flows(parts, body, Version::v13);
      break;
    case kAggregate:
      send_aggregate(parts, body, Version::v13);
      break;
    case kTableCounters:
      send_tables(parts, Version::v13);
      break;
    case kPortCounters:
      send_port_counters(parts, body, Version::v13);
      break;
    case kQueues:
      send_queue_counters(parts, body, Version::v13);
      break;
    case kGroupCounters:
      send_group_counters(parts, body);
      break;
    case kGroupDescriptions:
      send_groups(parts);
      break;
    case kGroupFeatures:
      send_group_features(parts);
      break;
    case kMeterCounters:
      send_meter_counters(parts, body);
      break;
    case kMeterConfigs:
      send_meters(parts, body);
      break;
    case kMeterFeatures:
      send_meter_features(parts);
      break;
    case kTableFeatures:
      send_table_features(parts, body);
      break;
    case kPortDescriptions:
      send_ports(parts, Version::v13);
      break;
    case 0xffff:
      throw ProtocolError(error::kBadExperimenter);
    default:
      throw ProtocolError(error::kBadMultipart);
  }
  parts.finish();
}

void Switch::statistics10(Session& session, std::uint32_t xid, Reader body) {
  const std::uint16_t type = body.u16();
  body.skip(2);
  Parts parts(session, xid, type);
  switch (type) {
    case kDescription:
      send_description(parts);
      break;
    case kFlows:
      send_flows(parts, body, Version::v10);
      break;
    case kAggregate:
      send_aggregate(parts, body, Version::v10);
      break;
    case kTableCounters:
      send_tables(parts, Version::v10);
      break;
    case kPortCounters:
      send_port_counters(parts, body, Version::v10);
      break;
    case kQueues:
      send_queue_counters(parts, body, Version::v10);
      break;
    case kPortDescriptions:  // as Open vSwitch, which has it in 1.0, too
      send_ports(parts, Version::v10);
      break;
    case 0xffff:
      throw ProtocolError(error::kBadExperimenter);
    default:
      throw ProtocolError(error::kBadMultipart);
  }
  parts.finish();
}

void Switch::send_description(Parts& parts) const {
  parts.add([this](Writer& to) {
    to.text("hybridnet", 256);
    to.text("simulated switch", 256);
    to.text("simcore", 256);
    to.text("None", 32);
    to.text(config_.name, 256);
  });
}

Switch::FlowFilter Switch::read_filter(Reader body, Version version) const {
  FlowFilter filter;
  if (version == Version::v10) {
    filter.match = read_match10(body);
    filter.table = body.u8();
    body.skip(1);
    filter.out_port = port_of10(body.u16());
  } else {
    filter.table = body.u8();
    body.skip(3);
    filter.out_port = body.u32();
    filter.out_group = body.u32();
    body.skip(4);
    filter.cookie = body.u64();
    filter.cookie_mask = body.u64();
    filter.match = read_match(body);
  }
  if (filter.table >= kTables && filter.table != kAllTables) throw ProtocolError(error::kBadTable);
  return filter;
}

void Switch::send_flows(Parts& parts, Reader body, Version version) const {
  for (const Flow* const flow : selected(read_filter(body, version))) {
    parts.add([&](Writer& to) {
      const std::size_t begin = to.size();
      const bool v13 = version == Version::v13;
      to.u16(0);
      to.u8(flow->table);
      to.zeros(1);
      if (!v13) write_match10(to, flow->match);
      write_age(to, host_.now() - flow->created);
      to.u16(flow->priority);
      to.u16(flow->idle_timeout);
      to.u16(flow->hard_timeout);
      if (v13) {
        to.u16(flow->flags & (flow_flag::kNoByteCounts * 2 - 1));
        to.zeros(4);
      } else {
        to.zeros(6);
      }
      to.u64(flow->cookie);
      to.u64(flow->packets);
      to.u64(flow->bytes);
      if (v13) {
        write_match(to, flow->match);
        write_instructions(to, flow->instructions);
      } else if (flow->instructions.apply) {
        write_actions(to, *flow->instructions.apply, version);
      }
      to.set16(begin, to.size() - begin);
    });
  }
}

void Switch::send_aggregate(Parts& parts, Reader body, Version version) const {
  const std::vector<Flow*> flows = selected(read_filter(body, version));
  std::uint64_t packets = 0;
  std::uint64_t bytes = 0;
  for (const Flow* const flow : flows) {
    packets += flow->packets;
    bytes += flow->bytes;
  }
  parts.add([&](Writer& to) {
    to.u64(packets);
    to.u64(bytes);
    to.u32(static_cast<std::uint32_t>(flows.size()));
    to.zeros(4);
  });
}

void Switch::send_tables(Parts& parts, Version version) const {
  constexpr std::uint32_t kWildcards10 = (1U << 22) - 1;
  for (std::uint8_t number = 0; number < kTables; ++number) {
    const FlowTable* const table = tables_.at(number);
    const std::uint32_t active = table == nullptr ? 0 : static_cast<std::uint32_t>(table->flows().size());
    const std::uint64_t lookups = table == nullptr ? 0 : table->lookups;
    const std::uint64_t matched = table == nullptr ? 0 : table->matched;
    parts.add([&](Writer& to) {
      to.u8(number);
      to.zeros(3);
      if (version == Version::v10) {
        to.text("table" + std::to_string(number), 32);
        to.u32(kWildcards10);
        to.u32(static_cast<std::uint32_t>(tables_.most_flows()));
      }
      to.u32(active);
      to.u64(lookups);
      to.u64(matched);
    });
  }
}

void Switch::send_port_counters(Parts& parts, Reader body, Version version) const {
  const bool v13 = version == Version::v13;
  const std::uint32_t asked = v13 ? body.u32() : port_of10(body.u16());
  for (const auto& [number, port] : ports_.all()) {
    if (asked != port_no::kAny && asked != number) continue;
    parts.add([&, n = number, &port = port](Writer& to) {
      if (v13) {
        to.u32(n);
        to.zeros(4);
      } else {
        to.u16(port_in10(n));
        to.zeros(6);
      }
      to.u64(port.in_packets);
      to.u64(port.out_packets);
      to.u64(port.in_bytes);
      to.u64(port.out_bytes);
      to.u64(port.in_dropped);
      to.u64(port.out_dropped);
      to.zeros(6 * 8);
      if (v13) write_age(to, host_.now() - port.created);
    });
  }
  const bool known = asked == port_no::kAny || ports_.find(asked) != nullptr;
  if (!known) throw ProtocolError(error::kBadPort);
}

// No port has queues of its own to tell of; a queue that is named is unknown.
void Switch::send_queue_counters(Parts& /*parts*/, Reader body, Version version) const {
  const bool v13 = version == Version::v13;
  const std::uint32_t port = v13 ? body.u32() : port_of10(body.u16());
  if (!v13) body.skip(2);
  const std::uint32_t queue = body.u32();
  const std::uint32_t all10 = port_no::kAll;
  if (port != port_no::kAny && !(version == Version::v10 && port == all10) && ports_.find(port) == nullptr)
    throw ProtocolError(error::kQueuePort);
  if (queue != ~0U) throw ProtocolError(error::kQueueQueue);
}

void Switch::send_group_counters(Parts& parts, Reader body) const {
  const std::uint32_t asked = body.u32();
  for (const auto& [number, group] : groups_) {
    if (asked != kAllGroups && asked != number) continue;
    FlowFilter of_group;
    of_group.out_group = number;
    const auto users = static_cast<std::uint32_t>(selected(of_group).size());
    parts.add([&, n = number, &of = group](Writer& to) {
      to.u16(static_cast<std::uint16_t>(40 + 16 * of.buckets.size()));
      to.zeros(2);
      to.u32(n);
      to.u32(users);
      to.zeros(4);
      to.u64(of.packets);
      to.u64(of.bytes);
      write_age(to, host_.now() - of.created);
      for (const Bucket& bucket : of.buckets) {
        to.u64(bucket.packets);
        to.u64(bucket.bytes);
      }
    });
  }
}

void Switch::send_groups(Parts& parts) const {
  for (const auto& [number, group] : groups_) {
    parts.add([n = number, &of = group](Writer& to) {
      const std::size_t begin = to.size();
      to.u16(0);
      to.u8(static_cast<std::uint8_t>(of.type));
      to.zeros(1);
      to.u32(n);
      write_buckets(to, of);
      to.set16(begin, to.size() - begin);
    });
  }
}

void Switch::send_group_features(Parts& parts) {
  parts.add([](Writer& to) {
    to.u32(0xf);              // the four types
    to.u32(0x1 | 0x2 | 0x4);  // weights, liveness, chaining
    for (int type = 0; type < 4; ++type) to.u32(kMostGroups);
    for (int type = 0; type < 4; ++type) to.u32(0x0fff9801U);  // the actions of OpenFlow 1.3, each by its bit
  });
}

std::uint32_t Switch::flows_of_meter(std::uint32_t number) const {
  std::uint32_t users = 0;
  tables_.each(kAllTables, [&](const Flow& flow) { users += flow.instructions.meter == number ? 1 : 0; });
  return users;
}

void Switch::send_meter_counters(Parts& parts, Reader body) const {
  const std::uint32_t asked = body.u32();
  if (asked != kAllMeters && !meters_.contains(asked)) throw ProtocolError(error::kUnknownMeter);
  for (const auto& [number, meter] : meters_) {
    if (asked != kAllMeters && asked != number) continue;
    parts.add([&, n = number, &of = meter](Writer& to) {
      to.u32(n);
      to.u16(static_cast<std::uint16_t>(40 + 16 * of.bands.size()));
      to.zeros(6);
      to.u32(flows_of_meter(n));
      to.u64(of.packets);
      to.u64(of.bytes);
      write_age(to, host_.now() - of.created);
      for (const Band& band : of.bands) {
        to.u64(band.packets);
        to.u64(band.bytes);
      }
    });
  }
}

void Switch::send_meters(Parts& parts, Reader body) const {
  const std::uint32_t asked = body.u32();
  if (asked != kAllMeters && !meters_.contains(asked)) throw ProtocolError(error::kUnknownMeter);
  for (const auto& [number, meter] : meters_) {
    if (asked != kAllMeters && asked != number) continue;
    parts.add([n = number, &of = meter](Writer& to) {
      to.u16(static_cast<std::uint16_t>(8 + 16 * of.bands.size()));
      to.u16(of.flags);
      to.u32(n);
      write_bands(to, of);
    });
  }
}

void Switch::send_meter_features(Parts& parts) {
  parts.add([](Writer& to) {
    to.u32(kMostMeters);
    to.u32(1U << 1 | 1U << 2);  // drop and DSCP remark
    to.u32(meter_flag::kKbps | meter_flag::kPackets | meter_flag::kBurst | meter_flag::kStats);
    to.u8(kMostBands);
    to.u8(0);
    to.zeros(2);
  });
}

void Switch::send_table_features(Parts& parts, Reader body) const {
  if (!body.empty()) throw ProtocolError(error::kTableFeatures);
  enum : std::uint16_t {
    kInstructions = 0,
    kNext = 2,
    kWrite = 4,
    kApply = 6,
    kMatch = 8,
    kWildcards = 10,
    kWriteSet = 12,
    kApplySet = 14
  };
  for (std::uint8_t number = 0; number < kTables; ++number) {
    parts.add([&](Writer& to) {
      const std::size_t begin = to.size();
      const auto property = [&to](std::uint16_t type, const std::function<void()>& write) {
        const std::size_t start = to.size();
        to.u16(type);
        to.u16(0);
        write();
        to.set16(start + 2, to.size() - start);
        to.pad(start);
      };
      const auto fields = [&to](bool (*wanted)(const Field&), bool masks) {
        for (const Field& each : match_fields()) {
          if (!wanted(each)) continue;
          const bool masked = masks && each.maskable;
          to.u16(each.oxm_class);
          to.u8(static_cast<std::uint8_t>(each.oxm_field << 1 | (masked ? 1 : 0)));
          to.u8(static_cast<std::uint8_t>(each.size * (masked ? 2 : 1)));
        }
      };
      to.u16(0);
      to.u8(number);
      to.zeros(5);
      to.text("table" + std::to_string(number), 32);
      to.u64(~std::uint64_t{0});
      to.u64(~std::uint64_t{0});
      to.u32(3);
      to.u32(static_cast<std::uint32_t>(tables_.most_flows()));
      property(kInstructions, [&] {
        for (std::uint16_t type = 1; type <= 6; ++type) {
          if (type == 1 && number + 1 == kTables) continue;
          to.u16(type);
          to.u16(4);
        }
      });
      property(kNext, [&] {
        for (unsigned next = number + 1U; next < kTables; ++next) to.u8(static_cast<std::uint8_t>(next));
      });
      for (const std::uint16_t type : {std::uint16_t{kWrite}, std::uint16_t{kApply}}) {
        property(type, [&] {
          for (const int action : {0, 11, 12, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27}) {
            to.u16(static_cast<std::uint16_t>(action));
            to.u16(4);
          }
        });
      }
      property(kMatch, [&] { fields([](const Field&) { return true; }, true); });
      property(kWildcards, [&] { fields([](const Field&) { return true; }, false); });
      for (const std::uint16_t type : {std::uint16_t{kWriteSet}, std::uint16_t{kApplySet}})
        property(type, [&] { fields([](const Field& each) { return each.writable; }, false); });
      to.set16(begin, to.size() - begin);
    });
  }
}

void Switch::send_ports(Parts& parts, Version version) const {
  for (const auto& [number, port] : ports_.all())
    parts.add([&of = port, version](Writer& to) { write_port(to, of, version); });
}

}  // namespace simcore::openflow
