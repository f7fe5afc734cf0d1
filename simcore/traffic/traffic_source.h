// SPDX-License-Identifier: MIT
//
// TrafficSource: what a generator sends, and when each frame is due.
#pragma once

#include <cstdint>
#include <vector>

#include "simcore/packet/packet.h"
#include "simcore/packet/packet_pool.h"
#include "simcore/units/time.h"

namespace simcore {

class TrafficSource {
 public:
  virtual ~TrafficSource() = default;

  // When the next frame is due, from the beginning; never() after the last.
  virtual SimTime next() const = 0;

  // Makes the next frame, and as a train those behind it that can travel with it and are due by `until`. Frames that say
  // when they are sent say `realtime_ns`. When each was due goes into `due`, which is emptied first. Null when the pool
  // is exhausted: these frames are then gone. Precondition: next() != never().
  virtual PacketPtr take(SimTime until, std::int64_t realtime_ns, PacketPool& pool,
                         std::vector<SimTime>& due) = 0;

  // Goes on past the next frame without making it. Precondition: next() != never().
  virtual void skip() = 0;

  // No frame is due after this; never() when that is not known.
  virtual SimTime end() const = 0;
};

}  // namespace simcore
