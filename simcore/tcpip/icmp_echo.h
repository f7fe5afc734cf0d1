// SPDX-License-Identifier: MIT
//
// The answer to a ping (RFC 792, RFC 1122 3.2.2.6).
#pragma once

#include <cstdint>

#include "simcore/packet/packet.h"

namespace simcore {

// Turns `packet`, the untagged Ethernet frame of an unfragmented echo request whose checksum is complete,
// into the reply: from the address that was asked to the asker, with the same body and type of service,
// without IP options. The Ethernet header is left to be written.
void make_echo_reply(Packet& packet, std::uint16_t identification);

}  // namespace simcore
