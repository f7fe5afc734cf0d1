// SPDX-License-Identifier: MIT
//
// Frames for tests, made one field after the other with the builders of simcore/packet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "simcore/packet/checksum.h"
#include "simcore/packet/ethernet.h"
#include "simcore/packet/icmp.h"
#include "simcore/packet/ipv4.h"
#include "simcore/packet/packet_pool.h"
#include "simcore/packet/tcp.h"
#include "simcore/packet/udp.h"

namespace simcore::testing {

using Bytes = std::vector<std::uint8_t>;

struct Ends {
  MacAddress source_mac = MacAddress::of(0x02'0000'0000'01);
  MacAddress destination_mac = MacAddress::of(0x02'0000'0000'02);
  Ipv4Address source = Ipv4Address::of(0x0a000001);
  Ipv4Address destination = Ipv4Address::of(0x0a000102);
};

// `count` bytes that differ from place to place.
inline Bytes pattern(std::size_t count) {
  Bytes bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::uint8_t>(i * 7 + i / 251);
  return bytes;
}

// Ethernet and IPv4 headers around `payload`. `fields.payload_length` is set here.
inline Bytes ipv4_frame(const Ends& ends, Ipv4Fields fields, std::span<const std::uint8_t> payload) {
  Bytes frame(EthernetHeader::kSize + Ipv4Header::kSize + payload.size());
  write_ethernet(frame, ends.destination_mac, ends.source_mac, EtherType::ipv4);
  fields.payload_length = static_cast<std::uint16_t>(payload.size());
  write_ipv4(std::span(frame).subspan(EthernetHeader::kSize), fields);
  std::memcpy(frame.data() + EthernetHeader::kSize + Ipv4Header::kSize, payload.data(), payload.size());
  return frame;
}

inline Ipv4Fields ipv4_fields(const Ends& ends, std::uint8_t protocol) {
  return Ipv4Fields{ends.source, ends.destination, protocol, 0};
}

inline void finish_transport(std::span<std::uint8_t> segment, std::size_t checksum_offset, const Ends& ends,
                             std::uint8_t protocol) {
  ChecksumSum sum;
  sum.add_pseudo_header(ends.source, ends.destination, protocol, static_cast<std::uint16_t>(segment.size()));
  sum.add(segment);
  store_be16(segment.data() + checksum_offset, sum.checksum() == 0 ? 0xffff : sum.checksum());
}

inline Bytes tcp_frame(const Ends& ends, const Ipv4Fields& ipv4, const TcpFields& tcp,
                       std::span<const std::uint8_t> payload) {
  Bytes segment(TcpHeader::kSize);
  write_tcp(segment, tcp);
  segment.insert(segment.end(), payload.begin(), payload.end());
  finish_transport(segment, TcpHeader::kChecksumOffset, ends, ip_protocol::kTcp);
  return ipv4_frame(ends, ipv4, segment);
}

inline Bytes udp_frame(const Ends& ends, const Ipv4Fields& ipv4, std::uint16_t source_port,
                       std::uint16_t destination_port, std::span<const std::uint8_t> payload) {
  Bytes segment(UdpHeader::kSize);
  write_udp(segment, {source_port, destination_port, static_cast<std::uint16_t>(payload.size())});
  segment.insert(segment.end(), payload.begin(), payload.end());
  finish_transport(segment, UdpHeader::kChecksumOffset, ends, ip_protocol::kUdp);
  return ipv4_frame(ends, ipv4, segment);
}

inline Bytes ping_frame(const Ends& ends, std::uint16_t sequence, std::span<const std::uint8_t> body,
                        std::uint8_t ttl = 64) {
  Bytes message(IcmpHeader::kSize);
  message.insert(message.end(), body.begin(), body.end());
  write_icmp(message, IcmpType::echo_request, 0, 0x1234'0000U | sequence);
  Ipv4Fields fields = ipv4_fields(ends, ip_protocol::kIcmp);
  fields.ttl = ttl;
  fields.identification = 77;
  return ipv4_frame(ends, fields, message);
}

inline Bytes bytes_of(const Packet& packet) { return {packet.bytes().begin(), packet.bytes().end()}; }

// Replaces a finished transport checksum by the sum of its pseudo-header, as a sender that leaves it to the card does.
inline void make_partial(Packet& packet, const Ends& ends, std::uint8_t protocol) {
  const std::size_t start = EthernetHeader::kSize + Ipv4Header::kSize;
  const std::size_t offset =
      protocol == ip_protocol::kTcp ? TcpHeader::kChecksumOffset : UdpHeader::kChecksumOffset;
  ChecksumSum sum;
  sum.add_pseudo_header(ends.source, ends.destination, protocol,
                        static_cast<std::uint16_t>(packet.size() + packet.virtual_payload - start));
  store_be16(packet.bytes().data() + start + offset, sum.folded());
}

}  // namespace simcore::testing
