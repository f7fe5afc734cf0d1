// SPDX-License-Identifier: MIT
//
// The Internet checksum: the ones' complement of the ones' complement sum of 16-bit words (RFC 1071).
//
// Sums are taken in the byte order of this machine and swapped once at the end, which RFC 1071 shows to be
// the same; 32-bit words go into a 64-bit accumulator, so carries are folded once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "simcore/packet/ipv4_address.h"
#include "simcore/packet/ipv6_address.h"

namespace simcore {

class ChecksumSum {
 public:
  ChecksumSum() = default;

  // All pieces but the last must have an even length. Together less than 2^32 bytes.
  void add(std::span<const std::uint8_t> bytes);
  void add16(std::uint16_t value);
  void add32(std::uint32_t value);
  // The pseudo-header of TCP and UDP over IPv4; `length` counts the transport header and its payload.
  void add_pseudo_header(Ipv4Address source, Ipv4Address destination, std::uint8_t protocol,
                         std::uint16_t length);
  // The same over IPv6 (RFC 8200 section 8.1).
  void add_pseudo_header(const Ipv6Address& source, const Ipv6Address& destination, std::uint8_t protocol,
                         std::uint32_t length);

  // The folded sum: what a partial checksum field holds. Over data with its checksum in place,
  // 0xffff means correct.
  std::uint16_t folded() const;
  // What is written into a checksum field.
  std::uint16_t checksum() const { return static_cast<std::uint16_t>(~folded()); }

 private:
  std::uint64_t sum_ = 0;  // of 32-bit words in this machine's byte order
};

// The checksum after one 16-bit word that it covers changed from `before` to `after` (RFC 1624, equation 3).
std::uint16_t updated_checksum(std::uint16_t checksum, std::uint16_t before, std::uint16_t after);

}  // namespace simcore
