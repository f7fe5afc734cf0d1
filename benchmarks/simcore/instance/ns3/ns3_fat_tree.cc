// SPDX-License-Identifier: MIT
//
// ns3_fat_tree SEED SECONDS: the fat tree of benchmarks/fat_tree_flows.py on ns-3 3.37: k = 8, 128 hosts, 80 routers, a TCP
// flow from each host to the one 64 further on. Prints a JSON object: simulated seconds, processor seconds of all and of
// the simulation alone, and total goodput.
//
// The same rates, delays, queues and losses, and TCP as ns3_arm.h has it. Where several ways are equally short, one is
// taken. No link between routers is full, so it makes no difference which.
//
// Built only with -DSIMCORE_BENCH_NS3=ON; run by benchmarks/ns3_fat_tree.py.
#include <cstdio>
#include <cstdlib>

#include "benchmarks/simcore/instance/ns3/ns3_arm.h"

namespace {

constexpr std::uint32_t kPorts = 8;  // of a router
constexpr std::uint32_t kHalf = kPorts / 2;
constexpr std::uint32_t kHosts = kPorts * kHalf * kHalf;
constexpr double kLoss = 1e-4;

}  // namespace

int main(int count, char** words) {
  const long seed = count == 3 ? std::atol(words[1]) : 0;
  const double seconds = count == 3 ? std::atof(words[2]) : 0;
  if (seed < 1 || seconds <= 0) {
    std::fprintf(stderr, "usage: ns3_fat_tree SEED SECONDS: both above 0\n");
    return 2;
  }
  ns3::RngSeedManager::SetSeed(static_cast<std::uint32_t>(seed));
  ns3_arm::choose_tcp();

  ns3::NodeContainer core(kHalf * kHalf);
  ns3::NodeContainer aggregation(kPorts * kHalf);
  ns3::NodeContainer edge(kPorts * kHalf);
  ns3::NodeContainer hosts(kHosts);
  for (const ns3::NodeContainer& nodes : {core, aggregation, edge, hosts}) {
    ns3::InternetStackHelper().Install(nodes);
  }
  ns3::PointToPointHelper fabric = ns3_arm::link(1e10, "10us", "1000p");
  ns3::PointToPointHelper access = ns3_arm::link(1e8, "10us", "100p");
  ns3_arm::Joiner joiner;
  for (std::uint32_t each = 0; each < aggregation.GetN(); ++each) {
    for (std::uint32_t up = 0; up < kHalf; ++up) {
      joiner.join(fabric, aggregation.Get(each), core.Get(each % kHalf * kHalf + up));
      joiner.join(fabric, edge.Get(each), aggregation.Get(each / kHalf * kHalf + up));
    }
  }
  std::vector<ns3::Ipv4Address> address_of;
  for (std::uint32_t i = 0; i < kHosts; ++i) {
    address_of.push_back(joiner.join(access, hosts.Get(i), edge.Get(i / kHalf)));
    for (std::uint32_t end = 0; end < 2; ++end) {
      const auto errors = ns3::CreateObject<ns3::RateErrorModel>();
      errors->SetUnit(ns3::RateErrorModel::ERROR_UNIT_PACKET);
      errors->SetRate(kLoss);
      joiner.devices().Get(end)->SetAttribute("ReceiveErrorModel", ns3::PointerValue(errors));
    }
  }
  ns3::Ipv4GlobalRoutingHelper::PopulateRoutingTables();

  std::vector<ns3::Ptr<ns3::PacketSink>> sinks;
  for (std::uint32_t i = 0; i < kHosts; ++i) {
    const std::uint32_t far = (i + kHosts / 2) % kHosts;
    sinks.push_back(ns3_arm::add_flow(hosts.Get(i), hosts.Get(far), address_of[far]));
  }

  ns3::Simulator::Stop(ns3::Seconds(seconds));
  const double began = ns3_arm::processor_seconds();
  ns3::Simulator::Run();
  const double took = ns3_arm::processor_seconds() - began;
  const double goodput = 8.0 * static_cast<double>(ns3_arm::received(sinks)) / seconds;
  std::printf("{\"simulated_s\": %g, \"all_s\": %.3f, \"processor_s\": %.3f, \"goodput_bps\": %.0f}\n",
              seconds, ns3_arm::processor_seconds(), took, goodput);
  ns3::Simulator::Destroy();
  return 0;
}
