// SPDX-License-Identifier: MIT
#include "simcore/network/network.h"

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <variant>

#include "simcore/stack/router.h"
#include "simcore/units/error.h"

namespace simcore {

namespace {

template <class Map>
auto& at(Map& map, const std::string& key, const std::string& attempt, const std::string& what) {
  const auto found = map.find(key);
  if (found == map.end()) {
    throw ConfigError(attempt + ": there is no " + what + " " + key + "; add it first");
  }
  return *found->second;
}

void check_family(bool v4, const std::string& prefix, const std::optional<IpAddress>& via) {
  if (!via || via->is_v4() == v4) return;
  throw ConfigError("add a route to " + prefix + ": its router " + via->to_string() +
                    " is of the other family; name one of " + (v4 ? "IPv4" : "IPv6"));
}

}  // namespace

void Network::add_node(NodeKind kind, const std::string& name,
                       const std::optional<Processor::Config>& processor) {
  claim("node", name);
  switch (kind) {
    case NodeKind::router: {
      auto router = std::make_unique<Router>(simulation_, pool_, name);
      stacks_[name] = router.get();
      nodes_.push_back(std::move(router));
      break;
    }
    case NodeKind::host: {
      auto host = std::make_unique<Host>(simulation_, pool_, name);
      stacks_[name] = host.get();
      hosts_[name] = host.get();
      nodes_.push_back(std::move(host));
      break;
    }
    case NodeKind::learning_switch: {
      auto bridge = std::make_unique<LearningSwitch>(simulation_, pool_, name);
      switches_[name] = bridge.get();
      nodes_.push_back(std::move(bridge));
      break;
    }
  }
  set_processor(name, processor);
}

void Network::add_openflow_switch(const std::string& name, const OpenFlowSetup& setup,
                                  const std::optional<Processor::Config>& processor) {
  claim("node", name);
  try {
    auto made = std::make_unique<OpenFlowSwitch>(simulation_, pool_, name, setup);
    openflow_[name] = made.get();
    nodes_.push_back(std::move(made));
  } catch (...) {
    release("node", name);
    throw;
  }
  set_processor(name, processor);
}

// Of the node that was added last.
void Network::set_processor(const std::string& name, const std::optional<Processor::Config>& processor) {
  if (!processor) return;
  try {
    nodes_.back()->set_processor(*processor);
  } catch (...) {
    remove_node(name);
    throw;
  }
}

void Network::add_interface(const std::string& node, const Interface::Config& config) {
  claim("interface", config.name);
  try {
    const auto add = [&]() -> Interface& {
      if (const auto bridge = switches_.find(node); bridge != switches_.end())
        return bridge->second->add_interface(config);
      if (const auto found = openflow_.find(node); found != openflow_.end())
        return found->second->add_interface(config);
      return stack(node, "add interface " + config.name).add_interface(config);
    };
    Interface& added = add();
    interfaces_[config.name] = &added;
    in_order_.push_back(&added);
  } catch (...) {
    release("interface", config.name);
    throw;
  }
}

void Network::add_route(const std::string& node, const IpPrefix& prefix, const std::optional<IpAddress>& via,
                        const std::string& interface_name) {
  const auto add = [&](const auto& of_family) {
    const std::string attempt = "add a route to " + of_family.to_string();
    constexpr bool kV4 = std::is_same_v<decltype(of_family), const Ipv4Prefix&>;
    check_family(kV4, of_family.to_string(), via);
    const Interface& out = interface(interface_name, attempt);
    if constexpr (kV4) {
      stack(node, attempt).add_route(of_family, via ? std::optional(via->v4()) : std::nullopt, out);
    } else {
      stack(node, attempt).add_route(of_family, via ? std::optional(via->v6()) : std::nullopt, out);
    }
  };
  std::visit(add, prefix);
}

DualStack::Routes Network::make_routes(const std::string& node, const std::vector<RouteConfig>& routes,
                                       const std::string& attempt) const {
  const DualStack& owner = stack(node, attempt);
  DualStack::Routes made = owner.routes_on_link();
  for (const RouteConfig& route : routes) {
    const auto add = [&](const auto& of_family) {
      constexpr bool kV4 = std::is_same_v<decltype(of_family), const Ipv4Prefix&>;
      check_family(kV4, of_family.to_string(), route.via);
      const Interface& out = interface(route.interface, attempt);
      if constexpr (kV4) {
        owner.add_route(made, of_family, route.via ? std::optional(route.via->v4()) : std::nullopt, out);
      } else {
        owner.add_route(made, of_family, route.via ? std::optional(route.via->v6()) : std::nullopt, out);
      }
    };
    std::visit(add, route.prefix);
  }
  return made;
}

void Network::forget_interface(const Interface& interface) {
  std::erase(in_order_, &interface);
  interfaces_.erase(interface.name());
  release("interface", interface.name());
}

void Network::remove_interface(const std::string& name) {
  Interface& gone = interface(name, "remove interface");
  forget_interface(gone);
  gone.node().remove_interface(gone);
}

void Network::remove_node(const std::string& name) {
  const Node& gone = node(name, "remove node");
  for (const auto& each : gone.interfaces()) forget_interface(*each);
  remove_applications(name);
  stacks_.erase(name);
  hosts_.erase(name);
  switches_.erase(name);
  openflow_.erase(name);
  release("node", name);
  std::erase_if(nodes_, [&gone](const auto& each) { return each.get() == &gone; });
}

void Network::remove_applications(const std::string& host) {
  const auto found = place_of_applications_.find(host);
  if (found == place_of_applications_.end()) return;
  const std::size_t place = found->second;
  applications_.erase(applications_.begin() + static_cast<std::ptrdiff_t>(place));
  place_of_applications_.erase(found);
  for (auto& [name, other] : place_of_applications_) other -= other > place ? 1 : 0;
}

void Network::add_application(const std::string& host, const ApplicationConfig& config) {
  applications(host, "add an application to " + host).add(config);
}

void Network::claim(const std::string& what, const std::string& name) {
  const auto [taken, fresh] = names_.try_emplace(what + " " + name, what);
  if (!fresh)
    throw ConfigError("add " + what + " " + name + ": the name is taken; names are unique in an instance");
}

Interface& Network::interface(const std::string& name, const std::string& attempt) const {
  return at(interfaces_, name, attempt, "interface");
}

Node& Network::node(const std::string& name, const std::string& attempt) const {
  if (const auto bridge = switches_.find(name); bridge != switches_.end()) return *bridge->second;
  if (const auto found = openflow_.find(name); found != openflow_.end()) return *found->second;
  return at(stacks_, name, attempt, "node");
}

DualStack& Network::stack(const std::string& node, const std::string& attempt) const {
  return at(stacks_, node, attempt, switches(node) ? "router or host" : "node");
}

Host& Network::host(const std::string& node, const std::string& attempt) const {
  const bool other = stacks_.contains(node) || switches(node);
  if (other && !hosts_.contains(node))
    throw ConfigError(attempt + ": " + node + " is not a host; add it as one");
  return at(hosts_, node, attempt, "host");
}

Applications& Network::applications(const std::string& host_name, const std::string& attempt) {
  Host& node = host(host_name, attempt);
  const auto [entry, fresh] = place_of_applications_.try_emplace(host_name, applications_.size());
  if (fresh) applications_.emplace_back(host_name, std::make_unique<Applications>(simulation_, node));
  return *applications_[entry->second].second;
}

void Network::check_joined(const std::string& attempt) const {
  const auto loose =
      std::ranges::find_if(interfaces_, [](const auto& entry) { return !entry.second->attached(); });
  if (loose != interfaces_.end()) throw ConfigError(attempt + ": no link joins interface " + loose->first);
}

void Network::announce() {
  for (auto& [name, node] : stacks_) node->announce();
}

void Network::announce(const Interface& interface) {
  const auto found = stacks_.find(interface.node().name());
  if (found != stacks_.end()) found->second->announce(interface);
}

void Network::read_applications_into(Snapshot& snapshot, std::size_t host) const {
  const auto& [name, applications] = applications_[host];
  for (const Applications::Row& row : applications->rows()) {
    SnapshotRow& added = snapshot.applications.emplace_back(
        SnapshotRow{.name = row.name, .labels = {{"node", name}}, .figures = row.figures, .dropped = {}});
    added.labels.insert(added.labels.end(), row.labels.begin(), row.labels.end());
  }
}

void Network::read_connections_into(Snapshot& snapshot, std::size_t host) const {
  const auto& [name, applications] = applications_[host];
  for (Applications::Row& row : applications->connections()) {
    SnapshotRow& added = snapshot.connections.emplace_back(SnapshotRow{.name = std::move(row.name),
                                                                       .labels = {{"node", name}},
                                                                       .figures = std::move(row.figures),
                                                                       .dropped = {}});
    added.labels.insert(added.labels.end(), row.labels.begin(), row.labels.end());
  }
}

const Interface* Network::find_interface(const std::string& name) const {
  const auto found = interfaces_.find(name);
  return found == interfaces_.end() ? nullptr : found->second;
}

}  // namespace simcore
