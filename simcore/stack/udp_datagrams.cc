// SPDX-License-Identifier: MIT
#include "simcore/stack/udp_datagrams.h"

#include "simcore/packet/byte_order.h"
#include "simcore/packet/checksum.h"
#include "simcore/packet/ethernet.h"
#include "simcore/packet/ip_header.h"

namespace simcore {

PacketPtr make_udp_frame(const UdpEnds& ends, std::span<const std::uint8_t> payload, std::size_t unstored,
                         std::uint16_t identification, PacketPool& pool, std::uint8_t ttl) {
  const std::size_t transport = EthernetHeader::kSize + ip_header_size(ends.local);
  PacketPtr packet = pool.make(transport + UdpHeader::kSize + payload.size());
  if (!packet) return nullptr;
  const auto length = static_cast<std::uint16_t>(payload.size() + unstored);
  const IpFields ip{.source = ends.local,
                    .destination = ends.remote,
                    .protocol = ip_protocol::kUdp,
                    .payload_length = static_cast<std::uint16_t>(UdpHeader::kSize + length),
                    .identification = identification,
                    .ttl = ttl};
  write_ip(packet->bytes().subspan(EthernetHeader::kSize), ip);
  const std::span<std::uint8_t> udp = packet->bytes().subspan(transport);
  write_udp(udp,
            {.source_port = ends.local_port, .destination_port = ends.remote_port, .payload_length = length});
  std::ranges::copy(payload, udp.subspan(UdpHeader::kSize).begin());
  packet->virtual_payload = static_cast<std::uint32_t>(unstored);
  ChecksumSum sum;
  add_pseudo_header(sum, ip);
  store_be16(&udp[UdpHeader::kChecksumOffset], sum.folded());
  packet->checksum_partial = true;
  packet->checksum_start = static_cast<std::uint16_t>(transport);
  packet->checksum_offset = UdpHeader::kChecksumOffset;
  return packet;
}

}  // namespace simcore
