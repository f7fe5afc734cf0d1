// SPDX-License-Identifier: MIT
#include "simcore/tcpip/icmpv6_error.h"

#include <algorithm>
#include <cstring>

#include "simcore/packet/ethernet.h"
#include "simcore/packet/ipv6.h"
#include "simcore/packet/train.h"
#include "simcore/tcpip/datagram.h"

namespace simcore {

bool deserves_icmpv6_error(const Packet& about, const Icmpv6Error& error) {
  const auto ethernet = EthernetHeader::parse(about.bytes());
  if (!ethernet || ethernet->tagged()) return false;
  const auto header = Ipv6Header::parse(datagram_of(about), about.virtual_payload);
  if (!header || !header->source().is_unicast()) return false;
  const bool to_many = ethernet->destination().is_multicast() || header->destination().is_multicast();
  if (to_many && error.type != Icmpv6Type::packet_too_big) return false;
  const auto upper = header->upper_layer();
  if (!upper) return false;
  if (upper->protocol != ip_protocol::kIcmpv6) return true;
  const auto icmp = Icmpv6Header::parse(header->stored().subspan(upper->offset));
  return icmp && !is_icmpv6_error(icmp->type()) && icmp->type() != Icmpv6Type::redirect;
}

PacketPtr make_icmpv6_error(const Icmpv6Error& error, const Ipv6Address& source, Packet& about,
                            PacketPool& pool) {
  if (about.segments > 1) drop_back(about, static_cast<std::uint16_t>(about.segments - 1));
  finish_checksum(about);
  const auto quoted = Ipv6Header::parse(datagram_of(about), about.virtual_payload);
  const std::size_t room = Ipv6Header::kLeastMtu - Ipv6Header::kSize - Icmpv6Header::kSize;
  const std::size_t quote = std::min(quoted->total_length(), room);
  const std::size_t stored = std::min(quote, quoted->stored().size());

  PacketPtr packet = pool.make(EthernetHeader::kSize + Ipv6Header::kSize + Icmpv6Header::kSize + quote);
  if (!packet) return nullptr;
  const std::span<std::uint8_t> datagram = packet->bytes().subspan(EthernetHeader::kSize);
  const std::span<std::uint8_t> message = datagram.subspan(Ipv6Header::kSize);
  std::uint8_t* const body = message.data() + Icmpv6Header::kSize;
  std::memcpy(body, quoted->stored().data(), stored);
  std::memset(body + stored, 0, quote - stored);  // virtual payload is zeros

  const Ipv6Ends ends{.source = source, .destination = quoted->source()};
  write_ipv6(datagram, {.source = ends.source,
                        .destination = ends.destination,
                        .protocol = ip_protocol::kIcmpv6,
                        .payload_length = static_cast<std::uint16_t>(message.size())});
  write_icmpv6(message, error.type, error.code, error.rest, ends);
  return packet;
}

}  // namespace simcore
