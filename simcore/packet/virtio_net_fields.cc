// SPDX-License-Identifier: MIT
#include "simcore/packet/virtio_net_fields.h"

#include <limits>

#include "simcore/packet/ethernet.h"
#include "simcore/packet/ipv4.h"
#include "simcore/packet/ipv6.h"
#include "simcore/packet/tcp.h"
#include "simcore/packet/transport_place.h"
#include "simcore/packet/udp.h"

namespace simcore {

namespace {

// Whether summing from there and writing the result there leaves Ethernet and IP headers, and padding,
// alone: whoever has read those headers may rely on them after the checksum is finished.
bool checksum_lies_in_payload(const Packet& packet, const VirtioNetFields& fields) {
  const auto ethernet = EthernetHeader::parse(packet.bytes());
  if (!ethernet) return false;
  std::size_t first = ethernet->size();
  std::size_t end = packet.size();
  if (ethernet->ether_type() == EtherType::ipv4) {
    const auto ipv4 = Ipv4Header::parse(ethernet->payload(), packet.virtual_payload);
    if (!ipv4) return false;
    first += ipv4->size();
    end = first + ipv4->payload().size();
  } else if (ethernet->ether_type() == EtherType::ipv6) {
    const auto ipv6 = Ipv6Header::parse(ethernet->payload(), packet.virtual_payload);
    const auto upper = ipv6 ? ipv6->upper_layer() : std::nullopt;
    if (!upper) return false;
    end = first + ipv6->stored().size();
    first += upper->offset;
  }
  return fields.checksum_start >= first &&
         std::size_t{fields.checksum_start} + fields.checksum_offset + 2 <= end;
}

// Whether the headers at `place` are those of such a train, whole: nothing follows the datagram.
bool fits(const Packet& packet, const VirtioNetFields& fields, const TransportPlace& place) {
  const bool udp = fields.train == TrainKind::udp;
  if (place.udp != udp || place.transport != fields.checksum_start) return false;
  if (!udp && place.ipv6 != (fields.train == TrainKind::tcp_ipv6)) return false;
  if (fields.checksum_offset != (udp ? UdpHeader::kChecksumOffset : TcpHeader::kChecksumOffset)) return false;
  // header_size could not say it
  if (place.payload > std::numeric_limits<std::uint16_t>::max()) return false;
  return place.end == packet.size() + packet.virtual_payload;
}

}  // namespace

bool describe_frame(Packet& packet, const VirtioNetFields& fields) {
  packet.segments = 1;
  packet.segment_payload = 0;
  packet.header_size = 0;
  packet.train = TrainKind::none;
  packet.checksum_partial = false;
  packet.checksum_start = 0;
  packet.checksum_offset = 0;

  if (fields.needs_checksum && !checksum_lies_in_payload(packet, fields)) return false;
  std::size_t segments = 1;
  if (fields.train != TrainKind::none) {
    if (!fields.needs_checksum || fields.gso_size == 0) return false;
    const auto place = find_transport(packet.bytes(), packet.virtual_payload);
    if (!place || !fits(packet, fields, *place)) return false;
    const std::size_t payload = place->end - place->payload;
    segments = (payload + fields.gso_size - 1) / fields.gso_size;
    if (segments > std::numeric_limits<std::uint16_t>::max()) return false;
    if (segments > 1) {
      packet.segments = static_cast<std::uint16_t>(segments);
      packet.segment_payload = fields.gso_size;
      packet.header_size = static_cast<std::uint16_t>(place->payload);
      packet.train = fields.train;
    }
  }
  if (fields.needs_checksum) {
    packet.checksum_partial = true;
    packet.checksum_start = fields.checksum_start;
    packet.checksum_offset = fields.checksum_offset;
  }
  return true;
}

VirtioNetFields virtio_net_fields(const Packet& packet) {
  VirtioNetFields fields;
  fields.needs_checksum = packet.checksum_partial;
  fields.checksum_start = packet.checksum_start;
  fields.checksum_offset = packet.checksum_offset;
  fields.train = packet.train;
  fields.gso_size = packet.segment_payload;
  fields.header_size = packet.header_size;
  if (packet.train == TrainKind::tcp_ipv4 || packet.train == TrainKind::tcp_ipv6) {
    fields.ecn = (packet.bytes()[packet.checksum_start + TcpHeader::kFlagsOffset] & tcp_flag::kCwr) != 0;
  }
  return fields;
}

}  // namespace simcore
