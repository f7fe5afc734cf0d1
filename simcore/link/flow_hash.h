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

// Who sends a packet and who gets it, by IP, else by Ethernet.
struct HostHashes {
  std::uint64_t source;
  std::uint64_t destination;
};
HostHashes host_hashes(const Packet& packet, std::uint64_t salt);

}  // namespace simcore
