// SPDX-License-Identifier: MIT
//
// ns3_dumbbell FLOWS SECONDS: the dumbbell of `hybridnet reproduce dumbbell` on ns-3 3.37, with single segments, as that
// has no others. Prints a JSON object: flows, simulated and processor seconds, total goodput in the second half.
//
// The same hosts, rates, delays and queues, and TCP as ns3_arm.h has it: 64 hosts on either side, 1 Gbit/s and 1 ms, queues
// of 1000 packets; 10 Gbit/s and 1 ms, 5000 packets.
//
// Built only with -DSIMCORE_BENCH_NS3=ON; run by benchmarks/ns3_dumbbell.py.
#include <cstdio>
#include <cstdlib>

#include "benchmarks/simcore/instance/ns3/ns3_arm.h"

namespace {

constexpr std::uint32_t kHostsPerSide = 64;

}  // namespace

int main(int count, char** words) {
  const int flows = count == 3 ? std::atoi(words[1]) : 0;
  const double seconds = count == 3 ? std::atof(words[2]) : 0;
  if (flows < 1 || flows > static_cast<int>(kHostsPerSide) || seconds <= 0) {
    std::fprintf(stderr, "usage: ns3_dumbbell FLOWS SECONDS: 1 to %u flows\n", kHostsPerSide);
    return 2;
  }
  ns3_arm::choose_tcp();

  ns3::NodeContainer routers(2);
  ns3::NodeContainer hosts(2 * kHostsPerSide);
  ns3::InternetStackHelper().Install(routers);
  ns3::InternetStackHelper().Install(hosts);
  ns3::PointToPointHelper access = ns3_arm::link(1e9, "1ms", "1000p");
  ns3::PointToPointHelper core = ns3_arm::link(1e10, "1ms", "5000p");
  ns3_arm::Joiner joiner;
  std::vector<ns3::Ipv4Address> address_of;
  for (std::uint32_t i = 0; i < hosts.GetN(); ++i) {
    address_of.push_back(joiner.join(access, hosts.Get(i), routers.Get(i / kHostsPerSide)));
  }
  joiner.join(core, routers.Get(0), routers.Get(1));
  ns3::Ipv4GlobalRoutingHelper::PopulateRoutingTables();

  std::vector<ns3::Ptr<ns3::PacketSink>> sinks;
  for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(flows); ++i) {
    const std::uint32_t far = i + kHostsPerSide;
    sinks.push_back(ns3_arm::add_flow(hosts.Get(i), hosts.Get(far), address_of[far]));
  }

  std::uint64_t at_half = 0;
  ns3::Simulator::Schedule(ns3::Seconds(seconds / 2), [&] { at_half = ns3_arm::received(sinks); });
  ns3::Simulator::Stop(ns3::Seconds(seconds));
  const double began = ns3_arm::processor_seconds();
  ns3::Simulator::Run();
  const double took = ns3_arm::processor_seconds() - began;
  const double goodput = 8.0 * static_cast<double>(ns3_arm::received(sinks) - at_half) / (seconds / 2);
  std::printf("{\"flows\": %d, \"simulated_s\": %g, \"processor_s\": %.3f, \"goodput_bps\": %.0f}\n", flows,
              seconds, took, goodput);
  ns3::Simulator::Destroy();
  return 0;
}
