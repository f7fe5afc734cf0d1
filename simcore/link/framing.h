// SPDX-License-Identifier: MIT
//
// What a frame takes on a wire whose framing is modelled, that is where `overhead` is given: IEEE 802.3 section 3.2.8 pads
// each frame to 64 bytes with its check sequence, so to 60 as we count. With Ethernet's 24 bytes of overhead the least is 84
// bytes: 14,880 frames per second at 10 Mbit/s (RFC 2544). Without overhead a frame takes what it has.
#pragma once

#include <algorithm>

#include "simcore/packet/train.h"
#include "simcore/units/data.h"

namespace simcore {

constexpr ByteCount kLeastEthernetFrame = ByteCount::bytes(60);  // without its check sequence

inline ByteCount framed(ByteCount frame, ByteCount overhead) {
  return overhead == ByteCount::zero() ? frame : std::max(frame, kLeastEthernetFrame) + overhead;
}

// Of a single frame, or of the longest segment of a train.
inline ByteCount framed_segment(const Packet& packet, ByteCount overhead) {
  return framed(ByteCount::bytes(largest_segment(packet)), overhead);
}

// Of all segments of a train: all but the last are equal.
inline ByteCount framed_train(const Packet& train, ByteCount overhead) {
  const std::int64_t equal = train.segments - 1;
  const ByteCount segment = ByteCount::bytes(largest_segment(train));
  return framed(segment, overhead) * equal + framed(train.wire_size() - segment * equal, overhead);
}

}  // namespace simcore
