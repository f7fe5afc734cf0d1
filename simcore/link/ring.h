// SPDX-License-Identifier: MIT
//
// Ring: a first-in first-out queue in one array that doubles when it is full. Steady state allocates nothing,
// which std::deque does not promise.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

namespace simcore {

template <class T>
class Ring {
 public:
  bool empty() const { return first_ == end_; }
  std::size_t size() const { return end_ - first_; }

  T& front() { return slots_[first_ & mask_]; }
  const T& front() const { return slots_[first_ & mask_]; }
  // The one that is `index` places behind the front. Precondition: index < size().
  T& operator[](std::size_t index) { return slots_[(first_ + index) & mask_]; }
  const T& operator[](std::size_t index) const { return slots_[(first_ + index) & mask_]; }
  T& back() { return slots_[(end_ - 1) & mask_]; }

  void push(T value) {
    if (size() == mask_ + 1) grow();
    slots_[end_++ & mask_] = std::move(value);
  }

  T pop() {
    T value = std::move(slots_[first_++ & mask_]);
    begin_again_if_empty();
    return value;
  }

  T pop_back() { return std::move(slots_[--end_ & mask_]); }

  // Forgets the front, which keeps what it holds until its place is used again: for plain values.
  void drop_front() {
    ++first_;
    begin_again_if_empty();
  }

 private:
  static constexpr std::size_t kFirst = 16;  // slots

  // A ring that is often empty uses its first slots only, and they stay in the cache.
  void begin_again_if_empty() {
    if (first_ == end_) first_ = end_ = 0;
  }

  void grow() {
    const std::size_t count = size();
    const std::size_t slots = slots_ == nullptr ? kFirst : count * 2;
    auto larger = std::make_unique<T[]>(slots);
    for (std::size_t i = 0; i < count; ++i) larger[i] = std::move(slots_[(first_ + i) & mask_]);
    slots_ = std::move(larger);
    mask_ = slots - 1;
    first_ = 0;
    end_ = count;
  }

  std::unique_ptr<T[]> slots_;          // a power of two
  std::size_t mask_ = ~std::size_t{0};  // their number less one
  std::size_t first_ = 0;
  std::size_t end_ = 0;
};

}  // namespace simcore
