// SPDX-License-Identifier: MIT
//
// PacketPool: where packets come from and go back to.
//
// Four size classes (a small frame, an Ethernet frame, a jumbo frame, a train). Blocks are carved from chunks
// and kept on a free list per class, last in first out, so a busy pool stays in the cache and asks the system
// for nothing. The pool has a limit: what every queue of a simulation holds together is bounded by it.
//
// Not thread safe; the pool must outlive its packets.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "simcore/units/data.h"
#include "simcore/wire/packet.h"

namespace simcore {

class PacketPool {
 public:
  // The largest frame or train, in bytes: 65,535 of IP, Ethernet and two VLAN tags in front.
  static constexpr std::size_t kLargestFrame = 65'535 + 14 + 8;

  explicit PacketPool(ByteCount limit = ByteCount::bytes(std::int64_t{1} << 30));
  PacketPool(const PacketPool&) = delete;
  PacketPool& operator=(const PacketPool&) = delete;
  ~PacketPool();

  // A packet of `size` bytes of any value, with room for at least that. Null when the limit is reached or
  // `size` is above kLargestFrame; `exhausted()` counts it, and the caller counts its drop.
  PacketPtr make(std::size_t size);

  // A packet that holds a copy of `frame`. Null as above.
  PacketPtr copy_of(std::span<const std::uint8_t> frame);

  // A packet like `packet`: its bytes, instants and description. Null as above.
  PacketPtr copy_of(const Packet& packet);

  std::uint64_t in_use() const { return in_use_; }  // packets that are out now
  ByteCount reserved() const { return reserved_; }  // memory taken from the system
  std::uint64_t exhausted() const { return exhausted_; }

 private:
  friend struct PacketRecycler;

  static constexpr std::size_t kClasses = 4;

  struct FreeChunk {
    void operator()(std::byte* chunk) const;
  };

  void recycle(Packet* packet);
  bool grow(std::size_t size_class);

  ByteCount limit_;
  ByteCount reserved_ = ByteCount::zero();
  std::array<Packet*, kClasses> free_{};
  std::vector<std::unique_ptr<std::byte, FreeChunk>> chunks_;  // aligned to cache lines
  std::uint64_t in_use_ = 0;
  std::uint64_t exhausted_ = 0;
};

}  // namespace simcore
