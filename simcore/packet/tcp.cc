// SPDX-License-Identifier: MIT
#include "simcore/packet/tcp.h"

#include <cassert>

namespace simcore {

std::optional<TcpHeader> TcpHeader::parse(std::span<const std::uint8_t> segment) {
  if (segment.size() < kSize) return std::nullopt;
  const TcpHeader header(segment);
  if (header.size() < kSize || header.size() > segment.size()) return std::nullopt;
  return header;
}

void write_tcp(std::span<std::uint8_t> segment, const TcpFields& fields) {
  assert(segment.size() >= TcpHeader::kSize);
  std::uint8_t* const at = segment.data();
  store_be16(at, fields.source_port);
  store_be16(at + 2, fields.destination_port);
  store_be32(at + TcpHeader::kSequenceOffset, fields.sequence);
  store_be32(at + 8, fields.acknowledgement);
  at[12] = 0x50;
  at[TcpHeader::kFlagsOffset] = fields.flags;
  store_be16(at + 14, fields.window);
  store_be16(at + TcpHeader::kChecksumOffset, 0);
  store_be16(at + 18, 0);
}

}  // namespace simcore
