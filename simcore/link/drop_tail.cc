// SPDX-License-Identifier: MIT
#include "simcore/link/drop_tail.h"

#include <string>
#include <utility>

#include "simcore/units/error.h"

namespace simcore {

DropTail::DropTail(const Config& config) : config_(config) {
  if (config.packets < 1) {
    throw ConfigError("make drop-tail queue: the limit is " + std::to_string(config.packets) +
                      " packets; it must be at least 1, the one being sent");
  }
  if (config.bytes && config.bytes->count() < 1) {
    throw ConfigError("make drop-tail queue: the limit is " + std::to_string(config.bytes->count()) +
                      " bytes; it must be at least 1, enough for one frame, or absent");
  }
}

void DropTail::admit(PacketPtr packet, SimTime, ByteCount sending) {
  const std::int64_t packets_here = waiting_.packets() + (sending > ByteCount::zero() ? 1 : 0);
  const bool place = packets_here < config_.packets;
  const bool room = !config_.bytes || waiting_.bytes() + sending + packet->wire_size() <= *config_.bytes;
  if (!place || !room) return drop(std::move(packet), DropReason::queue_full);
  waiting_.push(std::move(packet));
}

}  // namespace simcore
