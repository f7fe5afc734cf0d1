// SPDX-License-Identifier: MIT
#include "simcore/guests/guest.h"

#include <utility>

namespace simcore {

void Guest::accept(PacketPtr packet) {
  const SimTime now = network_.simulation().now();
  if (!kernel_.deliver(now.count_ns(), packet->bytes())) {
    dropped_.add(DropReason::device_refused, packet->segments);
  }
}

SimTime Guest::next_event() {
  if (!kernel_.booted()) return SimTime::zero();
  const std::int64_t next = kernel_.next_ns();
  return next == GuestKernel::kNever ? SimTime::never() : SimTime::at_ns(next);
}

void Guest::run_before(SimTime bound) {
  kernel_.booted() ? kernel_.run(kernel_.next_ns(), bound.count_ns()) : kernel_.boot();
}

void Guest::take(std::int64_t at_ns, std::span<const std::uint8_t> frame) {
  Simulation& simulation = network_.simulation();
  const SimTime at = SimTime::at_ns(at_ns);
  simulation.run_until(at);  // of its own link; nothing arrives before the kernel waits
  PacketPtr packet = network_.pool().copy_of(frame);
  if (!packet) return dropped_.add(DropReason::pool_exhausted, 1);
  packet->first_arrival = packet->last_arrival = at;
  emit(std::move(packet));
}

}  // namespace simcore
