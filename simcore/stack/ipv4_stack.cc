// SPDX-License-Identifier: MIT
#include "simcore/stack/ipv4_stack.h"

#include <algorithm>
#include <utility>

#include "simcore/packet/ethernet.h"
#include "simcore/packet/train.h"
#include "simcore/tcpip/ipv4_fragments.h"
#include "simcore/units/error.h"

namespace simcore {

namespace {

DropReason drop_reason_of(Ipv4Reassembler::Verdict verdict) {
  switch (verdict) {
    case Ipv4Reassembler::Verdict::duplicate:
      return DropReason::duplicate;
    case Ipv4Reassembler::Verdict::conflict:
      return DropReason::reassembly_conflict;
    case Ipv4Reassembler::Verdict::full:
      return DropReason::reassembly_full;
    case Ipv4Reassembler::Verdict::no_packet:
      return DropReason::pool_exhausted;
    default:
      return DropReason::malformed;
  }
}

}  // namespace

Ipv4Stack::Ipv4Stack(Simulation& simulation, PacketPool& pool, Node& node, IcmpListeners& listeners,
                     bool forwards)
    : IpLayer(simulation, pool, node, forwards),
      local_{{Ipv4Address::broadcast(), Local::broadcast}},
      icmp_(*this, listeners) {
  set_handler(ip_protocol::kIcmp, icmp_);
}

void Ipv4Stack::add_interface(Interface& interface) {
  ArpNeighbours::Undelivered& undelivered = *this;
  neighbours_.resize(interface.index() + 1);
  neighbours_.back() = std::make_unique<ArpNeighbours>(simulation(), pool(), interface, undelivered);
  listen_at(*interface.address());
  add_route(interface.address()->prefix(), std::nullopt, interface);
}

void Ipv4Stack::add_route(RoutingTable<Ipv4Prefix>& to, const Ipv4Prefix& prefix,
                          std::optional<Ipv4Address> via, const Interface& interface) const {
  const std::string attempt =
      "add route of " + name() + " to " + prefix.to_string() + " by " + interface.name() + ": ";
  if (!interface.address()) {
    throw ConfigError(attempt + "that interface has no IPv4 address; give it one");
  }
  if (!to.add({prefix, via, interface.index()})) {
    throw ConfigError(attempt + "the prefix has another route already; keep one of them");
  }
}

RoutingTable<Ipv4Prefix> Ipv4Stack::routes_on_link() const {
  RoutingTable<Ipv4Prefix> routes;
  for (const auto& interface : interfaces()) {
    if (interface->address()) add_route(routes, interface->address()->prefix(), std::nullopt, *interface);
  }
  return routes;
}

std::uint64_t Ipv4Stack::remove_interface(const Interface& interface, std::size_t last) {
  const std::size_t place = interface.index();
  neighbours_.resize(last + 1);
  const std::uint64_t waited = neighbours_[place] ? neighbours_[place]->waiting_segments() : 0;
  std::swap(neighbours_[place], neighbours_[last]);
  neighbours_.pop_back();
  routes_.remove_interface(place, last);
  local_ = {{Ipv4Address::broadcast(), Local::broadcast}};
  for (const auto& other : interfaces()) {
    if (other.get() != &interface && other->address()) listen_at(*other->address());
  }
  return waited;
}

std::uint64_t Ipv4Stack::held_segments() const {
  std::uint64_t held = reassembler_.fragments();
  for (const auto& neighbours : neighbours_) {
    if (neighbours) held += neighbours->waiting_segments();
  }
  return held;
}

void Ipv4Stack::announce(const Interface& interface) {
  if (interface.address()) neighbours_[interface.index()]->announce();
}

void Ipv4Stack::announce() {
  for (const auto& neighbours : neighbours_) {
    if (neighbours) neighbours->announce();
  }
}

std::optional<Ipv4Address> Ipv4Stack::source_for(Ipv4Address destination) const {
  const auto* const route = routes_.find(destination);
  if (route == nullptr) return std::nullopt;
  return interfaces()[route->interface]->address()->address();
}

void Ipv4Stack::receive_arp(Interface& arrival, PacketPtr packet) {
  const auto message = ArpMessage::parse(packet->bytes().subspan(EthernetHeader::kSize));
  if (!message) return drop(DropReason::malformed, *packet);
  if (!arrival.address()) return drop(DropReason::not_for_me, *packet);
  neighbours_[arrival.index()]->receive(*message);
}

void Ipv4Stack::receive_ipv4(Interface& arrival, PacketPtr packet, bool link_broadcast) {
  const auto header =
      Ipv4Header::parse(packet->bytes().subspan(EthernetHeader::kSize), packet->virtual_payload);
  if (!header || !header->checksum_correct()) return drop(DropReason::malformed, *packet);
  const Ipv4Address destination = header->destination();
  // The table is asked for what is not for the interface that it came by; most of what a host gets is.
  const bool for_arrival = arrival.address() && arrival.address()->address() == destination;
  if (for_arrival || local_.contains(destination)) return deliver(arrival, std::move(packet), *header);
  // What came to everyone on the link must not be forwarded (RFC 1812 5.3.4).
  if (!forwards() || link_broadcast) return drop(DropReason::not_for_me, *packet);
  if (!destination.is_unicast()) return drop(DropReason::unsupported, *packet);
  forward(std::move(packet), *header);
}

void Ipv4Stack::deliver(Interface& arrival, PacketPtr packet, const Ipv4Header& header) {
  if (header.is_fragment()) return reassemble(arrival, std::move(packet));
  ProtocolHandler* const handler = handler_of(header.protocol());
  if (handler == nullptr) {
    return refuse(std::move(packet), DropReason::no_listener, IcmpError::protocol_unreachable());
  }
  packet->resize(EthernetHeader::kSize + header.size() + header.payload().size());  // without padding
  handler->receive(std::move(packet), IpHeader(header), arrival);
}

void Ipv4Stack::forward(PacketPtr packet, const Ipv4Header& header) {
  const Ipv4Address destination = header.destination();
  const auto* const route = routes_.find(destination);
  if (route == nullptr) return refuse(std::move(packet), DropReason::no_route, IcmpError::net_unreachable());
  if (header.ttl() <= 1) return refuse(std::move(packet), DropReason::ttl_expired, IcmpError::ttl_exceeded());
  const Interface& out = *interfaces()[route->interface];
  const bool whole = fits(*packet, header, out);
  if (!whole && header.dont_fragment()) {
    return refuse(std::move(packet), DropReason::too_big, IcmpError::fragmentation_needed(out.mtu()));
  }
  decrement_ttl(packet->bytes().subspan(EthernetHeader::kSize));
  transmit(*route, destination, std::move(packet), whole);
}

void Ipv4Stack::send(PacketPtr packet) {
  const auto header =
      Ipv4Header::parse(packet->bytes().subspan(EthernetHeader::kSize), packet->virtual_payload);
  if (!header) return drop(DropReason::malformed, *packet);
  const Ipv4Address destination = header->destination();
  const auto* const route = routes_.find(destination);
  if (route == nullptr || local_.contains(destination)) return drop(DropReason::no_route, *packet);
  const bool whole = fits(*packet, *header, *interfaces()[route->interface]);
  if (!whole && header->dont_fragment()) return drop(DropReason::too_big, *packet);
  packet->first_arrival = packet->last_arrival = simulation().now();
  transmit(*route, destination, std::move(packet), whole);
}

// To the next hop, as it is or in fragments. A train that is too big is one of datagrams that each are.
void Ipv4Stack::transmit(const Route<Ipv4Prefix>& route, Ipv4Address destination, PacketPtr packet,
                         bool whole) {
  ArpNeighbours& neighbours = *neighbours_[route.interface];
  const Ipv4Address next_hop = route.via.value_or(destination);
  if (whole) return neighbours.send(std::move(packet), next_hop);
  while (packet) {
    PacketPtr datagram =
        packet->segments > 1 ? split_front(*packet, 1, pool()) : std::exchange(packet, nullptr);
    if (!datagram) return drop(DropReason::pool_exhausted, *packet);
    Ipv4Fragments fragments(std::move(datagram), interfaces()[route.interface]->mtu(), pool());
    while (!fragments.done()) {
      PacketPtr fragment = fragments.next();
      if (!fragment) {  // without one of them the others are of no use
        dropped().add(DropReason::pool_exhausted, 1);
        break;
      }
      neighbours.send(std::move(fragment), next_hop);
    }
  }
}

void Ipv4Stack::reassemble(Interface& arrival, PacketPtr fragment) {
  if (fragment->segments > 1) return drop(DropReason::malformed, *fragment);
  Ipv4Reassembler::Result result = reassembler_.take(std::move(fragment), simulation().now(), pool());
  wait_for_reassembly();
  if (result.datagram) {
    const Packet& datagram = *result.datagram;
    const auto header =
        Ipv4Header::parse(datagram.bytes().subspan(EthernetHeader::kSize), datagram.virtual_payload);
    return deliver(arrival, std::move(result.datagram), *header);
  }
  if (result.dropped > 0) dropped().add(drop_reason_of(result.verdict), result.dropped);
}

void Ipv4Stack::wait_for_reassembly() {
  const SimTime deadline = reassembler_.deadline();
  if (deadline == SimTime::never()) return simulation().cancel(reassembly_deadline_);
  if (!reassembly_deadline_.pending()) simulation().schedule(reassembly_deadline_, deadline);
}

void Ipv4Stack::give_up_reassembly() {
  for (Ipv4Reassembler::TimedOut& each : reassembler_.expire(simulation().now())) {
    dropped().add(DropReason::reassembly_timeout, each.dropped);
    if (each.first) send_error(std::move(each.first), IcmpError::reassembly_time_exceeded());
  }
  wait_for_reassembly();
}

void Ipv4Stack::refuse(PacketPtr packet, DropReason reason, const IcmpError& error) {
  drop(reason, *packet);
  send_error(std::move(packet), error);
}

// The error comes from the address of the interface that it leaves by (RFC 1812 4.3.2.4).
void Ipv4Stack::send_error(PacketPtr about, const IcmpError& error) {
  if (!deserves_icmp_error(*about)) return;
  const std::span<const std::uint8_t> datagram = about->bytes().subspan(EthernetHeader::kSize);
  const Ipv4Address sender = Ipv4Address::from(datagram.data() + Ipv4Header::kSourceOffset);
  const Ipv4Address destination = Ipv4Address::from(datagram.data() + Ipv4Header::kDestinationOffset);
  const bool is_broadcast = local_.contains(destination) && !owns(destination);
  if (owns(sender) || is_broadcast) return;
  const auto source = source_for(sender);
  if (!source || !may_send_error()) return;
  PacketPtr packet = make_icmp_error(error, *source, next_identification(), *about, pool());
  if (!packet) {
    dropped().add(DropReason::pool_exhausted, 1);
    return;
  }
  send(std::move(packet));
}

// A broadcast on any of our links is for us, and never forwarded to that link (RFC 2644).
void Ipv4Stack::listen_at(const Ipv4InterfaceAddress& address) {
  local_[address.address()] = Local::own;
  const Ipv4Address last = address.prefix().last();
  if (address.is_broadcast(last)) local_.try_emplace(last, Local::broadcast);
}

bool Ipv4Stack::owns(Ipv4Address address) const {
  const auto place = local_.find(address);
  return place != local_.end() && place->second == Local::own;
}

bool Ipv4Stack::fits(const Packet& packet, const Ipv4Header& header, const Interface& out) const {
  const std::size_t size =
      packet.segments == 1 ? header.total_length() : largest_segment(packet) - EthernetHeader::kSize;
  return size <= out.mtu();
}

void Ipv4Stack::next_hop_silent(PacketPtr packet) {
  const auto header =
      Ipv4Header::parse(packet->bytes().subspan(EthernetHeader::kSize), packet->virtual_payload);
  if (header && owns(header->source())) {
    drop(DropReason::arp_failed, *packet);
    if (header->fragment_offset() == 0) icmp_.report_silent_neighbour(*header);
    return;
  }
  refuse(std::move(packet), DropReason::arp_failed, IcmpError::host_unreachable());
}

void Ipv4Stack::next_hop_congested(PacketPtr packet) { drop(DropReason::arp_queue_full, *packet); }

void Ipv4Stack::no_packet_to_ask() { dropped().add(DropReason::pool_exhausted, 1); }

}  // namespace simcore
