// SPDX-License-Identifier: MIT
#include "simcore/instance/switch_bench.h"

#include <utility>

#include "simcore/openflow/effort.h"
#include "simcore/units/error.h"

namespace simcore {

void SwitchBench::HostEnd::accept(PacketPtr packet) {
  const auto bytes = std::as_const(*packet).bytes();
  bench_.received_.push_back({name_, bench_.now(), {bytes.begin(), bytes.end()}});
}

void SwitchBench::add_host(const std::string& name) {
  network_.nodes().claim("host", name);
  hosts_[name] = std::make_unique<HostEnd>(*this, name);
}

Links::End SwitchBench::end_of(const std::string& name, const std::string& attempt) {
  const auto found = hosts_.find(name);
  if (found == hosts_.end()) return network_.end(name, attempt);
  return {.port = found->second.get(), .name = name};
}

void SwitchBench::add_link(const std::string& name, const std::string& a, const std::string& b,
                           const LinkModel& a_to_b, const LinkModel& b_to_a) {
  const std::string attempt = "add link " + name;
  network_.add_link(name, end_of(a, attempt), end_of(b, attempt), a_to_b, b_to_a);
}

std::uint64_t SwitchBench::connect(const std::string& of, openflow::Session::Kind kind) {
  start();
  const auto& all = network_.nodes().openflow_switches();
  const auto found = all.find(of);
  if (found == all.end()) {
    throw ConfigError("connect to switch " + of + ": there is none of that name; add it first");
  }
  const std::uint64_t number = ++last_;
  auto made = std::make_unique<Connection>(Connection{.of = &found->second->control()});
  made->session = &made->of->connect(kind, [this, number] { marked_.insert(number); });
  connections_[number] = std::move(made);
  return number;
}

SwitchBench::Connection& SwitchBench::connection(std::uint64_t number) {
  return const_cast<Connection&>(std::as_const(*this).connection(number));
}

const SwitchBench::Connection& SwitchBench::connection(std::uint64_t number) const {
  const auto found = connections_.find(number);
  if (found == connections_.end()) {
    throw ConfigError("connection " + std::to_string(number) +
                      ": there is none of that number; connect() gives them");
  }
  return *found->second;
}

void SwitchBench::hear(std::uint64_t number, std::span<const std::uint8_t> bytes) {
  Connection& to = connection(number);
  if (bytes.size() > to.session->room()) {
    throw ConfigError("hear " + std::to_string(bytes.size()) +
                      " bytes: the switch has no room for them now; run on, and give them again");
  }
  to.session->take_in(bytes);
  marked_.insert(number);
  serve();
}

// What the connections that are marked can do now.
void SwitchBench::serve() {
  while (!marked_.empty()) {
    const std::uint64_t number = *marked_.begin();
    marked_.erase(marked_.begin());
    const auto found = connections_.find(number);
    if (found == connections_.end()) continue;
    bool more = true;
    while (more) {
      openflow::Effort effort(openflow::kEffortAtOnce);
      more = found->second->of->handle_input(*found->second->session, effort);
    }
    marked_.erase(number);
  }
}

std::vector<std::uint8_t> SwitchBench::said(std::uint64_t number) {
  Connection& of = connection(number);
  std::vector<std::uint8_t> bytes = std::exchange(of.session->output(), {});
  if (of.session->has_work()) marked_.insert(number);
  return bytes;
}

std::vector<std::uint64_t> SwitchBench::speaking() const {
  std::vector<std::uint64_t> found;
  for (const auto& [number, each] : connections_) {
    if (!each->session->output().empty()) found.push_back(number);
  }
  return found;
}

bool SwitchBench::broken(std::uint64_t number) const { return connection(number).session->broken(); }

void SwitchBench::disconnect(std::uint64_t number) {
  Connection& over = connection(number);
  over.of->disconnect(*over.session);
  connections_.erase(number);
  marked_.erase(number);
}

void SwitchBench::send(const std::string& host, std::span<const std::uint8_t> frame) {
  start();
  const auto found = hosts_.find(host);
  if (found == hosts_.end()) {
    throw ConfigError("send from host " + host + ": there is none of that name; add it first");
  }
  if (!found->second->attached()) {
    throw ConfigError("send from host " + host + ": no link joins it; add one first");
  }
  PacketPtr packet = network_.pool().copy_of(frame);
  if (!packet) {
    throw ConfigError("send " + std::to_string(frame.size()) + " bytes from host " + host +
                      ": a frame has at most " + std::to_string(PacketPool::kLargestFrame));
  }
  packet->first_arrival = packet->last_arrival = now();
  found->second->give(std::move(packet));
}

std::vector<SwitchBench::Received> SwitchBench::received() { return std::exchange(received_, {}); }

void SwitchBench::start() {
  if (started_) return;
  network_.begin("run the bench", 0);
  started_ = true;
}

void SwitchBench::run(SimTime end) {
  if (end < now()) {
    throw ConfigError("run until " + std::to_string(end.count_ns()) + " ns: it is " +
                      std::to_string(now().count_ns()) + " ns already; time does not go back");
  }
  start();
  serve();
  Simulation& simulation = network_.simulation();
  while (received_.empty() && speaking().empty()) {
    if (!simulation.fire_next(end)) return simulation.advance_to(end);
    serve();
  }
}

}  // namespace simcore
