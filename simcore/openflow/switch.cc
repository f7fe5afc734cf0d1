// SPDX-License-Identifier: MIT
#include "simcore/openflow/switch.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "simcore/packet/train.h"

namespace simcore::openflow {

namespace {

namespace type {
enum Number : std::uint8_t {
  kHello = 0,
  kError = 1,
  kEchoRequest = 2,
  kEchoReply = 3,
  kExperimenter = 4,
  kFeaturesRequest = 5,
  kFeaturesReply = 6,
  kGetConfigRequest = 7,
  kGetConfigReply = 8,
  kSetConfig = 9,
  kPacketIn = 10,
  kPortStatus = 12,
  kPacketOut = 13,
  kFlowMod = 14,
  kGroupMod = 15,
  kPortMod = 16,
  kTableMod = 17,
  kMultipartRequest = 18,
  kBarrierRequest = 20,
  kBarrierReply = 21,
  kQueueConfigRequest = 22,
  kQueueConfigReply = 23,
  kRoleRequest = 24,
  kRoleReply = 25,
  kGetAsyncRequest = 26,
  kGetAsyncReply = 27,
  kSetAsync = 28,
  kMeterMod = 29,
};
}  // namespace type
namespace type10 {
enum : std::uint8_t {
  kPortMod = 15,
  kStatisticsRequest = 16,
  kBarrierRequest = 18,
  kBarrierReply = 19,
  kQueueConfigRequest = 20,
  kQueueConfigReply = 21
};
}  // namespace type10

constexpr std::uint16_t kInvalidTtlToController = 1U << 2;
constexpr std::size_t kEthernetHeader = 14;
constexpr std::size_t kMostShown = 65'000;  // of a packet: a message holds 65,535 bytes

// What 1.3 calls the message that 1.0 calls `number`. 255: it is none that a switch takes.
std::uint8_t type_of10(std::uint8_t number) {
  if (number <= type::kFlowMod) return number;
  switch (number) {
    case type10::kPortMod:
      return type::kPortMod;
    case type10::kStatisticsRequest:
      return type::kMultipartRequest;
    case type10::kBarrierRequest:
      return type::kBarrierRequest;
    case type10::kQueueConfigRequest:
      return type::kQueueConfigRequest;
    default:
      return 255;
  }
}

}  // namespace

Switch::Switch(SwitchConfig config, PacketPool& pool, SwitchHost& host)
    : config_(std::move(config)),
      host_(host),
      pool_(pool),
      tables_(static_cast<std::size_t>(config_.table_size), kMostFlowBytes),
      pipeline_(tables_, groups_, meters_, ports_, pool_, *this),
      alone_since_(host.now()) {
  SwitchPort local;
  local.number = port_no::kLocal;
  local.name = config_.name;
  local.mac = MacAddress::of(config_.dpid);
  local.config = port_config::kDown;
  local.state = port_state::kLinkDown;
  ports_.add(std::move(local));
}

void Switch::add_port(std::uint32_t number, const std::string& name, MacAddress mac) {
  SwitchPort port;
  port.number = number;
  port.name = name;
  port.mac = mac;
  port.state = port_state::kLinkDown;
  port.created = host_.now();
  tell_port(ports_.add(std::move(port)), PortReason::added);
}

void Switch::remove_port(std::uint32_t number) {
  const SwitchPort* const port = ports_.find(number);
  if (port == nullptr) return;
  tell_port(*port, PortReason::erased);
  pipeline_.forget_port(number);
  ports_.erase(number);
}

void Switch::set_link(std::uint32_t number, bool up) {
  SwitchPort* const port = ports_.find(number);
  if (port == nullptr || ((port->state & port_state::kLinkDown) == 0) == up) return;
  port->state = up ? 0 : port_state::kLinkDown;
  if (!up) pipeline_.forget_port(number);
  tell_port(*port, PortReason::modified);
}

void Switch::receive(std::uint32_t number, PacketPtr packet) {
  SwitchPort* const port = ports_.find(number);
  if (port == nullptr || packet->size() < kEthernetHeader) return host_.drop(DropReason::malformed, *packet);
  port->in_packets += packet->segments;
  port->in_bytes += static_cast<std::uint64_t>(packet->wire_size().count());
  if ((port->config & (port_config::kDown | port_config::kNoReceive)) != 0) {
    port->in_dropped += packet->segments;
    return host_.drop(DropReason::no_port, *packet);
  }
  if (stands_alone()) return pipeline_.forward_normally(number, std::move(packet), host_.now());
  pipeline_.receive(number, std::move(packet), host_.now());
}

bool Switch::connected() const {
  return std::ranges::any_of(sessions_, [](const auto& session) {
    return session->kind() == Session::Kind::controller && session->greeted() && !session->broken();
  });
}

bool Switch::stands_alone() const {
  if (!config_.standalone || alone_since_ == SimTime::never()) return false;
  return !expects_controller_ || host_.now() - alone_since_ >= kStandaloneAfter;
}

void Switch::transmit(SwitchPort& port, PacketPtr packet) {
  port.out_packets += packet->segments;
  port.out_bytes += static_cast<std::uint64_t>(packet->wire_size().count());
  host_.transmit(port.number, std::move(packet));
}

void Switch::drop(DropReason reason, const Packet& packet) { host_.drop(reason, packet); }

// Frame by frame, each with its checksum.
void Switch::to_controllers(const Packet& packet, const FlowKey& key, const PacketInCause& cause) {
  const auto wants = [&](const Session& session) {
    if (cause.implicit_miss && session.version() != Version::v10) return false;
    if (cause.reason == PacketInReason::invalid_ttl && (session.config_flags & kInvalidTtlToController) != 0)
      return session.greeted() && !session.broken();
    return session.wants(session.asynchronous.packet_in, static_cast<unsigned>(cause.reason));
  };
  const bool wanted = std::ranges::any_of(sessions_, [&](const auto& session) { return wants(*session); });
  if (!wanted) return;
  PacketPtr rest = pool_.copy_of(packet);
  if (!rest) return host_.drop(DropReason::pool_exhausted, packet);
  std::vector<std::uint8_t> bytes;
  while (rest) {
    PacketPtr frame;
    if (rest->segments > 1) {
      frame = split_front(*rest, 1, pool_);
    } else {
      frame.swap(rest);  // the last
    }
    if (!frame) return;
    finish_checksum(*frame);
    bytes.assign(frame->bytes().begin(), frame->bytes().end());
    bytes.resize(bytes.size() + frame->virtual_payload);
    for (const auto& session : sessions_) {
      if (!wants(*session)) continue;
      ++counters_.packet_ins;
      if (session->congested()) {
        ++session->dropped_packet_ins;
        ++counters_.packet_ins_dropped;
      } else {
        send_packet_in(*session, bytes, key, cause);
      }
    }
  }
}

void Switch::send_packet_in(Session& session, std::span<const std::uint8_t> frame, const FlowKey& key,
                            const PacketInCause& cause) {
  const bool v13 = session.version() == Version::v13;
  const std::span<const std::uint8_t> shown = frame.first(std::min<std::size_t>(frame.size(), kMostShown));
  session.send(type::kPacketIn, 0, [&](Writer& to) {
    to.u32(kNoBuffer);
    to.u16(static_cast<std::uint16_t>(frame.size()));
    if (!v13) {
      to.u16(port_in10(key.u32(at::kInPort)));
      to.u8(static_cast<std::uint8_t>(cause.reason == PacketInReason::invalid_ttl ? PacketInReason::action
                                                                                  : cause.reason));
      to.zeros(1);
    } else {
      to.u8(static_cast<std::uint8_t>(cause.reason));
      to.u8(cause.table);
      to.u64(cause.cookie);
      Match match;
      match.set(field(FieldId::in_port), key.u32(at::kInPort));
      for (const Field& each : match_fields()) {
        const bool of_the_way = each.id == FieldId::metadata || each.id == FieldId::tunnel_id ||
                                each.id == FieldId::packet_mark || each.id >= FieldId::reg0;
        if (of_the_way && each.get(key) != 0) match.set(each, each.get(key));
      }
      write_match(to, match);
      to.zeros(2);
    }
    to.bytes(shown);
  });
}

Session& Switch::connect(Session::Kind kind, std::function<void()> on_output) {
  // Who manages the switch by hand may speak any version.
  const std::uint32_t versions = kind == Session::Kind::service ? 1U << 1 | 1U << 4 : config_.versions;
  sessions_.push_back(std::make_unique<Session>(kind, versions, std::move(on_output)));
  sessions_.back()->greet();
  return *sessions_.back();
}

void Switch::disconnect(Session& session) {
  std::erase_if(sessions_, [&session](const auto& each) { return each.get() == &session; });
  if (!connected() && alone_since_ == SimTime::never()) alone_since_ = host_.now();
}

bool Switch::has_to_wait(const Session& session, Message message) const {
  return config_.setup_rate > 0 && session.greeted() && message[1] == type::kFlowMod &&
         busy_until_ > host_.now();
}

void Switch::handle_input(Session& session) {
  for (int handled = 0; handled < kMessagesAtOnce; ++handled) {
    const Message message = session.next_message();
    if (message.empty()) break;
    if (has_to_wait(session, message)) {
      session.put_back();
      break;
    }
    handle(session, message);
  }
  schedule();
}

void Switch::schedule() {
  SimTime next = tables_.next_due();
  const bool waits = std::ranges::any_of(sessions_, [](const auto& session) { return session->waiting(); });
  if (waits && busy_until_ > host_.now()) next = std::min(next, busy_until_);
  host_.wake_at(next);
}

void Switch::tick() {
  const SimTime now = host_.now();
  for (auto [flow, reason] = tables_.next_expired(now); flow != nullptr;
       std::tie(flow, reason) = tables_.next_expired(now)) {
    ++counters_.flows_removed;
    remove_flow(*flow, reason);
  }
  for (std::size_t at = 0; at < sessions_.size(); ++at) handle_input(*sessions_[at]);
  schedule();
}

void Switch::handle(Session& session, Message message) {
  Reader from(message, error::kBadLength);
  const std::uint8_t version = from.u8();
  std::uint8_t number = from.u8();
  from.skip(2);
  const std::uint32_t xid = from.u32();
  try {
    if (number == type::kHello) {
      if (session.greeted()) return;
      session.take_hello(message);
      if (session.greeted() && session.kind() == Session::Kind::controller) alone_since_ = SimTime::never();
      return;
    }
    if (number == type::kError || number == type::kEchoReply) return;
    if (number == type::kEchoRequest) {
      session.send(type::kEchoReply, xid, [&from](Writer& to) { to.bytes(from.rest()); });
      return;
    }
    if (!session.greeted() || version != static_cast<std::uint8_t>(session.version()))
      throw ProtocolError(error::kBadVersion);
    if (session.version() == Version::v10) number = type_of10(number);
    dispatch(session, number, xid, from, message);
  } catch (const ProtocolError& refused) {
    ++counters_.errors;
    session.send_error(refused.code(), message);
  }
}

void Switch::check_writable(const Session& session) const {
  if (session.role == Role::slave) throw ProtocolError(error::kIsSlave);
}

void Switch::dispatch(Session& session, std::uint8_t number, std::uint32_t xid, Reader body,
                      Message message) {
  const bool v13 = session.version() == Version::v13;
  switch (number) {
    case type::kExperimenter:
      return experiment(session, xid, body);
    case type::kFeaturesRequest:
      return send_features(session, xid);
    case type::kGetConfigRequest:
      return send_config(session, xid);
    case type::kSetConfig:
      check_writable(session);
      return set_config(session, body);
    case type::kPacketOut:
      check_writable(session);
      return packet_out(session, body);
    case type::kFlowMod:
      check_writable(session);
      return flow_mod(session, body);
    case type::kPortMod:
      check_writable(session);
      return port_mod(session, body);
    case type::kMultipartRequest:
      return v13 ? multipart(session, xid, body, message) : statistics10(session, xid, body);
    case type::kBarrierRequest:
      session.send(v13 ? std::uint8_t{type::kBarrierReply} : std::uint8_t{type10::kBarrierReply}, xid,
                   [](Writer&) {});
      return;
    case type::kQueueConfigRequest:
      return send_queues(session, xid, body);
    default:
      break;
  }
  if (!v13) throw ProtocolError(error::kBadType);
  switch (number) {
    case type::kGroupMod:
      check_writable(session);
      return group_mod(body);
    case type::kTableMod:
      check_writable(session);
      return table_mod(body);
    case type::kMeterMod:
      check_writable(session);
      return meter_mod(body);
    case type::kRoleRequest:
      return change_role(session, xid, body);
    case type::kGetAsyncRequest:
      return send_asynchronous(session, xid);
    case type::kSetAsync:
      return set_asynchronous(session, body);
    default:
      throw ProtocolError(error::kBadType);
  }
}

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
  session.send(type::kGetConfigReply, xid, [&session](Writer& to) {
    to.u16(session.config_flags);
    to.u16(session.miss_send_len);
  });
}

