// SPDX-License-Identifier: MIT
#include "simcore/parallel/cut_end.h"

#include <utility>

namespace simcore {

void CutEnd::receive(PacketPtr packet) {
  const SimTime release = packet->first_arrival;
  line_.push(std::move(packet), release);
}

void CutEnd::Exit::accept(PacketPtr packet) {
  end_.emitted_.delivered_packets += packet->segments;
  end_.emitted_.delivered_bytes += static_cast<std::uint64_t>(packet->wire_size().count());
  end_.emit(std::move(packet));
}

}  // namespace simcore
