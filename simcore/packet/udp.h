// SPDX-License-Identifier: MIT
//
// The UDP header (RFC 768):  | source port | destination port | length | checksum |
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "simcore/packet/byte_order.h"

namespace simcore {

// A view of a datagram, whose bytes must outlive it.
class UdpHeader {
 public:
  static constexpr std::size_t kSize = 8;
  static constexpr std::size_t kLengthOffset = 4;
  static constexpr std::size_t kChecksumOffset = 6;

  // The header at the start of `bytes`, an IP payload behind which `unstored` bytes are virtual. None when it
  // is cut short or says a length that the bytes do not have.
  static std::optional<UdpHeader> parse(std::span<const std::uint8_t> bytes, std::size_t unstored = 0);

  std::uint16_t source_port() const { return load_be16(bytes_.data()); }
  std::uint16_t destination_port() const { return load_be16(bytes_.data() + 2); }
  std::uint16_t length() const { return load_be16(bytes_.data() + kLengthOffset); }
  // Over IPv4, 0: there is none.
  std::uint16_t checksum() const { return load_be16(bytes_.data() + kChecksumOffset); }
  std::span<const std::uint8_t> payload() const { return bytes_.subspan(kSize); }  // what is stored of it

 private:
  explicit UdpHeader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  std::span<const std::uint8_t> bytes_;
};

struct UdpFields {
  std::uint16_t source_port;
  std::uint16_t destination_port;
  std::uint16_t payload_length;
};

// Writes a header with a checksum of zero. Precondition: bytes.size() >= UdpHeader::kSize.
void write_udp(std::span<std::uint8_t> bytes, const UdpFields& fields);

}  // namespace simcore
