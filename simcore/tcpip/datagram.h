// SPDX-License-Identifier: MIT
//
// The datagram that an untagged Ethernet frame carries.
#pragma once

#include <cstdint>
#include <span>

#include "simcore/packet/ethernet.h"
#include "simcore/packet/packet.h"

namespace simcore {

inline std::span<const std::uint8_t> datagram_of(const Packet& packet) {
  return packet.bytes().subspan(EthernetHeader::kSize);
}

}  // namespace simcore