void Switch::set_config(Session& session, Reader body) {
  const std::uint16_t flags = body.u16();
  session.miss_send_len = body.u16();
  session.config_flags = flags & kInvalidTtlToController;
}

void Switch::packet_out(Session& session, Reader body) {
  const Version version = session.version();
  const std::uint32_t buffer = body.u32();
  const std::uint32_t in_port = version == Version::v13 ? body.u32() : port_of10(body.u16());
  const std::uint16_t length = body.u16();
  if (version == Version::v13) body.skip(6);
  const Actions actions = read_actions(body.sub(length, error::kBadLength), version);
  if (in_port >= port_no::kMax10 && in_port != port_no::kLocal && in_port != port_no::kController &&
      in_port != port_no::kAny)
    throw ProtocolError(error::kBadPort);
  check_references(actions);
  if (buffer != kNoBuffer) throw ProtocolError(error::kBufferUnknown);
  if (body.left() < kEthernetHeader) throw ProtocolError(error::kBadPacket);
  ++counters_.packet_outs;
  PacketPtr packet = pool_.copy_of(body.rest());
  if (!packet) return;
  packet->first_arrival = packet->last_arrival = host_.now();
  pipeline_.perform(actions, in_port, std::move(packet), host_.now());
}

void Switch::port_mod(Session& session, Reader body) {
  const bool v13 = session.version() == Version::v13;
  const std::uint32_t number = v13 ? body.u32() : port_of10(body.u16());
  if (v13) body.skip(4);
  const MacAddress mac = MacAddress::from(body.take(6).data());
  if (v13) body.skip(2);
  const std::uint32_t config = body.u32();
  const std::uint32_t mask = body.u32();
  body.skip(v13 ? 8 : 4);
  SwitchPort* const port = ports_.find(number);
  if (port == nullptr) throw ProtocolError(error::kPortModPort);
  if (port->mac != mac) throw ProtocolError(error::kPortModAddress);
  using namespace port_config;
  const std::uint32_t known = kDown | kNoReceive | kNoForward | kNoPacketIn | (v13 ? 0U : kNoFlood);
  const std::uint32_t changed = (port->config & ~(mask & known)) | (config & mask & known);
  if (changed == port->config) return;
  port->config = changed;
  tell_port(*port, PortReason::modified);
}

