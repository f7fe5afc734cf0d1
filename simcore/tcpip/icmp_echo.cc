// SPDX-License-Identifier: MIT
#include "simcore/tcpip/icmp_echo.h"

#include <cassert>

#include "simcore/packet/checksum.h"
#include "simcore/packet/ethernet.h"
#include "simcore/packet/icmp.h"
#include "simcore/packet/ipv4.h"

namespace simcore {

void make_echo_reply(Packet& packet, std::uint16_t identification) {
  const auto request =
      Ipv4Header::parse(packet.bytes().subspan(EthernetHeader::kSize), packet.virtual_payload);
  assert(request && request->protocol() == ip_protocol::kIcmp);
  const std::size_t options = request->size() - Ipv4Header::kSize;
  Ipv4Fields fields{request->destination(), request->source(), ip_protocol::kIcmp, request->payload_length()};
  fields.identification = identification;
  fields.type_of_service = request->type_of_service();

  const std::size_t stored = EthernetHeader::kSize + request->size() + request->payload().size();
  packet.resize(stored);         // without padding
  packet.remove_front(options);  // the message stays where it is, the new headers end right before it
  const std::span<std::uint8_t> datagram = packet.bytes().subspan(EthernetHeader::kSize);
  write_ipv4(datagram, fields);

  std::uint8_t* const icmp = datagram.data() + Ipv4Header::kSize;
  const std::uint16_t type_and_code = load_be16(icmp);
  icmp[0] = static_cast<std::uint8_t>(IcmpType::echo_reply);
  std::uint8_t* const checksum = icmp + IcmpHeader::kChecksumOffset;
  std::uint16_t updated = updated_checksum(load_be16(checksum), type_and_code, load_be16(icmp));
  // Zero is right unless the message is all zeros, whose checksum is the other form of it: the difference is lost in
  // what is updated (RFC 1624 section 3), so that sum is taken anew.
  if (updated == 0) {
    store_be16(checksum, 0);
    ChecksumSum sum;
    sum.add(datagram.subspan(Ipv4Header::kSize));
    updated = sum.checksum();
  }
  store_be16(checksum, updated);
}

}  // namespace simcore
