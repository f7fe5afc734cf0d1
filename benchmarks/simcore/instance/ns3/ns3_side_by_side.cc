// SPDX-License-Identifier: MIT
//
// ns3_side_by_side FILE: a workload of benchmarks/side_by_side.py on ns-3 3.37. FILE is as that writes it. Prints a JSON
// object: each flow's completion time in seconds, processor seconds of the simulation, events, packets that links have
// carried, packets that queues have dropped, and how often a flow lost so much that it waited for a timeout.
//
// A queue holds 99 packets beside the one that is being sent. Routers take the way that FILE says for each destination,
// found by index; ns-3's own global routing has one way for all flows, or another one for each packet, and walks through
// lists. Without IPv6, and without queue disciplines above the devices.
//
// Built only with -DSIMCORE_BENCH_NS3=ON; run by benchmarks/side_by_side.py.
#include <cstdio>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/simcore/instance/ns3/ns3_arm.h"

namespace {

constexpr std::uint32_t kPorts = 8;  // of a router
constexpr std::uint32_t kHalf = kPorts / 2;
constexpr std::uint32_t kPod = kHalf * kHalf;  // hosts of one
constexpr std::uint32_t kHosts = kPorts * kPod;
constexpr std::uint32_t kMss = 1460;
constexpr double kFrame = 1514;  // bytes, of a whole segment
constexpr std::uint32_t kBuffer = 512u << 10;
constexpr double kLimitS = 60;

struct Flow {
  std::uint32_t source;
  std::uint32_t destination;
  std::uint64_t bytes;
  std::uint64_t received = 0;
  double completion_s = -1;
};

struct Workload {
  std::vector<Flow> flows;
  std::vector<std::string> edges;         // a digit for each host: up which link
  std::vector<std::string> aggregations;  // the same
};

bool read(const char* path, Workload& workload) {
  std::ifstream file(path);
  std::size_t count = 0;
  file >> count;
  for (std::size_t i = 0; i < count; ++i) {
    Flow flow{};
    file >> flow.source >> flow.destination >> flow.bytes;
    if (!file || flow.source >= kHosts || flow.destination >= kHosts) return false;
    workload.flows.push_back(flow);
  }
  for (std::vector<std::string>* layer : {&workload.edges, &workload.aggregations}) {
    for (std::uint32_t i = 0; i < kPorts * kHalf; ++i) {
      std::string digits;
      file >> digits;
      if (digits.size() != kHosts || digits.find_first_not_of("0123") != std::string::npos) return false;
      layer->push_back(digits);
    }
  }
  return count > 0;
}

using Routes = std::vector<ns3::Ptr<ns3::Ipv4Route>>;  // to each host, by its number

// Finds a route by the host's number.
class ToldRoutes : public ns3::Ipv4RoutingProtocol {
 public:
  ToldRoutes(Routes to, bool forwards) : to_(std::move(to)), forwards_(forwards) {}

  ns3::Ptr<ns3::Ipv4Route> RouteOutput(ns3::Ptr<ns3::Packet>, const ns3::Ipv4Header& header,
                                       ns3::Ptr<ns3::NetDevice>, ns3::Socket::SocketErrno& error) override {
    error = ns3::Socket::ERROR_NOTERROR;
    return route_to(header);
  }

  bool RouteInput(ns3::Ptr<const ns3::Packet> packet, const ns3::Ipv4Header& header,
                  ns3::Ptr<const ns3::NetDevice> device, UnicastForwardCallback forward,
                  MulticastForwardCallback, LocalDeliverCallback deliver, ErrorCallback) override {
    if (forwards_) {
      forward(route_to(header), packet, header);
    } else {
      deliver(packet, header, static_cast<std::uint32_t>(ipv4_->GetInterfaceForDevice(device)));
    }
    return true;
  }

  void NotifyInterfaceUp(std::uint32_t) override {}
  void NotifyInterfaceDown(std::uint32_t) override {}
  void NotifyAddAddress(std::uint32_t, ns3::Ipv4InterfaceAddress) override {}
  void NotifyRemoveAddress(std::uint32_t, ns3::Ipv4InterfaceAddress) override {}
  void SetIpv4(ns3::Ptr<ns3::Ipv4> ipv4) override { ipv4_ = ns3::PeekPointer(ipv4); }
  void PrintRoutingTable(ns3::Ptr<ns3::OutputStreamWrapper>, ns3::Time::Unit) const override {}

 private:
  // Host i is in 10.0.i.0/24.
  const ns3::Ptr<ns3::Ipv4Route>& route_to(const ns3::Ipv4Header& header) const {
    return to_[(header.GetDestination().Get() >> 8) & 0xff];
  }

