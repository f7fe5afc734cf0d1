// SPDX-License-Identifier: MIT
#include "simcore/tcpip/icmp_error.h"

#include <algorithm>
#include <cstring>

#include "simcore/packet/ethernet.h"
#include "simcore/packet/ipv4.h"
#include "simcore/packet/train.h"
#include "simcore/tcpip/datagram.h"

namespace simcore {

namespace {

constexpr std::size_t kLargestError = 576;             // IP datagram, RFC 1812 4.3.2.3
constexpr std::uint8_t kInternetworkControl = 6 << 5;  // precedence, RFC 1812 4.3.2.5
constexpr std::uint8_t kBelowPrecedence = 0x1e;

}  // namespace

bool deserves_icmp_error(const Packet& about) {
  const auto ethernet = EthernetHeader::parse(about.bytes());
  if (!ethernet || ethernet->tagged() || ethernet->destination().is_multicast()) return false;
  const auto header = Ipv4Header::parse(datagram_of(about), about.virtual_payload);
  if (!header || !header->source().is_unicast()) return false;
  if (header->destination().is_multicast() || header->destination().is_broadcast()) return false;
  if (header->fragment_offset() != 0) return false;
  if (header->protocol() != ip_protocol::kIcmp) return true;
  const auto icmp = IcmpHeader::parse(header->payload());
  return icmp && !is_icmp_error(icmp->type());
}

PacketPtr make_icmp_error(const IcmpError& error, Ipv4Address source, std::uint16_t identification,
                          Packet& about, PacketPool& pool) {
  if (about.segments > 1) drop_back(about, static_cast<std::uint16_t>(about.segments - 1));
  finish_checksum(about);
  const auto quoted = Ipv4Header::parse(datagram_of(about), about.virtual_payload);
  const std::size_t room = kLargestError - Ipv4Header::kSize - IcmpHeader::kSize;
  const std::size_t quote = std::min<std::size_t>(quoted->total_length(), room);
  const std::size_t stored = std::min(quote, datagram_of(about).size());

  PacketPtr packet = pool.make(EthernetHeader::kSize + Ipv4Header::kSize + IcmpHeader::kSize + quote);
  if (!packet) return nullptr;
  const std::span<std::uint8_t> datagram = packet->bytes().subspan(EthernetHeader::kSize);
  const std::span<std::uint8_t> message = datagram.subspan(Ipv4Header::kSize);
  std::uint8_t* const body = message.data() + IcmpHeader::kSize;
  std::memcpy(body, datagram_of(about).data(), stored);
  std::memset(body + stored, 0, quote - stored);  // virtual payload is zeros

  Ipv4Fields fields{source, quoted->source(), ip_protocol::kIcmp, static_cast<std::uint16_t>(message.size())};
  fields.identification = identification;
  fields.type_of_service =
      static_cast<std::uint8_t>(kInternetworkControl | (quoted->type_of_service() & kBelowPrecedence));
  write_ipv4(datagram, fields);
  write_icmp(message, error.type, error.code, error.rest);
  return packet;
}

}  // namespace simcore
