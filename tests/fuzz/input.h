// SPDX-License-Identifier: MIT
//
// Input: a fuzzer's bytes, taken one value after the other. Behind the end everything reads as zero.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace simcore::fuzz {

class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : rest_(data, size) {}

  bool empty() const { return rest_.empty(); }
  std::span<const std::uint8_t> rest() const { return rest_; }

  // At most `count` bytes.
  std::span<const std::uint8_t> take(std::size_t count) {
    const auto taken = rest_.first(std::min(count, rest_.size()));
    rest_ = rest_.subspan(taken.size());
    return taken;
  }

  std::uint8_t u8() { return static_cast<std::uint8_t>(number(1)); }
  std::uint16_t u16() { return static_cast<std::uint16_t>(number(2)); }
  std::uint32_t u32() { return static_cast<std::uint32_t>(number(4)); }

 private:
  std::uint64_t number(std::size_t bytes) {
    std::uint64_t value = 0;
    for (const std::uint8_t byte : take(bytes)) value = value << 8 | byte;
    return value;
  }

  std::span<const std::uint8_t> rest_;
};

}  // namespace simcore::fuzz
