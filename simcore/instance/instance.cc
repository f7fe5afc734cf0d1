// SPDX-License-Identifier: MIT
#include "simcore/instance/instance.h"

#include <exception>
#include <future>
#include <utility>

#include "simcore/network/snapshot_rows.h"
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
  return *found->second;
}

}  // namespace

Instance::Instance(Config config)
    : config_(std::move(config)),
      simulation_(config_.seed),
      pool_(config_.memory_limit),
      loop_(simulation_, config_.realtime),
      network_(simulation_, pool_),
      links_(simulation_, pool_, taps_) {}

Instance::~Instance() = default;

void Instance::add_emulation_portal(const std::string& backend, EmulationPortal::Config config,
                                    const EmulationPortalOptions& options) {
  network_.claim("portal", config.name);
  const std::string name = config.name;
  auto portal = make_emulation_portal(backend, simulation_, loop_, pool_, std::move(config), options);
  loop_.add(*portal);
  portals_[name] = std::move(portal);
}

void Instance::add_peer(PeeringPortal::Config config) {
  network_.claim("peer", config.name);
  config.token = config_.token;
  const std::string name = config.name;
  auto peer = std::make_unique<PeeringPortal>(
      simulation_, pool_, [this] { return loop_.wall_now(); }, config);
  loop_.add(*peer);
  peers_[name] = std::move(peer);
}

void Instance::add_capture(const std::string& interface, const std::string& file) {
  network_.interface(interface, "capture into " + file);
  taps_.add_capture(interface, file);
}

void Instance::add_record(const std::string& file, const std::string& plan) {
  taps_.set_recorder(
      std::make_unique<PortalRecorder>(simulation_, file, plan, RecordWriter::Writing::queued, realtime_ns));
}

void Instance::add_link(const std::string& name, const LinkEnd& a, const LinkEnd& b, const LinkModel& a_to_b,
                        const LinkModel& b_to_a) {
  network_.claim("link", name);
  const Links::End first = find(name, a, a_to_b.link.propagation_delay);
  const Links::End second = find(name, b, b_to_a.link.propagation_delay);
  links_.add(name, first, second, a_to_b, b_to_a);
}

void Instance::run() {
  check_joined();
  taps_.begin(realtime_ns());
  network_.announce();
  loop_.run();
  taps_.close();
}

Snapshot Instance::snapshot(bool of_elements) {
  std::promise<Snapshot> answer;
  std::future<Snapshot> answered = answer.get_future();
  loop_.post([this, &answer, of_elements] { answer.set_value(read(of_elements)); });
  return answered.get();
}

void Instance::change_link(const std::string& name, const std::optional<LinkModel>& a_to_b,
                           const std::optional<LinkModel>& b_to_a, const std::string& note) {
  std::promise<void> answer;
  std::future<void> answered = answer.get_future();
  loop_.post([&] {
    try {
      links_.change(name, a_to_b, b_to_a);
      if (taps_.recorder() != nullptr) taps_.recorder()->note_change(note);
      answer.set_value();
    } catch (const Error&) {
      answer.set_exception(std::current_exception());
    }
  });
  answered.get();
}

Links::End Instance::find(const std::string& link, const LinkEnd& end, Duration incoming_delay) {
  const std::string attempt = "add link " + link;
  if (const auto* interface = std::get_if<InterfaceEnd>(&end)) {
    return {&network_.interface(interface->name, attempt), interface->name};
  }
  if (const auto* portal = std::get_if<PortalEnd>(&end)) {
    EmulationPortal& found = at(portals_, portal->name, attempt, "portal");
    const auto entering = [&found] {
      const std::int64_t stamp_ns = found.entering_realtime_ns();
      return stamp_ns != 0 ? stamp_ns : realtime_ns();
    };
    return {.port = &found, .name = portal->name, .portal = true, .wall_clock = entering};
  }
  const auto& channel = std::get<ChannelEnd>(end);
  PeeringPortal& peer = at(peers_, channel.peer, attempt, "peer");
  PeeringChannel& port = peer.channel(channel.channel, incoming_delay);
  return {.port = &port, .name = channel.name(), .peer = true, .channel = &port};
}

void Instance::check_joined() const {
  network_.check_joined("run instance " + config_.name);
  for (const auto& [name, portal] : portals_) {
    if (!portal->attached())
      throw ConfigError("run instance " + config_.name + ": no link joins portal " + name);
  }
}

Snapshot Instance::read(bool of_elements) const {
  Snapshot snapshot;
  snapshot.name = config_.name;
  snapshot.time_ns = loop_.wall_now().count_ns();
  snapshot.ready = true;
  for (const auto& [name, peer] : peers_) snapshot.ready = snapshot.ready && peer->synchronized();
  snapshot.lateness = histogram_of(loop_.lateness());
  snapshot.loop = row_of(loop_);
  snapshot.pool = row_of(pool_);
  add_to(snapshot.pool.dropped, links_.dropped_from_peers());
  if (taps_.recorder() != nullptr) snapshot.record = taps_.recorder()->row();
  for (const auto& [name, portal] : portals_) snapshot.portals.push_back(row_of(*portal));
  for (const auto& [name, peer] : peers_) snapshot.peers.push_back(row_of(*peer));
  network_.read_applications_into(snapshot);
  if (!of_elements) return snapshot;
  snapshot.links = links_.rows();
  network_.read_nodes_into(snapshot);
  return snapshot;
}

}  // namespace simcore
