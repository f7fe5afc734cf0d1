// SPDX-License-Identifier: MIT
#include "simcore/instance/change_procedure.h"

#include <algorithm>
#include <variant>

#include "simcore/network/snapshot_rows.h"
#include "simcore/sys/clock.h"
#include "simcore/units/error.h"

namespace simcore {

namespace {

constexpr std::size_t kShedAtOnce = 4'096;  // packets: some 0.2 ms where they are not in the cache

void put(std::set<std::string>& into, const std::string& name, const std::string& what) {
  if (into.insert(name).second) return;
  throw ConfigError("remove " + what + " " + name + ": it is named twice; name it once");
}

}  // namespace

void ChangeProcedure::run() {
  refuse_while_recorded();
  open_portals();
  try {
    list_checks();
    in_pieces(checks_);
    list_preparation();
    in_pieces(preparation_);
    list_commit();
  } catch (...) {
    std::ranges::reverse(undo_);
    in_pieces(undo_);
    close_portals();
    throw;
  }
  in_pieces(commit_);
  close_portals();
  while (instance_.loop_.call([this] { return instance_.network_.links().shed(kShedAtOnce); })) continue;
}

// A piece on the loop's thread ends with the step that takes it over kPiece.
void ChangeProcedure::in_pieces(const std::vector<Step>& steps) {
  std::size_t next = 0;
  while (next < steps.size()) {
    instance_.loop_.call([&steps, &next] {
      const std::int64_t end_ns = monotonic_ns() + kPiece.count_ns();
      do {
        steps[next++]();
      } while (next < steps.size() && monotonic_ns() < end_ns);
    });
  }
}

// What a record says of a change can be made again by a replay only where no element comes or goes.
void ChangeProcedure::refuse_while_recorded() const {
  const bool elements = !change_.nodes.empty() || !change_.openflow_switches.empty() ||
                        !change_.interfaces.empty() || !change_.portals.empty() || !change_.peers.empty() ||
                        !change_.links.empty() || !change_.removed_links.empty() ||
                        !change_.removed_portals.empty() || !change_.removed_peers.empty() ||
                        !change_.removed_nodes.empty() || !change_.removed_interfaces.empty();
  if (!elements || instance_.network_.taps().recorder() == nullptr) return;
  throw ConfigError(
      "change instance " + instance_.config_.name +
      ": it is recorded, and a replay has the nodes and links of the plan only; run it without a "
      "record, or change nothing but options of links, links up and down, and routes");
}

void ChangeProcedure::open_portals() {
  for (const InstanceChange::AddedPortal& portal : change_.portals) {
    EmulationPortal::Config config = portal.config;
    config.begins_later = true;
    opened_.push_back(make_emulation_portal(portal.backend, instance_.network_.simulation(), instance_.loop_,
                                            instance_.network_.pool(), std::move(config), portal.options));
  }
  for (const PeeringPortal::Config& peer : change_.peers) {
    PeeringPortal::Config config = peer;
    config.begins_later = true;
    opened_peers_.push_back(instance_.make_peer(std::move(config)));
  }
}

void ChangeProcedure::list_checks() {
  for (const auto& each : change_.interfaces) new_interfaces_.insert(each.config.name);
  for (const auto& each : change_.portals) loose_.insert(each.config.name);
  for (const auto& each : change_.peers) new_peers_.insert(each.name);
  for (const std::string& name : change_.removed_links)
    checks_.emplace_back([this, &name] { check_removed_link(name); });
  for (const std::string& name : change_.removed_nodes)
    checks_.emplace_back([this, &name] { check_removed_node(name); });
  for (const std::string& name : change_.removed_interfaces) {
    checks_.emplace_back([this, &name] {
      put(removed_interfaces_, name, "interface");
      check_free(name, "remove interface " + name);
    });
  }
  for (const std::string& name : change_.removed_portals)
    checks_.emplace_back([this, &name] { check_removed_portal(name); });
  for (const std::string& name : change_.removed_peers)
    checks_.emplace_back([this, &name] { check_removed_peer(name); });
  for (const auto& link : change_.links) checks_.emplace_back([this, &link] { check_added_link(link); });
  checks_.emplace_back([this] { check_portals(); });
}

void ChangeProcedure::check_removed_link(const std::string& name) {
  put(removed_links_, name, "link");
  const auto ends = instance_.network_.links().ends(name, "remove link " + name);
  freed_.insert(ends.first.port);
  freed_.insert(ends.second.port);
}

void ChangeProcedure::check_removed_node(const std::string& name) {
  put(removed_nodes_, name, "node");
  const std::string attempt = "remove node " + name;
  for (const auto& interface : instance_.network_.nodes().node(name, attempt).interfaces()) {
    put(removed_interfaces_, interface->name(), "interface");
    check_free(interface->name(), attempt);
  }
}

void ChangeProcedure::check_removed_portal(const std::string& name) {
  put(removed_portals_, name, "portal");
  const auto found = instance_.portals_.find(name);
  const std::string attempt = "remove portal " + name + ": ";
  if (found == instance_.portals_.end()) throw ConfigError(attempt + "there is none of that name");
  if (!freed_.contains(found->second.get()))
    throw ConfigError(attempt + "a link joins it; remove that in the same change");
}

void ChangeProcedure::check_removed_peer(const std::string& name) {
  put(removed_peers_, name, "peer");
  const auto found = instance_.peers_.find(name);
  const std::string attempt = "remove peer " + name + ": ";
  if (found == instance_.peers_.end()) throw ConfigError(attempt + "there is none of that name");
  for (const PeeringChannel* const channel : found->second->channels()) {
    if (!freed_.contains(channel))
      throw ConfigError(attempt + "a cut link leads to it; remove that in the same change");
  }
}

// That no link joins the interface, once those are gone that this change removes.
void ChangeProcedure::check_free(const std::string& interface, const std::string& attempt) const {
  const Interface& found = instance_.network_.nodes().interface(interface, attempt);
  if (!found.attached() || freed_.contains(&found)) return;
  throw ConfigError(attempt + ": a link joins its interface " + interface +
                    "; remove that in the same change");
}

// That it finds two ends that are free then.
void ChangeProcedure::check_added_link(const InstanceChange::AddedLink& link) {
  const std::string attempt = "add link " + link.name;
  const auto refuse = [&attempt](bool holds, const std::string& why) {
    if (holds) throw ConfigError(attempt + ": " + why);
  };
  for (const LinkEnd* const end : {&link.a, &link.b}) {
    if (const auto* const interface = std::get_if<InterfaceEnd>(end)) {
      refuse(removed_interfaces_.contains(interface->name), interface->name + " is removed by this change");
      refuse(!joined_.insert("interface " + interface->name).second, interface->name + " is joined twice");
      if (!new_interfaces_.contains(interface->name)) check_free(interface->name, attempt);
    } else if (const auto* const portal = std::get_if<PortalEnd>(end)) {
      refuse(removed_portals_.contains(portal->name), portal->name + " is removed by this change");
      refuse(!joined_.insert("portal " + portal->name).second, portal->name + " is joined twice");
      if (loose_.erase(portal->name) > 0) continue;
      const auto found = instance_.portals_.find(portal->name);
      refuse(found == instance_.portals_.end(), "there is no portal " + portal->name + "; add it first");
      refuse(!freed_.contains(found->second.get()),
             portal->name + " is joined to another link; remove that in the same change");
      paused_.insert(portal->name);
    } else {
      const auto& channel = std::get<ChannelEnd>(*end);
      refuse(removed_peers_.contains(channel.peer), "peer " + channel.peer + " is removed by this change");
      if (new_peers_.contains(channel.peer)) continue;
      const auto found = instance_.peers_.find(channel.peer);
      refuse(found == instance_.peers_.end(), "there is no peer " + channel.peer + "; add it first");
      refuse(found->second->has_channel(channel.channel),
             "channel " + channel.name() + " is in use; take another number, or remove its link before");
    }
  }
}

// That none is without a link afterwards.
void ChangeProcedure::check_portals() const {
  if (!loose_.empty())
    throw ConfigError("add portal " + *loose_.begin() + ": no link of this change joins it");
  for (const auto& [name, portal] : instance_.portals_) {
    if (!freed_.contains(portal.get()) || removed_portals_.contains(name) || paused_.contains(name)) continue;
    throw ConfigError("change instance " + instance_.config_.name + ": portal " + name +
                      " would have no link; remove it, too");
  }
}

void ChangeProcedure::list_preparation() {
  SimulatedNetwork& network = instance_.network_;
  undo_.emplace_back([this] { links_.clear(); });
  for (const auto& node : change_.nodes) {
    preparation_.emplace_back([this, &network, &node] {
      network.add_node(node.kind, node.name, node.processor);
      undo_.emplace_back([&network, &node] { network.nodes().remove_node(node.name); });
    });
  }
  for (const auto& node : change_.openflow_switches) {
    preparation_.emplace_back([this, &network, &node] {
      network.add_openflow_switch(node.name, node.setup, node.processor);
      undo_.emplace_back([&network, &node] { network.nodes().remove_node(node.name); });
      instance_.connect_switch(node.name);
      undo_.emplace_back([this, &node] { instance_.disconnect_switch(node.name); });
    });
  }
  for (const auto& interface : change_.interfaces) {
    preparation_.emplace_back([this, &network, &interface] {
      if (removed_nodes_.contains(interface.node))
        throw ConfigError("add interface " + interface.config.name + ": " + interface.node +
                          " is removed by this change");
      network.add_interface(interface.node, interface.config);
      undo_.emplace_back([&network, &interface] { network.nodes().remove_interface(interface.config.name); });
    });
  }
  for (auto& portal : opened_) {
    preparation_.emplace_back([this, &portal] { prepare_portal(std::move(portal)); });
  }
  for (auto& peer : opened_peers_) {
    preparation_.emplace_back([this, &peer] { prepare_peer(std::move(peer)); });
  }
  for (const auto& link : change_.links) {
    preparation_.emplace_back([this, &link] { prepare_link(link); });
  }
  for (const auto& [node, routes] : change_.routes) {
    preparation_.emplace_back([this, &of = node, &given = routes] { check_routes(of, given); });
  }
  for (const auto& application : change_.applications) {
    preparation_.emplace_back([this, &network, &application] {
      if (std::ranges::find(change_.nodes, application.host, &InstanceChange::AddedNode::name) ==
          change_.nodes.end())
        throw ConfigError("add an application to " + application.host +
                          ": the host runs already; add applications with their host");
      network.add_application(application.host, application.config);
    });
  }
}

void ChangeProcedure::prepare_portal(std::unique_ptr<EmulationPortal> portal) {
  const std::string name = portal->name();
  EmulationPortal& added = *closing_.emplace_back(std::move(portal));  // where it stays if this fails
  instance_.network_.nodes().claim("portal", name);
  undo_.emplace_back([this, name] {
    const auto found = instance_.portals_.find(name);
    if (found != instance_.portals_.end()) {
      instance_.forget_carrier(*found->second);
      closing_.push_back(std::move(found->second));
      instance_.portals_.erase(found);
    }
    instance_.network_.nodes().release("portal", name);
  });
  added.begin();
  instance_.portals_[name] = std::move(closing_.back());
  closing_.pop_back();
}

void ChangeProcedure::prepare_peer(std::unique_ptr<PeeringPortal> peer) {
  const std::string name = peer->name();
  closing_peers_.push_back(std::move(peer));  // where it stays if this fails
  instance_.network_.nodes().claim("peer", name);
  undo_.emplace_back([this, name] {
    const auto found = instance_.peers_.find(name);
    closing_peers_.push_back(std::move(found->second));
    instance_.peers_.erase(found);
    instance_.network_.nodes().release("peer", name);
  });
  instance_.peers_[name] = std::move(closing_peers_.back());
  closing_peers_.pop_back();
}

void ChangeProcedure::prepare_link(const InstanceChange::AddedLink& link) {
  SimulatedNetwork& network = instance_.network_;
  network.nodes().claim("link", link.name);
  undo_.emplace_back([&network, &link] { network.nodes().release("link", link.name); });
  const auto find = [&](const LinkEnd& end, const LinkModel& out) {
    Links::End found = instance_.find(link.name, end, out.link.propagation_delay);
    if (const auto* const channel = std::get_if<ChannelEnd>(&end)) {
      undo_.emplace_back(
          [this, channel] { instance_.peers_.at(channel->peer)->remove_channel(channel->channel); });
    }
    return found;
  };
  const Links::End first = find(link.a, link.a_to_b);
  const Links::End second = find(link.b, link.b_to_a);
  links_.push_back(network.links().prepare(link.name, first, second, link.a_to_b, link.b_to_a));
  for (const auto& carrier : {instance_.carrier_of(link.a, link.b), instance_.carrier_of(link.b, link.a)}) {
    if (carrier) carriers_.push_back(*carrier);
  }
}

void ChangeProcedure::check_routes(const std::string& node, const std::vector<RouteConfig>& routes) const {
  const std::string attempt = "set the routes of " + node;
  if (removed_nodes_.contains(node)) throw ConfigError(attempt + ": it is removed by this change");
  for (const RouteConfig& route : routes) {
    if (removed_interfaces_.contains(route.interface))
      throw ConfigError(attempt + ": " + route.interface + " is removed by this change");
  }
  instance_.network_.nodes().make_routes(node, routes, attempt);
}

// What follows cannot fail.
void ChangeProcedure::list_commit() {
  SimulatedNetwork& network = instance_.network_;
  // Nothing may come in where no link is.
  for (const std::string& name : removed_portals_) commit_.emplace_back([this, &name] { unwatch(name); });
  for (const std::string& name : paused_) commit_.emplace_back([this, &name] { unwatch(name); });
  for (const std::string& name : change_.removed_links)
    commit_.emplace_back([this, &name] { remove_link(name); });
  for (std::size_t i = 0; i < links_.size(); ++i)
    commit_.emplace_back([this, &network, i] { network.links().join(std::move(links_[i])); });
  for (const Instance::Carrier& carrier : carriers_)
    commit_.emplace_back([this, &carrier] { instance_.follow(carrier); });
  for (const std::string& name : removed_peers_) commit_.emplace_back([this, &name] { remove_peer(name); });
  for (const PeeringPortal::Config& added : change_.peers) {
    commit_.emplace_back([this, &added] {
      PeeringPortal& peer = *instance_.peers_.at(added.name);
      instance_.loop_.add(peer);
      peer.begin();
    });
  }
  for (const std::string& name : removed_portals_) {
    commit_.emplace_back([this, &network, &name] {
      const auto found = instance_.portals_.find(name);
      instance_.forget_carrier(*found->second);
      closing_.push_back(std::move(found->second));
      instance_.portals_.erase(found);
      network.nodes().release("portal", name);
    });
  }
  for (const std::string& name : paused_)
    commit_.emplace_back([this, &name] { instance_.loop_.add(*instance_.portals_.at(name)); });
  for (const auto& portal : change_.portals)
    commit_.emplace_back(
        [this, &portal] { instance_.loop_.add(*instance_.portals_.at(portal.config.name)); });
  for (const std::string& name : change_.removed_interfaces)
    commit_.emplace_back([&network, &name] { network.remove_interface(name); });
  for (const std::string& name : change_.removed_nodes)
    commit_.emplace_back([this, &network, &name] {
      instance_.disconnect_switch(name);
      network.remove_node(name);
    });
  for (const auto& [node, routes] : change_.routes) {
    commit_.emplace_back([this, &network, &of = node, &given = routes] {
      routes_.emplace_back(&network.nodes().stack(of, "change"),
                           network.nodes().make_routes(of, given, "change"));
    });
  }
  commit_.emplace_back([this, &network] {
    for (auto& [stack, routes] : routes_) stack->exchange_routes(routes);
    if (network.taps().recorder() != nullptr) network.taps().recorder()->note_change(note_);
  });
  // Whoever knew another neighbour there learns of this one.
  for (const auto& link : change_.links) {
    for (const LinkEnd* const end : {&link.a, &link.b}) {
      const auto* const interface = std::get_if<InterfaceEnd>(end);
      if (interface == nullptr) continue;
      commit_.emplace_back([&network, interface] {
        network.nodes().announce(network.nodes().interface(interface->name, "announce"));
      });
    }
  }
}

void ChangeProcedure::remove_link(const std::string& name) {
  const auto ends = instance_.network_.links().ends(name, "remove link " + name);
  instance_.network_.remove_link(name);
  for (const Links::End& end : {ends.first, ends.second}) {
    if (end.channel == nullptr) continue;
    for (const auto& [peer, portal] : instance_.peers_) {
      if (portal->has_channel(end.channel->id()) && ChannelEnd{peer, end.channel->id()}.name() == end.name) {
        portal->remove_channel(end.channel->id());
        break;
      }
    }
  }
}

void ChangeProcedure::remove_peer(const std::string& name) {
  const auto found = instance_.peers_.find(name);
  PeeringPortal& peer = *found->second;
  instance_.loop_.remove(peer);
  peer.end();
  instance_.network_.removed().add("peers", row_of(peer));
  closing_peers_.push_back(std::move(found->second));
  instance_.peers_.erase(found);
  instance_.network_.nodes().release("peer", name);
}

void ChangeProcedure::unwatch(const std::string& portal) {
  instance_.loop_.remove(*instance_.portals_.at(portal));
}

void ChangeProcedure::close_portals() {
  for (const auto& portal : closing_) portal->stop_capture();
  std::vector<Step> steps;
  for (const auto& portal : closing_) {
    steps.emplace_back([this, &portal] {
      portal->drop_all();
      if (removed_portals_.contains(portal->name()))
        instance_.network_.removed().add("portals", row_of(*portal));
    });
  }
  in_pieces(steps);
  closing_.clear();
  closing_peers_.clear();
}

}  // namespace simcore
