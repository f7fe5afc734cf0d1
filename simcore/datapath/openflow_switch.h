// SPDX-License-Identifier: MIT
//
// OpenFlowSwitch: an OpenFlow switch as a node: its interfaces are the switch's ports, and its events the switch's time.
// Whoever has sockets joins controllers to control(); see simcore/portal/openflow_portal.h.
#pragma once

#include <string>
#include <vector>

#include "simcore/datapath/openflow_options.h"
#include "simcore/device/node.h"
#include "simcore/openflow/switch.h"

namespace simcore {

class OpenFlowSwitch final : public Node, private openflow::SwitchHost {
 public:
  // Throws ConfigError when a value is out of range.
  OpenFlowSwitch(Simulation& simulation, PacketPool& pool, const std::string& name,
                 const OpenFlowSetup& setup);

  // A port of the number that `config` says. Throws ConfigError when the name or the number is taken or 0.
  Interface& add_interface(Interface::Config config);

  void receive(Interface& arrival, PacketPtr packet) override;
  void link_changed(Interface& interface, bool up) override;
  void remove_interface(Interface& interface) override;

  const OpenFlowSetup& setup() const { return setup_; }
  openflow::Switch& control() { return switch_; }
  const openflow::Switch& control() const { return switch_; }
  std::string place() const { return name(); }

 private:
  SimTime now() const override { return clock_.now(); }
  void transmit(std::uint32_t port, PacketPtr packet) override;
  void drop(DropReason reason, const Packet& packet) override { Node::drop(reason, packet); }
  void wake_at(SimTime time) override;
  void tick() { switch_.tick(); }

  Simulation& clock_;
  OpenFlowSetup setup_;
  std::vector<Interface*> by_number_;
  openflow::Switch switch_;
  EventFor<OpenFlowSwitch, &OpenFlowSwitch::tick, "a timer of the switch"> due_{*this};
};

}  // namespace simcore