  Routes to_;
  bool forwards_;
  ns3::Ipv4* ipv4_ = nullptr;
};

ns3::Ptr<ns3::Ipv4Route> route(const ns3::Ptr<ns3::NetDevice>& device, ns3::Ipv4Address source) {
  ns3::Ptr<ns3::Ipv4Route> made = ns3::Create<ns3::Ipv4Route>();
  made->SetSource(source);
  made->SetGateway(ns3::Ipv4Address::GetZero());  // the link has only one other end
  made->SetOutputDevice(device);
  return made;
}

void tell(const ns3::Ptr<ns3::Node>& node, const Routes& to, bool forwards) {
  node->GetObject<ns3::Ipv4>()->SetRoutingProtocol(ns3::CreateObject<ToldRoutes>(to, forwards));
}

void choose_tcp() {
  using ns3::Config::SetDefault;
  SetDefault("ns3::TcpL4Protocol::SocketType", ns3::TypeIdValue(ns3::TcpNewReno::GetTypeId()));
  SetDefault("ns3::TcpL4Protocol::RecoveryType", ns3::TypeIdValue(ns3::TcpClassicRecovery::GetTypeId()));
  SetDefault("ns3::TcpSocket::SegmentSize", ns3::UintegerValue(kMss));
  SetDefault("ns3::TcpSocket::InitialCwnd", ns3::UintegerValue(10));
  SetDefault("ns3::TcpSocket::DelAckCount", ns3::UintegerValue(1));
  SetDefault("ns3::TcpSocket::SndBufSize", ns3::UintegerValue(kBuffer));
  SetDefault("ns3::TcpSocket::RcvBufSize", ns3::UintegerValue(kBuffer));
  SetDefault("ns3::TcpSocketBase::Sack", ns3::BooleanValue(false));
  SetDefault("ns3::TcpSocketBase::Timestamp", ns3::BooleanValue(false));
  SetDefault("ns3::TcpSocketBase::MinRto", ns3::TimeValue(ns3::MilliSeconds(250)));
}

std::size_t unfinished = 0;
std::uint64_t timeouts = 0;
std::uint64_t dropped = 0;

void on_bytes(Flow* flow, ns3::Ptr<const ns3::Packet> packet, const ns3::Address&) {
  flow->received += packet->GetSize();
  if (flow->received < flow->bytes || flow->completion_s >= 0) return;
  flow->completion_s = ns3::Simulator::Now().GetSeconds();
  if (--unfinished == 0) ns3::Simulator::Stop();
}

// A full device stops the layer above it, which then drops what comes.
void on_drop(ns3::Ptr<const ns3::Packet>) { ++dropped; }

void on_state(ns3::TcpSocketState::TcpCongState_t, ns3::TcpSocketState::TcpCongState_t now) {
  if (now == ns3::TcpSocketState::CA_LOSS) ++timeouts;
}

void watch(ns3::Ptr<ns3::BulkSendApplication> sender) {
  sender->GetSocket()->TraceConnectWithoutContext("CongState", ns3::MakeCallback(&on_state));
}

}  // namespace

