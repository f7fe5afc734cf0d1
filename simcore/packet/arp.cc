// SPDX-License-Identifier: MIT
#include "simcore/packet/arp.h"

#include <cassert>

#include "simcore/packet/ethernet.h"

namespace simcore {

namespace {
constexpr std::uint16_t kHardwareEthernet = 1;
constexpr std::uint16_t kProtocolIpv4 = static_cast<std::uint16_t>(EtherType::ipv4);
}  // namespace

std::optional<ArpMessage> ArpMessage::parse(std::span<const std::uint8_t> payload) {
  if (payload.size() < kSize) return std::nullopt;
  const std::uint8_t* const at = payload.data();
  if (load_be16(at) != kHardwareEthernet || load_be16(at + 2) != kProtocolIpv4) return std::nullopt;
  if (at[4] != MacAddress::kSize || at[5] != Ipv4Address::kSize) return std::nullopt;
  const auto operation = static_cast<Operation>(load_be16(at + 6));
  if (operation != Operation::request && operation != Operation::reply) return std::nullopt;
  return ArpMessage{operation, MacAddress::from(at + 8), Ipv4Address::from(at + 14),
                    MacAddress::from(at + 18), Ipv4Address::from(at + 24)};
}

void ArpMessage::write_to(std::span<std::uint8_t> payload) const {
  assert(payload.size() >= kSize);
  std::uint8_t* const at = payload.data();
  store_be16(at, kHardwareEthernet);
  store_be16(at + 2, kProtocolIpv4);
  at[4] = MacAddress::kSize;
  at[5] = Ipv4Address::kSize;
  store_be16(at + 6, static_cast<std::uint16_t>(operation));
  sender_mac.write_to(at + 8);
  sender_address.write_to(at + 14);
  target_mac.write_to(at + 18);
  target_address.write_to(at + 24);
}

}  // namespace simcore
