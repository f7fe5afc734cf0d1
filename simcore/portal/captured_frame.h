// SPDX-License-Identifier: MIT
//
// CapturedFrame: a place for one frame, between the kernel and the simulation.
//
// The buffer is a packet of the pool. A large frame is given away in it, and a new one takes its place; a small frame
// is copied into a packet of its size, so that what waits in the simulation takes the memory that it needs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simcore/packet/packet_pool.h"
#include "simcore/sys/virtio_net_header.h"

namespace simcore {

struct CapturedFrame {
  PacketPtr buffer;              // of PacketPool::kLargestFrame bytes, whole
  std::size_t size = 0;          // of the frame; more than the buffer holds if it was cut
  VirtioNetHeader header;        // zeros from a backend that has none
  std::int64_t realtime_ns = 0;  // when it came in; 0: not known
  int error = 0;                 // not 0: there is no frame, and this is why (EINVAL, ENETDOWN, ...)

  // The frame as a packet; null when the pool is exhausted. The place can then receive again.
  // Precondition: size <= buffer->size().
  PacketPtr take(PacketPool& pool);
};

}  // namespace simcore