void Switch::table_mod(Reader body) {
  const std::uint8_t table = body.u8();
  body.skip(3);
  const std::uint32_t config = body.u32();
  if (table >= kTables && table != kAllTables) throw ProtocolError(error::kTableModTable);
  if ((config & ~3U) != 0) throw ProtocolError(error::kTableModConfig);
}

void Switch::change_role(Session& session, std::uint32_t xid, Reader body) {
  const std::uint32_t asked = body.u32();
  body.skip(4);
  const std::uint64_t generation = body.u64();
  if (asked > static_cast<std::uint32_t>(Role::slave)) throw ProtocolError(error::kRoleBad);
  const auto role = static_cast<Role>(asked);
  if (role == Role::master || role == Role::slave) {
    if (generation_ && static_cast<std::int64_t>(generation - *generation_) < 0)
      throw ProtocolError(error::kRoleStale);
    generation_ = generation;
    if (role == Role::master) {
      for (const auto& other : sessions_) {
        if (other->role == Role::master) other->role = Role::slave;
      }
    }
  }
  if (role != Role::nochange) session.role = role;
  session.send(type::kRoleReply, xid, [&](Writer& to) {
    to.u32(static_cast<std::uint32_t>(session.role));
    to.zeros(4);
    to.u64(generation_.value_or(~std::uint64_t{0}));
  });
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
  session.asynchronous = told;
}

