// SPDX-License-Identifier: MIT
#include "simcore/packet/udp.h"

#include <algorithm>
#include <cassert>

namespace simcore {

std::optional<UdpHeader> UdpHeader::parse(std::span<const std::uint8_t> bytes, std::size_t unstored) {
  if (bytes.size() < kSize) return std::nullopt;
  const std::size_t length = UdpHeader(bytes).length();
  if (length < kSize || length > bytes.size() + unstored) return std::nullopt;
  return UdpHeader(bytes.first(std::min(length, bytes.size())));
}

void write_udp(std::span<std::uint8_t> bytes, const UdpFields& fields) {
  assert(bytes.size() >= UdpHeader::kSize);
  store_be16(bytes.data(), fields.source_port);
  store_be16(bytes.data() + 2, fields.destination_port);
  store_be16(bytes.data() + UdpHeader::kLengthOffset,
             static_cast<std::uint16_t>(UdpHeader::kSize + fields.payload_length));
  store_be16(bytes.data() + UdpHeader::kChecksumOffset, 0);
}

}  // namespace simcore
