// SPDX-License-Identifier: MIT
//
// Ipv6Address, Ipv6Prefix (a block of addresses) and Ipv6InterfaceAddress (one address and the block it lies
// in), as RFC 4291 has them; written in the one form of RFC 5952.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "simcore/packet/byte_order.h"
#include "simcore/packet/mac_address.h"

namespace simcore {

class Ipv6Address {
 public:
  static constexpr std::size_t kSize = 16;

  // Groups of hexadecimal digits, "2001:db8::1", the last two perhaps as "192.0.2.1". Throws ConfigError when
  // `text` is anything else; a zone ("%eth0") is something else.
  static Ipv6Address parse(std::string_view text);

  static Ipv6Address from(const std::uint8_t* at) { return Ipv6Address(load_be64(at), load_be64(at + 8)); }
  // The first eight bytes and the last eight, first byte highest.
  static constexpr Ipv6Address of(std::uint64_t high, std::uint64_t low) { return Ipv6Address(high, low); }
  static constexpr Ipv6Address any() { return Ipv6Address(0, 0); }
  static constexpr Ipv6Address all_nodes() { return Ipv6Address(kLinkScope, 1); }
  static constexpr Ipv6Address all_routers() { return Ipv6Address(kLinkScope, 2); }
  // fe80:: with the modified EUI-64 of `mac` (RFC 4291 appendix A).
  static constexpr Ipv6Address link_local_of(MacAddress mac) {
    const std::uint64_t value = mac.value() ^ 0x0200'0000'0000U;  // the universal bit is inverted
    return Ipv6Address(kLinkLocal, value >> 24 << 40 | 0xff'fe00'0000U | (value & 0xff'ffffU));
  }
  // The group in which whoever has this address is asked for it (RFC 4291 2.7.1).
  constexpr Ipv6Address solicited_node() const {
    return Ipv6Address(kLinkScope, 0x1'ff00'0000U | (low_ & 0xff'ffffU));
  }

  void write_to(std::uint8_t* at) const {
    store_be64(at, high_);
    store_be64(at + 8, low_);
  }

  constexpr std::uint64_t high() const { return high_; }
  constexpr std::uint64_t low() const { return low_; }
  constexpr bool is_any() const { return high_ == 0 && low_ == 0; }
  constexpr bool is_loopback() const { return high_ == 0 && low_ == 1; }
  constexpr bool is_multicast() const { return high_ >> 56 == 0xff; }
  constexpr bool is_link_local() const { return high_ >> 54 == kLinkLocal >> 54; }
  constexpr bool is_ipv4_mapped() const { return high_ == 0 && low_ >> 32 == 0xffff; }
  // One host may have it on a link: not unspecified, loopback, multicast, or an IPv4 address in disguise.
  constexpr bool is_unicast() const {
    return !is_any() && !is_loopback() && !is_multicast() && !is_ipv4_mapped();
  }
  // The Ethernet address of a multicast group (RFC 2464 section 7).
  constexpr MacAddress group_mac() const { return MacAddress::of(0x3333'0000'0000U | (low_ & 0xffff'ffffU)); }
  std::string to_string() const;

  constexpr auto operator<=>(const Ipv6Address&) const = default;

 private:
  static constexpr std::uint64_t kLinkScope = 0xff02'0000'0000'0000U;
  static constexpr std::uint64_t kLinkLocal = 0xfe80'0000'0000'0000U;

  constexpr Ipv6Address(std::uint64_t high, std::uint64_t low) : high_(high), low_(low) {}

  std::uint64_t high_;
  std::uint64_t low_;
};

class Ipv6Prefix {
 public:
  using Address = Ipv6Address;
  static constexpr int kLongest = 128;

  // "2001:db8::/32". Throws ConfigError when `text` is anything else, or has bits set below the prefix.
  static Ipv6Prefix parse(std::string_view text);

  // The block of 2^(128-length) addresses that holds `address`. Precondition: 0 <= length <= 128.
  static constexpr Ipv6Prefix around(Ipv6Address address, int length) {
    return Ipv6Prefix(Ipv6Address::of(address.high() & high_mask(length), address.low() & low_mask(length)),
                      length);
  }

  constexpr Ipv6Address first() const { return first_; }
  constexpr int length() const { return length_; }
  constexpr bool contains(Ipv6Address address) const { return around(address, length_).first_ == first_; }
  std::string to_string() const;

  constexpr auto operator<=>(const Ipv6Prefix&) const = default;

 private:
  constexpr Ipv6Prefix(Ipv6Address first, int length) : first_(first), length_(length) {}

  static constexpr std::uint64_t ones(int length) {
    return length <= 0 ? 0 : length >= 64 ? ~std::uint64_t{0} : ~std::uint64_t{0} << (64 - length);
  }
  static constexpr std::uint64_t high_mask(int length) { return ones(length); }
  static constexpr std::uint64_t low_mask(int length) { return ones(length - 64); }

  Ipv6Address first_;
  int length_;
};

class Ipv6InterfaceAddress {
 public:
  // "2001:db8::1/64". Throws ConfigError when `text` is anything else, or when no host can have that address
  // for more than its link: link-local ones are made, not given, and the first of a block is every router's
  // (but for /127, RFC 6164, and /128).
  static Ipv6InterfaceAddress parse(std::string_view text);

  constexpr Ipv6Address address() const { return address_; }
  constexpr Ipv6Prefix prefix() const { return Ipv6Prefix::around(address_, length_); }
  std::string to_string() const;

  constexpr auto operator<=>(const Ipv6InterfaceAddress&) const = default;

 private:
  constexpr Ipv6InterfaceAddress(Ipv6Address address, int length) : address_(address), length_(length) {}

  Ipv6Address address_;
  int length_;
};

}  // namespace simcore

template <>
struct std::hash<simcore::Ipv6Address> {
  std::size_t operator()(const simcore::Ipv6Address& address) const noexcept {
    std::uint64_t mixed = (address.high() ^ address.low() * 0x9e37'79b9'7f4a'7c15U) * 0xbf58'476d'1ce4'e5b9U;
    mixed ^= mixed >> 29;
    return static_cast<std::size_t>(mixed ^ address.low() >> 32);
  }
};
