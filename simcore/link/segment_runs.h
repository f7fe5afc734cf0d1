// SPDX-License-Identifier: MIT
//
// Segment runs: the pieces into which a train falls when its segments have different fates.
#pragma once

#include <cstdint>
#include <utility>

#include "simcore/link/segment_view.h"
#include "simcore/packet/packet.h"
#include "simcore/packet/packet_pool.h"
#include "simcore/packet/train.h"

namespace simcore {

// Asks `fate_of(segment)` once for each segment, in order, and calls give(piece, fate) for each run of segments with equal
// fates, in order. Returns how many segments at the end were lost because the pool has no packet for a piece; the
// caller counts them as pool_exhausted.
template <class FateOf, class Give>
std::uint16_t for_each_run(PacketPtr packet, PacketPool& pool, FateOf fate_of, Give give) {
  auto fate = fate_of(SegmentView{*packet, 0});
  for (;;) {
    std::uint16_t run = 1;
    auto next = fate;
    for (; run < packet->segments; ++run) {
      next = fate_of(SegmentView{*packet, run});
      if (!(next == fate)) break;
    }
    if (run == packet->segments) {
      give(std::move(packet), fate);
      return 0;
    }
    PacketPtr piece = split_front(*packet, run, pool);
    if (!piece) return packet->segments;
    give(std::move(piece), fate);
    fate = next;
  }
}

}  // namespace simcore
