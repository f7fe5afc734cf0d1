// SPDX-License-Identifier: MIT
//
// What can be done to a train and to a partial checksum: describe, split, take apart, finish.
//
// Segment k of a TCP train: sequence number + k * segment_payload; FIN and PSH only on the last segment, CWR
// only on the first; IPv4 identification + k when DF is clear or the identification is not zero; lengths and
// checksums of its own. As Linux net/ipv4/tcp_offload.c and udp_offload.c do. The headers of a train say the
// lengths of the whole train.
//
// The functions here trust the description of the packet: what comes from outside has passed describe_frame()
// (virtio_net_fields.h), which checks it against the frame. A train's checksum is always partial.
#pragma once

#include <cstdint>

#include "simcore/packet/packet.h"
#include "simcore/packet/packet_pool.h"

namespace simcore {

// The largest frame that any single segment of `packet` makes, in bytes with its headers: what an
// MTU is checked against.
std::uint32_t largest_segment(const Packet& packet);

// Cuts the first `count` segments off `train` and returns them as a packet (a single frame when count is 1);
// `train` keeps the rest, and becomes a single frame when one segment is left. Checksums stay partial, with
// the pseudo-header sum of the new lengths. Arrival instants are spread evenly: segment k of n arrives at
// first + k*(last-first)/(n-1). Null when the pool is exhausted; `train` is then unchanged. Preconditions: 1
// <= count < train.segments.
PacketPtr split_front(Packet& train, std::uint16_t count, PacketPool& pool);

// Takes the last `count` segments off and destroys them. Preconditions: 1 <= count < train.segments.
void drop_back(Packet& train, std::uint16_t count);

// Finishes a partial checksum of a single frame in place, as the sending network card would; does nothing
// when the checksum is complete. Virtual payload counts as zeros. Preconditions: packet.segments == 1.
void finish_checksum(Packet& packet);

}  // namespace simcore
