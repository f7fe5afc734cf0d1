// SPDX-License-Identifier: MIT
//
// ICMP errors: when one may be sent about a datagram, and what it says (RFC 792; RFC 1122 3.2.2; RFC
// 1812 4.3.2; RFC 1191 for the MTU).
#pragma once

#include <cstdint>

#include "simcore/packet/icmp.h"
#include "simcore/packet/ipv4_address.h"
#include "simcore/packet/packet.h"
#include "simcore/packet/packet_pool.h"

namespace simcore {

struct IcmpError {
  IcmpType type;
  std::uint8_t code;
  std::uint32_t rest = 0;

  static constexpr IcmpError net_unreachable() { return {IcmpType::destination_unreachable, 0}; }
  static constexpr IcmpError host_unreachable() { return {IcmpType::destination_unreachable, 1}; }
  static constexpr IcmpError protocol_unreachable() { return {IcmpType::destination_unreachable, 2}; }
  static constexpr IcmpError port_unreachable() { return {IcmpType::destination_unreachable, 3}; }
  static constexpr IcmpError fragmentation_needed(std::uint16_t mtu) {
    return {IcmpType::destination_unreachable, 4, mtu};
  }
  static constexpr IcmpError ttl_exceeded() { return {IcmpType::time_exceeded, 0}; }
  static constexpr IcmpError reassembly_time_exceeded() { return {IcmpType::time_exceeded, 1}; }
};

// Whether an ICMP error may answer the untagged Ethernet frame `about`, an IPv4 datagram: not when it was
// sent to many, comes from no single host, is an ICMP error itself, or is a fragment other than the first.
bool deserves_icmp_error(const Packet& about);

// The frame of the error, Ethernet header left to be written: from `source` to the sender of `about`,
// quoting as much of it as fits into 576 bytes. `about` is reduced to its first segment and its checksum
// is finished, since that is what was on the wire. Null when the pool is exhausted. Precondition:
// deserves_icmp_error(about).
PacketPtr make_icmp_error(const IcmpError& error, Ipv4Address source, std::uint16_t identification,
                          Packet& about, PacketPool& pool);

}  // namespace simcore