int main(int count, char** words) {
  Workload workload;
  if (count != 2 || !read(words[1], workload)) {
    std::fprintf(stderr,
                 "usage: ns3_side_by_side FILE: a workload as benchmarks/side_by_side.py writes it\n");
    return 2;
  }
  choose_tcp();

  ns3::NodeContainer core(kHalf * kHalf);
  ns3::NodeContainer aggregation(kPorts * kHalf);
  ns3::NodeContainer edge(kPorts * kHalf);
  ns3::NodeContainer hosts(kHosts);
  ns3::InternetStackHelper stack;
  stack.SetIpv6StackInstall(false);
  for (const ns3::NodeContainer& nodes : {core, aggregation, edge, hosts}) {
    stack.Install(nodes);
    for (auto node = nodes.Begin(); node != nodes.End(); ++node) {
      (*node)->GetObject<ns3::TrafficControlLayer>()->TraceConnectWithoutContext("TcDrop",
                                                                                 ns3::MakeCallback(&on_drop));
    }
  }

  using Devices = std::vector<std::vector<ns3::Ptr<ns3::NetDevice>>>;
  Devices edge_down(edge.GetN());
  Devices edge_up(edge.GetN());
  Devices aggregation_down(aggregation.GetN());
  Devices aggregation_up(aggregation.GetN());
  Devices core_down(core.GetN());
  std::vector<ns3::Ptr<ns3::NetDevice>> devices;
  std::vector<ns3::Ipv4Address> address_of;
  ns3::PointToPointHelper links = ns3_arm::link(1e10, "1us", "99p", kFrame);
  ns3_arm::Joiner joiner;
  const auto join = [&](const ns3::Ptr<ns3::Node>& a, const ns3::Ptr<ns3::Node>& b) {
    const ns3::Ipv4Address address = joiner.join(links, a, b);
    for (std::uint32_t end = 0; end < 2; ++end) devices.push_back(joiner.devices().Get(end));
    return address;
  };
  for (std::uint32_t host = 0; host < kHosts; ++host) {
    address_of.push_back(join(hosts.Get(host), edge.Get(host / kHalf)));
    edge_down[host / kHalf].push_back(devices.back());
    const auto out = route(devices[devices.size() - 2], address_of[host]);
    tell(hosts.Get(host), Routes(kHosts, out), false);
  }
  for (std::uint32_t each = 0; each < edge.GetN(); ++each) {
    for (std::uint32_t up = 0; up < kHalf; ++up) {
      const std::uint32_t above = each / kHalf * kHalf + up;
      join(edge.Get(each), aggregation.Get(above));
      edge_up[each].push_back(devices[devices.size() - 2]);
      aggregation_down[above].push_back(devices.back());
    }
  }
  for (std::uint32_t each = 0; each < aggregation.GetN(); ++each) {
    for (std::uint32_t up = 0; up < kHalf; ++up) {
      const std::uint32_t above = each % kHalf * kHalf + up;
      join(aggregation.Get(each), core.Get(above));
      aggregation_up[each].push_back(devices[devices.size() - 2]);
      core_down[above].push_back(devices.back());
    }
  }

  const auto way = [](const ns3::Ptr<ns3::NetDevice>& device) {
    return route(device, ns3::Ipv4Address::GetZero());
  };
  const auto digit = [](const std::string& digits, std::uint32_t host) {
    return static_cast<std::size_t>(digits[host] - '0');
  };
  for (std::uint32_t each = 0; each < edge.GetN(); ++each) {
    Routes to;
    for (std::uint32_t host = 0; host < kHosts; ++host) {
      to.push_back(way(host / kHalf == each ? edge_down[each][host % kHalf]
                                            : edge_up[each][digit(workload.edges[each], host)]));
    }
    tell(edge.Get(each), to, true);
  }
  for (std::uint32_t each = 0; each < aggregation.GetN(); ++each) {
    Routes to;
    for (std::uint32_t host = 0; host < kHosts; ++host) {
      to.push_back(way(host / kPod == each / kHalf
                           ? aggregation_down[each][host / kHalf % kHalf]
                           : aggregation_up[each][digit(workload.aggregations[each], host)]));
    }
    tell(aggregation.Get(each), to, true);
  }
  for (std::uint32_t each = 0; each < core.GetN(); ++each) {
    Routes to;
    for (std::uint32_t host = 0; host < kHosts; ++host) to.push_back(way(core_down[each][host / kPod]));
    tell(core.Get(each), to, true);
  }

  unfinished = workload.flows.size();
  std::uint16_t port = ns3_arm::kPort;
  const std::string tcp = "ns3::TcpSocketFactory";
  for (Flow& flow : workload.flows) {
    ns3::PacketSinkHelper sink(tcp, ns3::InetSocketAddress(ns3::Ipv4Address::GetAny(), port));
    const ns3::ApplicationContainer taking = sink.Install(hosts.Get(flow.destination));
    taking.Get(0)->TraceConnectWithoutContext("Rx", ns3::MakeBoundCallback(&on_bytes, &flow));
    ns3::BulkSendHelper source(tcp, ns3::InetSocketAddress(address_of[flow.destination], port));
    source.SetAttribute("SendSize", ns3::UintegerValue(kMss));
    source.SetAttribute("MaxBytes", ns3::UintegerValue(flow.bytes));
    ns3::ApplicationContainer sending = source.Install(hosts.Get(flow.source));
    sending.Start(ns3::Seconds(0));
    ns3::Simulator::Schedule(ns3::NanoSeconds(1), &watch,
                             ns3::DynamicCast<ns3::BulkSendApplication>(sending.Get(0)));
    ++port;
  }

  ns3::Simulator::Stop(ns3::Seconds(kLimitS));
  const double began = ns3_arm::processor_seconds();
  ns3::Simulator::Run();
  const double took = ns3_arm::processor_seconds() - began;

  std::uint64_t passages = 0;
  for (const auto& device : devices) {
    const auto queue = ns3::DynamicCast<ns3::PointToPointNetDevice>(device)->GetQueue();
    passages += queue->GetTotalReceivedPackets();
    dropped += queue->GetTotalDroppedPackets();
  }
  std::printf("{\"completion_s\": [");
  for (const Flow& flow : workload.flows) {
    std::printf(&flow == workload.flows.data() ? "" : ", ");
    if (flow.completion_s < 0) {
      std::printf("null");
    } else {
      std::printf("%.9f", flow.completion_s);
    }
  }
  std::printf(
      "], \"processor_s\": %.4f, \"events\": %llu, \"passages\": %llu, \"dropped\": %llu, \"timeouts\": "
      "%llu}\n",
      took, static_cast<unsigned long long>(ns3::Simulator::GetEventCount()),
      static_cast<unsigned long long>(passages), static_cast<unsigned long long>(dropped),
      static_cast<unsigned long long>(timeouts));
  ns3::Simulator::Destroy();
  return 0;
}
