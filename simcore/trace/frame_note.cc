// SPDX-License-Identifier: MIT
#include "simcore/trace/frame_note.h"

#include <algorithm>

#include "simcore/packet/byte_order.h"

namespace simcore {

namespace {

constexpr std::uint8_t kNeedsChecksum = 1;
constexpr std::uint8_t kEcn = 2;

void store_instant(std::uint8_t* at, SimTime instant) {
  const auto ns = static_cast<std::uint64_t>(instant.count_ns());
  store_be32(at, static_cast<std::uint32_t>(ns >> 32));
  store_be32(at + 4, static_cast<std::uint32_t>(ns));
}

SimTime load_instant(const std::uint8_t* at) {
  return SimTime::at_ns(static_cast<std::int64_t>(std::uint64_t{load_be32(at)} << 32 | load_be32(at + 4)));
}

}  // namespace

FrameNote FrameNote::of(const Packet& packet, SimTime at) {
  return {.at = at,
          .last_arrival = std::max(packet.last_arrival, at),
          .virtual_payload = packet.virtual_payload,
          .fields = virtio_net_fields(packet)};
}

std::optional<FrameNote> FrameNote::parse(std::span<const std::uint8_t> bytes) {
  if (bytes.size() != kSize) return std::nullopt;
  const std::uint8_t* const from = bytes.data();
  FrameNote note;
  note.at = load_instant(from);
  note.last_arrival = load_instant(from + 8);
  note.virtual_payload = load_be32(from + 16);
  note.fields.checksum_start = load_be16(from + 20);
  note.fields.checksum_offset = load_be16(from + 22);
  note.fields.gso_size = load_be16(from + 24);
  note.fields.header_size = load_be16(from + 26);
  const std::uint8_t train = from[28];
  const std::uint8_t flags = from[29];
  if (train > static_cast<std::uint8_t>(TrainKind::udp) || flags > (kNeedsChecksum | kEcn))
    return std::nullopt;
  note.fields.train = static_cast<TrainKind>(train);
  note.fields.needs_checksum = (flags & kNeedsChecksum) != 0;
  note.fields.ecn = (flags & kEcn) != 0;
  const bool in_order = note.at >= SimTime::zero() && note.last_arrival >= note.at;
  if (!in_order || note.last_arrival - note.at > kLongestTrain) return std::nullopt;
  return note;
}

std::array<std::uint8_t, FrameNote::kSize> FrameNote::bytes() const {
  std::array<std::uint8_t, kSize> result{};
  std::uint8_t* const to = result.data();
  store_instant(to, at);
  store_instant(to + 8, last_arrival);
  store_be32(to + 16, virtual_payload);
  store_be16(to + 20, fields.checksum_start);
  store_be16(to + 22, fields.checksum_offset);
  store_be16(to + 24, fields.gso_size);
  store_be16(to + 26, fields.header_size);
  to[28] = static_cast<std::uint8_t>(fields.train);
  to[29] = static_cast<std::uint8_t>((fields.needs_checksum ? kNeedsChecksum : 0) | (fields.ecn ? kEcn : 0));
  return result;
}

}  // namespace simcore
