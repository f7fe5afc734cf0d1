// SPDX-License-Identifier: MIT
//
// Ipv4Address, Ipv4Prefix (a block of addresses) and Ipv4InterfaceAddress (one address and
// the block it lies in).
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "simcore/packet/byte_order.h"

namespace simcore {

class Ipv4Address {
 public:
  static constexpr std::size_t kSize = 4;

  // Four decimal octets, "10.0.0.1". Throws ConfigError when `text` is anything else.
  static Ipv4Address parse(std::string_view text);

  static Ipv4Address from(const std::uint8_t* at) { return Ipv4Address(load_be32(at)); }
  // `value` with the first octet highest: 0x0a000001 is 10.0.0.1.
  static constexpr Ipv4Address of(std::uint32_t value) { return Ipv4Address(value); }
  static constexpr Ipv4Address any() { return Ipv4Address(0); }
  static constexpr Ipv4Address broadcast() { return Ipv4Address(0xffff'ffffU); }

  void write_to(std::uint8_t* at) const { store_be32(at, value_); }

  constexpr std::uint32_t value() const { return value_; }
  constexpr bool is_any() const { return value_ == 0; }
  constexpr bool is_broadcast() const { return value_ == 0xffff'ffffU; }
  constexpr bool is_loopback() const { return value_ >> 24 == 127; }
  constexpr bool is_multicast() const { return value_ >> 28 == 0xe; }
  // One host may have it: not "this network", loopback, multicast, reserved (class E) or broadcast.
  constexpr bool is_unicast() const { return value_ >> 24 != 0 && !is_loopback() && value_ >> 28 < 0xe; }
  std::string to_string() const;

  constexpr auto operator<=>(const Ipv4Address&) const = default;

 private:
  explicit constexpr Ipv4Address(std::uint32_t value) : value_(value) {}

  std::uint32_t value_;
};

class Ipv4Prefix {
 public:
  using Address = Ipv4Address;
  static constexpr int kLongest = 32;

  // "10.0.0.0/8". Throws ConfigError when `text` is anything else, or has bits set below the prefix.
  static Ipv4Prefix parse(std::string_view text);

  // The block of 2^(32-length) addresses that holds `address`. Precondition: 0 <= length <= 32.
  static constexpr Ipv4Prefix around(Ipv4Address address, int length) {
    return Ipv4Prefix(Ipv4Address::of(address.value() & mask(length)), length);
  }

  constexpr Ipv4Address first() const { return first_; }
  constexpr Ipv4Address last() const { return Ipv4Address::of(first_.value() | ~mask(length_)); }
  constexpr int length() const { return length_; }
  constexpr bool contains(Ipv4Address address) const {
    return (address.value() & mask(length_)) == first_.value();
  }
  std::string to_string() const;

  constexpr auto operator<=>(const Ipv4Prefix&) const = default;

 private:
  constexpr Ipv4Prefix(Ipv4Address first, int length) : first_(first), length_(length) {}

  static constexpr std::uint32_t mask(int length) {
    return length == 0 ? 0 : ~std::uint32_t{0} << (32 - length);
  }

  Ipv4Address first_;
  int length_;
};

class Ipv4InterfaceAddress {
 public:
  // "10.1.0.1/16". Throws ConfigError when `text` is anything else, or when no host can have that address:
  // the first and the last of a block name the network and its broadcast (but for /31, RFC 3021, and /32).
  static Ipv4InterfaceAddress parse(std::string_view text);

  constexpr Ipv4Address address() const { return address_; }
  constexpr Ipv4Prefix prefix() const { return Ipv4Prefix::around(address_, length_); }
  // The broadcast address of the block, if it has one.
  constexpr bool is_broadcast(Ipv4Address address) const {
    return length_ < 31 && address == prefix().last();
  }
  std::string to_string() const;

  constexpr auto operator<=>(const Ipv4InterfaceAddress&) const = default;

 private:
  constexpr Ipv4InterfaceAddress(Ipv4Address address, int length) : address_(address), length_(length) {}

  Ipv4Address address_;
  int length_;
};

}  // namespace simcore

template <>
struct std::hash<simcore::Ipv4Address> {
  std::size_t operator()(simcore::Ipv4Address address) const noexcept {
    return static_cast<std::size_t>(address.value() * std::uint64_t{0x9e3779b97f4a7c15U} >> 16);
  }
};
