// SPDX-License-Identifier: MIT
#include "simcore/stack/tcp_sockets.h"

#include <algorithm>
#include <string>
#include <utility>

#include "simcore/packet/ethernet.h"
#include "simcore/stack/host.h"
#include "simcore/units/error.h"

namespace simcore {

namespace {

constexpr std::uint16_t kFirstEphemeral = 49'152;  // RFC 6335 section 6
constexpr std::uint32_t kEphemeralPorts = 65'536 - kFirstEphemeral;
constexpr std::size_t kCacheLine = 64;  // bytes

// Of IP and TCP, without options.
std::uint16_t headers(const IpAddress& address) {
  return static_cast<std::uint16_t>(ip_header_size(address) + TcpHeader::kSize);
}

std::string end_text(const IpAddress& address, std::uint16_t port) {
  return address.to_string() + ":" + std::to_string(port);
}

// Of the segment that an error by ICMP quotes.
SeqNum sequence_of(const IpHeader& quoted) { return SeqNum(load_be32(&quoted.payload()[4])); }

// Whether `interface` has the address, which is one of its host.
bool has(const Interface& interface, const IpAddress& address) {
  if (address.is_v4()) return interface.address() && interface.address()->address() == address.v4();
  return interface.address6() &&
         (interface.address6()->address() == address.v6() || interface.link_local() == address.v6());
}

}  // namespace

TcpSocket::TcpSocket(TcpSockets& owner, const TcpOptions& options, const TcpEnds& ends, SeqNum initial)
    : owner_(owner), ends_(ends), connection_(options, initial) {}

std::string TcpSocket::place() const {
  return owner_.host_name() + ":" + end_text(ends_.local, ends_.local_port) + ">" +
         end_text(ends_.remote, ends_.remote_port);
}

void TcpSocket::fire() {
  connection_.expire(owner_.simulation_.now());
  owner_.settle(*this, true);
}

std::int64_t TcpSocket::write(std::span<const std::uint8_t> bytes) {
  const std::int64_t count = connection_.write(bytes);
  owner_.settle(*this, false);
  return count;
}

std::int64_t TcpSocket::write_virtual(std::int64_t bytes) {
  const std::int64_t count = connection_.write_virtual(bytes);
  owner_.settle(*this, false);
  return count;
}

void TcpSocket::resume(std::int64_t segments) { connection_.resume(owner_.simulation_.now(), segments); }

std::int64_t TcpSocket::read(std::span<std::uint8_t> out) {
  const std::int64_t count = connection_.read(out);
  owner_.settle(*this, false);
  return count;
}

std::int64_t TcpSocket::discard(std::int64_t bytes) {
  const std::int64_t count = connection_.discard(bytes);
  owner_.settle(*this, false);
  return count;
}

void TcpSocket::close() {
  connection_.release(owner_.simulation_.now());
  owner_.settle(*this, false);
}

void TcpSocket::end_writing() {
  connection_.close(owner_.simulation_.now());
  owner_.settle(*this, false);
}

void TcpSocket::abort() {
  connection_.abort();
  owner_.settle(*this, false);
}

TcpSockets::TcpSockets(Simulation& simulation, Host& host, std::size_t limit)
    : simulation_(simulation),
      host_(host),
      limit_(limit),
      random_(simulation.stream("tcp of " + host.name())),
      refusal_(host),
      trains_(simulation, *this),
      next_port_(static_cast<std::uint16_t>(kFirstEphemeral + random_() % kEphemeralPorts)) {
  trains_.name(host_.name());
  host_.set_handler(ip_protocol::kTcp, *this);
  host_.icmp().set_path_mtu_listener(ip_protocol::kTcp, this);
  host_.icmp().set_error_listener(ip_protocol::kTcp, this);
}

const std::string& TcpSockets::host_name() const { return host_.name(); }

TcpSockets::~TcpSockets() {
  host_.icmp().set_path_mtu_listener(ip_protocol::kTcp, nullptr);
  host_.icmp().set_error_listener(ip_protocol::kTcp, nullptr);
}

std::size_t TcpSockets::EndsHash::operator()(const TcpEnds& ends) const {
  const std::uint64_t ports = std::uint64_t{ends.local_port} << 16 | ends.remote_port;
  std::uint64_t mixed = std::hash<IpAddress>{}(ends.remote) * 0x9e37'79b9'7f4a'7c15 ^ ports;
  mixed = (mixed ^ mixed >> 29) * 0xbf58'476d'1ce4'e5b9;
  return static_cast<std::size_t>(mixed ^ mixed >> 32 ^ std::hash<IpAddress>{}(ends.local));
}

void TcpSockets::listen(std::uint16_t port, TcpListener& listener, const TcpOptions& options) {
  const std::string place = "TCP port " + std::to_string(port) + " of " + host_.name();
  options.check(place);
  if (!listeners_.try_emplace(port, Listening{&listener, options}).second) {
    throw ConfigError("listen at " + place + ": the port is taken; choose another");
  }
}

TcpSocket* TcpSockets::connect(const IpAddress& remote, std::uint16_t port, TcpUser& user,
                               const TcpOptions& options) {
  options.check(host_.name());
  const auto local = host_.source_for(remote);
  if (!local || sockets_.size() >= limit_) return nullptr;
  TcpEnds ends{.local = *local, .remote = remote, .local_port = 0, .remote_port = port};
  for (std::uint32_t tries = 0; tries < kEphemeralPorts; ++tries) {
    ends.local_port = next_port_;
    next_port_ = next_port_ == 65'535 ? kFirstEphemeral : static_cast<std::uint16_t>(next_port_ + 1);
    if (sockets_.contains(ends) || listeners_.contains(ends.local_port)) continue;
    TcpSocket& socket = make(ends, options, std::nullopt);
    socket.user_ = &user;
    socket.connection_.connect(simulation_.now());
    settle(socket, false);
    return &socket;
  }
  return nullptr;
}

// A segment is at most what the interface takes, and what the way to the peer does as far as that is known. The peer is
// told of the interface only (RFC 9293 section 3.7.1): the way back may be another.
TcpSocket& TcpSockets::make(const TcpEnds& ends, TcpOptions options, std::optional<SeqNum> initial) {
  for (const auto& interface : host_.interfaces()) {
    if (!has(*interface, ends.local)) continue;
    options.mss = std::min(options.mss, static_cast<std::uint16_t>(interface->mtu() - headers(ends.local)));
  }
  if (!initial) initial = SeqNum(static_cast<std::uint32_t>(random_()));
  auto socket = std::make_unique<TcpSocket>(*this, options, ends, *initial);
  if (const auto mtu = path_mtus_.of(ends.remote, simulation_.now())) {
    socket->connection_.reduce_mss(*mtu - headers(ends.remote));
  }
  return *(sockets_[ends] = std::move(socket));
}

void TcpSockets::receive(PacketPtr packet, const IpHeader& header, Interface& /*arrival*/) {
  fetch_only_one();
  const SimTime last = packet->last_arrival;
  if (last > simulation_.now() || !trains_.empty()) {
    trains_.push(std::move(packet), std::max(last, simulation_.now()));
    return;
  }
  handle(std::move(packet), header);
}

void TcpSockets::accept(PacketPtr packet) {
  const auto header =
      IpHeader::parse(packet->bytes().subspan(EthernetHeader::kSize), packet->virtual_payload);
  handle(std::move(packet), *header);
}

void TcpSockets::handle(PacketPtr packet, const IpHeader& header) {
  const auto tcp = TcpHeader::parse(header.payload());
  const bool intact = tcp && (packet->checksum_partial || header.transport_checksum_correct());
  const auto segment = intact ? segment_in(*packet, header, *tcp) : std::nullopt;
  if (!segment) return host_.drop(DropReason::malformed, *packet);
  const TcpEnds ends{.local = header.destination(),
                     .remote = header.source(),
                     .local_port = tcp->destination_port(),
                     .remote_port = tcp->source_port()};
  TcpSocket* const socket = find(ends);
  if (socket == nullptr) return handle_stranger(std::move(packet), header, *segment, ends, std::nullopt);
  if (socket->connection_.may_be_reopened_by(*segment)) {
    const SeqNum initial = socket->connection_.initial_of_next();
    forget(*socket);
    return handle_stranger(std::move(packet), header, *segment, ends, initial);
  }
  socket->connection_.on_segment(simulation_.now(), *segment);
  settle(*socket, true);
}

TcpSocket* TcpSockets::find(const TcpEnds& ends) {
  if (latest_ != nullptr && latest_->ends_ == ends) return latest_;
  const auto place = sockets_.find(ends);
  if (place == sockets_.end()) return nullptr;
  latest_ = place->second.get();
  return latest_;
}

// A connection is of many cache lines. Of a host that has only one, all of it comes from memory at once, while the segment is
// looked at.
void TcpSockets::fetch_only_one() const {
  if (latest_ == nullptr || sockets_.size() != 1) return;
  const auto* const bytes = reinterpret_cast<const std::byte*>(latest_);
  for (std::size_t at = 0; at < sizeof(TcpSocket); at += kCacheLine) __builtin_prefetch(bytes + at, 1);
}

void TcpSockets::fragmentation_needed(const IpHeader& quoted, std::uint32_t mtu) {
  // Of any link here; less would be a way to slow us down, more is not what a router says.
  const std::uint32_t least = quoted.source().is_v4() ? 576 : Ipv6Header::kLeastMtu;
  const std::uint32_t limited = std::clamp<std::uint32_t>(mtu, least, 65'535);
  TcpSocket* const socket = sender_of(quoted);
  if (socket == nullptr || !socket->connection_.has_outstanding(sequence_of(quoted))) return;
  path_mtus_.learn(quoted.destination(), static_cast<std::uint16_t>(limited), simulation_.now());
  socket->connection_.reduce_mss(static_cast<std::uint16_t>(limited - headers(quoted.source())));
  settle(*socket, false);
}

void TcpSockets::icmp_error(IcmpFailure failure, const IpAddress& /*from*/, const IpHeader& quoted) {
  TcpSocket* const socket = sender_of(quoted);
  if (socket == nullptr) return;
  socket->connection_.on_icmp_error(simulation_.now(), failure, sequence_of(quoted));
  settle(*socket, false);
}

TcpSocket* TcpSockets::sender_of(const IpHeader& quoted) {
  const std::span<const std::uint8_t> tcp = quoted.payload();
  return find({.local = quoted.source(),
               .remote = quoted.destination(),
               .local_port = load_be16(&tcp[0]),
               .remote_port = load_be16(&tcp[2])});
}

void TcpSockets::handle_stranger(PacketPtr packet, const IpHeader& header, const TcpSegment& segment,
                                 const TcpEnds& ends, std::optional<SeqNum> initial) {
  if (!host_.owns(ends.local)) return host_.drop(DropReason::not_for_me, *packet);  // a broadcast
  const auto listening = listeners_.find(ends.local_port);
  const bool opens = segment.has(TcpFlag::syn) && !segment.has(TcpFlag::ack) && !segment.has(TcpFlag::rst);
  if (listening == listeners_.end() || !opens) {
    if (host_.interfaces().empty()) return host_.drop(DropReason::removed, *packet);
    const auto& interface = host_.interfaces().front();
    return refusal_.receive(std::move(packet), header, *interface);
  }
  if (sockets_.size() >= limit_) return host_.drop(DropReason::queue_full, *packet);
  TcpSocket& socket = make(ends, listening->second.options, initial);
  socket.connection_.listen();
  socket.user_ = &listening->second.listener->tcp_accept(socket);
  socket.connection_.on_segment(simulation_.now(), segment);
  settle(socket, false);
}

void TcpSockets::settle(TcpSocket& socket, bool tell_user) {
  if (socket.in_call_) return;
  if (tell_user) {
    socket.in_call_ = true;
    socket.user_->tcp_changed(socket);
    socket.in_call_ = false;
  }
  TcpSegment segment;
  while (socket.connection_.next_segment(simulation_.now(), segment)) {
    PacketPtr frame = frame_of(segment, socket.ends_, socket.connection_, host_.pool());
    if (!frame) {
      host_.dropped().add(DropReason::pool_exhausted, segment.segments);
      continue;
    }
    host_.send(std::move(frame));
  }
  if (socket.connection_.state() == TcpState::closed || socket.connection_.state() == TcpState::listen) {
    return forget(socket);
  }
  const SimTime deadline = socket.connection_.deadline();
  if (deadline == SimTime::never()) {
    simulation_.cancel(socket.timer_);
  } else {
    simulation_.schedule(socket.timer_, std::max(deadline, simulation_.now()));
  }
}

void TcpSockets::forget(TcpSocket& socket) {
  socket.in_call_ = true;
  socket.user_->tcp_closed(socket);
  if (latest_ == &socket) latest_ = nullptr;
  sockets_.erase(TcpEnds(socket.ends_));  // a copy: the key must outlive what it finds
}

}  // namespace simcore
