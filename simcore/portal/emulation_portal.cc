// SPDX-License-Identifier: MIT
#include "simcore/portal/emulation_portal.h"

#include <utility>

#include "simcore/units/error.h"

namespace simcore {

std::string_view name_of(UnsupportedFrame kind) {
  constexpr std::array<std::string_view, kUnsupportedFrames> kNames = {"offload_kind", "oversize",
                                                                       "not_ipv4"};
  return kNames[static_cast<std::size_t>(kind)];
}

EmulationPortal::EmulationPortal(Simulation& simulation, RunLoop& loop, PacketPool& pool, Config config)
    : config_(std::move(config)),
      pool_(pool),
      loop_(loop),
      arrivals_(loop),
      egress_(simulation, config_.backlog_segments) {
  if (config_.backlog_segments < 1) {
    throw ConfigError("make portal " + config_.name + ": backlog_segments is 0; it must be at least 1");
  }
}

void EmulationPortal::accept(PacketPtr packet) {
  counters_.accepted_segments += packet->segments;
  if (!egress_.push(packet)) counters_.dropped_out.add(DropReason::portal_backlog, packet->segments);
}

void EmulationPortal::drop_all() {
  counters_.dropped_out.add(DropReason::removed, waiting_segments());
  egress_.clear();
}

EmulationPortal::Counters EmulationPortal::counters() {
  Counters now = counters_;
  now.kernel_drops = kernel_drops();
  now.in_flight = waiting_segments();
  return now;
}

void EmulationPortal::enter(PacketPtr packet, std::int64_t realtime_ns) {
  packet->first_arrival = packet->last_arrival = arrivals_.advance_to(realtime_ns);
  entering_realtime_ns_ = realtime_ns;
  emit(std::move(packet));
}

void EmulationPortal::count_captured(const Packet& packet) {
  ++counters_.captured_frames;
  counters_.captured_segments += packet.segments;
  counters_.captured_bytes += static_cast<std::uint64_t>(packet.wire_size().count());
}

// A frame that cannot be understood counts as one segment.
void EmulationPortal::drop_captured(DropReason reason, std::size_t bytes) {
  ++counters_.captured_frames;
  ++counters_.captured_segments;
  counters_.captured_bytes += bytes;
  counters_.dropped_in.add(reason, 1);
}

void EmulationPortal::drop_unsupported(UnsupportedFrame kind) {
  ++counters_.unsupported[static_cast<std::size_t>(kind)];
  drop_captured(DropReason::unsupported, 0);
}

void EmulationPortal::refuse_unsupported(UnsupportedFrame kind) {
  ++counters_.unsupported[static_cast<std::size_t>(kind)];
  counters_.dropped_out.add(DropReason::unsupported, 1);
}

void EmulationPortal::count_written(const Packet& packet) {
  ++counters_.written_frames;
  counters_.written_segments += packet.segments;
  counters_.written_bytes += static_cast<std::uint64_t>(packet.wire_size().count());
}

}  // namespace simcore
