// SPDX-License-Identifier: MIT
//
// Interface: where a node meets a link. It counts, and passes on: what arrives to its node, what the node
// sends to the link.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "simcore/link/port.h"
#include "simcore/packet/ipv4_address.h"
#include "simcore/packet/ipv6_address.h"
#include "simcore/packet/mac_address.h"
#include "simcore/packet/packet.h"

namespace simcore {

class Node;

class Interface final : public Port {
 public:
  struct Config {
    std::string name;
    MacAddress mac = MacAddress::zero();  // of routers and hosts; a switch has none of its own
    std::optional<Ipv4InterfaceAddress> address = std::nullopt;  // of routers and hosts
    std::uint16_t mtu = 1'500;  // bytes of IP datagram; >= 68, with IPv6 >= 1280
    std::optional<Ipv6InterfaceAddress> address6 = std::nullopt;  // of routers and hosts
    std::uint16_t number = 0;                                     // of an OpenFlow switch's port, from 1
  };

  // Counts of segments and of their wire bytes.
  struct Counters {
    std::uint64_t in_packets = 0;
    std::uint64_t in_bytes = 0;
    std::uint64_t out_packets = 0;
    std::uint64_t out_bytes = 0;
  };

  // Made by its node, which it belongs to.
  Interface(Node& node, std::size_t index, Config config)
      : node_(node), index_(index), config_(std::move(config)) {}

  // From the link.
  void accept(PacketPtr packet) override;
  void expect(int step) const override;
  void link_changed(bool up) override;

  // To the link. Without one, the packet is dropped and counted by the node as no_port.
  void send(PacketPtr packet);

  const std::string& name() const { return config_.name; }
  MacAddress mac() const { return config_.mac; }
  const std::optional<Ipv4InterfaceAddress>& address() const { return config_.address; }
  const std::optional<Ipv6InterfaceAddress>& address6() const { return config_.address6; }
  Ipv6Address link_local() const { return Ipv6Address::link_local_of(config_.mac); }
  std::uint16_t mtu() const { return config_.mtu; }
  std::uint16_t number() const { return config_.number; }
  std::size_t index() const { return index_; }  // among the interfaces of its node
  const Counters& counters() const { return counters_; }
  Node& node() { return node_; }
  const Node& node() const { return node_; }

 private:
  friend class Node;

  Node& node_;
  std::size_t index_;
  Config config_;
  Counters counters_;
};

}  // namespace simcore
