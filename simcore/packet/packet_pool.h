// SPDX-License-Identifier: MIT
//
// PacketPool: where packets come from and go back to.
//
// Five size classes (the smallest frame, a small one, an Ethernet frame, a jumbo frame, a train). Blocks are
// carved from chunks and kept on a free list per class, last in first out, so a busy pool stays in the cache and
// asks the system for nothing. The pool has a limit: what every queue of a simulation holds together is bounded.
//
// No line of packets should hold more than share() of it, or the others starve: a line that keeps packets refuses more than
// that, and says so here and in its own drop counters (DropReason::pool_share).
//
// Not thread safe; the pool must outlive its packets.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include "simcore/packet/packet.h"
#include "simcore/units/data.h"

namespace simcore {

class PacketPool {
 public:
  // The largest frame or train, in bytes: 65,535 of IP, Ethernet and two VLAN tags in front.
  static constexpr std::size_t kLargestFrame = 65'535 + 14 + 8;

  static constexpr ByteCount kUsualLimit = ByteCount::bytes(std::int64_t{1} << 30);

  explicit PacketPool(ByteCount limit = kUsualLimit);
  PacketPool(const PacketPool&) = delete;
  PacketPool& operator=(const PacketPool&) = delete;
  ~PacketPool();

  // A packet of `size` bytes of any value, with room for at least that. Null when the limit is reached or
  // `size` is above kLargestFrame; `exhausted()` counts it, and the caller counts its drop.
  PacketPtr make(std::size_t size) {
    std::size_t size_class = 0;
    while (size_class < kClasses && kCapacity[size_class] < size) ++size_class;
    if (size_class == kClasses || (free_[size_class].first == nullptr && !grow(size_class))) {
      ++exhausted_;
      return nullptr;
    }
    FreePackets& home = free_[size_class];
    FreeBlock* const block = home.first;
    home.first = block->next;
    ++home.out;
    return PacketPtr(new (block) Packet(&home, static_cast<std::uint32_t>(size)));
  }

  // A packet that holds a copy of `frame`. Null as above.
  PacketPtr copy_of(std::span<const std::uint8_t> frame) {
    PacketPtr packet = make(frame.size());
    if (packet) std::memcpy(packet->bytes().data(), frame.data(), frame.size());
    return packet;
  }

  // A packet like `packet`: its bytes, instants and description. Null as above.
  PacketPtr copy_of(const Packet& packet);

  std::uint64_t in_use() const;                     // packets that are out now
  ByteCount reserved() const { return reserved_; }  // memory taken from the system
  std::uint64_t exhausted() const { return exhausted_; }

  ByteCount limit() const { return limit_; }
  ByteCount share() const {
    return ByteCount::bytes(limit_.count() / 2);
  }  // blocks, as Packet::block_bytes() counts
  void count_refused_share(std::uint64_t segments) { refused_share_ += segments; }
  std::uint64_t refused_share() const {
    return refused_share_;
  }  // segments that some line had no share left for

 private:
  static constexpr std::size_t kClasses = 5;

  // Block sizes, Packet included: multiples of a cache line, so that blocks of a chunk stay aligned.
  static constexpr std::array<std::uint32_t, kClasses> kBlock = {128, 256, 2'048, 10'240, 65'792};
  static constexpr std::array<std::uint32_t, kClasses> kCapacity = [] {
    std::array<std::uint32_t, kClasses> capacity = kBlock;
    for (std::uint32_t& each : capacity) each -= std::uint32_t{sizeof(Packet)};
    return capacity;
  }();
  static_assert(kCapacity.back() >= kLargestFrame);

  struct FreeChunk {
    void operator()(std::byte* chunk) const;
  };

  bool grow(std::size_t size_class);

  ByteCount limit_;
  ByteCount reserved_ = ByteCount::zero();
  std::array<FreePackets, kClasses> free_;
  std::vector<std::unique_ptr<std::byte, FreeChunk>> chunks_;  // aligned to cache lines
  std::uint64_t exhausted_ = 0;
  std::uint64_t refused_share_ = 0;
};

}  // namespace simcore
