// SPDX-License-Identifier: MIT
#include "simcore/portal/peering_wire.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <utility>

#include "simcore/packet/train.h"
#include "tests/simcore/packet/frames.h"

namespace simcore::peering {
namespace {

using Bytes = std::vector<std::uint8_t>;

template <class Header>
Bytes bytes_of(const Header& header, std::size_t payload = 0) {
  Bytes bytes(sizeof header + payload, 0x5a);
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

PieceHeader piece_header() {
  PieceHeader header;
  header.datagram = {kMagic, DatagramKind::piece, 0, 1'000, 7, 1};
  header.segments = 3;
  header.body_size = 2'500;  // pieces of 1000, 1000, 500
  header.raw_size = 2'500;
  return header;
}

Bytes train_frame(std::size_t payload) {
  const testing::Ends ends;
  return testing::tcp_frame(ends, testing::ipv4_fields(ends, ip_protocol::kTcp),
                            {1, 2, 3, 4, tcp_flag::kAck, 5}, testing::pattern(payload));
}

PacketPtr tcp_train(PacketPool& pool) {
  PacketPtr packet = pool.copy_of(train_frame(2 * 1'448 + 100));
  packet->first_arrival = SimTime::at_ns(1'000'000);
  packet->last_arrival = SimTime::at_ns(1'024'000);
  packet->segments = 3;
  packet->segment_payload = 1'448;
  packet->header_size = 54;
  packet->train = TrainKind::tcp_ipv4;
  packet->checksum_partial = true;
  packet->checksum_start = 34;
  packet->checksum_offset = 16;
  return packet;
}

// The packet of the first record in `body`, or none when it is refused.
PacketPtr first_packet(const Bytes& body, PacketPool& pool) {
  RecordReader reader(body);
  const auto record = reader.next();
  if (!record) return nullptr;
  PacketPtr packet = pool.copy_of(reader.stored());
  return describe_packet(*packet, *record) ? std::move(packet) : nullptr;
}

TEST(PeeringWire, a_train_survives_the_wire) {
  PacketPool pool;
  const PacketPtr sent = tcp_train(pool);
  Bytes body;
  append_record(body, 9, 1'234, *sent);
  RecordReader reader(body);
  const auto record = reader.next();
  ASSERT_TRUE(record);
  EXPECT_EQ(record->channel, 9u);
  EXPECT_EQ(record->departure_ns, 1'234u);
  EXPECT_EQ(record->train_span_ns, 24'000u);
  const PacketPtr got = first_packet(body, pool);
  ASSERT_TRUE(got);
  EXPECT_TRUE(
      std::equal(got->bytes().begin(), got->bytes().end(), sent->bytes().begin(), sent->bytes().end()));
  EXPECT_EQ(got->segments, 3);
  EXPECT_EQ(got->segment_payload, 1'448);
  EXPECT_EQ(got->header_size, 54);
  EXPECT_EQ(got->train, TrainKind::tcp_ipv4);
  EXPECT_TRUE(got->checksum_partial);
  EXPECT_EQ(got->checksum_start, 34);
  EXPECT_EQ(got->checksum_offset, 16);
  EXPECT_EQ(got->wire_size(), sent->wire_size());
  EXPECT_FALSE(reader.next());
  EXPECT_TRUE(reader.at_end());
}

TEST(PeeringWire, virtual_payload_is_announced_and_not_carried) {
  PacketPool pool;
  const PacketPtr sent = pool.make(54);
  std::memset(sent->bytes().data(), 1, sent->size());
  sent->virtual_payload = 1'446;
  Bytes body;
  append_record(body, 0, 0, *sent);
  EXPECT_EQ(body.size(), sizeof(Record) + 54);
  const PacketPtr got = first_packet(body, pool);
  ASSERT_TRUE(got);
  EXPECT_EQ(got->wire_size(), ByteCount::bytes(1'500));
}

TEST(PeeringWire, a_train_with_virtual_payload_survives_the_wire) {
  PacketPool pool;
  const PacketPtr sent = tcp_train(pool);
  sent->resize(54);
  sent->virtual_payload = 2 * 1'448 + 100;
  Bytes body;
  append_record(body, 0, 0, *sent);
  const PacketPtr got = first_packet(body, pool);
  ASSERT_TRUE(got);
  EXPECT_EQ(got->segments, 3);
  EXPECT_EQ(got->wire_size(), ByteCount::bytes(3 * 54 + 2 * 1'448 + 100));
}

TEST(PeeringWire, a_record_that_contradicts_its_frame_is_refused) {
  PacketPool pool;
  Bytes good;
  append_record(good, 0, 0, *tcp_train(pool));
  const auto refused = [&](auto change) {
    Bytes body = good;
    Record record;
    std::memcpy(&record, body.data(), sizeof record);
    change(record, body.data() + sizeof record);
    std::memcpy(body.data(), &record, sizeof record);
    EXPECT_TRUE(RecordReader(body).next()) << "it contradicts itself already";
    return !first_packet(body, pool);
  };
  EXPECT_FALSE(refused([](Record&, std::uint8_t*) {}));
  EXPECT_TRUE(refused([](Record& r, std::uint8_t*) { r.train = TrainKind::tcp_ipv6; }));
  EXPECT_TRUE(refused([](Record& r, std::uint8_t*) { r.train = TrainKind::udp; }));
  EXPECT_TRUE(refused([](Record& r, std::uint8_t*) { r.header_size = 53; }));
  EXPECT_TRUE(refused([](Record& r, std::uint8_t*) { r.header_size = 55; }));
  EXPECT_TRUE(refused([](Record& r, std::uint8_t*) { r.virtual_payload = 1; }));  // not in the IPv4 length
  EXPECT_TRUE(refused([](Record& r, std::uint8_t*) { r.checksum_start = 14; }));
  EXPECT_TRUE(refused([](Record& r, std::uint8_t*) { r.checksum_offset = 4; }));
  EXPECT_TRUE(refused([](Record& r, std::uint8_t*) { r.checksum_partial = 0; }));  // of a train, it always is
  EXPECT_TRUE(refused([](Record&, std::uint8_t* frame) { frame[12] = 0x86; }));    // EtherType
  EXPECT_TRUE(refused([](Record&, std::uint8_t* frame) { frame[17] ^= 1; }));      // IPv4 total length
  EXPECT_TRUE(refused([](Record&, std::uint8_t* frame) { frame[20] |= 0x20; }));   // more fragments
  EXPECT_TRUE(refused([](Record&, std::uint8_t* frame) { frame[23] = ip_protocol::kUdp; }));
  EXPECT_TRUE(refused([](Record&, std::uint8_t* frame) { frame[46] = 0x60; }));  // TCP header of 24 bytes
}

TEST(PeeringWire, a_partial_checksum_of_a_single_frame_lies_in_its_payload) {
  PacketPool pool;
  const PacketPtr sent = pool.copy_of(train_frame(100));
  sent->checksum_partial = true;
  const auto accepted = [&](std::uint16_t start, std::uint16_t offset) {
    sent->checksum_start = start;
    sent->checksum_offset = offset;
    Bytes body;
    append_record(body, 0, 0, *sent);
    return first_packet(body, pool) != nullptr;
  };
  EXPECT_TRUE(accepted(34, 16));
  EXPECT_FALSE(accepted(33, 16));  // in the IPv4 header
  EXPECT_FALSE(accepted(0, 0));
  EXPECT_TRUE(accepted(34, 118));  // the last two of 154 bytes
  EXPECT_FALSE(accepted(34, 119));
}

TEST(PeeringWire, records_follow_each_other) {
  PacketPool pool;
  Bytes body;
  for (std::uint32_t i = 0; i < 5; ++i) {
    const PacketPtr packet = pool.make(60 + i);
    std::memset(packet->bytes().data(), static_cast<int>(i), packet->size());
    append_record(body, i, i, *packet);
  }
  RecordReader reader(body);
  for (std::uint32_t i = 0; i < 5; ++i) {
    const auto record = reader.next();
    ASSERT_TRUE(record);
    EXPECT_EQ(record->channel, i);
    EXPECT_EQ(reader.stored().size(), 60 + i);
    EXPECT_EQ(reader.stored().front(), i);
  }
  EXPECT_TRUE(reader.at_end());
}

TEST(PeeringWire, a_body_cut_anywhere_gives_no_half_record) {
  PacketPool pool;
  Bytes body;
  append_record(body, 0, 0, *tcp_train(pool));
  for (std::size_t size = 0; size < body.size(); ++size) {
    const Bytes cut(body.begin(), body.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_FALSE(RecordReader(cut).next()) << size;
  }
}

TEST(PeeringWire, a_record_that_contradicts_itself_is_refused) {
  PacketPool pool;
  Bytes good;
  append_record(good, 0, 0, *tcp_train(pool));
  const auto refused = [&good](auto change) {
    Bytes body = good;
    Record record;
    std::memcpy(&record, body.data(), sizeof record);
    change(record);
    std::memcpy(body.data(), &record, sizeof record);
    return !RecordReader(body).next();
  };
  EXPECT_FALSE(refused([](Record&) {}));
  EXPECT_TRUE(refused([](Record& r) { r.segments = 0; }));
  EXPECT_TRUE(refused([](Record& r) { r.segments = 1; }));
  EXPECT_TRUE(refused([](Record& r) { r.segments = 4; }));  // 2996 bytes of payload are 3 segments, not 4
  EXPECT_TRUE(refused([](Record& r) { r.segment_payload = 0; }));
  EXPECT_TRUE(refused([](Record& r) { r.header_size = 0; }));
  EXPECT_TRUE(refused([](Record& r) { r.header_size = static_cast<std::uint16_t>(r.stored_size + 1); }));
  EXPECT_TRUE(refused([](Record& r) { r.train = static_cast<TrainKind>(200); }));
  EXPECT_TRUE(refused([](Record& r) { r.train = TrainKind::none; }));
  EXPECT_TRUE(refused([](Record& r) { r.stored_size = 0; }));
  EXPECT_TRUE(refused([](Record& r) { r.stored_size += 1; }));
  EXPECT_TRUE(refused([](Record& r) { r.virtual_payload = 0xffffffff; }));
  EXPECT_TRUE(refused([](Record& r) { r.checksum_partial = 2; }));
  EXPECT_TRUE(refused([](Record& r) { r.checksum_start = static_cast<std::uint16_t>(r.stored_size - 17); }));
}

TEST(PeeringWire, pieces_of_the_announced_size_only) {
  PieceHeader header = piece_header();
  EXPECT_EQ(header.pieces(), 3u);
  EXPECT_TRUE(read_piece(bytes_of(header, 1'000)));
  EXPECT_FALSE(read_piece(bytes_of(header, 999)));
  EXPECT_FALSE(read_piece(bytes_of(header, 1'001)));
  header.index = 2;
  EXPECT_TRUE(read_piece(bytes_of(header, 500)));
  EXPECT_FALSE(read_piece(bytes_of(header, 1'000)));
  header.index = 3;
  EXPECT_FALSE(read_piece(bytes_of(header, 500)));
}

TEST(PeeringWire, a_piece_that_would_not_fit_its_bounds_is_refused) {
  const auto refused = [](auto change) {
    PieceHeader header = piece_header();
    change(header);
    return !read_piece(bytes_of(header, 1'000));
  };
  EXPECT_FALSE(refused([](PieceHeader&) {}));
  EXPECT_TRUE(refused([](PieceHeader& h) { h.datagram.piece_size = 0; }));
  EXPECT_TRUE(refused([](PieceHeader& h) { h.segments = 0; }));
  EXPECT_TRUE(refused([](PieceHeader& h) { h.body_size = 0; }));
  EXPECT_TRUE(refused([](PieceHeader& h) { h.raw_size = 2'499; }));
  EXPECT_TRUE(refused([](PieceHeader& h) { h.raw_size = 2'501; }));  // not compressed
  EXPECT_TRUE(refused([](PieceHeader& h) { h.body_size = h.raw_size = kLargestBody + 1; }));
  EXPECT_TRUE(refused([](PieceHeader& h) { h.base_time_ns = INT64_MIN; }));
  EXPECT_TRUE(refused([](PieceHeader& h) { h.first_segment = UINT64_MAX; }));
  EXPECT_TRUE(refused([](PieceHeader& h) { h.batch = UINT64_MAX; }));
  EXPECT_TRUE(refused([](PieceHeader& h) { h.datagram.kind = DatagramKind::sync_reply; }));
  PieceHeader many = piece_header();  // 1 byte a piece
  many.datagram.piece_size = 1;
  EXPECT_FALSE(read_piece(bytes_of(many, 1)));
}

TEST(PeeringWire, other_programs_and_versions_are_refused) {
  PieceHeader header = piece_header();
  EXPECT_TRUE(read_datagram(bytes_of(header)));
  header.datagram.magic += 1u << 24;
  EXPECT_FALSE(read_datagram(bytes_of(header)));
  EXPECT_FALSE(read_datagram(Bytes(15, 0)));
  EXPECT_FALSE(read_datagram({}));
}

TEST(PeeringWire, a_synchronization_has_its_exact_size_and_sane_instants) {
  SyncMessage message;
  message.datagram = {kMagic, DatagramKind::sync_request, 0, 0, 7, 1};
  EXPECT_TRUE(read_sync(bytes_of(message)));
  EXPECT_FALSE(read_sync(bytes_of(message, 1)));
  message.reply_sent_ns = INT64_MAX;
  EXPECT_FALSE(read_sync(bytes_of(message)));
}

// What the sanitizers watch: nothing is read outside the datagram, whatever is in it.
TEST(PeeringWire, random_bytes_are_parsed_without_harm) {
  std::mt19937 random(1);
  PacketPool pool;
  Bytes good;
  append_record(good, 0, 0, *tcp_train(pool));
  for (int round = 0; round < 20'000; ++round) {
    Bytes bytes(random() % 200);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
    read_datagram(bytes);
    read_piece(bytes);
    read_sync(bytes);
    RecordReader noise(bytes);
    while (noise.next()) {
    }
    Bytes body = good;
    body[random() % sizeof(Record)] = static_cast<std::uint8_t>(random());
    RecordReader reader(body);
    while (const auto record = reader.next()) {
      const PacketPtr packet = pool.copy_of(reader.stored());
      ASSERT_TRUE(packet);
      if (!describe_packet(*packet, *record)) continue;
      while (packet->segments > 1) ASSERT_TRUE(split_front(*packet, 1, pool));
      finish_checksum(*packet);
    }
    Bytes piece = bytes_of(piece_header(), 1'000);
    piece[random() % sizeof(PieceHeader)] = static_cast<std::uint8_t>(random());
    if (const auto header = read_piece(piece)) {
      EXPECT_LE(header->offset() + payload_of(piece).size(), header->body_size);
      EXPECT_LE(header->body_size, kLargestBody);
      EXPECT_LE(header->pieces(), kMostPieces);
    }
  }
}

}  // namespace
}  // namespace simcore::peering
