// SPDX-License-Identifier: MIT
//
// ns3_dumbbell FLOWS SECONDS: the dumbbell of `hybridnet reproduce dumbbell` on ns-3 3.37, with single segments, as that
// has no others. Prints a JSON object: flows, simulated and processor seconds, total goodput in the second half.
//
// The same hosts, rates, delays, queues and TCP: 64 hosts on either side, 1 Gbit/s and 1 ms, queues of 1000 packets;
// 10 Gbit/s and 1 ms, 5000 packets; CUBIC with SACK, 1448 bytes a segment, an initial window of ten, an acknowledgement
// for every second segment. ns-3's point-to-point frames are 36 bytes shorter than Ethernet's with preamble and gap, so
// the rates are lower by as much, and as many segments pass in a second. Queue disciplines above the devices are off.
//
// Built only with -DSIMCORE_BENCH_NS3=ON; run by benchmarks/ns3_dumbbell.py.
#include <ns3/applications-module.h>
#include <ns3/core-module.h>
#include <ns3/internet-module.h>
#include <ns3/network-module.h>
#include <ns3/point-to-point-module.h>
#include <ns3/traffic-control-module.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

namespace {

constexpr std::uint32_t kHostsPerSide = 64;
constexpr double kEthernetFrame = 1538;
constexpr double kPointToPointFrame = 1502;
constexpr std::uint32_t kBuffer = 4u << 20;
constexpr std::uint16_t kPort = 5001;

ns3::PointToPointHelper link(double bits_per_second, const char* queue) {
  ns3::PointToPointHelper helper;
  const auto rate = static_cast<std::uint64_t>(bits_per_second * kPointToPointFrame / kEthernetFrame);
  helper.SetDeviceAttribute("DataRate", ns3::DataRateValue(ns3::DataRate(rate)));
  helper.SetChannelAttribute("Delay", ns3::StringValue("1ms"));
  helper.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", ns3::StringValue(queue));
  return helper;
}

void choose_tcp() {
  using ns3::Config::SetDefault;
  SetDefault("ns3::TcpL4Protocol::SocketType", ns3::TypeIdValue(ns3::TcpCubic::GetTypeId()));
  SetDefault("ns3::TcpSocket::SegmentSize", ns3::UintegerValue(1448));
  SetDefault("ns3::TcpSocket::InitialCwnd", ns3::UintegerValue(10));
  SetDefault("ns3::TcpSocket::DelAckCount", ns3::UintegerValue(2));
  SetDefault("ns3::TcpSocket::SndBufSize", ns3::UintegerValue(kBuffer));
  SetDefault("ns3::TcpSocket::RcvBufSize", ns3::UintegerValue(kBuffer));
  SetDefault("ns3::TcpSocketBase::Sack", ns3::BooleanValue(true));
  SetDefault("ns3::TcpSocketBase::Timestamp", ns3::BooleanValue(true));
  SetDefault("ns3::TcpSocketBase::MinRto", ns3::TimeValue(ns3::MilliSeconds(200)));
}

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::uint64_t received(const ns3::ApplicationContainer& sinks) {
  std::uint64_t bytes = 0;
  for (std::uint32_t i = 0; i < sinks.GetN(); ++i) {
    bytes += ns3::DynamicCast<ns3::PacketSink>(sinks.Get(i))->GetTotalRx();
  }
  return bytes;
}

}  // namespace

int main(int count, char** words) {
  const int flows = count == 3 ? std::atoi(words[1]) : 0;
  const double seconds = count == 3 ? std::atof(words[2]) : 0;
  if (flows < 1 || flows > static_cast<int>(kHostsPerSide) || seconds <= 0) {
    std::fprintf(stderr, "usage: ns3_dumbbell FLOWS SECONDS: 1 to %u flows\n", kHostsPerSide);
    return 2;
  }
  choose_tcp();

  ns3::NodeContainer routers(2);
  ns3::NodeContainer hosts(2 * kHostsPerSide);
  ns3::InternetStackHelper().Install(routers);
  ns3::InternetStackHelper().Install(hosts);
  ns3::PointToPointHelper access = link(1e9, "1000p");
  ns3::PointToPointHelper core = link(1e10, "5000p");
  ns3::Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
  ns3::TrafficControlHelper disciplines;
  std::vector<ns3::Ipv4Address> address_of;
  const auto join = [&](ns3::PointToPointHelper& helper, const ns3::Ptr<ns3::Node>& a,
                        const ns3::Ptr<ns3::Node>& b) {
    const ns3::NetDeviceContainer devices = helper.Install(a, b);
    const ns3::Ipv4InterfaceContainer interfaces = addresses.Assign(devices);
    disciplines.Uninstall(devices);
    addresses.NewNetwork();
    return interfaces.GetAddress(0);
  };
  for (std::uint32_t i = 0; i < hosts.GetN(); ++i) {
    address_of.push_back(join(access, hosts.Get(i), routers.Get(i / kHostsPerSide)));
  }
  join(core, routers.Get(0), routers.Get(1));
  ns3::Ipv4GlobalRoutingHelper::PopulateRoutingTables();

  ns3::ApplicationContainer sinks;
  for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(flows); ++i) {
    const std::uint32_t far = i + kHostsPerSide;
    const std::string tcp = "ns3::TcpSocketFactory";
    ns3::PacketSinkHelper sink(tcp, ns3::InetSocketAddress(ns3::Ipv4Address::GetAny(), kPort));
    sinks.Add(sink.Install(hosts.Get(far)));
    ns3::BulkSendHelper sender(tcp, ns3::InetSocketAddress(address_of[far], kPort));
    sender.SetAttribute("SendSize", ns3::UintegerValue(1448));
    sender.Install(hosts.Get(i)).Start(ns3::Seconds(0));
  }

  std::uint64_t at_half = 0;
  ns3::Simulator::Schedule(ns3::Seconds(seconds / 2), [&] { at_half = received(sinks); });
  ns3::Simulator::Stop(ns3::Seconds(seconds));
  const double began = processor_seconds();
  ns3::Simulator::Run();
  const double took = processor_seconds() - began;
  const double goodput = 8.0 * static_cast<double>(received(sinks) - at_half) / (seconds / 2);
  std::printf("{\"flows\": %d, \"simulated_s\": %g, \"processor_s\": %.3f, \"goodput_bps\": %.0f}\n", flows,
              seconds, took, goodput);
  ns3::Simulator::Destroy();
  return 0;
}
