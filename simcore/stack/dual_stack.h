// SPDX-License-Identifier: MIT
//
// DualStack: a router or a host: IPv4 and IPv6 side by side, and the transports over both.
//
//   interface --> Ethernet --> Ipv4Stack --.
//                     |                    |--> UDP ports, TCP, or whoever takes their place
//                     `------> Ipv6Stack --'
//
// A transport sees addresses of either family (IpAddress) and is the same over both, as the sockets of a Linux
// host without IPV6_V6ONLY are.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "simcore/device/node.h"
#include "simcore/stack/ipv4_stack.h"
#include "simcore/stack/ipv6_stack.h"
#include "simcore/stack/tcp_refusal.h"
#include "simcore/stack/udp_ports.h"

namespace simcore {

class DualStack : public Node {
 public:
  // With an address, the interface also gets the route to the addresses on its link. Throws ConfigError when
  // the name, an address or that route is taken, the MAC address is none that one interface may have, or the
  // MTU is below the least of an address family that it has.
  Interface& add_interface(Interface::Config config);

  // Datagrams to `prefix` go out of `interface`, to the router `via` or, without one, straight to their
  // destination. Throws ConfigError when the prefix has another route, or the interface is not of this node
  // or has no address of that family.
  void add_route(const Ipv4Prefix& prefix, std::optional<Ipv4Address> via, const Interface& interface);
  void add_route(const Ipv6Prefix& prefix, std::optional<Ipv6Address> via, const Interface& interface);

  // All routes of a node. Those to the addresses on its links are among them.
  struct Routes {
    RoutingTable<Ipv4Prefix> v4;
    RoutingTable<Ipv6Prefix> v6;
  };
  // The routes to the addresses on this node's links, and no others; add_route() adds to them as to the node's. For
  // exchange_routes(), before an interface comes or goes.
  Routes routes_on_link() const { return {ipv4_.routes_on_link(), ipv6_.routes_on_link()}; }
  void add_route(Routes& to, const Ipv4Prefix& prefix, std::optional<Ipv4Address> via,
                 const Interface& interface) const;
  void add_route(Routes& to, const Ipv6Prefix& prefix, std::optional<Ipv6Address> via,
                 const Interface& interface) const;
  // From now on these routes. They become those before.
  void exchange_routes(Routes& routes) {
    ipv4_.exchange_routes(routes.v4);
    ipv6_.exchange_routes(routes.v6);
  }

  // The routes by that interface go with it.
  void remove_interface(Interface& interface) override;
  std::uint64_t held_segments() const override {
    return Node::held_segments() + ipv4_.held_segments() + ipv6_.held_segments();
  }

  // From now on `handler`, which must outlive the node, gets what comes for `protocol` over IPv4 and IPv6. It
  // takes the place of the one before: a node starts with ICMP echo, the UDP ports, and TCP that refuses.
  void set_handler(std::uint8_t protocol, ProtocolHandler& handler);
  UdpPorts& udp() { return udp_; }
  IcmpListeners& icmp() { return icmp_; }

  // Tells the neighbours on every link, or on that of one interface, where this node's addresses are.
  void announce();
  void announce(const Interface& interface);

  // --- for protocol handlers ---

  bool owns(const IpAddress& address) const;  // one of this node's own, of which broadcasts are none

  // The address that datagrams to `destination` should come from; none when there is no route.
  std::optional<IpAddress> source_for(const IpAddress& destination) const;

  // Sends a datagram of this node: a frame with room for an Ethernet header, and a complete header of IPv4 or
  // IPv6. It leaves now.
  void send(PacketPtr packet);

  // Counts `packet`, a frame with a datagram for a port where nobody listens, and tells its sender, where the
  // rules allow.
  void refuse_port(PacketPtr packet);

  std::uint16_t next_identification() { return ipv4_.next_identification(); }
  using Node::pool;

  void receive(Interface& arrival, PacketPtr packet) override;

 protected:
  DualStack(Simulation& simulation, PacketPool& pool, std::string name, bool forwards);
  ~DualStack() override = default;

 private:
  void check_owner(const Interface& interface, const std::string& prefix) const;

  IcmpListeners icmp_;
  Ipv4Stack ipv4_;
  Ipv6Stack ipv6_;
  UdpPorts udp_{*this};
  TcpRefusal tcp_{*this};
};

}  // namespace simcore
