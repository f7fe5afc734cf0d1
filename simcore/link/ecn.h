// SPDX-License-Identifier: MIT
//
// Explicit Congestion Notification (RFC 3168): the mark that a router sets instead of dropping.
#pragma once

#include <cstdint>

#include "simcore/packet/packet.h"

namespace simcore {

// The two bits of the IPv4 or IPv6 header, behind any VLAN tags; 0, Not-ECT, when it is not IP.
std::uint8_t ecn_codepoint(const Packet& packet);
// Congestion Experienced.
inline bool has_mark(const Packet& packet) { return ecn_codepoint(packet) == 0b11; }
// ECT(1) or Congestion Experienced: of a sender that reacts to each mark (L4S, RFC 9331 section 4.1), as far as one can tell.
inline bool has_scalable_codepoint(const Packet& packet) { return (ecn_codepoint(packet) & 0b01) != 0; }

// Sets Congestion Experienced in the IPv4 or IPv6 header of `packet`, behind any VLAN tags; the IPv4 checksum follows
// incrementally. False, and nothing is changed, when its sender does not understand marks (Not-ECT) or it is not IP.
// A train is marked as a whole.
bool mark_congestion(Packet& packet);

}  // namespace simcore
