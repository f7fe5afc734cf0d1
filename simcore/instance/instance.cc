// SPDX-License-Identifier: MIT
#include "simcore/instance/instance.h"

#include <exception>
#include <future>
#include <utility>

#include "simcore/instance/snapshot_rows.h"
#include "simcore/node/host.h"
#include "simcore/node/router.h"
#include "simcore/sys/clock.h"
#include "simcore/units/error.h"

namespace simcore {

namespace {

template <class Map>
auto& at(Map& map, const std::string& key, const std::string& attempt, const std::string& what) {
  const auto found = map.find(key);
  if (found == map.end()) {
    throw ConfigError(attempt + ": there is no " + what + " " + key + "; add it first");
  }
  return found->second;
}

}  // namespace

Instance::Instance(Config config)
    : config_(std::move(config)),
      simulation_(config_.seed),
      pool_(config_.memory_limit),
      loop_(simulation_, config_.realtime) {}

Instance::~Instance() = default;

void Instance::add_node(NodeKind kind, const std::string& name) {
  claim("node", name);
  switch (kind) {
    case NodeKind::router: {
      auto router = std::make_unique<Router>(simulation_, pool_, name);
      stacks_[name] = router.get();
      nodes_.push_back(std::move(router));
      return;
    }
    case NodeKind::host: {
      auto host = std::make_unique<Host>(simulation_, pool_, name);
      stacks_[name] = host.get();
      nodes_.push_back(std::move(host));
      return;
    }
    case NodeKind::learning_switch: {
      auto bridge = std::make_unique<LearningSwitch>(simulation_, pool_, name);
      switches_[name] = bridge.get();
      nodes_.push_back(std::move(bridge));
      return;
    }
  }
}

void Instance::add_interface(const std::string& node, const Interface::Config& config) {
  claim("interface", config.name);
  const auto found = switches_.find(node);
  interfaces_[config.name] = found != switches_.end()
                                 ? &found->second->add_interface(config)
                                 : &stack(node, "add interface " + config.name).add_interface(config);
}

void Instance::add_route(const std::string& node, Ipv4Prefix prefix, std::optional<Ipv4Address> via,
                         const std::string& interface) {
  const std::string attempt = "add a route to " + prefix.to_string();
  stack(node, attempt).add_route(prefix, via, *at(interfaces_, interface, attempt, "interface"));
}

void Instance::add_application(const std::string& host, const ApplicationConfig& config) {
  const std::string attempt = "add an application to " + host;
  auto* const node = dynamic_cast<Host*>(&stack(host, attempt));
  if (node == nullptr) throw ConfigError(attempt + ": it is a router; applications run on hosts");
  auto& applications = applications_[host];
  if (!applications) applications = std::make_unique<Applications>(simulation_, *node);
  applications->add(config);
}

void Instance::add_emulation_portal(const std::string& backend, EmulationPortal::Config config,
                                    const EmulationPortalOptions& options) {
  claim("portal", config.name);
  const std::string name = config.name;
  auto portal = make_emulation_portal(backend, simulation_, loop_, pool_, std::move(config), options);
  loop_.add(*portal);
  portals_[name] = std::move(portal);
}

void Instance::add_peer(PeeringPortal::Config config) {
  claim("peer", config.name);
  config.token = config_.token;
  const std::string name = config.name;
  auto peer = std::make_unique<PeeringPortal>(
      simulation_, pool_, [this] { return loop_.wall_now(); }, config);
  loop_.add(*peer);
  peers_[name] = std::move(peer);
}

void Instance::add_capture(const std::string& interface, const std::string& file) {
  at(interfaces_, interface, "capture into " + file, "interface");
  captures_[interface] = std::make_unique<Capture>(file);
}

void Instance::add_link(const std::string& name, const LinkEnd& a, const LinkEnd& b, const LinkModel& a_to_b,
                        const LinkModel& b_to_a) {
  claim("link", name);
  const End first = find(name, a, a_to_b.link.propagation_delay);
  const End second = find(name, b, b_to_a.link.propagation_delay);
  for (const End& end : {first, second}) {
    if (end.port->attached()) {
      throw ConfigError("add link " + name + ": " + end.name + " is joined to another link; an end has one");
    }
  }
  lead(name, true, first, second, a_to_b);
  lead(name, false, second, first, b_to_a);
}

void Instance::run() {
  check_joined();
  for (auto& [interface, capture] : captures_) capture->writer().set_epoch(realtime_ns());
  for (auto& [name, node] : stacks_) node->announce();
  loop_.run();
  for (auto& [interface, capture] : captures_) capture->writer().close();
}

Snapshot Instance::snapshot() {
  std::promise<Snapshot> answer;
  std::future<Snapshot> answered = answer.get_future();
  loop_.post([this, &answer] { answer.set_value(read()); });
  return answered.get();
}

void Instance::change_link(const std::string& name, const std::optional<LinkModel>& a_to_b,
                           const std::optional<LinkModel>& b_to_a) {
  std::promise<void> answer;
  std::future<void> answered = answer.get_future();
  loop_.post([&] {
    try {
      change(name, a_to_b, b_to_a);
      answer.set_value();
    } catch (const Error&) {
      answer.set_exception(std::current_exception());
    }
  });
  answered.get();
}

void Instance::change(const std::string& name, const std::optional<LinkModel>& a_to_b,
                      const std::optional<LinkModel>& b_to_a) {
  LinkEntry& forward = direction(name, true);
  LinkEntry& backward = direction(name, false);
  const LinkModel before = forward.link->model();
  if (a_to_b) change(forward, *a_to_b);
  try {
    if (b_to_a) change(backward, *b_to_a);
  } catch (const Error&) {
    change(forward, before);
    throw;
  }
}

void Instance::change(LinkEntry& entry, const LinkModel& model) {
  const PacketSink* const before = &entry.link->entrance();
  entry.link->change(model);
  if (&entry.link->entrance() != before) entry.from.port->attach(watched(entry.from, entry.link->entrance()));
}

Instance::LinkEntry& Instance::direction(const std::string& name, bool forward) {
  for (LinkEntry& entry : links_) {
    if (entry.name != name) continue;
    if (entry.cut) {
      throw ConfigError(
          "change link " + name +
          ": it is a cut link, whose delay the peer applies; cut links keep their configuration");
    }
    if (entry.forward == forward) return entry;
  }
  throw ConfigError("change link " + name + ": there is no such link");
}

Instance::End Instance::find(const std::string& link, const LinkEnd& end, Duration incoming_delay) {
  const std::string attempt = "add link " + link;
  if (const auto* interface = std::get_if<InterfaceEnd>(&end)) {
    return {at(interfaces_, interface->name, attempt, "interface"), interface->name, false};
  }
  if (const auto* portal = std::get_if<PortalEnd>(&end)) {
    return {at(portals_, portal->name, attempt, "portal").get(), portal->name, false};
  }
  const auto& channel = std::get<ChannelEnd>(end);
  PeeringPortal& peer = *at(peers_, channel.peer, attempt, "peer");
  return {&peer.channel(channel.channel, incoming_delay),
          channel.peer + ":" + std::to_string(channel.channel), true};
}

// Makes the direction from one end to the other.
void Instance::lead(const std::string& name, bool forward, const End& from, const End& to,
                    const LinkModel& model) {
  PacketSink& sink = watched(to, *to.port);
  const std::string full_name = name + ":" + from.name + ">" + to.name;
  if (from.peer) {
    if (!model.extra_delay) return from.port->attach(sink);
    receiving_.push_back(std::make_unique<VariableDelay>(simulation_, pool_, full_name + "/delay",
                                                         model.extra_delay, model.in_order, sink));
    return from.port->attach(*receiving_.back());
  }
  LinkModel local = model;
  if (to.peer) {  // the peer delays
    local.link.propagation_delay = Duration::zero();
    local.extra_delay = nullptr;
  }
  auto link = std::make_unique<ModelledLink>(simulation_, pool_, full_name, local, sink);
  from.port->attach(watched(from, link->entrance()));
  links_.push_back({name, forward, to.peer, from, to.name, std::move(link)});
}

// `sink`, or the capture of that end in front of it.
PacketSink& Instance::watched(const End& end, PacketSink& sink) {
  const auto found = end.peer ? captures_.end() : captures_.find(end.name);
  return found == captures_.end() ? sink : found->second->tap(sink);
}

Ipv4Stack& Instance::stack(const std::string& node, const std::string& attempt) {
  return *at(stacks_, node, attempt, switches_.contains(node) ? "router or host" : "node");
}

void Instance::claim(const std::string& what, const std::string& name) {
  const auto [taken, fresh] = names_.try_emplace(what + " " + name, what);
  if (!fresh)
    throw ConfigError("add " + what + " " + name + ": the name is taken; names are unique in an instance");
}

void Instance::check_joined() const {
  for (const auto& [name, interface] : interfaces_) {
    if (!interface->attached())
      throw ConfigError("run instance " + config_.name + ": no link joins interface " + name);
  }
  for (const auto& [name, portal] : portals_) {
    if (!portal->attached())
      throw ConfigError("run instance " + config_.name + ": no link joins portal " + name);
  }
}

Snapshot Instance::read() const {
  Snapshot snapshot;
  snapshot.name = config_.name;
  snapshot.time_ns = loop_.wall_now().count_ns();
  snapshot.ready = true;
  for (const auto& [name, peer] : peers_) snapshot.ready = snapshot.ready && peer->synchronized();
  snapshot.lateness = histogram_of(loop_.lateness());
  snapshot.loop = row_of(loop_);
  snapshot.pool = row_of(pool_);
  for (const auto& delay : receiving_) add(snapshot.pool.dropped, delay->dropped());
  for (const LinkEntry& entry : links_)
    snapshot.links.push_back(row_of(*entry.link, entry.from.name, entry.to));
  for (const auto& [name, portal] : portals_) snapshot.portals.push_back(row_of(*portal));
  for (const auto& [name, peer] : peers_) snapshot.peers.push_back(row_of(*peer));
  for (const auto& node : nodes_) {
    snapshot.nodes.push_back(row_of(*node));
    for (const auto& interface : node->interfaces()) snapshot.interfaces.push_back(row_of(*interface));
  }
  for (const auto& [host, applications] : applications_) {
    for (const Applications::Row& row : applications->rows()) {
      snapshot.applications.push_back(
          {.name = row.name, .labels = {{"node", host}}, .figures = row.figures, .dropped = {}});
    }
  }
  return snapshot;
}

}  // namespace simcore
