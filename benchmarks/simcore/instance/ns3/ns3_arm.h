// SPDX-License-Identifier: MIT
//
// What the comparisons with ns-3 3.37 have in common: links and TCP as simcore's have them.
//
// CUBIC with SACK, 1448 bytes a segment, an initial window of ten, an acknowledgement for every second segment. ns-3's
// point-to-point frames are 36 bytes shorter than Ethernet's with preamble and gap, so the rates are lower by as much, and
// as many segments pass in a second. Queue disciplines above the devices are off.
#pragma once

#include <ns3/applications-module.h>
#include <ns3/core-module.h>
#include <ns3/internet-module.h>
#include <ns3/network-module.h>
#include <ns3/point-to-point-module.h>
#include <ns3/traffic-control-module.h>

#include <cstdint>
#include <ctime>
#include <string>
#include <vector>

namespace ns3_arm {

constexpr std::uint16_t kPort = 5001;
constexpr std::uint32_t kBuffer = 4u << 20;

// `frame`: bytes that a whole segment's frame takes on the other simulator's link.
inline ns3::PointToPointHelper link(double bits_per_second, const char* delay, const char* queue,
                                    double frame = 1538) {
  constexpr double kPointToPointFrame = 1502;
  ns3::PointToPointHelper helper;
  const auto rate = static_cast<std::uint64_t>(bits_per_second * kPointToPointFrame / frame);
  helper.SetDeviceAttribute("DataRate", ns3::DataRateValue(ns3::DataRate(rate)));
  helper.SetChannelAttribute("Delay", ns3::StringValue(delay));
  helper.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", ns3::StringValue(queue));
  return helper;
}

inline void choose_tcp() {
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

// Joins nodes by links, each a subnet of its own.
class Joiner {
 public:
  // Joins `a` and `b`. Returns the address of `a`.
  ns3::Ipv4Address join(ns3::PointToPointHelper& helper, const ns3::Ptr<ns3::Node>& a,
                        const ns3::Ptr<ns3::Node>& b) {
    devices_ = helper.Install(a, b);
    const ns3::Ipv4InterfaceContainer interfaces = addresses_.Assign(devices_);
    disciplines_.Uninstall(devices_);
    addresses_.NewNetwork();
    return interfaces.GetAddress(0);
  }

  // Of the link that was made last.
  const ns3::NetDeviceContainer& devices() const { return devices_; }

 private:
  ns3::Ipv4AddressHelper addresses_{"10.0.0.0", "255.255.255.0"};
  ns3::TrafficControlHelper disciplines_;
  ns3::NetDeviceContainer devices_;
};

// A TCP flow without end from one node to an address of another. Returns what counts at its receiver.
inline ns3::Ptr<ns3::PacketSink> add_flow(const ns3::Ptr<ns3::Node>& from, const ns3::Ptr<ns3::Node>& to,
                                          const ns3::Ipv4Address& address) {
  const std::string tcp = "ns3::TcpSocketFactory";
  ns3::PacketSinkHelper sink(tcp, ns3::InetSocketAddress(ns3::Ipv4Address::GetAny(), kPort));
  const ns3::ApplicationContainer installed = sink.Install(to);
  ns3::BulkSendHelper sender(tcp, ns3::InetSocketAddress(address, kPort));
  sender.SetAttribute("SendSize", ns3::UintegerValue(1448));
  sender.Install(from).Start(ns3::Seconds(0));
  return ns3::DynamicCast<ns3::PacketSink>(installed.Get(0));
}

inline double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

inline std::uint64_t received(const std::vector<ns3::Ptr<ns3::PacketSink>>& sinks) {
  std::uint64_t bytes = 0;
  for (const auto& sink : sinks) bytes += sink->GetTotalRx();
  return bytes;
}

}  // namespace ns3_arm
