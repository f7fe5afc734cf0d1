// SPDX-License-Identifier: MIT
#include "simcore/device/interface.h"

#include "simcore/device/node.h"

namespace simcore {

void Interface::accept(PacketPtr packet) {
  counters_.in_packets += packet->segments;
  counters_.in_bytes += static_cast<std::uint64_t>(packet->wire_size().count());
  node_.arrive(*this, std::move(packet));
}

void Interface::expect(int /*step*/) const {
  __builtin_prefetch(&node_);
  __builtin_prefetch(&config_.mac);
}

void Interface::link_changed(bool up) { node_.link_changed(*this, up); }

void Interface::send(PacketPtr packet) {
  if (!attached()) {
    node_.drop(DropReason::no_port, *packet);
    return;
  }
  counters_.out_packets += packet->segments;
  counters_.out_bytes += static_cast<std::uint64_t>(packet->wire_size().count());
  emit(std::move(packet));
}

}  // namespace simcore
