// SPDX-License-Identifier: MIT
//
// What an error by ICMP or ICMPv6 says about a datagram, as far as transports tell the cases apart.
#pragma once

#include <cstdint>

namespace simcore {

enum class IcmpFailure : std::uint8_t {
  no_way,         // no route, or no such neighbour: ICMP 3/0 and 3/1, ICMPv6 1/0
  refused,        // the destination has no such protocol or port: ICMP 3/2 and 3/3, ICMPv6 1/4 and 4/1
  unreachable,    // any other code of "destination unreachable"
  time_exceeded,  // ICMP 11, ICMPv6 3
};

}  // namespace simcore
