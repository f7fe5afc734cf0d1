// SPDX-License-Identifier: MIT
#include "simcore/stack/ipv6_stack.h"

#include <array>
#include <utility>

#include "simcore/packet/ethernet.h"
#include "simcore/packet/train.h"
#include "simcore/units/error.h"

namespace simcore {

namespace {

constexpr std::uint8_t kFragment = 44;      // extension header
constexpr std::uint8_t kNoNextHeader = 59;  // nothing follows

std::optional<Ipv6Header> header_of(const Packet& packet) {
  return Ipv6Header::parse(packet.bytes().subspan(EthernetHeader::kSize), packet.virtual_payload);
}

}  // namespace

Ipv6Stack::Ipv6Stack(Simulation& simulation, PacketPool& pool, Node& node, IcmpListeners& listeners,
                     bool forwards)
    : IpLayer(simulation, pool, node, forwards), icmp_(*this, listeners) {
  set_handler(ip_protocol::kIcmpv6, icmp_);
}

void Ipv6Stack::add_interface(Interface& interface) {
  ArpNeighbours::Undelivered& undelivered = *this;
  neighbours_.resize(interface.index() + 1);
  neighbours_.back() =
      std::make_unique<NdNeighbours>(simulation(), pool(), interface, forwards(), undelivered);
  own_.insert(interface.address6()->address());
  own_.insert(interface.link_local());
  add_route(interface.address6()->prefix(), std::nullopt, interface);
}

void Ipv6Stack::add_route(RoutingTable<Ipv6Prefix>& to, const Ipv6Prefix& prefix,
                          std::optional<Ipv6Address> via, const Interface& interface) const {
  const std::string attempt =
      "add route of " + name() + " to " + prefix.to_string() + " by " + interface.name() + ": ";
  if (!interface.address6()) {
    throw ConfigError(attempt + "that interface has no IPv6 address; give it one");
  }
  if (!to.add({prefix, via, interface.index()})) {
    throw ConfigError(attempt + "the prefix has another route already; keep one of them");
  }
}

RoutingTable<Ipv6Prefix> Ipv6Stack::routes_on_link() const {
  RoutingTable<Ipv6Prefix> routes;
  for (const auto& interface : interfaces()) {
    if (interface->address6()) add_route(routes, interface->address6()->prefix(), std::nullopt, *interface);
  }
  return routes;
}

std::uint64_t Ipv6Stack::remove_interface(const Interface& interface, std::size_t last) {
  const std::size_t place = interface.index();
  neighbours_.resize(last + 1);
  const std::uint64_t waited = neighbours_[place] ? neighbours_[place]->waiting_segments() : 0;
  std::swap(neighbours_[place], neighbours_[last]);
  neighbours_.pop_back();
  routes_.remove_interface(place, last);
  own_.clear();
  for (const auto& other : interfaces()) {
    if (other.get() == &interface || !other->address6()) continue;
    own_.insert(other->address6()->address());
    own_.insert(other->link_local());
  }
  return waited;
}

std::uint64_t Ipv6Stack::held_segments() const {
  std::uint64_t held = 0;
  for (const auto& neighbours : neighbours_) {
    if (neighbours) held += neighbours->waiting_segments();
  }
  return held;
}

void Ipv6Stack::announce(const Interface& interface) {
  if (interface.address6()) neighbours_[interface.index()]->announce();
}

void Ipv6Stack::announce() {
  for (const auto& neighbours : neighbours_) {
    if (neighbours) neighbours->announce();
  }
}

bool Ipv6Stack::is_group_of(const Interface& interface, const Ipv6Address& address) const {
  return address == Ipv6Address::all_nodes() || (forwards() && address == Ipv6Address::all_routers()) ||
         address == interface.address6()->address().solicited_node() ||
         address == interface.link_local().solicited_node();
}

bool Ipv6Stack::listens_to(const Interface& interface, MacAddress group) const {
  if (!interface.address6()) return false;
  const std::array groups{Ipv6Address::all_nodes(), Ipv6Address::all_routers(),
                          interface.address6()->address().solicited_node(),
                          interface.link_local().solicited_node()};
  for (const Ipv6Address& address : groups) {
    if (address.group_mac() == group && is_group_of(interface, address)) return true;
  }
  return false;
}

void Ipv6Stack::receive(Interface& arrival, PacketPtr packet, bool link_multicast) {
  if (!arrival.address6()) return drop(DropReason::unsupported, *packet);
  const auto header = header_of(*packet);
  if (!header) return drop(DropReason::malformed, *packet);
  const Ipv6Address source = header->source();
  const Ipv6Address destination = header->destination();
  if (!source.is_unicast() && !source.is_any()) return drop(DropReason::malformed, *packet);
  const bool own = destination.is_link_local() ? destination == arrival.link_local() : owns(destination);
  if (own || is_group_of(arrival, destination)) return deliver(arrival, std::move(packet), *header);
  if (!forwards() || link_multicast || destination.is_link_local()) {
    return drop(DropReason::not_for_me, *packet);
  }
  if (!destination.is_unicast() || source.is_any()) {
    return drop(DropReason::unsupported, *packet);
  }
  forward(std::move(packet), *header);
}

void Ipv6Stack::deliver(Interface& arrival, PacketPtr packet, const Ipv6Header& header) {
  const auto upper = header.upper_layer();
  if (!upper) return drop(DropReason::malformed, *packet);
  // Only neighbour discovery has a use for a sender without an address.
  if (header.source().is_any() && upper->protocol != ip_protocol::kIcmpv6) {
    return drop(DropReason::malformed, *packet);
  }
  if (!upper->skippable || upper->protocol == kFragment) return drop(DropReason::unsupported, *packet);
  ProtocolHandler* const handler = handler_of(upper->protocol);
  if (handler == nullptr) {
    if (upper->protocol == kNoNextHeader) return drop(DropReason::no_listener, *packet);
    const auto named_at = static_cast<std::uint32_t>(upper->named_at);
    return refuse(std::move(packet), DropReason::no_listener, Icmpv6Error::unknown_protocol(named_at));
  }
  packet->resize(EthernetHeader::kSize + header.stored().size());  // without padding
  handler->receive(std::move(packet), IpHeader(header, *upper), arrival);
}

void Ipv6Stack::forward(PacketPtr packet, const Ipv6Header& header) {
  const auto way = way_to(header.destination());
  if (!way) return refuse(std::move(packet), DropReason::no_route, Icmpv6Error::no_route());
  if (header.hop_limit() <= 1) {
    return refuse(std::move(packet), DropReason::ttl_expired, Icmpv6Error::hop_limit_exceeded());
  }
  if (header.source().is_link_local()) {
    return refuse(std::move(packet), DropReason::unsupported, Icmpv6Error::beyond_scope());
  }
  if (!fits(*packet, header, *way->out)) {
    const std::uint16_t mtu = way->out->mtu();
    return refuse(std::move(packet), DropReason::too_big, Icmpv6Error::packet_too_big(mtu));
  }
  --packet->bytes()[EthernetHeader::kSize + Ipv6Header::kHopLimitOffset];
  neighbours_[way->out->index()]->send(std::move(packet), way->next_hop);
}

std::optional<Ipv6Stack::Way> Ipv6Stack::way_to(const Ipv6Address& destination) const {
  if (destination.is_link_local()) {
    const Interface* const out = link_of(destination);
    return out == nullptr ? std::nullopt : std::optional(Way{out, destination});
  }
  const auto* const route = routes_.find(destination);
  if (route == nullptr) return std::nullopt;
  return Way{interfaces()[route->interface].get(), route->via.value_or(destination)};
}

// A link-local address does not say which link: it is that of the neighbour that told us of itself, or the only one.
const Interface* Ipv6Stack::link_of(const Ipv6Address& link_local) const {
  const Interface* only = nullptr;
  std::size_t links = 0;
  for (std::size_t i = 0; i < neighbours_.size(); ++i) {
    if (!neighbours_[i]) continue;
    if (neighbours_[i]->knows(link_local)) return interfaces()[i].get();
    only = interfaces()[i].get();
    ++links;
  }
  return links == 1 ? only : nullptr;
}

std::optional<Ipv6Address> Ipv6Stack::source_for(const Ipv6Address& destination) const {
  const auto way = way_to(destination);
  if (!way) return std::nullopt;
  return destination.is_link_local() ? way->out->link_local() : way->out->address6()->address();
}

void Ipv6Stack::send(PacketPtr packet) {
  const auto header = header_of(*packet);
  if (!header) return drop(DropReason::malformed, *packet);
  const auto way = way_to(header->destination());
  if (!way || owns(header->destination())) return drop(DropReason::no_route, *packet);
  leave(std::move(packet), *header, *way);
}

void Ipv6Stack::send_on_link(PacketPtr packet, const Interface& out) {
  const auto header = header_of(*packet);
  if (!header) return drop(DropReason::malformed, *packet);
  leave(std::move(packet), *header, {&out, header->destination()});
}

void Ipv6Stack::leave(PacketPtr packet, const Ipv6Header& header, const Way& way) {
  if (!fits(*packet, header, *way.out)) return drop(DropReason::too_big, *packet);
  packet->first_arrival = packet->last_arrival = simulation().now();
  neighbours_[way.out->index()]->send(std::move(packet), way.next_hop);
}

bool Ipv6Stack::fits(const Packet& packet, const Ipv6Header& header, const Interface& out) const {
  const std::size_t size =
      packet.segments == 1 ? header.total_length() : largest_segment(packet) - EthernetHeader::kSize;
  return size <= out.mtu();
}

void Ipv6Stack::refuse(PacketPtr packet, DropReason reason, const Icmpv6Error& error) {
  drop(reason, *packet);
  send_error(std::move(packet), error);
}

void Ipv6Stack::send_error(PacketPtr about, const Icmpv6Error& error) {
  if (!deserves_icmpv6_error(*about, error)) return;
  const Ipv6Address sender = header_of(*about)->source();
  if (owns(sender)) return;
  const auto source = source_for(sender);
  if (!source || !may_send_error()) return;
  PacketPtr packet = make_icmpv6_error(error, *source, *about, pool());
  if (!packet) {
    dropped().add(DropReason::pool_exhausted, 1);
    return;
  }
  send(std::move(packet));
}

bool Ipv6Stack::receive_neighbour_message(const NeighbourMessage& message, const Ipv6Ends& ends,
                                          const Interface& arrival) {
  return neighbours_[arrival.index()]->receive(message, ends);
}

void Ipv6Stack::next_hop_silent(PacketPtr packet) {
  const auto header = header_of(*packet);
  if (header && owns(header->source())) {
    drop(DropReason::arp_failed, *packet);
    icmp_.report_silent_neighbour(*header);
    return;
  }
  refuse(std::move(packet), DropReason::arp_failed, Icmpv6Error::address_unreachable());
}

void Ipv6Stack::next_hop_congested(PacketPtr packet) { drop(DropReason::arp_queue_full, *packet); }

void Ipv6Stack::no_packet_to_ask() { dropped().add(DropReason::pool_exhausted, 1); }

}  // namespace simcore
