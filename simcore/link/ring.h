// SPDX-License-Identifier: MIT
//
// Ring: a first-in first-out queue in one array that doubles when it is full. Steady state allocates nothing,
// which std::deque does not promise.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace simcore {

template <class T>
class Ring {
 public:
  bool empty() const { return first_ == end_; }
  std::size_t size() const { return end_ - first_; }

  T& front() { return slots_[first_ & mask()]; }
  const T& front() const { return slots_[first_ & mask()]; }
  // The one that is `index` places behind the front. Precondition: index < size().
  T& operator[](std::size_t index) { return slots_[(first_ + index) & mask()]; }
  const T& operator[](std::size_t index) const { return slots_[(first_ + index) & mask()]; }
  T& back() { return slots_[(end_ - 1) & mask()]; }

  void push(T value) {
    if (size() == slots_.size()) grow();
    slots_[end_++ & mask()] = std::move(value);
  }

  T pop() { return std::move(slots_[first_++ & mask()]); }

  T pop_back() { return std::move(slots_[--end_ & mask()]); }

  // Forgets the front, which keeps what it holds until its place is used again: for plain values.
  void drop_front() { ++first_; }

 private:
  std::size_t mask() const { return slots_.size() - 1; }

  void grow() {
    std::vector<T> larger(slots_.empty() ? 16 : slots_.size() * 2);
    const std::size_t count = size();
    for (std::size_t i = 0; i < count; ++i) larger[i] = std::move(slots_[(first_ + i) & mask()]);
    slots_ = std::move(larger);
    first_ = 0;
    end_ = count;
  }

  std::vector<T> slots_;  // its size is a power of two, or zero before the first push
  std::size_t first_ = 0;
  std::size_t end_ = 0;
};

}  // namespace simcore
