// SPDX-License-Identifier: MIT
#include "simcore/stack/dual_stack.h"

#include <utility>

#include "simcore/packet/ethernet.h"
#include "simcore/units/error.h"

namespace simcore {

namespace {

bool carries_ipv6(const Packet& packet) {
  const std::span<const std::uint8_t> frame = packet.bytes();
  return frame.size() > EthernetHeader::kSize && frame[EthernetHeader::kSize] >> 4 == 6;
}

}  // namespace

DualStack::DualStack(Simulation& simulation, PacketPool& pool, std::string name, bool forwards)
    : Node(simulation, pool, std::move(name)),
      ipv4_(simulation, pool, *this, icmp_, forwards),
      ipv6_(simulation, pool, *this, icmp_, forwards) {
  set_handler(ip_protocol::kUdp, udp_);
  set_handler(ip_protocol::kTcp, tcp_);
}

Interface& DualStack::add_interface(Interface::Config config) {
  const std::string attempt = "make interface " + config.name + " of " + name() + ": ";
  if (config.mac.is_multicast() || config.mac == MacAddress::zero()) {
    throw ConfigError(attempt + "MAC address " + config.mac.to_string() +
                      " is none that one interface may have; choose one such as 02:00:00:00:00:01");
  }
  const auto refuse_taken = [&](const auto& address) {
    if (!address || !owns(address->address())) return;
    throw ConfigError(attempt + "address " + address->to_string() +
                      " belongs to another interface of this node; choose another address");
  };
  refuse_taken(config.address);
  refuse_taken(config.address6);
  if (config.address6 && config.mtu < Ipv6Header::kLeastMtu) {
    throw ConfigError(attempt + "MTU is " + std::to_string(config.mtu) +
                      " bytes; with IPv6 it must be at least " + std::to_string(Ipv6Header::kLeastMtu));
  }
  Interface& interface = make_interface(std::move(config));
  try {
    if (interface.address()) ipv4_.add_interface(interface);
    if (interface.address6()) ipv6_.add_interface(interface);
  } catch (...) {
    remove_interface(interface);
    throw;
  }
  return interface;
}

void DualStack::check_owner(const Interface& interface, const std::string& prefix) const {
  if (&interface.node() == this) return;
  throw ConfigError("add route of " + name() + " to " + prefix + " by " + interface.name() +
                    ": that interface belongs to " + interface.node().name() + "; name one of " + name());
}

void DualStack::add_route(const Ipv4Prefix& prefix, std::optional<Ipv4Address> via,
                          const Interface& interface) {
  check_owner(interface, prefix.to_string());
  ipv4_.add_route(prefix, via, interface);
}

void DualStack::add_route(const Ipv6Prefix& prefix, std::optional<Ipv6Address> via,
                          const Interface& interface) {
  check_owner(interface, prefix.to_string());
  ipv6_.add_route(prefix, via, interface);
}

void DualStack::add_route(Routes& to, const Ipv4Prefix& prefix, std::optional<Ipv4Address> via,
                          const Interface& interface) const {
  check_owner(interface, prefix.to_string());
  ipv4_.add_route(to.v4, prefix, via, interface);
}

void DualStack::add_route(Routes& to, const Ipv6Prefix& prefix, std::optional<Ipv6Address> via,
                          const Interface& interface) const {
  check_owner(interface, prefix.to_string());
  ipv6_.add_route(to.v6, prefix, via, interface);
}

void DualStack::remove_interface(Interface& interface) {
  const std::size_t last = interfaces().size() - 1;
  dropped().add(DropReason::removed, ipv4_.remove_interface(interface, last));
  dropped().add(DropReason::removed, ipv6_.remove_interface(interface, last));
  Node::remove_interface(interface);
}

void DualStack::set_handler(std::uint8_t protocol, ProtocolHandler& handler) {
  ipv4_.set_handler(protocol, handler);
  ipv6_.set_handler(protocol, handler);
}

void DualStack::announce() {
  ipv4_.announce();
  ipv6_.announce();
}

void DualStack::announce(const Interface& interface) {
  ipv4_.announce(interface);
  ipv6_.announce(interface);
}

bool DualStack::owns(const IpAddress& address) const {
  return address.is_v4() ? ipv4_.owns(address.v4()) : ipv6_.owns(address.v6());
}

std::optional<IpAddress> DualStack::source_for(const IpAddress& destination) const {
  if (destination.is_v4()) return ipv4_.source_for(destination.v4());
  return ipv6_.source_for(destination.v6());
}

void DualStack::send(PacketPtr packet) {
  carries_ipv6(*packet) ? ipv6_.send(std::move(packet)) : ipv4_.send(std::move(packet));
}

void DualStack::refuse_port(PacketPtr packet) {
  if (carries_ipv6(*packet)) {
    return ipv6_.refuse(std::move(packet), DropReason::no_listener, Icmpv6Error::port_unreachable());
  }
  ipv4_.refuse(std::move(packet), DropReason::no_listener, IcmpError::port_unreachable());
}

void DualStack::receive(Interface& arrival, PacketPtr packet) {
  const auto ethernet = EthernetHeader::parse(packet->bytes());
  if (!ethernet) return drop(DropReason::malformed, *packet);
  const MacAddress destination = ethernet->destination();
  const bool ipv6 = ethernet->ether_type() == EtherType::ipv6;
  const bool mine = destination == arrival.mac() || destination.is_broadcast() ||
                    (ipv6 && ipv6_.listens_to(arrival, destination));
  if (!mine) return drop(DropReason::not_for_me, *packet);
  if (ethernet->tagged()) return drop(DropReason::unsupported, *packet);
  switch (ethernet->ether_type()) {
    case EtherType::ipv4:
      return ipv4_.receive_ipv4(arrival, std::move(packet), destination.is_broadcast());
    case EtherType::arp:
      return ipv4_.receive_arp(arrival, std::move(packet));
    case EtherType::ipv6:
      return ipv6_.receive(arrival, std::move(packet), destination.is_multicast());
    default:
      return drop(DropReason::unsupported, *packet);
  }
}

}  // namespace simcore
