// SPDX-License-Identifier: MIT
//
// OfflineSimulation: one simulation in virtual time: its nodes, links and transfers, put together from typed
// values, run as fast as events can be handled, and read out.
//
//   OfflineSimulation simulation(seed);
//   simulation.add_node(NodeKind::host, "server");
//   simulation.add_interface("server", {"server-eth0", mac, address});  ...
//   simulation.add_link("path", "server-eth0", "client-eth0", {.link = down, .loss = 0.01}, {.link = up});
//   simulation.add_transfer("server", "client", {.name = "t", .bytes = 125'000'000});
//   simulation.run_until_finished(Duration::seconds(10'000));
//
// Nothing here is global: several run in one process, each used by one thread at a time. Every add throws
// ConfigError when a name is taken or unknown, an end is joined twice, or a value is out of its range.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "simcore/instance/network.h"
#include "simcore/instance/snapshot.h"
#include "simcore/instance/transfer.h"
#include "simcore/kernel/simulation.h"
#include "simcore/link/link.h"
#include "simcore/link/loss.h"
#include "simcore/trace/capture.h"
#include "simcore/trace/tcpdump_text.h"
#include "simcore/wire/packet_pool.h"

namespace simcore {

class OfflineSimulation {
 public:
  // One direction of a link, and the part of its segments that is lost in front of it.
  struct Direction {
    Link::Config link;
    double loss = 0;
  };
  // What a direction of a link did.
  struct LinkReport {
    SnapshotRow row;            // its counters
    std::uint64_t offered = 0;  // segments that came to the loss in front of it
    std::uint64_t lost = 0;     // of these
  };

  explicit OfflineSimulation(std::uint64_t seed,
                             ByteCount memory_limit = ByteCount::bytes(std::int64_t{1} << 30));
  OfflineSimulation(const OfflineSimulation&) = delete;
  OfflineSimulation& operator=(const OfflineSimulation&) = delete;

  void add_node(NodeKind kind, const std::string& name) { network_.add_node(kind, name); }
  void add_interface(const std::string& node, const Interface::Config& config) {
    network_.add_interface(node, config);
  }
  void add_route(const std::string& node, Ipv4Prefix prefix, std::optional<Ipv4Address> via,
                 const std::string& interface) {
    network_.add_route(node, prefix, via, interface);
  }
  void add_link(const std::string& name, const std::string& a, const std::string& b, const Direction& a_to_b,
                const Direction& b_to_a);

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
  std::vector<LinkReport> links() const;
  const std::string& trace(const std::string& interface) const;

 private:
  struct LinkEntry {
    std::string from;
    std::string to;
    std::unique_ptr<Link> link;
    std::unique_ptr<Loss> loss;  // null without any
  };

  void lead(const std::string& name, Interface& from, Interface& to, const Direction& direction);
  PacketSink& watched(const Interface& interface, PacketSink& sink);
  TcpSockets& tcp_of(const std::string& host, const std::string& attempt);
  void start();

  Simulation simulation_;
  PacketPool pool_;
  Network network_;
  std::map<std::string, std::unique_ptr<Capture>> captures_;
  std::map<std::string, std::unique_ptr<TcpdumpText>> traces_;
  std::vector<LinkEntry> links_;
  std::map<std::string, std::unique_ptr<TcpSockets>> tcp_;  // by host
  std::map<std::string, std::unique_ptr<Transfer>> transfers_;
  std::uint16_t next_port_ = 5001;
  bool started_ = false;
};

}  // namespace simcore