void Switch::send_queues(Session& session, std::uint32_t xid, Reader body) {
  const bool v13 = session.version() == Version::v13;
  const std::uint32_t port = v13 ? body.u32() : port_of10(body.u16());
  if (ports_.find(port) == nullptr && !(v13 && port == port_no::kAny)) throw ProtocolError(error::kQueuePort);
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

// Nicira's role request, which 1.0 has instead of its own; nothing else.
void Switch::experiment(Session& session, std::uint32_t xid, Reader body) {
  constexpr std::uint32_t kRoleRequest = 10;
  constexpr std::uint32_t kRoleReply = 11;
  if (body.u32() != kNicira) throw ProtocolError(error::kBadExperimenter);
  if (body.u32() != kRoleRequest) throw ProtocolError(error::kBadExperimenterType);
  const std::uint32_t asked = body.u32();
  if (asked > 2) throw ProtocolError(error::kRoleBad);
  session.role = static_cast<Role>(asked + 1);
  for (const auto& other : sessions_) {
    if (asked == 1 && other.get() != &session && other->role == Role::master) other->role = Role::slave;
  }
  session.send(type::kExperimenter, xid, [asked](Writer& to) {
    to.u32(kNicira);
    to.u32(kRoleReply);
    to.u32(asked);
  });
}

void Switch::tell_port(const SwitchPort& port, PortReason reason) {
  for (const auto& session : sessions_) {
    if (!session->wants(session->asynchronous.port_status, static_cast<unsigned>(reason))) continue;
    session->send(type::kPortStatus, 0, [&](Writer& to) {
      to.u8(static_cast<std::uint8_t>(reason));
      to.zeros(7);
      write_port(to, port, session->version());
    });
  }
}

}  // namespace simcore::openflow
