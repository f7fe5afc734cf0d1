// SPDX-License-Identifier: MIT
#include "simcore/instance/offline.h"

#include <algorithm>
#include <string>
#include <utility>

#include "simcore/network/snapshot_reader.h"
#include "simcore/units/error.h"

namespace simcore {

void OfflineSimulation::add_link(const std::string& name, const std::string& a, const std::string& b,
                                 const LinkModel& a_to_b, const LinkModel& b_to_a) {
  const std::string attempt = "add link " + name;
  network_.add_link(name, network_.end(a, attempt), network_.end(b, attempt), a_to_b, b_to_a);
}

const Transfer& OfflineSimulation::add_transfer(const std::string& server, const std::string& client,
                                                Transfer::Config config) {
  const std::string attempt = "add transfer " + config.name;
  network_.nodes().claim("transfer", config.name);
  const Host& host = network_.nodes().host(server, attempt);
  const auto addressed = std::find_if(host.interfaces().begin(), host.interfaces().end(),
                                      [](const auto& interface) { return interface->address().has_value(); });
  if (addressed == host.interfaces().end()) {
    throw ConfigError(attempt + ": host " + server + " has no address; add an interface with one");
  }
  config.server_address = (*addressed)->address()->address();
  config.port = next_port_++;
  TcpSockets& asking = network_.nodes().applications(client, attempt).tcp();
  TcpSockets& answering = network_.nodes().applications(server, attempt).tcp();
  auto transfer = std::make_unique<Transfer>(network_.simulation(), asking, answering, config);
  return *(transfers_[config.name] = std::move(transfer));
}

void OfflineSimulation::schedule(const std::string& name, std::vector<Timeline::Entry> entries) {
  for (const Timeline::Entry& entry : entries) timeline_.check(entry);
  timeline_.add(std::make_unique<Timeline::Line>(name, std::move(entries)));
}

void OfflineSimulation::start() {
  if (started_) return;
  network_.begin("run the simulation", 0);
  started_ = true;
}

void OfflineSimulation::fast_forward(double error, SimTime end) {
  forward_.emplace(network_.simulation(), transfer_ends_, error, end);
}

void OfflineSimulation::run_for(Duration duration) {
  start();
  if (forward_) return forward_->run_for(duration, standstill_);
  standstill_.run_until(network_.simulation(), now() + duration);
}

OfflineSimulation::Stop OfflineSimulation::run(SimTime end, std::uint64_t most_events,
                                               const FigureCondition* until) {
  if (end < now()) {
    throw ConfigError("run until " + std::to_string(end.count_ns()) + " ns: it is " +
                      std::to_string(now().count_ns()) + " ns already; time does not go back");
  }
  start();
  Simulation& simulation = network_.simulation();
  for (std::uint64_t events = 0; events < most_events; ++events) {
    if (!simulation.fire_next(end)) {
      simulation.advance_to(end);
      return Stop::end;
    }
    if (until != nullptr && until->holds()) return Stop::condition;
  }
  return Stop::events;
}

bool OfflineSimulation::run_until_finished(Duration limit) {
  start();
  const SimTime end = now() + limit;
  for (const auto& [name, transfer] : transfers_) {
    while (!transfer->finished() && !transfer->failed() && network_.simulation().fire_next(end)) {
      standstill_.look(now(), 1);
    }
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
  snapshot.time_ns = now().count_ns();
  snapshot.ready = true;
  read_all(network_, snapshot);
  for (std::size_t host = 0; host < network_.nodes().applications().size(); ++host) {
    network_.nodes().read_connections_into(snapshot, host);
  }
  return snapshot;
}

}  // namespace simcore
