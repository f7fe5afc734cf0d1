// SPDX-License-Identifier: MIT
//
// LearningSwitch: a transparent bridge (IEEE 802.1D filtering database, no spanning tree: the network must
// have no loop).
//
// It forwards every frame unchanged, group addresses included: also those that 802.1D keeps to one link, such
// as LLDP's 01:80:c2:00:00:0e, so that an OpenFlow controller discovers its switches' link through it. VLAN
// tags pass and are not looked at. A frame to an unknown or a group address goes out of every interface but
// the one it came by.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "simcore/device/node.h"
#include "simcore/packet/mac_address.h"
#include "simcore/units/flat_map.h"

namespace simcore {

class LearningSwitch final : public Node {
 public:
  static constexpr Duration kAgeing = Duration::seconds(300);         // 802.1D-2004 table 7-5
  static constexpr std::size_t kLargestTable = std::size_t{1} << 16;  // addresses; more are flooded to

  LearningSwitch(Simulation& simulation, PacketPool& pool, std::string name)
      : Node(simulation, pool, std::move(name)) {}

  // Throws ConfigError when the name is taken.
  Interface& add_interface(Interface::Config config) { return make_interface(std::move(config)); }

  void receive(Interface& arrival, PacketPtr packet) override;

  // It forgets the addresses that it has seen there.
  void unplugged(Interface& interface) override;

  std::size_t known_addresses() const { return table_.size(); }

 private:
  struct Entry {
    Interface* interface;
    SimTime seen;
  };

  void learn(MacAddress source, Interface& arrival);
  Interface* find(MacAddress destination);
  bool make_room();
  void flood(const Interface& arrival, PacketPtr packet);

  FlatMap<MacAddress, Entry> table_;
  SimTime next_sweep_ = SimTime::zero();
};

}  // namespace simcore
