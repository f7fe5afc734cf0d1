// SPDX-License-Identifier: MIT
//
// SendBuffer: what the application has written and the peer has not yet acknowledged.
//
//        base                                end
//   ------|---- real or virtual bytes --------|------>  position
//
// Written bytes are either real, and copied here, or virtual: only their number is kept. A stream without a real byte
// holds no memory; beside real bytes that are not yet acknowledged virtual ones are stored as zeros.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "simcore/tcp/byte_ring.h"

namespace simcore {

class SendBuffer {
 public:
  // `first` is the position of the first byte that will be written.
  SendBuffer(std::int64_t first, std::int64_t capacity) : base_(first), end_(first), capacity_(capacity) {}

  std::int64_t end() const { return end_; }
  std::int64_t room() const { return capacity_ - (end_ - base_); }

  // Both take as much as there is room for and return how much.
  std::int64_t write(std::span<const std::uint8_t> bytes) {
    const std::int64_t count = std::min<std::int64_t>(static_cast<std::int64_t>(bytes.size()), room());
    if (count == 0) return 0;
    ring_.reserve(base_, end_ + count);
    ring_.store(end_, bytes.first(static_cast<std::size_t>(count)));
    end_ += count;
    return count;
  }
  std::int64_t write_virtual(std::int64_t bytes) {
    const std::int64_t count = std::min(bytes, room());
    if (base_ == end_) ring_ = {};
    if (!ring_.empty()) {
      ring_.reserve(base_, end_ + count);
      ring_.store_zeros(end_, count);
    }
    end_ += count;
    return count;
  }

  // The last so many bytes are as if they had never been written. Preconditions: none of them was sent, and the stream has no
  // real bytes.
  void take_back(std::int64_t count) { end_ -= count; }

  // True when the stream has real bytes; then segments carry bytes, else only lengths.
  bool has_bytes() const { return !ring_.empty(); }

  // Copies the bytes from `position` on. Preconditions: has_bytes(), and the range lies between base and end.
  void copy(std::int64_t position, std::span<std::uint8_t> out) const { ring_.load(position, out); }

  // Everything before `position` was acknowledged.
  void release(std::int64_t position) { base_ = std::max(base_, std::min(position, end_)); }

 private:
  std::int64_t base_;
  std::int64_t end_;
  std::int64_t capacity_;
  ByteRing ring_;
};

}  // namespace simcore
