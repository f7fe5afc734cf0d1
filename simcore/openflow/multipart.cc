// SPDX-License-Identifier: MIT
//
// What a controller can ask for in several parts: descriptions and counters. 1.0 calls them statistics.
#include <utility>

#include "simcore/openflow/flow_filter.h"
#include "simcore/openflow/message_type.h"
#include "simcore/openflow/switch.h"

namespace simcore::openflow {

using namespace multipart_type;

namespace {

constexpr std::size_t kMostOfPart = 65'535 - 16;  // bytes of entries: a message holds 65,535
constexpr std::uint16_t kMore = 1;

}  // namespace

void Switch::multipart(Session& session, std::uint32_t xid, Reader body) {
  const Version version = session.version();
  const std::uint16_t type = body.u16();
  const std::uint16_t flags = body.u16();
  if (version == Version::v13) {
    body.skip(4);
    if (type == kTableFeatures && (flags & kMore) != 0) throw ProtocolError(error::kMultipartOverflow);
  }
  reply(session, xid, type, entries_of(type, body, version));
}

Entries Switch::entries_of(std::uint16_t type, Reader body, Version version) const {
  switch (type) {
    case kDescription:
      body.end();
      return description();
    case kFlows:
      return flow_counters(body, version);
    case kAggregate:
      return aggregate_counters(body, version);
    case kTableCounters:
      body.end();
      return table_counters(version);
    case kPortCounters:
      return port_counters(body, version);
    case kQueues:
      return queue_counters(body, version);
    case kPortDescriptions:  // in 1.0, too, as Open vSwitch
      body.end();
      return port_descriptions(version);
    case 0xffff:
      throw ProtocolError(error::kBadExperimenter);
    default:
      break;
  }
  if (version == Version::v10) throw ProtocolError(error::kBadMultipart);
  switch (type) {
    case kGroupCounters:
      return group_counters(body);
    case kGroupDescriptions:
      body.end();
      return group_descriptions();
    case kGroupFeatures:
      body.end();
      return group_features();
    case kMeterCounters:
      return meter_counters(body);
    case kMeterConfigs:
      return meter_configs(body);
    case kMeterFeatures:
      body.end();
      return meter_features();
    case kTableFeatures:
      return table_features(body);
    default:
      throw ProtocolError(error::kBadMultipart);
  }
}

// In as many messages as it needs, and as many turns.
void Switch::reply(Session& session, std::uint32_t xid, std::uint16_t type, Entries entries) {
  const bool v13 = session.version() == Version::v13;
  const std::uint8_t reply =
      v13 ? std::uint8_t{type::kMultipartReply} : std::uint8_t{type10::kStatisticsReply};
  std::vector<std::uint8_t> part;
  const auto send = [&session, xid, type, v13, reply](std::vector<std::uint8_t>& bytes, std::uint16_t flags) {
    session.send(reply, xid, [&](Writer& to) {
      to.u16(type);
      to.u16(flags);
      if (v13) to.zeros(4);
      to.bytes(bytes);
    });
    bytes.clear();
  };
  session.task_modifies = false;
  session.task = [&session, entries = std::move(entries), part = std::move(part),
                  send](Effort& effort) mutable {
    std::vector<std::uint8_t> entry;
    while (!effort.spent() && !session.congested()) {
      entry.clear();
      Writer to(entry);
      const bool more = entries(to, effort);
      effort.spend(1 + entry.size() / 8);
      if (part.size() + entry.size() > kMostOfPart) send(part, kMore);
      part.insert(part.end(), entry.begin(), entry.end());
      if (more) continue;
      send(part, 0);
      return true;
    }
    return false;
  };
}

Entries Switch::description() const {
  return one_entry([this](Writer& to) {
    to.text("hybridnet", 256);
    to.text("simulated switch", 256);
    to.text("simcore", 256);
    to.text("None", 32);
    to.text(config_.name, 256);
  });
}

Entries Switch::port_counters(Reader body, Version version) const {
  const bool v13 = version == Version::v13;
  const std::uint32_t asked = v13 ? body.u32() : port_of10(body.u16());
  body.skip(v13 ? 4 : 6);
  body.end();
  const auto write = [this, v13](Writer& to, std::uint32_t number, const SwitchPort& port) {
    if (v13) {
      to.u32(number);
      to.zeros(4);
    } else {
      to.u16(port_in10(number));
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
  };
  return each_entry(ports_.all(), asked == port_no::kAny, asked, write);
}

// No port has queues of its own to tell of; a queue that is named is unknown.
Entries Switch::queue_counters(Reader body, Version version) const {
  const bool v13 = version == Version::v13;
  const std::uint32_t port = v13 ? body.u32() : port_of10(body.u16());
  if (!v13) body.skip(2);
  const std::uint32_t queue = body.u32();
  body.end();
  const std::uint32_t all10 = port_no::kAll;
  if (port != port_no::kAny && !(version == Version::v10 && port == all10) && ports_.find(port) == nullptr)
    throw ProtocolError(error::kQueuePort);
  if (queue != ~0U) throw ProtocolError(error::kQueueQueue);
  return one_entry([](Writer&) {});
}

Entries Switch::port_descriptions(Version version) const {
  return each_entry(ports_.all(), true, 0, [version](Writer& to, std::uint32_t, const SwitchPort& port) {
    write_port(to, port, version);
  });
}

}  // namespace simcore::openflow
