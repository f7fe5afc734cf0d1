// SPDX-License-Identifier: MIT
//
// UDP datagrams of applications: their frames, and the single datagrams of a train.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "simcore/packet/ip_address.h"
#include "simcore/packet/packet.h"
#include "simcore/packet/packet_pool.h"
#include "simcore/packet/udp.h"

namespace simcore {

struct UdpEnds {
  IpAddress local;
  IpAddress remote;
  std::uint16_t local_port;
  std::uint16_t remote_port;
  bool operator==(const UdpEnds&) const = default;
};

constexpr std::size_t kLargestUdpPayload =
    65'507;  // in one IPv4 datagram without options; IPv6 takes 20 more

// The frame of a datagram whose payload is `payload` and `unstored` virtual bytes behind it; the Ethernet header is
// left to be written, the checksum is partial. Null when the pool is exhausted. Precondition: the payload
// is at most kLargestUdpPayload.
PacketPtr make_udp_frame(const UdpEnds& ends, std::span<const std::uint8_t> payload, std::size_t unstored,
                         std::uint16_t identification, PacketPool& pool, std::uint8_t ttl = 64);

// One datagram as an application sees it.
struct UdpDatagram {
  std::span<const std::uint8_t> stored;  // the start of its payload, or all of it; the rest is virtual: zeros
  std::size_t length;                    // of its payload
  SimTime arrival;
};

// Calls `take` with every datagram of `packet`, which a UdpListener was given with `header`.
template <class Take>
void for_each_datagram(const Packet& packet, const UdpHeader& header, Take take) {
  const std::span<const std::uint8_t> stored = header.payload();
  const std::size_t total = stored.size() + packet.virtual_payload;
  const std::size_t each = packet.segments > 1 ? packet.segment_payload : total;
  const std::int64_t steps = std::max(1, packet.segments - 1);
  for (std::uint16_t k = 0; k < packet.segments; ++k) {
    const std::size_t start = k * each;
    const std::size_t length = std::min(each, total - start);
    const std::size_t first = std::min(start, stored.size());
    take(UdpDatagram{
        .stored = stored.subspan(first, std::min(length, stored.size() - first)),
        .length = length,
        .arrival = packet.first_arrival + (packet.last_arrival - packet.first_arrival) * k / steps});
  }
}

}  // namespace simcore
