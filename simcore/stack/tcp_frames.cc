// SPDX-License-Identifier: MIT
#include "simcore/stack/tcp_frames.h"

#include "simcore/packet/checksum.h"
#include "simcore/packet/ethernet.h"

namespace simcore {

namespace {

constexpr std::uint8_t kEcnMask = 3;

}  // namespace

std::optional<TcpSegment> segment_in(const Packet& packet, const IpHeader& datagram,
                                     const TcpHeader& header) {
  const auto options = TcpHeaderOptions::parse(header.options());
  if (!options) return std::nullopt;
  TcpSegment segment;
  segment.seq = SeqNum(header.sequence());
  segment.ack = SeqNum(header.acknowledgement());
  segment.flags = TcpFlags::from_header(header.flags());
  segment.window = header.window();
  segment.options = *options;
  segment.ecn = static_cast<EcnCodepoint>(datagram.traffic_class() & kEcnMask);
  segment.length = static_cast<std::uint32_t>(datagram.payload_length() - header.size());
  segment.segments = packet.segments;
  segment.segment_payload =
      packet.segments > 1 ? packet.segment_payload : static_cast<std::uint16_t>(segment.length);
  segment.data = header.payload();
  return segment;
}

PacketPtr frame_of(const TcpSegment& segment, const TcpEnds& ends, const TcpConnection& connection,
                   PacketPool& pool) {
  const std::size_t transport = EthernetHeader::kSize + ip_header_size(ends.local);
  const std::size_t transport_header = TcpHeader::kSize + segment.options.size();
  const std::size_t payload = transport + transport_header;
  const std::size_t stored = connection.has_bytes_to_copy() ? segment.length : 0;
  PacketPtr packet = pool.make(payload + stored);
  if (!packet) return nullptr;

  const IpFields ip{.source = ends.local,
                    .destination = ends.remote,
                    .protocol = ip_protocol::kTcp,
                    .payload_length = static_cast<std::uint16_t>(transport_header + segment.length),
                    .dont_fragment = true,
                    .traffic_class = static_cast<std::uint8_t>(segment.ecn)};
  write_ip(packet->bytes().subspan(EthernetHeader::kSize), ip);
  const std::span<std::uint8_t> tcp = packet->bytes().subspan(transport);
  write_tcp(tcp, {.source_port = ends.local_port,
                  .destination_port = ends.remote_port,
                  .sequence = segment.seq.value(),
                  .acknowledgement = segment.ack.value(),
                  .flags = segment.flags.to_header(),
                  .window = segment.window});
  tcp[12] = static_cast<std::uint8_t>(transport_header / 4 << 4);
  segment.options.write(tcp.subspan(TcpHeader::kSize));
  if (stored > 0) connection.copy_payload(segment, packet->bytes().subspan(payload));
  packet->virtual_payload = static_cast<std::uint32_t>(segment.length - stored);

  ChecksumSum sum;
  add_pseudo_header(sum, ip);
  store_be16(&tcp[TcpHeader::kChecksumOffset], sum.folded());
  packet->checksum_partial = true;
  packet->checksum_start = static_cast<std::uint16_t>(transport);
  packet->checksum_offset = TcpHeader::kChecksumOffset;
  if (segment.segments > 1) {
    packet->segments = segment.segments;
    packet->segment_payload = segment.segment_payload;
    packet->header_size = static_cast<std::uint16_t>(payload);
    packet->train = ends.local.is_v4() ? TrainKind::tcp_ipv4 : TrainKind::tcp_ipv6;
  }
  return packet;
}

}  // namespace simcore
