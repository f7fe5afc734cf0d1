// SPDX-License-Identifier: MIT
//
// What a controller asks and sets that is neither a flow nor a packet: features, configuration, ports, queues.
#include "simcore/openflow/message_type.h"
#include "simcore/openflow/switch.h"

namespace simcore::openflow {

void Switch::send_features(Session& session, std::uint32_t xid) {
  // FLOW_STATS, TABLE_STATS, PORT_STATS, GROUP_STATS, QUEUE_STATS; of 1.0 also ARP_MATCH_IP.
  constexpr std::uint32_t kCapabilities13 = 1U << 0 | 1U << 1 | 1U << 2 | 1U << 3 | 1U << 6;
  constexpr std::uint32_t kCapabilities10 = 1U << 0 | 1U << 1 | 1U << 2 | 1U << 6 | 1U << 7;
  constexpr std::uint32_t kActions10 = 0xfff;
  const Version version = session.version();
  session.send(type::kFeaturesReply, xid, [&](Writer& to) {
    to.u64(config_.dpid);
    to.u32(0);  // no buffers: packets come whole, as from Open vSwitch
    to.u8(kTables);
    to.u8(0);
    to.zeros(2);
    to.u32(version == Version::v13 ? kCapabilities13 : kCapabilities10);
    if (version == Version::v13) {
      to.u32(0);
      return;
    }
    to.u32(kActions10);
    for (const auto& [number, port] : ports_.all()) write_port(to, port, version);
  });
}

void Switch::send_config(Session& session, std::uint32_t xid) {
  const auto fragments = static_cast<unsigned>(pipeline_.fragments());
  session.send(type::kGetConfigReply, xid, [&session, fragments](Writer& to) {
    to.u16(static_cast<std::uint16_t>(session.config_flags | fragments));
    to.u16(session.miss_send_len);
  });
}

void Switch::set_config(Session& session, Reader body) {
  constexpr std::uint16_t kFragments = 3;
  const std::uint16_t flags = body.u16();
  const std::uint16_t miss_send_len = body.u16();
  body.end();
  // 1.3 has the asynchronous configuration for packets whose TTL is used up.
  const std::uint16_t others = session.version() == Version::v10 ? Session::kInvalidTtlToController : 0;
  if ((flags & ~(kFragments | others)) != 0) throw ProtocolError(error::kConfigFlags);
  session.miss_send_len = miss_send_len;
  session.config_flags = flags & others;
  const auto fragments = static_cast<Fragments>(flags & kFragments);
  const bool may =
      session.role != Role::slave && fragments != Fragments::reassemble;  // else silently, as 7.3.2 says
  if (may) pipeline_.set_fragments(fragments);
}

void Switch::port_mod(Session& session, Reader body) {
  const bool v13 = session.version() == Version::v13;
  const std::uint32_t number = v13 ? body.u32() : port_of10(body.u16());
  if (v13) body.skip(4);
  const MacAddress mac = MacAddress::from(body.take(6).data());
  if (v13) body.skip(2);
  const std::uint32_t config = body.u32();
  const std::uint32_t mask = body.u32();
  body.skip(8);
  body.end();
  SwitchPort* const port = ports_.find(number);
  if (port == nullptr) throw ProtocolError(error::kPortModPort);
  if (port->mac != mac) throw ProtocolError(error::kPortModAddress);
  using namespace port_config;
  const std::uint32_t known = kDown | kNoReceive | kNoForward | kNoPacketIn | (v13 ? 0U : kNoFlood);
  const std::uint32_t changed = (port->config & ~(mask & known)) | (config & mask & known);
  if (changed == port->config) return;
  const bool toggled = ((changed ^ port->config) & kDown) != 0;
  port->config = changed;
  if (toggled) {
    const bool up = (changed & kDown) == 0;
    if (!up) pipeline_.forget_port(number);
    host_.enable_port(number, up);
  }
  tell_port(*port, PortReason::modified);
}

void Switch::table_mod(Reader body) {
  const std::uint8_t table = body.u8();
  body.skip(7);  // the configuration: none is known
  body.end();
  if (table == kTables) throw ProtocolError(error::kTableModPermission);
}

void Switch::send_asynchronous(Session& session, std::uint32_t xid) {
  session.send(type::kGetAsyncReply, xid, [&session](Writer& to) {
    for (const auto* const masks : {&session.asynchronous.packet_in, &session.asynchronous.port_status,
                                    &session.asynchronous.flow_removed}) {
      to.u32((*masks)[0]);
      to.u32((*masks)[1]);
    }
  });
}

void Switch::set_asynchronous(Session& session, Reader body) {
  Session::Asynchronous told;
  for (auto* const masks : {&told.packet_in, &told.port_status, &told.flow_removed}) {
    (*masks)[0] = body.u32();
    (*masks)[1] = body.u32();
  }
  body.end();
  constexpr std::uint32_t kPacketInReasons = 0x7;
  constexpr std::uint32_t kPortReasons = 0x7;
  constexpr std::uint32_t kRemovedReasons = 0x3f;
  for (std::size_t role = 0; role < 2; ++role) {
    told.packet_in[role] &= kPacketInReasons;
    told.port_status[role] &= kPortReasons;
    told.flow_removed[role] &= kRemovedReasons;
  }
  session.asynchronous = told;
}

void Switch::send_queues(Session& session, std::uint32_t xid, Reader body) {
  const bool v13 = session.version() == Version::v13;
  const std::uint32_t port = v13 ? body.u32() : port_of10(body.u16());
  body.skip(v13 ? 4 : 2);
  body.end();
  const bool known = port != port_no::kLocal && ports_.find(port) != nullptr;
  if (!known && !(v13 && port == port_no::kAny)) throw ProtocolError(error::kQueuePort);
  session.send(v13 ? std::uint8_t{type::kQueueConfigReply} : std::uint8_t{type10::kQueueConfigReply}, xid,
               [&](Writer& to) {
                 if (v13) {
                   to.u32(port);
                   to.zeros(4);
                 } else {
                   to.u16(port_in10(port));
                   to.zeros(6);
                 }
               });
}

void Switch::tell_port(const SwitchPort& port, PortReason reason) {
  for (const auto& session : sessions_) {
    if (!session->wants(session->asynchronous.port_status, static_cast<unsigned>(reason))) continue;
    if (session->congested()) {
      ++counters_.notices_dropped;
      continue;
    }
    session->send(type::kPortStatus, 0, [&](Writer& to) {
      to.u8(static_cast<std::uint8_t>(reason));
      to.zeros(7);
      write_port(to, port, session->version());
    });
  }
}

}  // namespace simcore::openflow
