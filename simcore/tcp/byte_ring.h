// SPDX-License-Identifier: MIT
//
// ByteRing: storage for the bytes of a stream around its present position.
//
// A byte is named by its position in the stream. The ring grows, doubling, with the distance between the oldest and the
// newest byte that is held, so a connection that never has much in flight costs little. Its owner bounds that distance.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace simcore {

class ByteRing {
 public:
  bool empty() const { return ring_.empty(); }
  std::int64_t size() const { return static_cast<std::int64_t>(ring_.size()); }  // what it takes of memory

  // Makes room for the positions from `base` to `end`. What is held from `base` on stays.
  void reserve(std::int64_t base, std::int64_t end) {
    const std::int64_t old_size = size();
    if (end - base <= old_size) return;
    std::int64_t larger = std::max<std::int64_t>(old_size, 4096);
    while (larger < end - base) larger *= 2;
    std::vector<std::uint8_t> grown(static_cast<std::size_t>(larger));
    for (std::int64_t at = base; at < base + old_size;) {
      const std::int64_t run =
          std::min({base + old_size - at, old_size - at % old_size, larger - at % larger});
      std::memcpy(&grown[static_cast<std::size_t>(at % larger)],
                  &ring_[static_cast<std::size_t>(at % old_size)], static_cast<std::size_t>(run));
      at += run;
    }
    ring_ = std::move(grown);
  }

  // Of the following three the range must lie in what was reserved.
  void store(std::int64_t position, std::span<const std::uint8_t> bytes) {
    each_run(position, bytes.size(), [&](std::size_t slot, std::size_t run, std::size_t done) {
      std::memcpy(&ring_[slot], bytes.data() + done, run);
    });
  }
  void store_zeros(std::int64_t position, std::int64_t count) {
    each_run(position, static_cast<std::size_t>(count),
             [&](std::size_t slot, std::size_t run, std::size_t) { std::memset(&ring_[slot], 0, run); });
  }
  void load(std::int64_t position, std::span<std::uint8_t> out) const {
    each_run(position, out.size(), [&](std::size_t slot, std::size_t run, std::size_t done) {
      std::memcpy(out.data() + done, &ring_[slot], run);
    });
  }

 private:
  // Calls `act(slot, length, done)` for the one or two runs of the ring that hold `count` bytes from `position` on.
  template <class Act>
  void each_run(std::int64_t position, std::size_t count, Act act) const {
    std::size_t done = 0;
    while (done < count) {
      const std::size_t slot = (static_cast<std::size_t>(position) + done) % ring_.size();
      const std::size_t run = std::min(count - done, ring_.size() - slot);
      act(slot, run, done);
      done += run;
    }
  }

  std::vector<std::uint8_t> ring_;
};

}  // namespace simcore
