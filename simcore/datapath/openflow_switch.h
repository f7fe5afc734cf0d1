// SPDX-License-Identifier: MIT
//
// OpenFlowSwitch: an OpenFlow switch as a node: its interfaces are the switch's ports, and its events the switch's time.
// Whoever has sockets joins controllers to control(); see simcore/portal/openflow_portal.h.
#pragma once

#include <functional>
#include <string>
#include <utility>
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

  // Called when a controller takes a port down, or lets it be up again; and with that before such a port goes.
  void on_enable(std::function<void(Interface&, bool)> enable) { enable_ = std::move(enable); }

  const OpenFlowSetup& setup() const { return setup_; }
  openflow::Switch& control() { return switch_; }
  const openflow::Switch& control() const { return switch_; }
  std::string place() const { return name(); }

 private:
  SimTime now() const override { return clock_.now(); }
  void transmit(std::uint32_t port, PacketPtr packet) override;
  void drop(DropReason reason, const Packet& packet) override { Node::drop(reason, packet); }
  void enable_port(std::uint32_t port, bool up) override;
  void wake_at(SimTime time) override;
  void tick() { switch_.tick(); }

  Simulation& clock_;
  OpenFlowSetup setup_;
  std::vector<Interface*> by_number_;
  std::function<void(Interface&, bool)> enable_;  // none: nobody has its links
  openflow::Switch switch_;
  EventFor<OpenFlowSwitch, &OpenFlowSwitch::tick, "a timer of the switch"> due_{*this};
};

}  // namespace simcore
