// SPDX-License-Identifier: MIT
//
// OfflineSimulation: one simulation in virtual time: its nodes, links and transfers, put together from typed
// values, run as fast as events can be handled, and read out.
//
//   OfflineSimulation simulation(seed);
//   simulation.network().add_node(NodeKind::host, "server");
//   simulation.network().add_interface("server", {"server-eth0", mac, address});  ...
//   simulation.add_link("path", "server-eth0", "client-eth0", down, up);
//   simulation.add_transfer("server", "client", {.name = "t", .bytes = 125'000'000});
//   simulation.run_until_finished(Duration::seconds(10'000));
//
// Nothing here is global: several run in one process, each used by one thread at a time. Every add throws
// ConfigError when a name is taken or unknown, an end is joined twice, or a value is out of its range.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "simcore/network/figure_condition.h"
#include "simcore/network/link_model.h"
#include "simcore/network/simulated_network.h"
#include "simcore/network/snapshot.h"
#include "simcore/network/standstill.h"
#include "simcore/network/timeline.h"
#include "simcore/traffic/fast_forward.h"
#include "simcore/traffic/transfer.h"
#include "simcore/traffic/transfer_ends.h"

namespace simcore {

class OfflineSimulation {
 public:
  explicit OfflineSimulation(std::uint64_t seed, ByteCount pool_limit = PacketPool::kUsualLimit)
      : network_(seed, pool_limit) {}
  OfflineSimulation(const OfflineSimulation&) = delete;
  OfflineSimulation& operator=(const OfflineSimulation&) = delete;

  // Its nodes, and what is written down of them, are added there; a link may be changed between two runs.
  SimulatedNetwork& network() { return network_; }
  const SimulatedNetwork& network() const { return network_; }

  void add_link(const std::string& name, const std::string& a, const std::string& b, const LinkModel& a_to_b,
                const LinkModel& b_to_a);

  // Where the server's address and the port are left out, they are the host's first address and a fresh port.
  const Transfer& add_transfer(const std::string& server, const std::string& client, Transfer::Config config);

  // Of transfers whose ends are added each by itself.
  TransferEnds& transfer_ends() { return transfer_ends_; }
  const TransferEnds& transfer_ends() const { return transfer_ends_; }

  // From then on time in which the transfers of transfer_ends() are steady is left out, but not beyond `end`; see FastForward,
  // also for what it throws. Only run_for() leaves out. Preconditions: all transfers are there, and nothing has run.
  void fast_forward(double error, SimTime end);
  // Null: nothing is left out.
  const FastForward* forwarded() const { return forward_ ? &*forward_ : nullptr; }

  // All run functions throw ConfigError when no link joins an interface, or a client has no route to its server.
  void run_for(Duration duration);  // or longer, by what is left out
  // What ends a run of run().
  enum class Stop : std::uint8_t { end, events, condition };
  // Up to an instant, or until so many events have been handled, or until after an event a condition holds; null: there is
  // none. In pieces it comes to the same as at once. Throws ConfigError when the instant has passed, too.
  Stop run(SimTime end, std::uint64_t most_events, const FigureCondition* until = nullptr);

  // Until every transfer has finished or failed, or for `limit`; says whether all finished.
  bool run_until_finished(Duration limit);

  // Changes at instants of simulated time to come; see Timeline. Each throws as the functions there.
  void schedule(const std::string& name, std::vector<Timeline::Entry> entries);
  std::size_t cancel(const std::string& name) { return timeline_.cancel(name)->left(); }
  std::vector<Timeline::Fired> fired(std::uint64_t from) const {
    return timeline_.fired(from, Timeline::kMostLogged);
  }

  // What has passed, with what was left out.
  SimTime now() const { return forward_ ? forward_->now() : network_.simulation().now(); }
  std::uint64_t events() const { return network_.simulation().events_fired(); }
  const Transfer& transfer(const std::string& name) const;
  Snapshot snapshot() const;
  const std::string& trace(const std::string& interface) const { return network_.taps().trace(interface); }

 private:
  void start();

  SimulatedNetwork network_;
  Standstill standstill_;
  std::map<std::string, std::unique_ptr<Transfer>> transfers_;
  TransferEnds transfer_ends_{network_};
  std::optional<FastForward> forward_;
  Timeline timeline_{network_};
  std::uint16_t next_port_ = 5001;
  bool started_ = false;
};

}  // namespace simcore
