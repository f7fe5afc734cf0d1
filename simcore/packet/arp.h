// SPDX-License-Identifier: MIT
//
// ArpMessage: an ARP message (RFC 826) for IPv4 over Ethernet, the only kind there is here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "simcore/packet/ipv4_address.h"
#include "simcore/packet/mac_address.h"

namespace simcore {

struct ArpMessage {
  enum class Operation : std::uint16_t { request = 1, reply = 2 };

  static constexpr std::size_t kSize = 28;

  Operation operation;
  MacAddress sender_mac;
  Ipv4Address sender_address;
  MacAddress target_mac;
  Ipv4Address target_address;

  // The message at the start of `payload` (an Ethernet payload, perhaps padded). None when it is cut short,
  // is about other protocols than IPv4 over Ethernet, or neither asks nor answers.
  static std::optional<ArpMessage> parse(std::span<const std::uint8_t> payload);

  // Precondition: payload.size() >= kSize.
  void write_to(std::span<std::uint8_t> payload) const;

  bool operator==(const ArpMessage&) const = default;
};

}  // namespace simcore
