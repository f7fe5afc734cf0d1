// SPDX-License-Identifier: MIT
#include "simcore/link/red.h"

#include <utility>

#include "simcore/link/ecn.h"

namespace simcore {

Red::Red(const Config& config, RandomStream random) : control_(config, random) {}

void Red::admit(PacketPtr packet, SimTime now, ByteCount) {
  const RedControl::Config& config = control_.config();
  const bool full = waiting_.bytes() + packet->wire_size() > config.limit;
  if (control_.chosen(now, waiting_.bytes())) {
    if (!config.ecn || !mark_congestion(*packet)) return drop(std::move(packet), DropReason::aqm);
    if (!full) ++counters_.marked;
  }
  if (full) return drop(std::move(packet), DropReason::queue_full);
  waiting_.push(std::move(packet));
}

// The average begins with what the queue begins with.
void Red::hold(PacketPtr packet) {
  waiting_.push(std::move(packet));
  control_.begin_with(waiting_.bytes());
}

PacketPtr Red::release(SimTime now) {
  PacketPtr packet = waiting_.pop();
  if (waiting_.empty()) control_.empty(now);
  return packet;
}

std::unique_ptr<QueueDiscipline> make_queue(const Red::Config& config, const QueuePlace& place,
                                            RandomStream random) {
  return std::make_unique<Red>(place.rate ? with_typical_packet(config, *place.rate) : config, random);
}

}  // namespace simcore
