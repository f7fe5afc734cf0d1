// SPDX-License-Identifier: MIT
//
// Where in a frame its TCP segment or UDP datagram lies: behind any VLAN tags, IPv4 options or
// IPv6 extension headers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace simcore {

struct TransportPlace {
  std::size_t network;    // offset of the IP header
  std::size_t transport;  // offset of the TCP or UDP header
  std::size_t payload;    // offset of what that header carries
  std::size_t end;        // offset behind the datagram, virtual payload counted, padding not
  bool ipv6;
  bool udp;  // else TCP
};

// The place in `frame`, behind which `unstored` bytes are virtual payload. None when the frame is not TCP or
// UDP over IP, is a fragment, or contradicts itself.
std::optional<TransportPlace> find_transport(std::span<const std::uint8_t> frame, std::size_t unstored = 0);

}  // namespace simcore
