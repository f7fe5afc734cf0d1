// SPDX-License-Identifier: MIT
#include "simcore/portal/peering_channel.h"

#include <algorithm>
#include <utility>

#include "simcore/portal/peering_portal.h"

namespace simcore {

void PeeringChannel::accept(PacketPtr packet) {
  counters_.accepted_packets += packet->segments;
  counters_.accepted_bytes += static_cast<std::uint64_t>(packet->wire_size().count());
  portal_.send(id_, *packet);
}

void PeeringChannel::change_delay(Duration incoming_delay) {
  if (incoming_delay == incoming_delay_) return;
  former_delay_ = incoming_delay_;
  changed_ = simulation_.now();
  incoming_delay_ = incoming_delay;
  portal_.delay_changed();
}

void PeeringChannel::receive(PacketPtr packet, std::size_t lane) {
  counters_.received_packets += packet->segments;
  counters_.received_bytes += static_cast<std::uint64_t>(packet->wire_size().count());
  const Duration delay = packet->first_arrival < changed_ ? former_delay_ : incoming_delay_;
  const SimTime release = packet->first_arrival + delay;
  packet->last_arrival = packet->last_arrival + delay;
  if (release < simulation_.now()) {
    counters_.late_packets += packet->segments;
    lateness_.record(simulation_.now() - release);
  }
  lines_[lane].push(std::move(packet), std::max(release, simulation_.now()));
}

void PeeringChannel::Exit::accept(PacketPtr packet) {
  channel_.counters_.delivered_packets += packet->segments;
  channel_.emit(std::move(packet));
}

}  // namespace simcore
