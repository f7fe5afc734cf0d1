// SPDX-License-Identifier: MIT
//
// The ICMP header (RFC 792):  | type | code | checksum | rest: 4 bytes whose meaning the type gives | body
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "simcore/packet/byte_order.h"

namespace simcore {

enum class IcmpType : std::uint8_t {
  echo_reply = 0,
  destination_unreachable = 3,
  source_quench = 4,
  redirect = 5,
  echo_request = 8,
  time_exceeded = 11,
  parameter_problem = 12,
};

// Whether a message of that type reports an error about another datagram. No error is ever sent about those.
bool is_icmp_error(IcmpType type);

// A view of a message, whose bytes must outlive it.
class IcmpHeader {
 public:
  static constexpr std::size_t kSize = 8;
  static constexpr std::size_t kChecksumOffset = 2;

  // None when `message`, an IPv4 payload, is cut short.
  static std::optional<IcmpHeader> parse(std::span<const std::uint8_t> message);

  IcmpType type() const { return static_cast<IcmpType>(message_[0]); }
  std::uint8_t code() const { return message_[1]; }
  std::uint32_t rest() const { return load_be32(message_.data() + 4); }
  std::uint16_t identifier() const { return load_be16(message_.data() + 4); }  // of echo request and reply
  std::uint16_t sequence() const { return load_be16(message_.data() + 6); }    // of echo request and reply
  std::span<const std::uint8_t> body() const { return message_.subspan(kSize); }
  bool checksum_correct() const;

 private:
  explicit IcmpHeader(std::span<const std::uint8_t> message) : message_(message) {}

  std::span<const std::uint8_t> message_;
};

// Writes the header of `message`, whose body is in place already, and the checksum over both.
// Precondition: message.size() >= IcmpHeader::kSize.
void write_icmp(std::span<std::uint8_t> message, IcmpType type, std::uint8_t code, std::uint32_t rest);

}  // namespace simcore
