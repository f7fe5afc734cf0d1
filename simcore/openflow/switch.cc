// SPDX-License-Identifier: MIT
#include "simcore/openflow/switch.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "simcore/openflow/message_type.h"

namespace simcore::openflow {

namespace {

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

// Whether setting it up takes a switch its time. 1.0 has neither groups nor meters.
bool modifies(Version version, std::uint8_t number) {
  if (number == type::kFlowMod) return true;
  return version == Version::v13 && (number == type::kGroupMod || number == type::kMeterMod);
}

// Whether all that it does is its answer, or concerns its own session alone. Numbers of 1.3.
bool only_asks(std::uint8_t number) {
  switch (number) {
    case type::kExperimenter:  // of its session's role
    case type::kFeaturesRequest:
    case type::kGetConfigRequest:
    case type::kMultipartRequest:
    case type::kBarrierRequest:
    case type::kQueueConfigRequest:
    case type::kRoleRequest:
    case type::kGetAsyncRequest:
    case type::kSetAsync:
      return true;
    default:
      return false;
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

Session& Switch::connect(Session::Kind kind, std::function<void()> on_work) {
  // Who manages the switch by hand may speak any version.
  const std::uint32_t versions = kind == Session::Kind::service ? 1U << 1 | 1U << 4 : config_.versions;
  sessions_.push_back(std::make_unique<Session>(kind, versions, std::move(on_work)));
  sessions_.back()->greet();
  return *sessions_.back();
}

void Switch::disconnect(Session& session) {
  const auto found = std::ranges::find(sessions_, &session, &std::unique_ptr<Session>::get);
  std::unique_ptr<Session> left = std::move(*found);
  sessions_.erase(found);
  left->leave();
  if (!connected() && alone_since_ == SimTime::never()) alone_since_ = host_.now();
  if (left->has_work()) left_behind_.push_back(std::move(left));
  if (left_behind_.size() > kMostLeftBehind) drop_oldest_left_behind();
  schedule();
}

// A modification has its effect when its time is over, and whatever stands behind it in its session waits for it.
bool Switch::has_to_wait(Session& session, Message message) {
  const bool serves = config_.setup_rate > 0 && session.greeted() && session.role != Role::slave;
  const SimTime now = host_.now();
  if (serves && modifies(session.version(), message[1])) {
    if (!session.served_at) {
      const auto takes = Duration::ns(static_cast<std::int64_t>(1e9 / config_.setup_rate));
      session.served_at = busy_until_ = std::max(busy_until_, now) + takes;
    }
    if (*session.served_at > now) return true;
  }
  session.served_at.reset();
  return false;
}

// But a modification that has begun is done.
void Switch::drop_oldest_left_behind() {
  Session& session = *left_behind_.front();
  Effort unlimited(std::numeric_limits<std::int64_t>::max());
  while (session.task) go_on(session, unlimited);
  while (!session.next_message().empty()) ++counters_.messages_dropped;
  left_behind_.erase(left_behind_.begin());
}

void Switch::go_on_left_behind(Effort& effort) {
  for (const auto& session : left_behind_) {
    if (effort.spent()) return;
    handle_input(*session, effort);
  }
  std::erase_if(left_behind_, [](const auto& session) { return !session->has_work(); });
}

bool Switch::handle_input(Session& session, Effort& effort) {
  bool more = false;
  while (!session.broken() && !session.congested()) {
    unlearn(effort);
    if (effort.spent()) {
      more = session.has_work() || unlearning();
      break;
    }
    if (session.task) {
      go_on(session, effort);
      continue;
    }
    const Message message = session.next_message();
    if (message.empty()) break;
    if (has_to_wait(session, message)) {
      session.put_back();
      break;
    }
    effort.spend(kMessageEffort + message.size() / 8);
    handle(session, message, effort);
  }
  schedule();
  return more;
}

void Switch::go_on(Session& session, Effort& effort) {
  bool done = true;
  try {
    done = session.task(effort);
  } catch (const ProtocolError& refused) {
    ++counters_.errors;
    session.send_error(refused.code(), session.task_of);
  }
  if (done) session.task = nullptr;
}

void Switch::schedule() {
  const SimTime now = host_.now();
  const auto waits = [now](const auto& session) { return session->served_at && *session->served_at > now; };
  const bool busy = unlearning() || !std::ranges::all_of(left_behind_, waits);
  SimTime next = std::max(busy ? now : tables_.next_due(), rested_at_);
  for (const auto* const sessions : {&sessions_, &left_behind_}) {
    for (const auto& session : *sessions) {
      if (waits(session)) next = std::min(next, *session->served_at);
    }
  }
  host_.wake_at(next);
}

void Switch::tick() {
  const SimTime now = host_.now();
  Effort effort(kEffortAtOnce);
  while (!effort.spent()) {
    const auto [flow, reason] = tables_.next_expired(now, effort);
    if (flow == nullptr) break;
    ++counters_.flows_removed;
    effort.spend(kRemovalEffort);
    remove_flow(*flow, reason);
  }
  go_on_left_behind(effort);
  unlearn(effort);
  if (effort.spent()) rested_at_ = now + kRest;
  for (const auto& session : sessions_) {
    Effort own(kEffortAtOnce);
    if (handle_input(*session, own)) session->nudge();
  }
  schedule();
}

void Switch::handle(Session& session, Message message, Effort& effort) {
  Reader from(message, error::kBadLength);
  const std::uint8_t version = from.u8();
  std::uint8_t number = from.u8();
  from.skip(2);
  const std::uint32_t xid = from.u32();
  try {
    if (number == type::kHello) {
      if (session.greeted()) return;
      session.take_hello(message);
      if (connected()) alone_since_ = SimTime::never();
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
    if (session.left() && only_asks(number)) return;
    dispatch(session, number, xid, from, effort);
    if (session.task)
      session.task_of.assign(message.begin(),
                             message.begin() + std::ptrdiff_t(std::min(message.size(), Session::kQuoted)));
  } catch (const ProtocolError& refused) {
    ++counters_.errors;
    session.send_error(refused.code(), message);
  }
}

void Switch::dispatch(Session& session, std::uint8_t number, std::uint32_t xid, Reader body, Effort& effort) {
  const bool v13 = session.version() == Version::v13;
  switch (number) {
    case type::kExperimenter:
      return experiment(session, xid, body);
    case type::kFeaturesRequest:
      body.end();
      return send_features(session, xid);
    case type::kGetConfigRequest:
      body.end();
      return send_config(session, xid);
    case type::kSetConfig:
      return set_config(session, body);
    case type::kPacketOut:
      check_writable(session);
      return packet_out(session, body, effort);
    case type::kFlowMod:
      check_writable(session);
      return flow_mod(session, body);
    case type::kPortMod:
      check_writable(session);
      return port_mod(session, body);
    case type::kMultipartRequest:
      return multipart(session, xid, body);
    case type::kBarrierRequest:
      body.end();
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
      return group_mod(session, body);
    case type::kTableMod:
      check_writable(session);
      return table_mod(body);
    case type::kMeterMod:
      check_writable(session);
      return meter_mod(session, body);
    case type::kRoleRequest:
      return change_role(session, xid, body);
    case type::kGetAsyncRequest:
      body.end();
      return send_asynchronous(session, xid);
    case type::kSetAsync:
      return set_asynchronous(session, body);
    default:
      throw ProtocolError(error::kBadType);
  }
}

}  // namespace simcore::openflow
