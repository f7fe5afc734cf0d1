// SPDX-License-Identifier: MIT
#include "simcore/tcpip/tcp_reset.h"

#include <cassert>

#include "simcore/wire/checksum.h"
#include "simcore/wire/ethernet.h"

namespace simcore {

namespace {

// Sequence numbers that the segment uses: its payload, and one each for SYN and FIN.
std::uint32_t sequence_length(const Ipv4Header& datagram, const TcpHeader& segment) {
  const auto payload = static_cast<std::uint32_t>(datagram.payload_length() - segment.size());
  return payload + (segment.has(tcp_flag::kSyn) ? 1 : 0) + (segment.has(tcp_flag::kFin) ? 1 : 0);
}

}  // namespace

PacketPtr make_tcp_reset(const Ipv4Header& datagram, const TcpHeader& segment, std::uint16_t identification,
                         PacketPool& pool) {
  assert(!segment.has(tcp_flag::kRst));
  PacketPtr packet = pool.make(EthernetHeader::kSize + Ipv4Header::kSize + TcpHeader::kSize);
  if (!packet) return nullptr;
  const std::span<std::uint8_t> bytes = packet->bytes().subspan(EthernetHeader::kSize);
  const std::span<std::uint8_t> reset = bytes.subspan(Ipv4Header::kSize);

  Ipv4Fields ipv4{datagram.destination(), datagram.source(), ip_protocol::kTcp, TcpHeader::kSize};
  ipv4.identification = identification;
  write_ipv4(bytes, ipv4);

  TcpFields tcp{segment.destination_port(), segment.source_port(), 0, 0, tcp_flag::kRst, 0};
  if (segment.has(tcp_flag::kAck)) {
    tcp.sequence = segment.acknowledgement();
  } else {
    tcp.acknowledgement = segment.sequence() + sequence_length(datagram, segment);
    tcp.flags = tcp_flag::kRst | tcp_flag::kAck;
  }
  write_tcp(reset, tcp);
  ChecksumSum sum;
  sum.add_pseudo_header(ipv4.source, ipv4.destination, ipv4.protocol, ipv4.payload_length);
  sum.add(reset);
  store_be16(reset.data() + TcpHeader::kChecksumOffset, sum.checksum());
  return packet;
}

}  // namespace simcore
