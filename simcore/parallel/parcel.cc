// SPDX-License-Identifier: MIT
#include "simcore/parallel/parcel.h"

#include <algorithm>
#include <cstring>

namespace simcore {

namespace {

struct Head {
  std::int64_t first_arrival_ns;
  std::int64_t last_arrival_ns;
  std::uint32_t link;
  std::uint32_t size;
  std::uint32_t virtual_payload;
  std::uint16_t segments;
  std::uint16_t segment_payload;
  std::uint16_t header_size;
  std::uint16_t checksum_start;
  std::uint16_t checksum_offset;
  TrainKind train;
  bool checksum_partial;
};
static_assert(sizeof(Head) == 40);

}  // namespace

void Outbox::put(std::uint32_t link, const Packet& packet) {
  const Head head{.first_arrival_ns = packet.first_arrival.count_ns(),
                  .last_arrival_ns = packet.last_arrival.count_ns(),
                  .link = link,
                  .size = static_cast<std::uint32_t>(packet.size()),
                  .virtual_payload = packet.virtual_payload,
                  .segments = packet.segments,
                  .segment_payload = packet.segment_payload,
                  .header_size = packet.header_size,
                  .checksum_start = packet.checksum_start,
                  .checksum_offset = packet.checksum_offset,
                  .train = packet.train,
                  .checksum_partial = packet.checksum_partial};
  const std::span<const std::uint8_t> frame = packet.bytes();
  const std::size_t at = bytes.size();
  bytes.resize(at + sizeof head + frame.size());
  std::memcpy(bytes.data() + at, &head, sizeof head);
  if (!frame.empty()) std::memcpy(bytes.data() + at + sizeof head, frame.data(), frame.size());
  ++parcels;
  earliest = std::min(earliest, packet.first_arrival);
}

void Outbox::clear() {
  bytes.clear();
  parcels = 0;
  earliest = SimTime::never();
}

Inbox::Parcel Inbox::take(PacketPool& pool) {
  Head head{};
  std::memcpy(&head, left_.data(), sizeof head);
  Parcel parcel{.link = head.link,
                .segments = head.segments,
                .packet = pool.copy_of(left_.subspan(sizeof head, head.size))};
  left_ = left_.subspan(sizeof head + head.size);
  if (!parcel.packet) return parcel;
  Packet& packet = *parcel.packet;
  packet.first_arrival = SimTime::at_ns(head.first_arrival_ns);
  packet.last_arrival = SimTime::at_ns(head.last_arrival_ns);
  packet.virtual_payload = head.virtual_payload;
  packet.segments = head.segments;
  packet.segment_payload = head.segment_payload;
  packet.header_size = head.header_size;
  packet.checksum_start = head.checksum_start;
  packet.checksum_offset = head.checksum_offset;
  packet.train = head.train;
  packet.checksum_partial = head.checksum_partial;
  return parcel;
}

}  // namespace simcore
