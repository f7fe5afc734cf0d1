// SPDX-License-Identifier: MIT
//
// IPv6 frames for tests, as frames.h has those of IPv4.
#pragma once

#include "simcore/packet/icmpv6.h"
#include "simcore/packet/ip_header.h"
#include "simcore/packet/ipv6.h"
#include "simcore/packet/neighbour_message.h"
#include "tests/simcore/packet/frames.h"

namespace simcore::testing {

struct Ends6 {
  MacAddress source_mac = MacAddress::of(0x02'0000'0000'01);
  MacAddress destination_mac = MacAddress::of(0x02'0000'0000'02);
  Ipv6Address source = Ipv6Address::parse("2001:db8:1::1");
  Ipv6Address destination = Ipv6Address::parse("2001:db8:2::1");
};

// Ethernet and IPv6 headers around `payload`, which may start with extension headers.
inline Bytes ipv6_frame(const Ends6& ends, std::uint8_t next_header, std::span<const std::uint8_t> payload,
                        std::uint8_t hop_limit = 64) {
  Bytes frame(EthernetHeader::kSize + Ipv6Header::kSize);
  write_ethernet(frame, ends.destination_mac, ends.source_mac, EtherType::ipv6);
  write_ipv6(std::span(frame).subspan(EthernetHeader::kSize),
             {.source = ends.source,
              .destination = ends.destination,
              .protocol = next_header,
              .payload_length = static_cast<std::uint16_t>(payload.size()),
              .hop_limit = hop_limit});
  frame.insert(frame.end(), payload.begin(), payload.end());
  return frame;
}

inline Bytes ping6_frame(const Ends6& ends, std::uint16_t sequence, std::span<const std::uint8_t> body,
                         std::uint8_t hop_limit = 64) {
  Bytes message(Icmpv6Header::kSize);
  message.insert(message.end(), body.begin(), body.end());
  write_icmpv6(message, Icmpv6Type::echo_request, 0, 0x1234'0000U | sequence,
               {ends.source, ends.destination});
  return ipv6_frame(ends, ip_protocol::kIcmpv6, message, hop_limit);
}

inline Bytes udp6_frame(const Ends6& ends, std::uint16_t source_port, std::uint16_t destination_port,
                        std::span<const std::uint8_t> payload) {
  Bytes segment(UdpHeader::kSize);
  write_udp(segment, {source_port, destination_port, static_cast<std::uint16_t>(payload.size())});
  segment.insert(segment.end(), payload.begin(), payload.end());
  ChecksumSum sum;
  sum.add_pseudo_header(ends.source, ends.destination, ip_protocol::kUdp,
                        static_cast<std::uint32_t>(segment.size()));
  sum.add(segment);
  store_be16(segment.data() + UdpHeader::kChecksumOffset, sum.checksum());
  return ipv6_frame(ends, ip_protocol::kUdp, segment);
}

inline Bytes neighbour_frame(const Ends6& ends, const NeighbourMessage& message,
                             std::uint8_t hop_limit = NeighbourMessage::kHopLimit) {
  Bytes bytes(message.size());
  message.write_to(bytes, {ends.source, ends.destination});
  return ipv6_frame(ends, ip_protocol::kIcmpv6, bytes, hop_limit);
}

inline Ipv6Header ipv6_of(const Packet& packet) {
  return *Ipv6Header::parse(packet.bytes().subspan(EthernetHeader::kSize), packet.virtual_payload);
}

inline IpHeader ip_of(const Packet& packet) {
  return *IpHeader::parse(packet.bytes().subspan(EthernetHeader::kSize), packet.virtual_payload);
}

inline Icmpv6Header icmpv6_of(const Packet& packet) { return *Icmpv6Header::parse(ip_of(packet).payload()); }

}  // namespace simcore::testing
