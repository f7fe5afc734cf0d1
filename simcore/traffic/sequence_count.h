// SPDX-License-Identifier: MIT
//
// SequenceCount: what became of numbered frames: how many different ones came, twice, or behind a later one.
//
// The last 2^20 numbers are remembered one by one, 128 KB. A frame that comes later than that is told neither from a
// duplicate nor from a late one, and is counted apart; its number stays missing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace simcore {

class SequenceCount {
 public:
  static constexpr std::uint64_t kWindow = std::uint64_t{1} << 20;

  // Numbers count from 1. Precondition: number >= 1.
  void add(std::uint64_t number) {
    if (number > highest_) {
      forget_between(number);
      highest_ = number;
      remember(number);
      ++distinct_;
    } else if (highest_ - number >= kWindow) {
      ++too_late_;
    } else if (remembered(number)) {
      ++duplicates_;
    } else {
      remember(number);
      ++distinct_;
      ++reordered_;
    }
  }

  std::uint64_t highest() const { return highest_; }
  std::uint64_t distinct() const { return distinct_; }
  std::uint64_t duplicates() const { return duplicates_; }
  std::uint64_t reordered() const { return reordered_; }  // of the distinct ones: came behind a later one
  std::uint64_t too_late() const { return too_late_; }
  std::uint64_t missing() const { return highest_ - distinct_; }  // below the highest

 private:
  static std::size_t word(std::uint64_t number) { return static_cast<std::size_t>(number % kWindow / 64); }
  static std::uint64_t bit(std::uint64_t number) { return std::uint64_t{1} << number % 64; }

  bool remembered(std::uint64_t number) const { return (seen_[word(number)] & bit(number)) != 0; }
  void remember(std::uint64_t number) { seen_[word(number)] |= bit(number); }

  // The places of the numbers from the highest to `number` held those of a window ago.
  void forget_between(std::uint64_t number) {
    if (number - highest_ >= kWindow) {
      seen_.assign(seen_.size(), 0);
      return;
    }
    for (std::uint64_t each = highest_ + 1; each <= number; ++each) seen_[word(each)] &= ~bit(each);
  }

  std::vector<std::uint64_t> seen_ = std::vector<std::uint64_t>(kWindow / 64, 0);
  std::uint64_t highest_ = 0;
  std::uint64_t distinct_ = 0;
  std::uint64_t duplicates_ = 0;
  std::uint64_t reordered_ = 0;
  std::uint64_t too_late_ = 0;
};

}  // namespace simcore
