// SPDX-License-Identifier: MIT
//
// ReplayWindow: which numbers of a counter were seen. Pure.
//
//   seen or too old | ... the last kSize numbers, one bit each ... | newest | not seen
//
// As in RFC 6479, but that the window is a ring of bits which are cleared as it moves.
#pragma once

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <cstdint>

namespace simcore::peering {

class ReplayWindow {
 public:
  static constexpr std::uint64_t kSize = 8'192;  // more than a socket's buffer reorders

  // Whether `number` was not seen, as far as that is known.
  bool is_new(std::uint64_t number) const {
    if (number >= next_) return true;
    return next_ - number <= kSize && !seen_[number % kSize];
  }

  // Precondition: is_new(number), which is proven to be the sender's.
  void see(std::uint64_t number) {
    if (number >= next_) {
      const std::uint64_t first = std::max(next_, number >= kSize ? number - kSize + 1 : 0);
      for (std::uint64_t each = first; each <= number; ++each) seen_.reset(each % kSize);
      next_ = number + 1;
    }
    seen_.set(number % kSize);
  }

 private:
  std::bitset<kSize> seen_;
  std::uint64_t next_ = 0;  // after the newest that was seen
};

}  // namespace simcore::peering
