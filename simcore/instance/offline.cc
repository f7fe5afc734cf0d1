// SPDX-License-Identifier: MIT
#include "simcore/instance/offline.h"

#include <algorithm>
#include <utility>

#include "simcore/network/snapshot_rows.h"
#include "simcore/units/error.h"

namespace simcore {

OfflineSimulation::OfflineSimulation(std::uint64_t seed, ByteCount memory_limit)
    : simulation_(seed),
      pool_(memory_limit),
      network_(simulation_, pool_),
      links_(simulation_, pool_, taps_) {}

void OfflineSimulation::add_link(const std::string& name, const std::string& a, const std::string& b,
                                 const LinkModel& a_to_b, const LinkModel& b_to_a) {
  const std::string attempt = "add link " + name;
  network_.claim("link", name);
  links_.add(name, {&network_.interface(a, attempt), a}, {&network_.interface(b, attempt), b}, a_to_b,
             b_to_a);
}

void OfflineSimulation::add_capture(const std::string& interface, const std::string& file) {
  network_.interface(interface, "capture into " + file);
  taps_.add_capture(interface, file);
}

void OfflineSimulation::add_trace(const std::string& interface) {
  network_.interface(interface, "trace");
  taps_.add_trace(interface);
}

const Transfer& OfflineSimulation::add_transfer(const std::string& server, const std::string& client,
                                                Transfer::Config config) {
  const std::string attempt = "add transfer " + config.name;
  network_.claim("transfer", config.name);
  const Host& host = network_.host(server, attempt);
  const auto addressed = std::find_if(host.interfaces().begin(), host.interfaces().end(),
                                      [](const auto& interface) { return interface->address().has_value(); });
  if (addressed == host.interfaces().end()) {
    throw ConfigError(attempt + ": host " + server + " has no address; add an interface with one");
  }
  config.server_address = (*addressed)->address()->address();
  config.port = next_port_++;
  TcpSockets& asking = network_.applications(client, attempt).tcp();
  TcpSockets& answering = network_.applications(server, attempt).tcp();
  auto transfer = std::make_unique<Transfer>(simulation_, asking, answering, config);
  return *(transfers_[config.name] = std::move(transfer));
}

void OfflineSimulation::start() {
  if (started_) return;
  network_.check_joined("run the simulation");
  network_.announce();
  started_ = true;
}

void OfflineSimulation::run_for(Duration duration) {
  start();
  simulation_.run_until(simulation_.now() + duration);
}

bool OfflineSimulation::run_until_finished(Duration limit) {
  start();
  const SimTime end = simulation_.now() + limit;
  for (const auto& [name, transfer] : transfers_) {
    while (!transfer->finished() && !transfer->failed() && simulation_.fire_next(end)) continue;
  }
  return std::all_of(transfers_.begin(), transfers_.end(),
                     [](const auto& entry) { return entry.second->finished(); });
}

const Transfer& OfflineSimulation::transfer(const std::string& name) const {
  const auto found = transfers_.find(name);
  if (found == transfers_.end()) throw ConfigError("read transfer " + name + ": there is none of that name");
  return *found->second;
}

Snapshot OfflineSimulation::snapshot() const {
  Snapshot snapshot;
  snapshot.name = "offline";
  snapshot.time_ns = simulation_.now().count_ns();
  snapshot.ready = true;
  snapshot.pool = row_of(pool_);
  snapshot.links = links_.rows();
  network_.read_nodes_into(snapshot);
  network_.read_applications_into(snapshot);
  return snapshot;
}

}  // namespace simcore
