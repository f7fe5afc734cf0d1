// SPDX-License-Identifier: MIT
//
// The ICMPv6 header (RFC 4443):  | type | code | checksum | rest: 4 bytes whose meaning the type gives | body
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "simcore/packet/byte_order.h"
#include "simcore/packet/ipv6_address.h"

namespace simcore {

enum class Icmpv6Type : std::uint8_t {
  destination_unreachable = 1,
  packet_too_big = 2,
  time_exceeded = 3,
  parameter_problem = 4,
  echo_request = 128,
  echo_reply = 129,
  router_solicitation = 133,
  router_advertisement = 134,
  neighbour_solicitation = 135,
  neighbour_advertisement = 136,
  redirect = 137,
};

// Whether a message of that type reports an error about another datagram. No error is ever sent about those,
// nor about redirects (RFC 4443 2.4 e).
constexpr bool is_icmpv6_error(Icmpv6Type type) { return static_cast<std::uint8_t>(type) < 128; }

// A view of a message, whose bytes must outlive it. Its checksum covers a pseudo-header:
// IpHeader::transport_checksum_correct().
class Icmpv6Header {
 public:
  static constexpr std::size_t kSize = 8;
  static constexpr std::size_t kChecksumOffset = 2;

  // None when `message`, an IPv6 payload, is cut short.
  static std::optional<Icmpv6Header> parse(std::span<const std::uint8_t> message) {
    if (message.size() < kSize) return std::nullopt;
    return Icmpv6Header(message);
  }

  Icmpv6Type type() const { return static_cast<Icmpv6Type>(message_[0]); }
  std::uint8_t code() const { return message_[1]; }
  std::uint32_t rest() const { return load_be32(message_.data() + 4); }
  std::uint16_t identifier() const { return load_be16(message_.data() + 4); }  // of echo request and reply
  std::uint16_t sequence() const { return load_be16(message_.data() + 6); }    // of echo request and reply
  std::span<const std::uint8_t> body() const { return message_.subspan(kSize); }

 private:
  explicit Icmpv6Header(std::span<const std::uint8_t> message) : message_(message) {}

  std::span<const std::uint8_t> message_;
};

// The addresses that a message travels between, which its checksum covers.
struct Ipv6Ends {
  Ipv6Address source;
  Ipv6Address destination;
};

// Writes the header of `message`, whose body is in place already, and the checksum over both and `ends`.
// Precondition: message.size() >= Icmpv6Header::kSize.
void write_icmpv6(std::span<std::uint8_t> message, Icmpv6Type type, std::uint8_t code, std::uint32_t rest,
                  const Ipv6Ends& ends);

}  // namespace simcore
