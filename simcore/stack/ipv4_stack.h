// SPDX-License-Identifier: MIT
//
// Ipv4Stack: the IPv4 of a node, router or host (RFC 791, RFC 1122, RFC 1812).
//
//   interface --> Ethernet --> ARP
//                     |
//                    IPv4 --> for me --> reassembly --> handler of the protocol: ICMP, UDP, TCP, …
//                     |                                        |
//                     `--> forward --> route <-----------------' send()
//                                        |
//                                  fragmentation --> neighbours --> interface
//
// A train is handled as one datagram: one TTL, one route, its MTU checked against one segment, at most one
// ICMP error. Every address of the node is answered at every interface (the weak end system of RFC
// 1122 3.3.4.2, as Linux).
//
// A datagram that is too big for the way out leaves in fragments, or, with DF set, is dropped and its sender told (RFC
// 1191). Fragments for the node itself are put together again; see ipv4_reassembler.h.
//
// Not modelled: multicast, redirects, source routes, and a node that talks to itself.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "simcore/stack/arp_neighbours.h"
#include "simcore/stack/icmp_handler.h"
#include "simcore/stack/ip_layer.h"
#include "simcore/tcpip/icmp_error.h"
#include "simcore/tcpip/ipv4_reassembler.h"
#include "simcore/tcpip/routing_table.h"
#include "simcore/units/flat_map.h"

namespace simcore {

class Ipv4Stack final : public IpLayer, private ArpNeighbours::Undelivered {
 public:
  // All must outlive it. A stack starts with ICMP echo as its only protocol.
  Ipv4Stack(Simulation& simulation, PacketPool& pool, Node& node, IcmpListeners& listeners, bool forwards);

  // `interface`, a new one of the node that has an IPv4 address, also gets the route to the addresses on its
  // link. Throws ConfigError when that route is taken. Precondition: the node does not own the address.
  void add_interface(Interface& interface);

  // Datagrams to `prefix` go out of `interface`, to the router `via` or, without one, straight to their
  // destination. Throws ConfigError when the prefix has another route, or the interface has no IPv4 address.
  // Precondition: it is one of the node.
  void add_route(const Ipv4Prefix& prefix, std::optional<Ipv4Address> via, const Interface& interface) {
    add_route(routes_, prefix, via, interface);
  }
  // The same, into another table. `interface` is one of the node.
  void add_route(RoutingTable<Ipv4Prefix>& to, const Ipv4Prefix& prefix, std::optional<Ipv4Address> via,
                 const Interface& interface) const;

  // A table of the routes to the addresses on the links of the node.
  RoutingTable<Ipv4Prefix> routes_on_link() const;
  // From now on `routes`, made for the interfaces that the node has now. It gets the ones before.
  void exchange_routes(RoutingTable<Ipv4Prefix>& routes) { std::swap(routes_, routes); }

  // `interface`, whose index that of index `last` takes, is about to be taken out. Says how many segments waited for a
  // neighbour there, which go with it.
  std::uint64_t remove_interface(const Interface& interface, std::size_t last);
  std::uint64_t held_segments() const;

  std::string place() const { return name(); }

  // Tells the neighbours on every link, or on that of one interface, where this node's addresses are (gratuitous ARP
  // ).
  void announce();
  void announce(const Interface& interface);

  // --- for protocol handlers ---

  bool owns(Ipv4Address address) const;  // one of this node's own, broadcasts not counted

  // The address that datagrams to `destination` should come from; none when there is no route.
  std::optional<Ipv4Address> source_for(Ipv4Address destination) const;

  // Sends a datagram of this node: a frame with room for an Ethernet header, and a complete IPv4
  // header. It leaves now, in fragments when it is too big for the way out.
  void send(PacketPtr packet);

  // Counts the drop of `packet`, a frame with an IPv4 datagram in it, and tells its sender why,
  // where the rules allow.
  void refuse(PacketPtr packet, DropReason reason, const IcmpError& error);

  std::uint16_t next_identification() { return ++identification_; }

  // From the link, an untagged Ethernet frame for the MAC address of `arrival` or for everyone on the link.
  void receive_arp(Interface& arrival, PacketPtr packet);
  void receive_ipv4(Interface& arrival, PacketPtr packet, bool link_broadcast);

 private:
  enum class Local : std::uint8_t { own, broadcast };

  void deliver(Interface& arrival, PacketPtr packet, const Ipv4Header& header);
  void forward(PacketPtr packet, const Ipv4Header& header);
  void reassemble(Interface& arrival, PacketPtr fragment);
  void wait_for_reassembly();
  void give_up_reassembly();
  void transmit(const Route<Ipv4Prefix>& route, Ipv4Address destination, PacketPtr packet, bool whole);
  void send_error(PacketPtr about, const IcmpError& error);
  void listen_at(const Ipv4InterfaceAddress& address);
  bool fits(const Packet& packet, const Ipv4Header& header, const Interface& out) const;

  void next_hop_silent(PacketPtr packet) override;
  void next_hop_congested(PacketPtr packet) override;
  void no_packet_to_ask() override;

  RoutingTable<Ipv4Prefix> routes_;
  FlatMap<Ipv4Address, Local> local_;  // what is for this node
  std::vector<std::unique_ptr<ArpNeighbours>>
      neighbours_;  // by index of the interface; null without an address
  IcmpHandler icmp_;
  Ipv4Reassembler reassembler_;
  EventFor<Ipv4Stack, &Ipv4Stack::give_up_reassembly, "reassembly takes too long"> reassembly_deadline_{
      *this};
  std::uint16_t identification_ = 0;
};

}  // namespace simcore
