// SPDX-License-Identifier: MIT
//
// The IPv6 header (RFC 8200), and the extension headers between it and what it carries.
//
//   0               1               2               3
//   | ver 6 | traffic class | flow label                            |
//   | payload length                | next header   | hop limit     |
//   | source, 16 bytes                                              |
//   | destination, 16 bytes                                         |
//   | extension headers: next header 1, length 1, …                 |
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "simcore/packet/byte_order.h"
#include "simcore/packet/ipv6_address.h"

namespace simcore {

namespace ip_protocol {
constexpr std::uint8_t kIcmpv6 = 58;
}  // namespace ip_protocol

// A view of the header and its datagram, whose bytes must outlive it.
class Ipv6Header {
 public:
  static constexpr std::size_t kSize = 40;  // without extension headers
  static constexpr std::size_t kPayloadLengthOffset = 4;
  static constexpr std::size_t kNextHeaderOffset = 6;
  static constexpr std::size_t kHopLimitOffset = 7;
  static constexpr std::size_t kSourceOffset = 8;
  static constexpr std::size_t kDestinationOffset = 24;
  static constexpr std::uint16_t kLeastMtu = 1'280;  // of every link that carries IPv6

  // What the extension headers lead to.
  struct UpperLayer {
    std::uint8_t protocol;  // or the first extension header that is none of hop-by-hop options, routing
                            // and destination options
    std::size_t offset;     // from the start of the IPv6 header
    std::size_t named_at;   // offset of the field that says the protocol
    bool skippable;  // whoever knows none of the options and routing types may go on (RFC 8200 4.2, 4.4)
  };

  // The header at the start of `bytes`, behind which `unstored` bytes are virtual payload. None when it is cut
  // short, not version 6, or says a length that the bytes do not have. More bytes than it says are padding.
  static std::optional<Ipv6Header> parse(std::span<const std::uint8_t> bytes, std::size_t unstored = 0);

  std::uint8_t traffic_class() const { return static_cast<std::uint8_t>(load_be16(bytes_.data()) >> 4); }
  std::size_t payload_length() const { return load_be16(bytes_.data() + kPayloadLengthOffset); }
  std::size_t total_length() const { return kSize + payload_length(); }
  std::uint8_t hop_limit() const { return bytes_[kHopLimitOffset]; }
  Ipv6Address source() const { return Ipv6Address::from(bytes_.data() + kSourceOffset); }
  Ipv6Address destination() const { return Ipv6Address::from(bytes_.data() + kDestinationOffset); }
  std::span<const std::uint8_t> stored() const { return bytes_; }  // of the datagram, without padding

  // None when an extension header is cut short, or its bytes are not stored.
  std::optional<UpperLayer> upper_layer() const;

 private:
  explicit Ipv6Header(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  std::span<const std::uint8_t> bytes_;
};

// What a header without extension headers says. The flow label is 0.
struct Ipv6Fields {
  Ipv6Address source;
  Ipv6Address destination;
  std::uint8_t protocol;
  std::uint16_t payload_length;
  std::uint8_t hop_limit = 64;
  std::uint8_t traffic_class = 0;
};

// Precondition: bytes.size() >= Ipv6Header::kSize.
void write_ipv6(std::span<std::uint8_t> bytes, const Ipv6Fields& fields);

}  // namespace simcore
