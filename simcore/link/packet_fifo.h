// SPDX-License-Identifier: MIT
//
// PacketFifo: packets that wait, first in first out, and the bytes they are.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "simcore/link/ring.h"
#include "simcore/packet/packet.h"
#include "simcore/units/data.h"

namespace simcore {

class PacketFifo {
 public:
  bool empty() const { return packets_.empty(); }
  std::int64_t packets() const { return static_cast<std::int64_t>(packets_.size()); }
  ByteCount bytes() const { return bytes_; }

  void push(PacketPtr packet) {
    bytes_ += packet->wire_size();
    packets_.push(std::move(packet));
  }

  // Null when nothing waits.
  PacketPtr pop() {
    if (packets_.empty()) return nullptr;
    PacketPtr packet = packets_.pop();
    bytes_ -= packet->wire_size();
    return packet;
  }

  // Calls `see` with each packet, in their order.
  template <class See>
  void look(See&& see) const {
    for (std::size_t place = 0; place < packets_.size(); ++place) see(*packets_[place]);
  }

  const Packet& front() const { return *packets_.front(); }  // precondition: !empty()

  // The newest. Precondition: !empty().
  PacketPtr pop_back() {
    PacketPtr packet = packets_.pop_back();
    bytes_ -= packet->wire_size();
    return packet;
  }

  // All that waits, in order.
  std::vector<PacketPtr> drain() {
    std::vector<PacketPtr> all;
    while (!packets_.empty()) all.push_back(pop());
    return all;
  }

 private:
  Ring<PacketPtr> packets_;
  ByteCount bytes_ = ByteCount::zero();
};

}  // namespace simcore
