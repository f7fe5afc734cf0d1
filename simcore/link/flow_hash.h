// SPDX-License-Identifier: MIT
//
// flow_hash(): flows told apart by a hash of addresses, protocol and ports, for queues that treat each on its own. What
// is neither TCP nor UDP is told apart by its network addresses, and what is not IPv4 by its Ethernet header.
#pragma once

#include <cstdint>

#include "simcore/packet/packet.h"

namespace simcore {

// Another `salt` spreads the flows otherwise.
std::uint64_t flow_hash(const Packet& packet, std::uint64_t salt);

}  // namespace simcore
