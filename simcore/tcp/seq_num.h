// SPDX-License-Identifier: MIT
//
// SeqNum: a 32-bit TCP sequence number as it stands in a header (RFC 9293 section 3.4).
//
// Sequence numbers wrap, so they have no order: there is no `<`. What can be asked is whether one lies before another,
// on the half of the circle that ends in it. Inside the state machine a place in the stream is a position: an int64
// that counts from the initial sequence number (position 0 is the SYN, data begins at 1) and never wraps. The two are
// joined only here.
#pragma once

#include <cstdint>

namespace simcore {

class SeqNum {
 public:
  explicit constexpr SeqNum(std::uint32_t value) : value_(value) {}

  constexpr std::uint32_t value() const { return value_; }
  constexpr bool operator==(const SeqNum&) const = default;
  constexpr SeqNum operator+(std::uint32_t count) const { return SeqNum(value_ + count); }

 private:
  std::uint32_t value_;
};

// True when `a` lies before `b`: less than 2^31 steps lead from `a` forward to `b`, and at least one.
constexpr bool before(SeqNum a, SeqNum b) { return static_cast<std::int32_t>(a.value() - b.value()) < 0; }
constexpr bool after(SeqNum a, SeqNum b) { return before(b, a); }

// The sequence number of a position, given that of position 0.
constexpr SeqNum wrap(std::int64_t position, SeqNum initial) {
  return initial + static_cast<std::uint32_t>(position);
}

// The position that `number` means: of all that wrap to it, the one nearest to `reference`.
constexpr std::int64_t unwrap(SeqNum number, SeqNum initial, std::int64_t reference) {
  const std::uint32_t ahead = number.value() - wrap(reference, initial).value();
  return reference + static_cast<std::int32_t>(ahead);
}

}  // namespace simcore
