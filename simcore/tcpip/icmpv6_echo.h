// SPDX-License-Identifier: MIT
//
// The answer to a ping over IPv6 (RFC 4443 section 4.2).
#pragma once

#include "simcore/packet/ip_header.h"
#include "simcore/packet/ipv6_address.h"
#include "simcore/packet/packet.h"

namespace simcore {

// Turns `packet`, the untagged Ethernet frame of an echo request whose checksum is complete and which has no padding,
// into the reply: from `source`, which was asked or is in the group that was, to the asker, with the same body and
// traffic class, without extension headers. `request` views the packet's IPv6 header, and is void afterwards. The
// Ethernet header is left to be written.
void make_icmpv6_echo_reply(Packet& packet, const IpHeader& request, const Ipv6Address& source);

}  // namespace simcore
