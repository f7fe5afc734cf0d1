// SPDX-License-Identifier: MIT
//
// Node: a simulated device with interfaces: router, host, switch.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "simcore/kernel/simulation.h"
#include "simcore/link/drop_counters.h"
#include "simcore/node/interface.h"
#include "simcore/wire/packet.h"
#include "simcore/wire/packet_pool.h"

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

  // Takes what `arrival`, an interface of this node, got from its link.
  virtual void receive(Interface& arrival, PacketPtr packet) = 0;

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
  DropCounters dropped_;
};

}  // namespace simcore
