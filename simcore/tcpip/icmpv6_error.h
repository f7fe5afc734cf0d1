// SPDX-License-Identifier: MIT
//
// ICMPv6 errors: when one may be sent about a datagram, and what it says (RFC 4443).
#pragma once

#include <cstdint>

#include "simcore/packet/icmpv6.h"
#include "simcore/packet/ipv6_address.h"
#include "simcore/packet/packet.h"
#include "simcore/packet/packet_pool.h"

namespace simcore {

struct Icmpv6Error {
  Icmpv6Type type;
  std::uint8_t code;
  std::uint32_t rest = 0;

  static constexpr Icmpv6Error no_route() { return {Icmpv6Type::destination_unreachable, 0}; }
  static constexpr Icmpv6Error beyond_scope() { return {Icmpv6Type::destination_unreachable, 2}; }
  static constexpr Icmpv6Error address_unreachable() { return {Icmpv6Type::destination_unreachable, 3}; }
  static constexpr Icmpv6Error port_unreachable() { return {Icmpv6Type::destination_unreachable, 4}; }
  static constexpr Icmpv6Error packet_too_big(std::uint16_t mtu) {
    return {Icmpv6Type::packet_too_big, 0, mtu};
  }
  static constexpr Icmpv6Error hop_limit_exceeded() { return {Icmpv6Type::time_exceeded, 0}; }
  // `offset` of the next-header field that names the protocol.
  static constexpr Icmpv6Error unknown_protocol(std::uint32_t offset) {
    return {Icmpv6Type::parameter_problem, 1, offset};
  }
};

// Whether `error` may answer the untagged Ethernet frame `about`, an IPv6 datagram: not when that comes from no
// single host, is an ICMPv6 error or redirect itself, or was sent to many, unless it is too big.
bool deserves_icmpv6_error(const Packet& about, const Icmpv6Error& error);

// The frame of the error, Ethernet header left to be written: from `source` to the sender of `about`,
// quoting as much of it as fits into the least MTU. `about` is reduced to its first segment and its checksum
// is finished, since that is what was on the wire. Null when the pool is exhausted. Precondition:
// deserves_icmpv6_error(about, error).
PacketPtr make_icmpv6_error(const Icmpv6Error& error, const Ipv6Address& source, Packet& about,
                            PacketPool& pool);

}  // namespace simcore
