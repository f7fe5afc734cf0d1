// SPDX-License-Identifier: MIT
#include "simcore/packet/packet_pool.h"

#include <cassert>
#include <new>

namespace simcore {

namespace {

constexpr std::size_t kChunk = std::size_t{1} << 20;
constexpr std::align_val_t kCacheLine{64};

}  // namespace

void Packet::remove_front(std::size_t count) {
  assert(count <= size_);
  start_ += static_cast<std::uint32_t>(count);
  size_ -= static_cast<std::uint32_t>(count);
}

void Packet::describe_as(const Packet& other) {
  first_arrival = other.first_arrival;
  last_arrival = other.last_arrival;
  virtual_payload = other.virtual_payload;
  segments = other.segments;
  segment_payload = other.segment_payload;
  header_size = other.header_size;
  train = other.train;
  checksum_partial = other.checksum_partial;
  checksum_start = other.checksum_start;
  checksum_offset = other.checksum_offset;
}

PacketPool::PacketPool(ByteCount limit) : limit_(limit) {
  for (std::size_t size_class = 0; size_class < kClasses; ++size_class) {
    free_[size_class].capacity = kCapacity[size_class];
  }
}

void PacketPool::FreeChunk::operator()(std::byte* chunk) const { ::operator delete(chunk, kCacheLine); }

PacketPool::~PacketPool() { assert(in_use() == 0); }

std::uint64_t PacketPool::in_use() const {
  std::uint64_t out = 0;
  for (const FreePackets& home : free_) out += home.out;
  return out;
}

PacketPtr PacketPool::copy_of(const Packet& packet) {
  PacketPtr copy = copy_of(packet.bytes());
  if (copy) copy->describe_as(packet);
  return copy;
}

bool PacketPool::grow(std::size_t size_class) {
  if (reserved_ + ByteCount::bytes(kChunk) > limit_) return false;
  chunks_.emplace_back(static_cast<std::byte*>(::operator new(kChunk, kCacheLine)));
  reserved_ += ByteCount::bytes(kChunk);
  FreePackets& home = free_[size_class];
  for (std::size_t offset = 0; offset + kBlock[size_class] <= kChunk; offset += kBlock[size_class]) {
    home.first = new (chunks_.back().get() + offset) FreeBlock{home.first};
  }
  return true;
}

}  // namespace simcore
