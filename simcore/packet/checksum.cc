// SPDX-License-Identifier: MIT
#include "simcore/packet/checksum.h"

#include <bit>
#include <cstring>

namespace simcore {

namespace {

constexpr std::uint16_t swapped_if_little(std::uint16_t value) {
  if constexpr (std::endian::native == std::endian::little) {
    return static_cast<std::uint16_t>(value << 8 | value >> 8);
  }
  return value;
}

std::uint16_t fold(std::uint64_t sum) {
  sum = (sum & 0xffff'ffffU) + (sum >> 32);
  sum = (sum & 0xffffU) + (sum >> 16);
  sum = (sum & 0xffffU) + (sum >> 16);
  sum = (sum & 0xffffU) + (sum >> 16);
  return static_cast<std::uint16_t>(sum);
}

}  // namespace

void ChecksumSum::add(std::span<const std::uint8_t> bytes) {
  const std::uint8_t* at = bytes.data();
  const std::size_t words = bytes.size() / 4;
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < words; ++i) {
    std::uint32_t word = 0;
    std::memcpy(&word, at + 4 * i, 4);
    sum += word;
  }
  if (const std::size_t rest = bytes.size() % 4; rest != 0) {
    std::uint32_t word = 0;  // a missing byte counts as zero, as RFC 1071 pads
    std::memcpy(&word, at + 4 * words, rest);
    sum += word;
  }
  sum_ += sum;
}

void ChecksumSum::add16(std::uint16_t value) { sum_ += swapped_if_little(value); }

void ChecksumSum::add32(std::uint32_t value) {
  add16(static_cast<std::uint16_t>(value >> 16));
  add16(static_cast<std::uint16_t>(value));
}

void ChecksumSum::add_pseudo_header(Ipv4Address source, Ipv4Address destination, std::uint8_t protocol,
                                    std::uint16_t length) {
  add32(source.value());
  add32(destination.value());
  add16(protocol);
  add16(length);
}

void ChecksumSum::add_pseudo_header(const Ipv6Address& source, const Ipv6Address& destination,
                                    std::uint8_t protocol, std::uint32_t length) {
  for (const std::uint64_t half : {source.high(), source.low(), destination.high(), destination.low()}) {
    add32(static_cast<std::uint32_t>(half >> 32));
    add32(static_cast<std::uint32_t>(half));
  }
  add32(length);
  add16(protocol);
}

std::uint16_t ChecksumSum::folded() const { return swapped_if_little(fold(sum_)); }

std::uint16_t updated_checksum(std::uint16_t checksum, std::uint16_t before, std::uint16_t after) {
  const std::uint32_t sum = std::uint32_t{static_cast<std::uint16_t>(~checksum)} +
                            std::uint32_t{static_cast<std::uint16_t>(~before)} + after;
  return static_cast<std::uint16_t>(~fold(sum));
}

}  // namespace simcore
