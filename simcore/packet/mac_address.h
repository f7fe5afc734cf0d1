// SPDX-License-Identifier: MIT
//
// MacAddress: the 48-bit address of an Ethernet interface.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "simcore/packet/byte_order.h"

namespace simcore {

class MacAddress {
 public:
  static constexpr std::size_t kSize = 6;

  // Six octets in hexadecimal, "02:00:00:00:00:01" or with '-'. Throws ConfigError when `text`
  // is anything else.
  static MacAddress parse(std::string_view text);

  // The six bytes at `at`, as they stand in a header.
  static MacAddress from(const std::uint8_t* at) {
    return MacAddress(std::uint64_t{load_be16(at)} << 32 | load_be32(at + 2));
  }
  // The low 48 bits of `value`, first octet highest.
  static constexpr MacAddress of(std::uint64_t value) { return MacAddress(value & 0xffff'ffff'ffffU); }
  static constexpr MacAddress broadcast() { return MacAddress(0xffff'ffff'ffffU); }
  static constexpr MacAddress zero() { return MacAddress(0); }

  void write_to(std::uint8_t* at) const {
    store_be16(at, static_cast<std::uint16_t>(value_ >> 32));
    store_be32(at + 2, static_cast<std::uint32_t>(value_));
  }

  constexpr std::uint64_t value() const { return value_; }
  constexpr bool is_broadcast() const { return *this == broadcast(); }
  // A group address; broadcast is one of them.
  constexpr bool is_multicast() const { return (value_ >> 40 & 1) != 0; }
  std::string to_string() const;

  constexpr auto operator<=>(const MacAddress&) const = default;

 private:
  explicit constexpr MacAddress(std::uint64_t value) : value_(value) {}

  std::uint64_t value_;
};

}  // namespace simcore

template <>
struct std::hash<simcore::MacAddress> {
  // Vendors and tools count addresses up in the low octets, so the bits are spread over the word.
  std::size_t operator()(simcore::MacAddress address) const noexcept {
    return static_cast<std::size_t>(address.value() * 0x9e3779b97f4a7c15U >> 16);
  }
};
