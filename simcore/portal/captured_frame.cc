// SPDX-License-Identifier: MIT
#include "simcore/portal/captured_frame.h"

#include <utility>

namespace simcore {

namespace {

// Frames up to this size are copied out of the receive buffer: the copy costs less than a microsecond, and a
// 64 KB block for a small frame would exhaust the pool. It is what the pool's class of jumbo frames holds.
constexpr std::size_t kCopyBreak = 9'600;

}  // namespace

PacketPtr CapturedFrame::take(PacketPool& pool) {
  if (size <= kCopyBreak) return pool.copy_of(buffer->bytes().first(size));
  PacketPtr fresh = pool.make(PacketPool::kLargestFrame);
  if (!fresh) return nullptr;
  PacketPtr packet = std::exchange(buffer, std::move(fresh));
  packet->resize(size);
  return packet;
}

}  // namespace simcore
