// SPDX-License-Identifier: MIT
//
// Network: the simulated nodes of one simulation, their interfaces and the programs of their hosts, by name. What
// builds a simulation, in real time or in virtual time, builds its nodes here and then joins them with Links.
//
// Every add throws ConfigError when a name is taken or unknown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "simcore/application/applications.h"
#include "simcore/datapath/openflow_switch.h"
#include "simcore/device/interface.h"
#include "simcore/device/learning_switch.h"
#include "simcore/device/node.h"
#include "simcore/device/processor.h"
#include "simcore/kernel/simulation.h"
#include "simcore/network/snapshot.h"
#include "simcore/packet/ip_address.h"
#include "simcore/packet/ip_prefix.h"
#include "simcore/packet/packet_pool.h"
#include "simcore/stack/dual_stack.h"
#include "simcore/stack/host.h"

namespace simcore {

// What a plan says of a route.
struct RouteConfig {
  IpPrefix prefix;
  std::optional<IpAddress> via;  // none: the prefix is on the link
  std::string interface;
};

enum class NodeKind : std::uint8_t { router, host, learning_switch };

class Network {
 public:
  // Both must outlive the network.
  Network(Simulation& simulation, PacketPool& pool) : simulation_(simulation), pool_(pool) {}

  // Without a processor the node takes no time to handle a packet. Throws ConfigError when one of its values is out of
  // range, too.
  void add_node(NodeKind kind, const std::string& name,
                const std::optional<Processor::Config>& processor = std::nullopt);
  // An OpenFlow switch, whose interfaces have numbers.
  void add_openflow_switch(const std::string& name, const OpenFlowSetup& setup,
                           const std::optional<Processor::Config>& processor = std::nullopt);
  void add_interface(const std::string& node, const Interface::Config& config);
  void add_route(const std::string& node, const IpPrefix& prefix, const std::optional<IpAddress>& via,
                 const std::string& interface);
  // A program on a host that has its interfaces. Throws ConfigError when a port is taken or a value out of range, too.
  void add_application(const std::string& host, const ApplicationConfig& config);

  // All routes of a node: these, and those to the addresses on its links. They hold for the interfaces that it has now.
  // Throws ConfigError, which begins with `attempt`: as add_route, or it is no router or host.
  DualStack::Routes make_routes(const std::string& node, const std::vector<RouteConfig>& routes,
                                const std::string& attempt) const;

  // Takes out an interface that no link joins, with the routes by it; or a node whose interfaces no links join, with its
  // programs. The names are free. Precondition: there is one of that name.
  void remove_interface(const std::string& name);
  void remove_node(const std::string& name);

  // Takes `name` among the names of what `what` says, such as "link". Throws ConfigError when it is taken.
  void claim(const std::string& what, const std::string& name);
  // It is free again.
  void release(const std::string& what, const std::string& name) { names_.erase(what + " " + name); }

  // All throw ConfigError, which begins with `attempt`, when there is none of that name.
  Interface& interface(const std::string& name, const std::string& attempt) const;
  Node& node(const std::string& name, const std::string& attempt) const;
  DualStack& stack(const std::string& node, const std::string& attempt) const;
  Host& host(const std::string& node, const std::string& attempt) const;
  Applications& applications(const std::string& host, const std::string& attempt);

  // By name.
  const std::map<std::string, OpenFlowSwitch*>& openflow_switches() const { return openflow_; }

  // Throws ConfigError, which begins with `attempt`, unless a link joins every interface.
  void check_joined(const std::string& attempt) const;

  // Every router and host, or the one with that interface, tells its neighbours where its addresses are.
  void announce();
  void announce(const Interface& interface);

  // In the order in which they were added; of applications the hosts that have some.
  const std::vector<std::unique_ptr<Node>>& nodes() const { return nodes_; }
  const std::vector<Interface*>& interfaces() const { return in_order_; }
  const std::vector<std::pair<std::string, std::unique_ptr<Applications>>>& applications() const {
    return applications_;
  }

  // Appends the rows of a host's applications. Precondition: host < applications().size().
  void read_applications_into(Snapshot& snapshot, std::size_t host) const;
  // The same of its TCP connections.
  void read_connections_into(Snapshot& snapshot, std::size_t host) const;
  // Null: there is none of that name.
  const Interface* find_interface(const std::string& name) const;

 private:
  void set_processor(const std::string& name, const std::optional<Processor::Config>& processor);
  bool switches(const std::string& name) const {
    return switches_.contains(name) || openflow_.contains(name);
  }
  void forget_interface(const Interface& interface);
  void remove_applications(const std::string& host);

  Simulation& simulation_;
  PacketPool& pool_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::map<std::string, DualStack*> stacks_;  // the routers and hosts among them
  std::map<std::string, Host*> hosts_;        // the hosts among these
  std::map<std::string, LearningSwitch*> switches_;
  std::map<std::string, OpenFlowSwitch*> openflow_;
  std::vector<std::pair<std::string, std::unique_ptr<Applications>>> applications_;  // with their host
  std::map<std::string, std::size_t> place_of_applications_;                         // by host
  std::map<std::string, Interface*> interfaces_;
  std::vector<Interface*> in_order_;
  std::map<std::string, std::string> names_;  // every name that is taken, and by what
};

}  // namespace simcore
