// SPDX-License-Identifier: MIT
//
// Parcel: a packet on its way to another partition, as bytes: which link it comes by, its instants and its description as
// they are in memory, and its stored bytes. All partitions of a simulation run the same program on processors of one kind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "simcore/packet/packet.h"
#include "simcore/packet/packet_pool.h"
#include "simcore/units/time.h"

namespace simcore {

// Parcels for one partition.
struct Outbox {
  std::vector<std::uint8_t> bytes;
  std::uint64_t parcels = 0;
  SimTime earliest = SimTime::never();  // when the first of them comes out of its link

  void put(std::uint32_t link, const Packet& packet);
  void clear();
};

// The parcels of an outbox, one after the other.
class Inbox {
 public:
  explicit Inbox(std::span<const std::uint8_t> bytes) : left_(bytes) {}

  bool empty() const { return left_.empty(); }

  struct Parcel {
    std::uint32_t link;
    std::uint16_t segments;
    PacketPtr packet;  // null: the pool is exhausted
  };
  // Precondition: not empty.
  Parcel take(PacketPool& pool);

 private:
  std::span<const std::uint8_t> left_;
};

}  // namespace simcore
