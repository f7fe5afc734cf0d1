// SPDX-License-Identifier: MIT
//
// SpscRing: a bounded ring of elements between two threads, one that fills and one that empties.
//
//   filler:   room()   -> free elements, writes them, publish(n)
//   emptier:  filled() -> written elements, reads them, release(n)
//
// The elements stay where they are and keep what they own: what goes back and forth is who may touch them. No lock,
// and nobody waits here.
#pragma once

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cstddef>
#include <span>
#include <vector>

namespace simcore {

template <class T>
class SpscRing {
 public:
  // Precondition: capacity >= 1.
  explicit SpscRing(std::size_t capacity) : elements_(capacity) { assert(capacity >= 1); }

  std::size_t capacity() const { return elements_.size(); }

  // For whoever prepares the elements, before the second thread begins.
  std::span<T> elements() { return elements_; }

  // Filler: the free elements that lie in a row; empty when the ring is full.
  std::span<T> room() {
    const std::size_t filled = filled_.load();
    return row(filled, capacity() - (filled - released_.load()));
  }
  void publish(std::size_t count) { filled_.store(filled_.load(std::memory_order_relaxed) + count); }

  // Emptier: the written elements that lie in a row; empty when there are none.
  std::span<T> filled() {
    const std::size_t released = released_.load();
    return row(released, filled_.load() - released);
  }
  void release(std::size_t count) { released_.store(released_.load(std::memory_order_relaxed) + count); }

 private:
  static constexpr std::size_t kCacheLine = 64;

  std::span<T> row(std::size_t from, std::size_t count) {
    const std::size_t at = from % capacity();
    return std::span<T>(elements_).subspan(at, std::min(count, capacity() - at));
  }

  std::vector<T> elements_;
  // Counts since the beginning, each on its cache line. All accesses but to the own count are sequentially consistent:
  // a thread that is about to wait says so in a flag and then looks here again, and the other one does the reverse.
  alignas(kCacheLine) std::atomic<std::size_t> filled_{0};
  alignas(kCacheLine) std::atomic<std::size_t> released_{0};
};

}  // namespace simcore
