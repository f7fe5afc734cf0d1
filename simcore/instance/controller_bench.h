// SPDX-License-Identifier: MIT
//
// ControllerBench: OpenFlow switches that keep a controller busy, in real time, over real TCP connections: each switch has
// hosts that begin one flow after the other (FlowLoad). The switches are joined to nothing but their hosts and the controller.
//
//   ControllerBench bench({.switches = 16, .hosts = 16, .controller = "tcp:127.0.0.1:6653"});
//   bench.run();                              // until stop(), on a thread of its own
//   bench.progress();  bench.announce();  bench.load(1);  bench.take();        // from any other thread
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "simcore/instance/flow_load.h"
#include "simcore/kernel/simulation.h"
#include "simcore/network/simulated_network.h"
#include "simcore/portal/openflow_portal.h"
#include "simcore/realtime/run_loop.h"

namespace simcore {

class ControllerBench {
 public:
  struct Config {
    std::uint32_t switches;  // 1 to kMostSwitches
    std::uint32_t hosts;     // of each switch, 2 to kMostHosts; of all together, kMostHostsInAll
    std::string controller;  // as StreamAddress::parse reads it
    std::vector<std::string> protocols = {"OpenFlow13"};
    Duration patience = Duration::seconds(10);  // of a host, for the answer to its frame; > 0
  };
  static constexpr std::uint32_t kMostSwitches = 100'000;
  static constexpr std::uint32_t kMostHosts = 1'000;
  static constexpr std::uint32_t kMostHostsInAll = 400'000;
  static constexpr std::size_t kMostUnderWay = 1'000;  // of one switch

  struct Progress {
    std::uint64_t connected = 0;  // switches that the controller has greeted
    std::uint64_t asking = 0;     // that have asked it
    std::uint64_t announced = 0;  // whose hosts have announced themselves
  };
  // What happened since the last take(), or since the beginning.
  struct Figures {
    FlowLoad::Counts set_ups;
    std::uint64_t least_of_a_switch = 0;  // set-ups answered
    std::uint64_t most_of_a_switch = 0;
    std::uint64_t packet_ins = 0;
    std::uint64_t packet_ins_dropped = 0;  // the controller was too slow for its connection
    std::uint64_t packet_outs = 0;
    std::uint64_t flow_mods = 0;  // of the controller, and those by which the loads delete flows
    std::uint64_t errors = 0;     // of what the controller asked
    std::uint64_t lost = 0;       // connections
    std::int64_t wall_ns = 0;
    std::int64_t cpu_ns = 0;  // of the loop's thread
  };

  // Throws ConfigError when a figure is out of its range, or the address is none.
  explicit ControllerBench(Config config);
  ControllerBench(const ControllerBench&) = delete;
  ControllerBench& operator=(const ControllerBench&) = delete;

  // Runs until stop(). Called once. Throws what RunLoop::run throws.
  void run();
  // From any thread or signal handler.
  void stop() { loop_.stop(); }

  // From any thread but the loop's.
  Progress progress();
  // Hosts say where they are.
  void announce();
  // From now on each switch has so many frames under way, 0 to kMostUnderWay; throws ConfigError for others. Once all
  // hosts have announced themselves.
  void load(std::size_t window);
  Figures take();

 private:
  void add_switch(std::uint32_t number);
  void look_after();
  Figures totals() const;

  static constexpr Duration kLook = Duration::ms(50);

  Config config_;
  SimulatedNetwork network_;
  RunLoop loop_;
  OpenFlowPortal portal_;
  FlowLoad::Counts counts_;
  std::vector<std::unique_ptr<FlowLoad>> loads_;
  Figures taken_;                        // what totals() was at the last take()
  std::vector<std::uint64_t> answered_;  // the same of each load
  EventFor<ControllerBench, &ControllerBench::look_after, "a look at the switches' loads"> due_{*this};
};

}  // namespace simcore
