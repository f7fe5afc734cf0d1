// SPDX-License-Identifier: MIT
//
// Ipv6Stack: the IPv6 of a node, router or host (RFC 8200, RFC 4291, RFC 4861, RFC 4443).
//
//   interface --> Ethernet --> IPv6 --> for me --> extension headers --> handler of the protocol: ICMPv6, UDP, TCP, …
//                               |                                              |
//                               `--> forward --> route <--------- send() ------'
//                                                  |
//                                           NdNeighbours --> interface
//
// An interface that has an IPv6 address has a link-local one too, made from its MAC address, and listens to the
// groups that neighbour discovery needs. A train is handled as one datagram, as in Ipv4Stack; every address of the
// node but the link-local ones is answered at every interface.
//
// Not modelled: fragments (those for the node itself are counted as unsupported, and it sends none), options and
// routing headers that ask for anything, other multicast, router advertisements, redirects, and a node that talks to
// itself.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "simcore/packet/ipv6.h"
#include "simcore/stack/icmpv6_handler.h"
#include "simcore/stack/ip_layer.h"
#include "simcore/stack/nd_neighbours.h"
#include "simcore/tcpip/icmpv6_error.h"
#include "simcore/tcpip/routing_table.h"

namespace simcore {

class Ipv6Stack final : public IpLayer, private ArpNeighbours::Undelivered {
 public:
  // All must outlive it. A stack starts with ICMPv6 as its only protocol.
  Ipv6Stack(Simulation& simulation, PacketPool& pool, Node& node, IcmpListeners& listeners, bool forwards);

  // `interface`, a new one of the node that has an IPv6 address, also gets the route to the addresses on its
  // link. Throws ConfigError when that route is taken. Precondition: the node does not own the address.
  void add_interface(Interface& interface);

  // Datagrams to `prefix` go out of `interface`, to the router `via` or, without one, straight to their
  // destination. Throws ConfigError when the prefix has another route, or the interface has no IPv6 address.
  // Precondition: it is one of the node.
  void add_route(const Ipv6Prefix& prefix, std::optional<Ipv6Address> via, const Interface& interface) {
    add_route(routes_, prefix, via, interface);
  }
  // The same, into another table. `interface` is one of the node.
  void add_route(RoutingTable<Ipv6Prefix>& to, const Ipv6Prefix& prefix, std::optional<Ipv6Address> via,
                 const Interface& interface) const;

  // A table of the routes to the addresses on the links of the node.
  RoutingTable<Ipv6Prefix> routes_on_link() const;
  // From now on `routes`, made for the interfaces that the node has now. It gets the ones before.
  void exchange_routes(RoutingTable<Ipv6Prefix>& routes) { std::swap(routes_, routes); }

  // `interface`, whose index that of index `last` takes, is about to be taken out. Says how many segments waited for a
  // neighbour there, which go with it.
  std::uint64_t remove_interface(const Interface& interface, std::size_t last);
  std::uint64_t held_segments() const;

  // Tells the neighbours on every link, or on that of one interface, where this node's addresses are (unsolicited
  // advertisements).
  void announce();
  void announce(const Interface& interface);

  // Whether an Ethernet frame for `group` that comes to `interface` may concern the node.
  bool listens_to(const Interface& interface, MacAddress group) const;

  // From the link, an untagged Ethernet frame for the MAC address of `arrival`, or for many on the link.
  void receive(Interface& arrival, PacketPtr packet, bool link_multicast);

  // --- for protocol handlers ---

  bool owns(const Ipv6Address& address) const { return own_.contains(address); }

  // The address that datagrams to `destination` should come from; none when there is no route.
  std::optional<Ipv6Address> source_for(const Ipv6Address& destination) const;

  // Sends a datagram of this node: a frame with room for an Ethernet header, and a complete IPv6
  // header. It leaves now.
  void send(PacketPtr packet);
  // The same, to a destination on the link of `out`, which has an IPv6 address.
  void send_on_link(PacketPtr packet, const Interface& out);

  // Counts the drop of `packet`, a frame with an IPv6 datagram in it, and tells its sender why,
  // where the rules allow.
  void refuse(PacketPtr packet, DropReason reason, const Icmpv6Error& error);

  // A neighbour message that came between `ends`; false when the rules forbid it.
  [[nodiscard]] bool receive_neighbour_message(const NeighbourMessage& message, const Ipv6Ends& ends,
                                               const Interface& arrival);

 private:
  struct Way {
    const Interface* out;
    Ipv6Address next_hop;
  };

  bool is_group_of(const Interface& interface, const Ipv6Address& address) const;
  std::optional<Way> way_to(const Ipv6Address& destination) const;
  const Interface* link_of(const Ipv6Address& link_local) const;
  void deliver(Interface& arrival, PacketPtr packet, const Ipv6Header& header);
  void forward(PacketPtr packet, const Ipv6Header& header);
  void leave(PacketPtr packet, const Ipv6Header& header, const Way& way);
  bool fits(const Packet& packet, const Ipv6Header& header, const Interface& out) const;
  void send_error(PacketPtr about, const Icmpv6Error& error);

  void next_hop_silent(PacketPtr packet) override;
  void next_hop_congested(PacketPtr packet) override;
  void no_packet_to_ask() override;

  RoutingTable<Ipv6Prefix> routes_;
  std::unordered_set<Ipv6Address> own_;
  std::vector<std::unique_ptr<NdNeighbours>>
      neighbours_;  // by index of the interface; null without an address
  Icmpv6Handler icmp_;
};

}  // namespace simcore
