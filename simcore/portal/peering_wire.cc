// SPDX-License-Identifier: MIT
#include "simcore/portal/peering_wire.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "simcore/packet/virtio_net_fields.h"

namespace simcore::peering {

static_assert(std::endian::native == std::endian::little, "headers are copied as they lie in memory");

namespace {

// Keeps sums and differences of instants and of counts from the wire inside int64; as nanoseconds, 73 years.
constexpr std::int64_t kReach = std::numeric_limits<std::int64_t>::max() / 4;

bool is_instant(std::int64_t ns) { return ns >= -kReach && ns <= kReach; }
bool is_count(std::uint64_t count) { return count <= static_cast<std::uint64_t>(kReach); }

template <class Header>
std::optional<Header> read_header(std::span<const std::uint8_t> bytes) {
  if (bytes.size() < sizeof(Header)) return std::nullopt;
  Header header;
  std::memcpy(&header, bytes.data(), sizeof header);
  return header;
}

bool is_single_frame(const Record& r) {
  return r.segments == 1 && r.segment_payload == 0 && r.header_size == 0 &&
         std::uint64_t{r.stored_size} + r.virtual_payload <= PacketPool::kLargestFrame;
}

bool is_train(const Record& r) {
  if (r.train > TrainKind::udp || r.segments < 2 || r.segment_payload == 0) return false;
  if (r.header_size == 0 || r.header_size > r.stored_size) return false;
  const std::uint64_t payload = std::uint64_t{r.stored_size} - r.header_size + r.virtual_payload;
  const std::uint64_t mss = r.segment_payload;
  return payload > (r.segments - std::uint64_t{1}) * mss && payload <= r.segments * mss;
}

bool is_consistent(const Record& r) {
  if (r.stored_size == 0 || r.stored_size > PacketPool::kLargestFrame) return false;
  if (!(r.train == TrainKind::none ? is_single_frame(r) : is_train(r))) return false;
  if (r.checksum_partial > 1) return false;
  const std::size_t checksum_end = std::size_t{r.checksum_start} + r.checksum_offset + 2;
  return r.checksum_partial == 0 || checksum_end <= r.stored_size;
}

}  // namespace

bool PieceHeader::same_batch(const PieceHeader& other) const {
  return batch == other.batch && base_time_ns == other.base_time_ns && first_segment == other.first_segment &&
         segments == other.segments && body_size == other.body_size && raw_size == other.raw_size &&
         datagram.flags == other.datagram.flags && datagram.piece_size == other.datagram.piece_size;
}

std::optional<DatagramHeader> read_datagram(std::span<const std::uint8_t> datagram) {
  const auto header = read_header<DatagramHeader>(datagram);
  if (!header || header->magic != kMagic || header->session == 0) return std::nullopt;
  if (header->kind < DatagramKind::piece || header->kind > DatagramKind::sync_reply || header->flags > 1) {
    return std::nullopt;
  }
  return header;
}

std::optional<PieceHeader> read_piece(std::span<const std::uint8_t> datagram) {
  const auto header = read_header<PieceHeader>(datagram);
  if (!header || header->datagram.kind != DatagramKind::piece || header->datagram.piece_size == 0)
    return std::nullopt;
  if (header->body_size == 0 || header->body_size > kLargestBody || header->segments == 0)
    return std::nullopt;
  if (header->raw_size < header->body_size || header->raw_size > kLargestBody) return std::nullopt;
  if (!header->compressed() && header->raw_size != header->body_size) return std::nullopt;
  if (!is_instant(header->base_time_ns) || !is_count(header->first_segment) || !is_count(header->batch))
    return std::nullopt;
  if (header->pieces() > kMostPieces || header->index >= header->pieces()) return std::nullopt;
  const std::size_t expected =
      std::min<std::size_t>(header->datagram.piece_size, header->body_size - header->offset());
  if (payload_of(datagram).size() != expected) return std::nullopt;
  return header;
}

std::optional<SyncMessage> read_sync(std::span<const std::uint8_t> datagram) {
  const auto message = read_header<SyncMessage>(datagram);
  if (!message || datagram.size() != sizeof(SyncMessage)) return std::nullopt;
  for (const LaneSent& sent : message->sent) {
    if (!is_count(sent.segments) || !is_count(sent.batches)) return std::nullopt;
  }
  if (!is_instant(message->request_sent_ns) || !is_instant(message->request_received_ns) ||
      !is_instant(message->reply_sent_ns) || !is_instant(message->clock_zero_ns)) {
    return std::nullopt;
  }
  return message;
}

void append_record(std::vector<std::uint8_t>& body, std::uint32_t channel, std::uint32_t departure_ns,
                   const Packet& packet) {
  constexpr std::int64_t kLongest = std::numeric_limits<std::uint32_t>::max();
  const std::int64_t span = (packet.last_arrival - packet.first_arrival).count_ns();
  Record record;
  record.channel = channel;
  record.departure_ns = departure_ns;
  record.train_span_ns = static_cast<std::uint32_t>(std::clamp<std::int64_t>(span, 0, kLongest));
  record.stored_size = static_cast<std::uint32_t>(packet.size());
  record.virtual_payload = packet.virtual_payload;
  record.segments = packet.segments;
  record.segment_payload = packet.segment_payload;
  record.header_size = packet.header_size;
  record.train = packet.train;
  record.checksum_partial = packet.checksum_partial ? 1 : 0;
  record.checksum_start = packet.checksum_start;
  record.checksum_offset = packet.checksum_offset;
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(&record);
  body.insert(body.end(), bytes, bytes + sizeof record);
  body.insert(body.end(), packet.bytes().begin(), packet.bytes().end());
}

std::optional<Record> RecordReader::next() {
  const auto record = read_header<Record>(rest_);
  if (!record || !is_consistent(*record) || rest_.size() - sizeof(Record) < record->stored_size)
    return std::nullopt;
  stored_ = rest_.subspan(sizeof(Record), record->stored_size);
  rest_ = rest_.subspan(sizeof(Record) + record->stored_size);
  return record;
}

bool describe_packet(Packet& packet, const Record& record) {
  VirtioNetFields fields;
  fields.needs_checksum = record.checksum_partial != 0;
  fields.checksum_start = record.checksum_start;
  fields.checksum_offset = record.checksum_offset;
  fields.train = record.train;
  fields.gso_size = record.segment_payload;
  fields.header_size = record.header_size;
  packet.virtual_payload = record.virtual_payload;
  return describe_frame(packet, fields) && packet.segments == record.segments &&
         packet.header_size == record.header_size;
}

}  // namespace simcore::peering
