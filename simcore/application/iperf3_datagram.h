// SPDX-License-Identifier: MIT
//
// A datagram of an iperf3 UDP stream:   | seconds, microseconds: 4 bytes each | number, from 1: 4 or 8 bytes | virtual … |
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "simcore/packet/packet.h"
#include "simcore/packet/packet_pool.h"
#include "simcore/stack/udp_datagrams.h"
#include "simcore/units/time.h"

namespace simcore {

struct Iperf3Datagram {
  std::int64_t number;  // from 1
  SimTime sent;         // by the sender's clock
};

// Its frame, `length` bytes of payload; the number has 64 bits when `wide`. Null when the pool is exhausted.
// Precondition: length >= 16.
PacketPtr make_iperf3_datagram(const UdpEnds& ends, const Iperf3Datagram& datagram, std::size_t length,
                               bool wide, std::uint16_t identification, PacketPool& pool);

// What `datagram` says; none when it is too short, or its number cannot follow `highest`, since no sender is four billion
// datagrams ahead of what came.
std::optional<Iperf3Datagram> read_iperf3_datagram(const UdpDatagram& datagram, bool wide,
                                                   std::int64_t highest);

}  // namespace simcore
