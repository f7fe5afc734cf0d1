// SPDX-License-Identifier: MIT
//
// Between frames and what the TCP state machine speaks: a frame becomes a TcpSegment that views its payload,
// and a TcpSegment that a connection gives becomes a frame.
//
// Frames leave as those of a sender with checksum offload: the checksum is partial, and a train stays whole.
// A payload that nobody wrote bytes of stays virtual.
#pragma once

#include <cstdint>
#include <optional>

#include "simcore/packet/ip_header.h"
#include "simcore/packet/packet.h"
#include "simcore/packet/packet_pool.h"
#include "simcore/packet/tcp.h"
#include "simcore/tcp/connection.h"
#include "simcore/tcp/segment.h"

namespace simcore {

struct TcpEnds {
  IpAddress local;
  IpAddress remote;
  std::uint16_t local_port;
  std::uint16_t remote_port;
  bool operator==(const TcpEnds&) const = default;
};

// What `header`, the payload of `datagram` in `packet`, says. None when its options are malformed. The
// segment views bytes of the packet.
std::optional<TcpSegment> segment_in(const Packet& packet, const IpHeader& datagram, const TcpHeader& header);

// The frame of `segment`, which `connection` just gave; the Ethernet header is left to be written. Null
// when the pool is exhausted.
PacketPtr frame_of(const TcpSegment& segment, const TcpEnds& ends, const TcpConnection& connection,
                   PacketPool& pool);

}  // namespace simcore
