// SPDX-License-Identifier: MIT
//
// SegmentView: one segment of a packet, to look at: what a model of a user decides about.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "simcore/packet/packet.h"
#include "simcore/units/data.h"
#include "simcore/units/time.h"

namespace simcore {

struct SegmentView {
  const Packet& packet;
  std::uint16_t index;  // < packet.segments

  // Of a train: the headers that it stores once. Of a single frame: all bytes that are stored.
  std::span<const std::uint8_t> headers() const {
    return packet.segments > 1 ? packet.bytes().first(packet.header_size) : packet.bytes();
  }

  // Of a train: what is stored of this segment's payload. Of a single frame: nothing.
  std::span<const std::uint8_t> payload() const {
    if (packet.segments == 1) return {};
    const std::size_t start = std::min(packet.size(), packet.header_size + before());
    return packet.bytes().subspan(start,
                                  std::min<std::size_t>(packet.segment_payload, packet.size() - start));
  }

  // Bytes on the wire, without framing overhead.
  ByteCount length() const {
    if (packet.segments == 1) return packet.wire_size();
    const std::size_t left = packet.size() + packet.virtual_payload - packet.header_size - before();
    const std::size_t length = packet.header_size + std::min<std::size_t>(packet.segment_payload, left);
    return ByteCount::bytes(static_cast<std::int64_t>(length));
  }

  // When it arrives where the packet is now.
  SimTime arrival() const {
    if (packet.segments == 1) return packet.first_arrival;
    const std::int64_t spread = (packet.last_arrival - packet.first_arrival).count_ns();
    return packet.first_arrival + Duration::ns(spread * index / (packet.segments - 1));
  }

 private:
  std::size_t before() const { return std::size_t{index} * packet.segment_payload; }
};

}  // namespace simcore
