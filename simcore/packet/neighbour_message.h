// SPDX-License-Identifier: MIT
//
// NeighbourMessage: a neighbour solicitation or advertisement (RFC 4861 sections 4.3 and 4.4): what ARP's request
// and reply are to IPv4.
//
//   | ICMPv6: type, code 0, checksum | R S O, reserved | target, 16 bytes | options: type 1, length 1, … |
//
// Of the options only the link-layer address is known; others are passed over.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "simcore/packet/icmpv6.h"
#include "simcore/packet/ipv6_address.h"
#include "simcore/packet/mac_address.h"

namespace simcore {

struct NeighbourMessage {
  static constexpr std::uint8_t kHopLimit = 255;  // any other has passed a router, and is to be ignored

  bool advertisement;  // else solicitation
  Ipv6Address target;
  std::optional<MacAddress> mac;  // of the sender of a solicitation, of the target of an advertisement
  bool router = false;            // these three: of an advertisement
  bool solicited = false;
  bool overrides = false;  // what is known already

  // None when `message` is cut short or its options contradict themselves. Precondition: its type is
  // neighbour_solicitation or neighbour_advertisement.
  static std::optional<NeighbourMessage> parse(const Icmpv6Header& message);

  std::size_t size() const;
  // Precondition: message.size() == size().
  void write_to(std::span<std::uint8_t> message, const Ipv6Ends& ends) const;

  bool operator==(const NeighbourMessage&) const = default;
};

}  // namespace simcore
