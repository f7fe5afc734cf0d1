// SPDX-License-Identifier: MIT
//
// Explicit Congestion Notification (RFC 3168): the mark that a router sets instead of dropping.
#pragma once

#include "simcore/packet/packet.h"

namespace simcore {

// Sets Congestion Experienced in the IPv4 or IPv6 header of `packet`, behind any VLAN tags; the IPv4 checksum follows
// incrementally. False, and nothing is changed, when its sender does not understand marks (Not-ECT) or it is not IP.
// A train is marked as a whole.
bool mark_congestion(Packet& packet);

}  // namespace simcore
