// SPDX-License-Identifier: MIT
#include "simcore/instance/instance.h"

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
      network_(config_.seed, config_.pool_limit),
      loop_(network_.simulation(), config_.realtime) {}

Instance::~Instance() = default;

void Instance::add_emulation_portal(const std::string& backend, EmulationPortal::Config config,
                                    const EmulationPortalOptions& options) {
  network_.nodes().claim("portal", config.name);
  const std::string name = config.name;
  auto portal = make_emulation_portal(backend, network_.simulation(), loop_, network_.pool(),
                                      std::move(config), options);
  loop_.add(*portal);
  portals_[name] = std::move(portal);
}

void Instance::add_peer(PeeringPortal::Config config) {
  network_.nodes().claim("peer", config.name);
  config.token = config_.token;
  const std::string name = config.name;
  auto peer = std::make_unique<PeeringPortal>(
      network_.simulation(), network_.pool(), [this] { return loop_.wall_now(); }, config);
  loop_.add(*peer);
  peers_[name] = std::move(peer);
}

void Instance::add_record(const std::string& file, const std::string& plan) {
  network_.taps().set_recorder(std::make_unique<PortalRecorder>(network_.simulation(), file, plan,
                                                                RecordWriter::Writing::queued, realtime_ns));
}

void Instance::add_link(const std::string& name, const LinkEnd& a, const LinkEnd& b, const LinkModel& a_to_b,
                        const LinkModel& b_to_a) {
  const Links::End first = find(name, a, a_to_b.link.propagation_delay);
  const Links::End second = find(name, b, b_to_a.link.propagation_delay);
  network_.add_link(name, first, second, a_to_b, b_to_a);
}

void Instance::run() {
  check_joined();
  network_.begin("run instance " + config_.name, realtime_ns());
  loop_.run();
  network_.taps().close();
}

Snapshot Instance::snapshot(SnapshotReader::Elements elements) {
  Snapshot snapshot;
  SnapshotReader reader(network_, elements, snapshot);
  bool more = loop_.call([&] {
    read_into(snapshot);
    return reader.read_slice();
  });
  while (more) more = loop_.call([&reader] { return reader.read_slice(); });
  return snapshot;
}

void Instance::change_link(const std::string& name, const std::optional<LinkModel>& a_to_b,
                           const std::optional<LinkModel>& b_to_a, const std::string& note) {
  loop_.call([&] { network_.change_link(name, a_to_b, b_to_a, note); });
}

Links::End Instance::find(const std::string& link, const LinkEnd& end, Duration incoming_delay) {
  const std::string attempt = "add link " + link;
  if (const auto* interface = std::get_if<InterfaceEnd>(&end)) {
    return network_.end(interface->name, attempt);
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
  for (const auto& [name, portal] : portals_) {
    if (!portal->attached())
      throw ConfigError("run instance " + config_.name + ": no link joins portal " + name);
  }
}

void Instance::read_into(Snapshot& snapshot) const {
  snapshot.name = config_.name;
  snapshot.time_ns = loop_.wall_now().count_ns();
  snapshot.ready = true;
  for (const auto& [name, peer] : peers_) snapshot.ready = snapshot.ready && peer->synchronized();
  snapshot.lateness = histogram_of(loop_.lateness());
  snapshot.loop = row_of(loop_);
  for (const auto& [name, portal] : portals_) snapshot.portals.push_back(row_of(*portal));
  for (const auto& [name, peer] : peers_) snapshot.peers.push_back(row_of(*peer));
}

}  // namespace simcore
