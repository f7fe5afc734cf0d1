// SPDX-License-Identifier: MIT
#include "simcore/datapath/openflow_switch.h"

#include <algorithm>
#include <utility>

#include "simcore/units/error.h"

namespace simcore {

namespace {

openflow::SwitchConfig checked(openflow::SwitchConfig config) {
  const std::string attempt = "make switch " + config.name + ": ";
  if (config.table_size < 1)
    throw ConfigError(attempt + "its tables hold " + std::to_string(config.table_size) +
                      " flows; they must hold at least 1");
  if (config.setup_rate < 0)
    throw ConfigError(attempt +
                      "its set-up rate is below 0; write how many modifications it takes per second");
  if ((config.versions & (1U << 1 | 1U << 4)) == 0)
    throw ConfigError(attempt + "it speaks no version of OpenFlow; name 1.3, 1.0 or both");
  return config;
}

}  // namespace

OpenFlowSwitch::OpenFlowSwitch(Simulation& simulation, PacketPool& pool, const std::string& name,
                               const OpenFlowSetup& setup)
    : Node(simulation, pool, name),
      clock_(simulation),
      setup_(setup),
      switch_(checked(setup.config(name)), pool, *this) {}

Interface& OpenFlowSwitch::add_interface(Interface::Config config) {
  const std::uint16_t number = config.number;
  const std::string attempt = "make port " + config.name + " of switch " + name() + ": ";
  if (number == 0 || number >= openflow::port_no::kMax10)
    throw ConfigError(attempt + "its number is " + std::to_string(number) + "; write 1 to 65279");
  if (by_number_.size() <= number) by_number_.resize(number + 1U);
  if (by_number_[number] != nullptr)
    throw ConfigError(attempt + "number " + std::to_string(number) + " is taken by " +
                      by_number_[number]->name() + "; choose another");
  Interface& added = make_interface(std::move(config));
  by_number_[number] = &added;
  switch_.add_port(number, added.name(), added.mac());
  return added;
}

void OpenFlowSwitch::receive(Interface& arrival, PacketPtr packet) {
  switch_.receive(arrival.number(), std::move(packet));
}

void OpenFlowSwitch::transmit(std::uint32_t port, PacketPtr packet) {
  Interface* const out = port < by_number_.size() ? by_number_[port] : nullptr;
  if (out == nullptr) return Node::drop(DropReason::no_port, *packet);
  out->send(std::move(packet));
}

void OpenFlowSwitch::enable_port(std::uint32_t port, bool up) {
  Interface* const interface = port < by_number_.size() ? by_number_[port] : nullptr;
  if (interface != nullptr && enable_) enable_(*interface, up);  // it is not the switch's own port
}

void OpenFlowSwitch::link_changed(Interface& interface, bool up) { switch_.set_link(interface.number(), up); }

void OpenFlowSwitch::remove_interface(Interface& interface) {
  if (enable_) enable_(interface, true);
  switch_.remove_port(interface.number());
  by_number_[interface.number()] = nullptr;
  Node::remove_interface(interface);
}

void OpenFlowSwitch::wake_at(SimTime time) {
  if (time == SimTime::never()) return clock_.cancel(due_);
  clock_.schedule(due_, std::max(time, clock_.now()));
}

}  // namespace simcore
