// SPDX-License-Identifier: MIT
//
// InstanceChange: what a running instance is to gain and lose, all of it or nothing, as plain values. Nothing is made
// before Instance::change().
//
// Of a node that is there already, add_interface() adds interfaces. Routes replace all that a router or host had, but for
// those to the addresses on its links. A name that is removed is free for the next change only.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "simcore/application/applications.h"
#include "simcore/network/link_end.h"
#include "simcore/network/link_model.h"
#include "simcore/network/network.h"
#include "simcore/network/simulated_network.h"
#include "simcore/portal/emulation_portal_factory.h"
#include "simcore/portal/peering_portal.h"

namespace simcore {

class InstanceChange {
 public:
  struct AddedNode {
    NodeKind kind;
    std::string name;
    std::optional<Processor::Config> processor;
  };
  struct AddedOpenFlowSwitch {
    std::string name;
    OpenFlowSetup setup;
    std::optional<Processor::Config> processor;
  };
  struct AddedInterface {
    std::string node;
    Interface::Config config;
  };
  struct AddedApplication {
    std::string host;
    ApplicationConfig config;
  };
  struct AddedPortal {
    std::string backend;
    EmulationPortal::Config config;
    EmulationPortalOptions options;
  };
  struct AddedLink {
    std::string name;
    LinkEnd a;
    LinkEnd b;
    LinkModel a_to_b;
    LinkModel b_to_a;
  };

  // As those of Instance and of its network, of the same names.
  InstanceChange& network() { return *this; }
  void add_node(NodeKind kind, const std::string& name,
                const std::optional<Processor::Config>& processor = std::nullopt) {
    nodes.push_back({kind, name, processor});
  }
  void add_openflow_switch(const std::string& name, const OpenFlowSetup& setup,
                           const std::optional<Processor::Config>& processor = std::nullopt) {
    openflow_switches.push_back({name, setup, processor});
  }
  void add_interface(const std::string& node, const Interface::Config& config) {
    interfaces.push_back({node, config});
  }
  void add_route(const std::string& node, const IpPrefix& prefix, const std::optional<IpAddress>& via,
                 const std::string& interface) {
    routes[node].push_back({prefix, via, interface});
  }
  void add_application(const std::string& host, const ApplicationConfig& config) {
    applications.push_back({host, config});
  }
  void add_emulation_portal(const std::string& backend, EmulationPortal::Config config,
                            const EmulationPortalOptions& options = {}) {
    portals.push_back({backend, std::move(config), options});
  }
  void add_peer(PeeringPortal::Config config) { peers.push_back(std::move(config)); }
  void add_link(const std::string& name, const LinkEnd& a, const LinkEnd& b, const LinkModel& a_to_b,
                const LinkModel& b_to_a) {
    links.push_back({name, a, b, a_to_b, b_to_a});
  }
  // The routes of `node` are replaced, also where none are added.
  void replace_routes(const std::string& node) { routes.try_emplace(node); }

  std::vector<AddedNode> nodes;
  std::vector<AddedOpenFlowSwitch> openflow_switches;
  std::vector<AddedInterface> interfaces;
  std::vector<AddedApplication> applications;
  std::vector<AddedPortal> portals;
  std::vector<PeeringPortal::Config> peers;
  std::vector<AddedLink> links;
  SimulatedNetwork::RoutesOf routes;

  std::vector<std::string> removed_links;
  std::vector<std::string> removed_portals;
  std::vector<std::string> removed_peers;
  std::vector<std::string> removed_nodes;       // with their interfaces and applications
  std::vector<std::string> removed_interfaces;  // of nodes that stay
};

}  // namespace simcore
