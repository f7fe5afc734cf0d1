// SPDX-License-Identifier: MIT
//
// OfflineSimulation: one simulation in virtual time: its nodes, links and transfers, put together from typed
// values, run as fast as events can be handled, and read out.
//
//   OfflineSimulation simulation(seed);
//   simulation.add_node(NodeKind::host, "server");
//   simulation.add_interface("server", {"server-eth0", mac, address});  ...
//   simulation.add_link("path", "server-eth0", "client-eth0", down, up);
//   simulation.add_transfer("server", "client", {.name = "t", .bytes = 125'000'000});
//   simulation.run_until_finished(Duration::seconds(10'000));
//
// Nothing here is global: several run in one process, each used by one thread at a time. Every add throws
// ConfigError when a name is taken or unknown, an end is joined twice, or a value is out of its range.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "simcore/kernel/simulation.h"
#include "simcore/network/link_model.h"
#include "simcore/network/links.h"
#include "simcore/network/network.h"
#include "simcore/network/snapshot.h"
#include "simcore/network/taps.h"
#include "simcore/packet/packet_pool.h"
#include "simcore/traffic/transfer.h"

namespace simcore {

class OfflineSimulation {
 public:
  explicit OfflineSimulation(std::uint64_t seed,
                             ByteCount memory_limit = ByteCount::bytes(std::int64_t{1} << 30));
  OfflineSimulation(const OfflineSimulation&) = delete;
  OfflineSimulation& operator=(const OfflineSimulation&) = delete;

  void add_node(NodeKind kind, const std::string& name,
                const std::optional<Processor::Config>& processor = std::nullopt) {
    network_.add_node(kind, name, processor);
  }
  void add_interface(const std::string& node, const Interface::Config& config) {
    network_.add_interface(node, config);
  }
  void add_route(const std::string& node, const IpPrefix& prefix, const std::optional<IpAddress>& via,
                 const std::string& interface) {
    network_.add_route(node, prefix, via, interface);
  }
  void add_application(const std::string& host, const ApplicationConfig& config) {
    network_.add_application(host, config);
  }
  void add_link(const std::string& name, const std::string& a, const std::string& b, const LinkModel& a_to_b,
                const LinkModel& b_to_a);
  // As Links::change, between two runs.
  void change_link(const std::string& name, const std::optional<LinkModel>& a_to_b,
                   const std::optional<LinkModel>& b_to_a) {
    links_.change(name, a_to_b, b_to_a);
  }

  // What passes between the interface and its link: as a pcap file, or as lines of text. Before that link is added.
  void add_capture(const std::string& interface, const std::string& file);
  void add_trace(const std::string& interface);

  // Where the server's address and the port are left out, they are the host's first address and a fresh port.
  const Transfer& add_transfer(const std::string& server, const std::string& client, Transfer::Config config);

  // Both run functions throw ConfigError when no link joins an interface, or a client has no route to its server.
  void run_for(Duration duration);
  // Until every transfer has finished or failed, or for `limit`; says whether all finished.
  bool run_until_finished(Duration limit);

  SimTime now() const { return simulation_.now(); }
  std::uint64_t events() const { return simulation_.events_fired(); }
  const Transfer& transfer(const std::string& name) const;
  Snapshot snapshot() const;
  const std::string& trace(const std::string& interface) const { return taps_.trace(interface); }

 private:
  void start();

  Simulation simulation_;
  PacketPool pool_;
  Network network_;
  Taps taps_;
  Links links_;
  std::map<std::string, std::unique_ptr<Transfer>> transfers_;
  std::uint16_t next_port_ = 5001;
  bool started_ = false;
};

}  // namespace simcore
