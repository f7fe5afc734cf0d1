// SPDX-License-Identifier: MIT
#include "simcore/portal/vnet_source.h"

#include <algorithm>

#include "simcore/sys/clock.h"

namespace simcore {

std::size_t VnetSource::read(std::span<CapturedFrame> room) {
  room = room.first(std::min(room.size(), most_));
  for (std::size_t slot = 0; slot < room.size(); ++slot) device_.provide(slot, room[slot].buffer->bytes());
  const auto frames = device_.receive(room.size());
  most_ = std::clamp(2 * frames.size(), kFewFrames, VnetDevice::kBatch);
  if (frames.empty()) {
    if (device_.error() == 0) return 0;
    room[0].error = device_.error();
    return 1;
  }
  // A device without stamps was read just now; it is asked once for all frames of a batch.
  const std::int64_t now = frames[0].realtime_ns == 0 ? realtime_ns() : 0;
  for (std::size_t slot = 0; slot < frames.size(); ++slot) {
    room[slot].size = frames[slot].size;
    room[slot].header = frames[slot].header;
    room[slot].realtime_ns = frames[slot].realtime_ns != 0 ? frames[slot].realtime_ns : now;
    room[slot].error = 0;
  }
  return frames.size();
}

}  // namespace simcore
