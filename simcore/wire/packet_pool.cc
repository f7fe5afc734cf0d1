// SPDX-License-Identifier: MIT
#include "simcore/wire/packet_pool.h"

#include <cassert>
#include <cstring>
#include <new>

namespace simcore {

namespace {

// Block sizes, Packet included; multiples of a cache line so that blocks of a chunk stay aligned.
constexpr std::array<std::size_t, 4> kBlock = {256, 2'048, 10'240, 65'792};
constexpr std::size_t kChunk = std::size_t{1} << 20;
constexpr std::align_val_t kCacheLine{64};

static_assert(kBlock.back() - sizeof(Packet) >= PacketPool::kLargestFrame);

std::size_t capacity_of(std::size_t size_class) { return kBlock[size_class] - sizeof(Packet); }

}  // namespace

void Packet::resize(std::size_t size) {
  assert(size <= capacity());
  size_ = static_cast<std::uint32_t>(size);
}

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

void PacketRecycler::operator()(Packet* packet) const { packet->pool_->recycle(packet); }

PacketPool::PacketPool(ByteCount limit) : limit_(limit) {}

void PacketPool::FreeChunk::operator()(std::byte* chunk) const { ::operator delete(chunk, kCacheLine); }

PacketPool::~PacketPool() { assert(in_use_ == 0); }

PacketPtr PacketPool::make(std::size_t size) {
  std::size_t size_class = 0;
  while (size_class < kClasses && capacity_of(size_class) < size) ++size_class;
  if (size_class == kClasses || (free_[size_class] == nullptr && !grow(size_class))) {
    ++exhausted_;
    return nullptr;
  }
  Packet* const block = free_[size_class];
  free_[size_class] = block->next_free_;
  Packet* const packet = new (block) Packet(this, static_cast<std::uint32_t>(capacity_of(size_class)));
  packet->resize(size);
  ++in_use_;
  return PacketPtr(packet);
}

PacketPtr PacketPool::copy_of(std::span<const std::uint8_t> frame) {
  PacketPtr packet = make(frame.size());
  if (packet) std::memcpy(packet->bytes().data(), frame.data(), frame.size());
  return packet;
}

PacketPtr PacketPool::copy_of(const Packet& packet) {
  PacketPtr copy = copy_of(packet.bytes());
  if (copy) copy->describe_as(packet);
  return copy;
}

void PacketPool::recycle(Packet* packet) {
  std::size_t size_class = 0;
  while (capacity_of(size_class) != packet->capacity_) ++size_class;
  packet->next_free_ = free_[size_class];
  free_[size_class] = packet;
  --in_use_;
}

bool PacketPool::grow(std::size_t size_class) {
  if (reserved_ + ByteCount::bytes(kChunk) > limit_) return false;
  chunks_.emplace_back(static_cast<std::byte*>(::operator new(kChunk, kCacheLine)));
  reserved_ += ByteCount::bytes(kChunk);
  for (std::size_t offset = 0; offset + kBlock[size_class] <= kChunk; offset += kBlock[size_class]) {
    Packet* const block =
        new (chunks_.back().get() + offset) Packet(this, static_cast<std::uint32_t>(capacity_of(size_class)));
    block->next_free_ = free_[size_class];
    free_[size_class] = block;
  }
  return true;
}

}  // namespace simcore
