// SPDX-License-Identifier: MIT
//
// LinkView: what is in one direction of a link at one instant, packet by packet.
//
//   [ waiting ... | sending ] --> [ on the wire ] --> [ in an extra delay ] --> far end
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "simcore/packet/packet_view.h"
#include "simcore/units/time.h"

namespace simcore {

struct LinkView {
  enum class Place : std::uint8_t { waiting, sending, wire, delay };

  struct Seen {
    Place place;
    // When its first bit is on the wire, its last bit is, and its first segment is at the far end; never(): that is not
    // decided, or, in an extra delay, not known any more.
    SimTime begins = SimTime::never();
    SimTime departs = SimTime::never();
    SimTime arrives = SimTime::never();
    PacketView packet;
  };

  explicit LinkView(std::size_t most) : most_shown(most) {}

  // Whether one more packet of what waits, or of what is on its way, is shown; counts it in any case.
  bool takes(Place place, std::uint16_t segments) {
    const bool waits = place == Place::waiting || place == Place::sending;
    (waits ? waiting : under_way) += segments;
    return (waits ? waiting_packets : packets_under_way)++ < most_shown;
  }

  std::size_t most_shown;  // packets of what waits, and of what is on its way
  // Segments, shown or not. What is being sent counts as waiting, a train until its last segment has been sent.
  std::uint64_t waiting = 0;
  std::uint64_t under_way = 0;
  std::uint64_t waiting_packets = 0;
  std::uint64_t packets_under_way = 0;
  std::vector<Seen>
      seen;  // in the order in which they arrive, but for those in an extra delay, which come last
};

}  // namespace simcore
