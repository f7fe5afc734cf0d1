// SPDX-License-Identifier: MIT
//
// The IPv4 header (RFC 791).
//
//   0               1               2               3
//   | ver 4 | ihl   | TOS           | total length                  |
//   | identification                | 0 DF MF | fragment offset     |
//   | TTL           | protocol      | header checksum               |
//   | source                                                        |
//   | destination                                                   |
//   | options, (ihl - 5) words                                      |
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "simcore/packet/ipv4_address.h"

namespace simcore {

namespace ip_protocol {
constexpr std::uint8_t kIcmp = 1;
constexpr std::uint8_t kTcp = 6;
constexpr std::uint8_t kUdp = 17;
}  // namespace ip_protocol

// A view of the header and its datagram, whose bytes must outlive it.
class Ipv4Header {
 public:
  static constexpr std::size_t kSize = 20;  // without options
  static constexpr std::size_t kTtlOffset = 8;
  static constexpr std::size_t kChecksumOffset = 10;
  static constexpr std::size_t kSourceOffset = 12;
  static constexpr std::size_t kDestinationOffset = 16;

  // The header at the start of `bytes`, behind which `unstored` bytes are virtual payload.
  // None when it is cut short, not version 4, or says lengths that the bytes do not have. More bytes
  // than it says are padding.
  static std::optional<Ipv4Header> parse(std::span<const std::uint8_t> bytes, std::size_t unstored = 0);

  std::size_t size() const { return std::size_t{4} * (bytes_[0] & 0xfU); }
  std::uint8_t type_of_service() const { return bytes_[1]; }
  std::uint16_t total_length() const { return load_be16(bytes_.data() + 2); }
  std::uint16_t identification() const { return load_be16(bytes_.data() + 4); }
  bool dont_fragment() const { return (bytes_[6] & 0x40U) != 0; }
  bool more_fragments() const { return (bytes_[6] & 0x20U) != 0; }
  std::uint16_t fragment_offset() const {
    return static_cast<std::uint16_t>(8 * (load_be16(bytes_.data() + 6) & 0x1fffU));
  }
  bool is_fragment() const { return more_fragments() || fragment_offset() != 0; }
  std::uint8_t ttl() const { return bytes_[kTtlOffset]; }
  std::uint8_t protocol() const { return bytes_[9]; }
  Ipv4Address source() const { return Ipv4Address::from(bytes_.data() + kSourceOffset); }
  Ipv4Address destination() const { return Ipv4Address::from(bytes_.data() + kDestinationOffset); }
  bool checksum_correct() const;

  std::span<const std::uint8_t> payload() const { return bytes_.subspan(size()); }  // what is stored of it
  std::uint16_t payload_length() const { return static_cast<std::uint16_t>(total_length() - size()); }
  std::size_t virtual_payload() const { return payload_length() - payload().size(); }

  // Whether the TCP or UDP checksum of the payload is correct; virtual payload counts as zeros.
  bool transport_checksum_correct() const;

 private:
  explicit Ipv4Header(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  std::span<const std::uint8_t> bytes_;  // what is stored of the datagram, without padding
};

// What a header without options says; write_ipv4 adds the lengths and the checksum.
struct Ipv4Fields {
  Ipv4Address source;
  Ipv4Address destination;
  std::uint8_t protocol;
  std::uint16_t payload_length;
  std::uint16_t identification = 0;
  bool dont_fragment = false;
  std::uint8_t ttl = 64;
  std::uint8_t type_of_service = 0;
};

// Precondition: bytes.size() >= Ipv4Header::kSize.
void write_ipv4(std::span<std::uint8_t> bytes, const Ipv4Fields& fields);

// Makes the header that of a fragment, or of a whole datagram when `offset` is 0 and no more follow: its lengths, offset
// and MF, with DF cleared, and its checksum. Preconditions: an IPv4 header is there; `offset`, in bytes, is a multiple of 8.
void set_ipv4_fragment(std::span<std::uint8_t> bytes, std::uint16_t total_length, std::uint16_t offset,
                       bool more_fragments);

// Takes one off the TTL and adjusts the header checksum. Preconditions: an IPv4 header is there,
// its TTL is not zero.
void decrement_ttl(std::span<std::uint8_t> header);

}  // namespace simcore
