// SPDX-License-Identifier: MIT
#include "simcore/tcpip/tcp_reset.h"

#include <cassert>

#include "simcore/packet/checksum.h"
#include "simcore/packet/ethernet.h"

namespace simcore {

namespace {

// Sequence numbers that the segment uses: its payload, and one each for SYN and FIN.
std::uint32_t sequence_length(const IpHeader& datagram, const TcpHeader& segment) {
  const auto payload = static_cast<std::uint32_t>(datagram.payload_length() - segment.size());
  return payload + (segment.has(tcp_flag::kSyn) ? 1 : 0) + (segment.has(tcp_flag::kFin) ? 1 : 0);
}

}  // namespace

PacketPtr make_tcp_reset(const IpHeader& datagram, const TcpHeader& segment, std::uint16_t identification,
                         PacketPool& pool) {
  assert(!segment.has(tcp_flag::kRst));
  const std::size_t network = ip_header_size(datagram.source());
  PacketPtr packet = pool.make(EthernetHeader::kSize + network + TcpHeader::kSize);
  if (!packet) return nullptr;
  const std::span<std::uint8_t> bytes = packet->bytes().subspan(EthernetHeader::kSize);
  const std::span<std::uint8_t> reset = bytes.subspan(network);

  IpFields ip{datagram.destination(), datagram.source(), ip_protocol::kTcp, TcpHeader::kSize};
  ip.identification = identification;
  write_ip(bytes, ip);

  TcpFields tcp{segment.destination_port(), segment.source_port(), 0, 0, tcp_flag::kRst, 0};
  if (segment.has(tcp_flag::kAck)) {
    tcp.sequence = segment.acknowledgement();
  } else {
    tcp.acknowledgement = segment.sequence() + sequence_length(datagram, segment);
    tcp.flags = tcp_flag::kRst | tcp_flag::kAck;
  }
  write_tcp(reset, tcp);
  ChecksumSum sum;
  add_pseudo_header(sum, ip);
  sum.add(reset);
  store_be16(reset.data() + TcpHeader::kChecksumOffset, sum.checksum());
  return packet;
}

}  // namespace simcore
