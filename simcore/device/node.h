// SPDX-License-Identifier: MIT
//
// Node: a simulated device with interfaces: router, host, switch.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "simcore/device/interface.h"
#include "simcore/device/processor.h"
#include "simcore/kernel/simulation.h"
#include "simcore/link/drop_counters.h"
#include "simcore/packet/packet.h"
#include "simcore/packet/packet_pool.h"

namespace simcore {

class Node {
 public:
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  virtual ~Node() = default;

  const std::string& name() const { return name_; }
  const std::vector<std::unique_ptr<Interface>>& interfaces() const { return interfaces_; }
  DropCounters& dropped() { return dropped_; }
  const DropCounters& dropped() const { return dropped_; }

  // Counts every segment of `packet`, which the caller is about to let go of.
  void drop(DropReason reason, const Packet& packet) { dropped_.add(reason, packet.segments); }

  // From now on what arrives waits for a processor; without one it takes no time to handle a packet. Before the first
  // packet. Throws ConfigError when a value is out of range.
  void set_processor(const Processor::Config& config) {
    processor_ = std::make_unique<Processor>(simulation_, *this, config);
  }

  // What `arrival`, an interface of this node, got from its link: to receive(), through the processor if there is one.
  void arrive(Interface& arrival, PacketPtr packet) {
    if (processor_) return processor_->accept(arrival, std::move(packet));
    receive(arrival, std::move(packet));
  }

  // Takes what arrived by `arrival`.
  virtual void receive(Interface& arrival, PacketPtr packet) = 0;

  // The link of `interface`, one of this node, was taken away.
  virtual void unplugged(Interface& /*interface*/) {}

  // The link of `interface` has come up or down; it does so when it joins, and when it is taken away, too.
  virtual void link_changed(Interface& /*interface*/, bool /*up*/) {}

  // Takes out an interface of this node that no link joins. What waits for it is dropped as `removed`; the last interface
  // takes its index.
  virtual void remove_interface(Interface& interface);

  // Segments that the node has and has neither passed on nor dropped.
  virtual std::uint64_t held_segments() const { return processor_ ? processor_->held_segments() : 0; }

 protected:
  // Both must outlive the node, and the node what is attached to its interfaces.
  Node(Simulation& simulation, PacketPool& pool, std::string name)
      : simulation_(simulation), pool_(pool), name_(std::move(name)) {}

  // Throws ConfigError when the name is taken or the MTU is below the least that IPv4 allows (RFC 791).
  Interface& make_interface(Interface::Config config);

  Simulation& simulation() { return simulation_; }
  PacketPool& pool() { return pool_; }

 private:
  Simulation& simulation_;
  PacketPool& pool_;
  std::string name_;
  std::vector<std::unique_ptr<Interface>> interfaces_;
  std::unique_ptr<Processor> processor_;
  DropCounters dropped_;
};

}  // namespace simcore
