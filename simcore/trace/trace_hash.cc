// SPDX-License-Identifier: MIT
#include "simcore/trace/trace_hash.h"

#include <bit>
#include <cstddef>
#include <cstring>
#include <span>
#include <utility>

namespace simcore {

namespace {

std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
  hash = std::rotl((hash ^ word) * 0x9e3779b97f4a7c15U, 29);
  return hash ^ (hash >> 32);
}

std::uint64_t mixed(std::uint64_t hash, std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const std::size_t taken = bytes.size() < 8 ? bytes.size() : 8;
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), taken);
    hash = mixed(hash, word);
    bytes = bytes.subspan(taken);
  }
  return hash;
}

}  // namespace

void TraceHash::accept(PacketPtr packet) {
  const Packet& passing = *packet;
  std::uint64_t hash = mixed(digest_.hash, digest_.packets++);
  hash = mixed(hash, static_cast<std::uint64_t>(passing.first_arrival.count_ns()));
  hash = mixed(hash, static_cast<std::uint64_t>(passing.last_arrival.count_ns()));
  hash = mixed(hash, std::uint64_t{passing.virtual_payload} << 32 | passing.size());
  hash = mixed(hash, std::uint64_t{passing.segments} << 48 | std::uint64_t{passing.segment_payload} << 32 |
                         std::uint64_t{passing.header_size} << 16 |
                         static_cast<std::uint64_t>(passing.train) << 8 |
                         static_cast<std::uint64_t>(passing.checksum_partial));
  digest_.hash = mixed(hash, passing.bytes());
  next_.accept(std::move(packet));
}

}  // namespace simcore
