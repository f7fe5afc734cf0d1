// SPDX-License-Identifier: MIT
#include "simcore/tcpip/icmpv6_echo.h"

#include "simcore/packet/checksum.h"
#include "simcore/packet/ethernet.h"
#include "simcore/packet/icmpv6.h"

namespace simcore {

namespace {

std::uint16_t sum_of(const Ipv6Address& address) {
  ChecksumSum sum;
  std::uint8_t bytes[Ipv6Address::kSize];
  address.write_to(bytes);
  sum.add(bytes);
  return sum.folded();
}

}  // namespace

void make_icmpv6_echo_reply(Packet& packet, const IpHeader& request, const Ipv6Address& source) {
  const Ipv6Address asked = request.destination().v6();
  const Ipv6Fields fields{.source = source,
                          .destination = request.source().v6(),
                          .protocol = ip_protocol::kIcmpv6,
                          .payload_length = static_cast<std::uint16_t>(request.payload_length()),
                          .traffic_class = request.traffic_class()};
  // The message stays where it is, the new headers end right before it.
  packet.remove_front(request.size() - Ipv6Header::kSize);
  const std::span<std::uint8_t> datagram = packet.bytes().subspan(EthernetHeader::kSize);
  write_ipv6(datagram, fields);

  // The two addresses change places, which leaves the sum as it is, unless a group was asked.
  std::uint8_t* const icmp = datagram.data() + Ipv6Header::kSize;
  std::uint8_t* const checksum = icmp + Icmpv6Header::kChecksumOffset;
  const std::uint16_t type_and_code = load_be16(icmp);
  icmp[0] = static_cast<std::uint8_t>(Icmpv6Type::echo_reply);
  const std::uint16_t of_type = updated_checksum(load_be16(checksum), type_and_code, load_be16(icmp));
  store_be16(checksum, source == asked ? of_type : updated_checksum(of_type, sum_of(asked), sum_of(source)));
}

}  // namespace simcore
