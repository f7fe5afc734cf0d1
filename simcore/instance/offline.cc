// SPDX-License-Identifier: MIT
#include "simcore/instance/offline.h"

#include <algorithm>
#include <utility>

#include "simcore/instance/snapshot_rows.h"
#include "simcore/units/error.h"

namespace simcore {

OfflineSimulation::OfflineSimulation(std::uint64_t seed, ByteCount memory_limit)
    : simulation_(seed), pool_(memory_limit), network_(simulation_, pool_) {}

void OfflineSimulation::add_link(const std::string& name, const std::string& a, const std::string& b,
                                 const Direction& a_to_b, const Direction& b_to_a) {
  const std::string attempt = "add link " + name;
  network_.claim("link", name);
  Interface& first = network_.interface(a, attempt);
  Interface& second = network_.interface(b, attempt);
  for (const Interface* end : {&first, &second}) {
    if (end->attached()) {
      throw ConfigError(attempt + ": " + end->name() + " is joined to another link; an end has one");
    }
  }
  lead(name, first, second, a_to_b);
  lead(name, second, first, b_to_a);
}

// Makes the direction from one interface to the other.
void OfflineSimulation::lead(const std::string& name, Interface& from, Interface& to,
                             const Direction& direction) {
  const std::string full_name = name + ":" + from.name() + ">" + to.name();
  LinkEntry entry{.from = from.name(), .to = to.name(), .link = nullptr, .loss = nullptr};
  entry.link = std::make_unique<Link>(simulation_, pool_, full_name, direction.link, watched(to, to));
  PacketSink* way_in = entry.link.get();
  if (direction.loss != 0) {
    entry.loss = std::make_unique<Loss>(simulation_, pool_, "loss of " + full_name,
                                        independent_loss(direction.loss), *entry.link);
    way_in = entry.loss.get();
  }
  from.attach(watched(from, *way_in));
  links_.push_back(std::move(entry));
}

// `sink`, or what watches that interface in front of it.
PacketSink& OfflineSimulation::watched(const Interface& interface, PacketSink& sink) {
  PacketSink* way_in = &sink;
  if (const auto found = captures_.find(interface.name()); found != captures_.end()) {
    way_in = &found->second->tap(*way_in);
  }
  if (const auto found = traces_.find(interface.name()); found != traces_.end()) {
    way_in = &found->second->tap(*way_in);
  }
  return *way_in;
}

void OfflineSimulation::add_capture(const std::string& interface, const std::string& file) {
  network_.interface(interface, "capture into " + file);
  captures_[interface] = std::make_unique<Capture>(file);
}

void OfflineSimulation::add_trace(const std::string& interface) {
  network_.interface(interface, "trace");
  traces_[interface] = std::make_unique<TcpdumpText>();
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
  auto transfer =
      std::make_unique<Transfer>(simulation_, tcp_of(client, attempt), tcp_of(server, attempt), config);
  return *(transfers_[config.name] = std::move(transfer));
}

TcpSockets& OfflineSimulation::tcp_of(const std::string& host, const std::string& attempt) {
  std::unique_ptr<TcpSockets>& sockets = tcp_[host];
  if (sockets == nullptr) sockets = std::make_unique<TcpSockets>(simulation_, network_.host(host, attempt));
  return *sockets;
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

std::vector<OfflineSimulation::LinkReport> OfflineSimulation::links() const {
  std::vector<LinkReport> reports;
  for (const LinkEntry& entry : links_) {
    LinkReport report{.row = row_of(*entry.link, entry.from, entry.to)};
    report.offered = entry.loss ? entry.loss->accepted() : entry.link->counters().accepted_packets;
    report.lost = entry.loss ? entry.loss->dropped().total() : 0;
    reports.push_back(std::move(report));
  }
  return reports;
}

const std::string& OfflineSimulation::trace(const std::string& interface) const {
  const auto found = traces_.find(interface);
  if (found == traces_.end()) {
    throw ConfigError("read the trace of " + interface + ": there is none; add it before its link");
  }
  return found->second->text();
}

}  // namespace simcore
