// SPDX-License-Identifier: MIT
//
// The answer to a TCP segment for which there is no connection (RFC 9293 3.10.7.1).
#pragma once

#include <cstdint>

#include "simcore/packet/ip_header.h"
#include "simcore/packet/packet.h"
#include "simcore/packet/packet_pool.h"
#include "simcore/packet/tcp.h"

namespace simcore {

// The frame of the reset that answers `segment`, the payload of `datagram`; the Ethernet header is left
// to be written. Null when the pool is exhausted. Precondition: `segment` is not a reset itself;
// those are not answered.
PacketPtr make_tcp_reset(const IpHeader& datagram, const TcpHeader& segment, std::uint16_t identification,
                         PacketPool& pool);

}  // namespace simcore
