// SPDX-License-Identifier: MIT
#include "simcore/link/ecn.h"

#include <cstdint>

#include "simcore/packet/byte_order.h"
#include "simcore/packet/checksum.h"
#include "simcore/packet/ethernet.h"
#include "simcore/packet/ipv4.h"
#include "simcore/packet/ipv6.h"

namespace simcore {

namespace {

constexpr std::uint8_t kCongestionExperienced = 0b11;

}  // namespace

std::uint8_t ecn_codepoint(const Packet& packet) {
  const auto ethernet = EthernetHeader::parse(packet.bytes());
  if (!ethernet) return 0;
  const std::uint8_t* const network = packet.bytes().data() + ethernet->size();
  const std::size_t stored = packet.size() - ethernet->size();
  if (stored < Ipv4Header::kSize) return 0;
  if (ethernet->ether_type() == EtherType::ipv4) return network[1] & kCongestionExperienced;
  if (ethernet->ether_type() == EtherType::ipv6) return network[1] >> 4 & kCongestionExperienced;
  return 0;
}

bool mark_congestion(Packet& packet) {
  const auto ethernet = EthernetHeader::parse(packet.bytes());
  if (!ethernet) return false;
  std::uint8_t* const network = packet.bytes().data() + ethernet->size();
  const std::size_t stored = packet.size() - ethernet->size();
  if (ethernet->ether_type() == EtherType::ipv4) {
    if (!Ipv4Header::parse(ethernet->payload(), packet.virtual_payload)) return false;
    if ((network[1] & kCongestionExperienced) == 0) return false;
    const std::uint16_t before = load_be16(network);
    const auto after = static_cast<std::uint16_t>(before | kCongestionExperienced);
    std::uint8_t* const checksum = network + Ipv4Header::kChecksumOffset;
    if (after != before) store_be16(checksum, updated_checksum(load_be16(checksum), before, after));
    store_be16(network, after);
    return true;
  }
  if (ethernet->ether_type() != EtherType::ipv6 || stored < Ipv6Header::kSize || network[0] >> 4 != 6)
    return false;
  constexpr std::uint8_t kInSecondByte = kCongestionExperienced
                                         << 4;  // of the traffic class, four bits are in each
  if ((network[1] & kInSecondByte) == 0) return false;
  network[1] = static_cast<std::uint8_t>(network[1] | kInSecondByte);
  return true;
}

}  // namespace simcore
