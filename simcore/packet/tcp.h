// SPDX-License-Identifier: MIT
//
// The TCP header (RFC 9293 section 3.1).
//
//   | source port                   | destination port              |
//   | sequence number                                               |
//   | acknowledgement number                                        |
//   | offset| 0     | flags         | window                        |
//   | checksum                      | urgent pointer                |
//   | options, (offset - 5) words                                   |
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "simcore/packet/byte_order.h"

namespace simcore {

namespace tcp_flag {
constexpr std::uint8_t kFin = 0x01;
constexpr std::uint8_t kSyn = 0x02;
constexpr std::uint8_t kRst = 0x04;
constexpr std::uint8_t kPsh = 0x08;
constexpr std::uint8_t kAck = 0x10;
constexpr std::uint8_t kUrg = 0x20;
constexpr std::uint8_t kEce = 0x40;
constexpr std::uint8_t kCwr = 0x80;
}  // namespace tcp_flag

// A view of a segment, whose bytes must outlive it.
class TcpHeader {
 public:
  static constexpr std::size_t kSize = 20;  // without options
  static constexpr std::size_t kSequenceOffset = 4;
  static constexpr std::size_t kFlagsOffset = 13;
  static constexpr std::size_t kChecksumOffset = 16;

  // None when `segment`, an IP payload, ends within the header, options included.
  static std::optional<TcpHeader> parse(std::span<const std::uint8_t> segment);

  std::uint16_t source_port() const { return load_be16(segment_.data()); }
  std::uint16_t destination_port() const { return load_be16(segment_.data() + 2); }
  std::uint32_t sequence() const { return load_be32(segment_.data() + kSequenceOffset); }
  std::uint32_t acknowledgement() const { return load_be32(segment_.data() + 8); }
  std::size_t size() const { return std::size_t{4} * (segment_[12] >> 4U); }
  std::uint8_t flags() const { return segment_[kFlagsOffset]; }
  bool has(std::uint8_t flag) const { return (flags() & flag) != 0; }
  std::uint16_t window() const { return load_be16(segment_.data() + 14); }
  std::uint16_t checksum() const { return load_be16(segment_.data() + kChecksumOffset); }
  std::span<const std::uint8_t> options() const { return segment_.subspan(kSize, size() - kSize); }
  std::span<const std::uint8_t> payload() const { return segment_.subspan(size()); }  // what is stored of it

 private:
  explicit TcpHeader(std::span<const std::uint8_t> segment) : segment_(segment) {}

  std::span<const std::uint8_t> segment_;
};

struct TcpFields {
  std::uint16_t source_port;
  std::uint16_t destination_port;
  std::uint32_t sequence;
  std::uint32_t acknowledgement;
  std::uint8_t flags;
  std::uint16_t window;
};

// Writes a header without options and with a checksum of zero.
// Precondition: segment.size() >= TcpHeader::kSize.
void write_tcp(std::span<std::uint8_t> segment, const TcpFields& fields);

}  // namespace simcore
