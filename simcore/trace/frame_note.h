// SPDX-License-Identifier: MIT
//
// FrameNote: what a record says of a frame beyond what every capture does, so that a replay makes the same packet of it
// at the same instant: simulated time, and how the frame was described, as in a virtio-net header.
//
//   | at 8 | last arrival 8 | virtual payload 4 | checksum start 2 | checksum offset 2 | segment payload 2 |
//   | header size 2 | train 1 | flags 1 |     big-endian; instants in nanoseconds
//
// And the blocks of a record that are not frames.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "simcore/packet/packet.h"
#include "simcore/packet/virtio_net_fields.h"
#include "simcore/units/time.h"

namespace simcore {

struct FrameNote {
  static constexpr std::size_t kSize = 30;

  // A train that is longer than this under way is damage: even at 1 kbit/s none is.
  static constexpr Duration kLongestTrain = Duration::seconds(3'600);

  SimTime at = SimTime::
      zero();  // the simulation's clock when the frame, or a train's first segment, crossed the portal
  SimTime last_arrival = SimTime::zero();
  std::uint32_t virtual_payload = 0;
  VirtioNetFields fields;

  static FrameNote of(const Packet& packet, SimTime at);

  // None: these bytes are not a note, or its instants contradict each other.
  static std::optional<FrameNote> parse(std::span<const std::uint8_t> bytes);
  std::array<std::uint8_t, kSize> bytes() const;
};

// The kinds of a record's own blocks (pcapng_blocks.h).
namespace record_block {
constexpr std::uint32_t kPlan =
    1;  // its time: the wall clock at simulated time zero; text: the instance plan
constexpr std::uint32_t kChange = 2;  // its time: simulated; text: what was changed of a link, as JSON
constexpr std::uint32_t kEnd = 3;     // its time: simulated; text: empty
// Right behind the plan and the interfaces, where the plan's time was read before the clock ran. Its time: the wall clock
// at simulated time zero; text: empty.
constexpr std::uint32_t kClock = 4;
}  // namespace record_block

}  // namespace simcore
