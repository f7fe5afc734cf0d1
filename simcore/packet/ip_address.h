// SPDX-License-Identifier: MIT
//
// IpAddress: an address of either family, for what works over both: transports and applications.
//
// Kept as an IPv6 address; one of IPv4 as IPv4-mapped (::ffff:10.0.0.1, RFC 4291 2.5.5.2), a form that no
// datagram may carry, so the two families never meet.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "simcore/packet/ipv4_address.h"
#include "simcore/packet/ipv6_address.h"

namespace simcore {

class IpAddress {
 public:
  constexpr IpAddress(Ipv4Address address)  // NOLINT(google-explicit-constructor): every one is an IpAddress
      : address_(Ipv6Address::of(0, std::uint64_t{0xffff} << 32 | address.value())) {}
  constexpr IpAddress(Ipv6Address address)  // NOLINT(google-explicit-constructor): as above
      : address_(address) {}

  // "10.0.0.1" or "2001:db8::1". Throws ConfigError when `text` is neither.
  static IpAddress parse(std::string_view text);

  constexpr bool is_v4() const { return address_.is_ipv4_mapped(); }
  constexpr bool is_v6() const { return !is_v4(); }
  // Precondition: is_v4().
  constexpr Ipv4Address v4() const { return Ipv4Address::of(static_cast<std::uint32_t>(address_.low())); }
  // Precondition: is_v6().
  constexpr const Ipv6Address& v6() const { return address_; }
  std::string to_string() const;
  // As a place with a port is written: "10.0.0.1:80", "[2001:db8::1]:80".
  std::string with_port(std::uint16_t port) const;

  constexpr auto operator<=>(const IpAddress&) const = default;

 private:
  friend struct std::hash<IpAddress>;

  Ipv6Address address_;
};

}  // namespace simcore

template <>
struct std::hash<simcore::IpAddress> {
  std::size_t operator()(const simcore::IpAddress& address) const noexcept {
    return std::hash<simcore::Ipv6Address>{}(address.address_);
  }
};
