// SPDX-License-Identifier: MIT
//
// Every test compares with segments built one by one, as a sender without segmentation offload would send them.
#include "simcore/packet/train.h"

#include <gtest/gtest.h>

#include <optional>

#include "simcore/packet/virtio_net_fields.h"
#include "tests/simcore/packet/frames.h"

namespace simcore {
namespace {

using testing::Bytes;
using testing::bytes_of;
using testing::Ends;
using testing::pattern;

constexpr std::size_t kHeaders = 14 + 20 + 20;
constexpr std::uint16_t kMss = 100;
constexpr std::uint32_t kSequence = 0xffff'ff80;  // wraps around within the train
constexpr std::uint8_t kAllFlags = tcp_flag::kAck | tcp_flag::kPsh | tcp_flag::kFin | tcp_flag::kCwr;

struct Shape {
  std::size_t payload = 450;  // four segments of 100 bytes, one of 50
  std::uint16_t identification = 0xfffe;
  bool dont_fragment = false;
  bool udp = false;
};

std::size_t headers_of(const Shape& shape) { return shape.udp ? kHeaders - 12 : kHeaders; }

// Segment `index` of the train, or with `all` the payload of all of them behind one header.
Bytes frame_of(const Shape& shape, std::size_t index, bool all = false) {
  const Ends ends;
  const Bytes payload = pattern(shape.payload);
  const std::size_t start = all ? 0 : index * kMss;
  const std::size_t size = all ? shape.payload : std::min<std::size_t>(kMss, shape.payload - start);
  const std::span<const std::uint8_t> part = std::span(payload).subspan(start, size);
  Ipv4Fields ipv4 = testing::ipv4_fields(ends, shape.udp ? ip_protocol::kUdp : ip_protocol::kTcp);
  ipv4.dont_fragment = shape.dont_fragment;
  const bool counts = !shape.dont_fragment || shape.identification != 0;
  ipv4.identification = static_cast<std::uint16_t>(shape.identification + (counts ? index : 0));
  if (shape.udp) return testing::udp_frame(ends, ipv4, 5'000, 5'001, part);
  std::uint8_t flags = kAllFlags;
  if (!all && index > 0) flags = static_cast<std::uint8_t>(flags & ~tcp_flag::kCwr);
  if (!all && start + size < shape.payload)
    flags = static_cast<std::uint8_t>(flags & ~(tcp_flag::kPsh | tcp_flag::kFin));
  const TcpFields tcp{40'000, 80, static_cast<std::uint32_t>(kSequence + start), 99, flags, 1'000};
  return testing::tcp_frame(ends, ipv4, tcp, part);
}

VirtioNetFields fields_of(const Shape& shape) {
  VirtioNetFields fields;
  fields.needs_checksum = true;
  fields.checksum_start = 34;
  fields.checksum_offset = shape.udp ? UdpHeader::kChecksumOffset : TcpHeader::kChecksumOffset;
  fields.train = shape.udp ? TrainKind::udp : TrainKind::tcp_ipv4;
  fields.ecn = !shape.udp;
  fields.gso_size = kMss;
  fields.header_size = static_cast<std::uint16_t>(headers_of(shape));
  return fields;
}

PacketPtr train_of(const Shape& shape, PacketPool& pool) {
  PacketPtr train = pool.copy_of(frame_of(shape, 0, true));
  testing::make_partial(*train, Ends(), shape.udp ? ip_protocol::kUdp : ip_protocol::kTcp);
  EXPECT_TRUE(describe_frame(*train, fields_of(shape)));
  train->first_arrival = SimTime::at_ns(1'000);
  train->last_arrival = SimTime::at_ns(1'400);
  return train;
}

// Takes `packet` apart into finished single frames.
std::vector<Bytes> segments_of(PacketPtr packet, PacketPool& pool) {
  std::vector<Bytes> frames;
  while (packet->segments > 1) {
    PacketPtr front = split_front(*packet, 1, pool);
    finish_checksum(*front);
    frames.push_back(bytes_of(*front));
  }
  finish_checksum(*packet);
  frames.push_back(bytes_of(*packet));
  return frames;
}

std::vector<Bytes> expected_segments(const Shape& shape) {
  std::vector<Bytes> frames;
  for (std::size_t i = 0; i * kMss < shape.payload; ++i) frames.push_back(frame_of(shape, i));
  return frames;
}

class Train : public ::testing::TestWithParam<Shape> {
 protected:
  PacketPool pool_;
};

INSTANTIATE_TEST_SUITE_P(Kinds, Train,
                         ::testing::Values(Shape{}, Shape{.payload = 400}, Shape{.payload = 101},
                                           Shape{.identification = 0, .dont_fragment = true},
                                           Shape{.identification = 9, .dont_fragment = true},
                                           Shape{.udp = true}, Shape{.payload = 1'000, .udp = true}));

TEST_P(Train, taken_apart_gives_the_segments_a_sender_would_have_sent) {
  EXPECT_EQ(segments_of(train_of(GetParam(), pool_), pool_), expected_segments(GetParam()));
  EXPECT_EQ(pool_.in_use(), 0U);
}

TEST_P(Train, split_anywhere_and_then_taken_apart_gives_the_same_segments) {
  const auto expected = expected_segments(GetParam());
  for (std::uint16_t count = 1; count < expected.size(); ++count) {
    PacketPtr rest = train_of(GetParam(), pool_);
    const ByteCount weight = rest->wire_size();
    PacketPtr front = split_front(*rest, count, pool_);
    ASSERT_EQ(front->segments, count);
    ASSERT_EQ(rest->segments, expected.size() - count);
    EXPECT_EQ(front->wire_size() + rest->wire_size(), weight);
    EXPECT_TRUE(front->checksum_partial);
    EXPECT_TRUE(rest->checksum_partial);
    std::vector<Bytes> frames = segments_of(std::move(front), pool_);
    for (Bytes& frame : segments_of(std::move(rest), pool_)) frames.push_back(std::move(frame));
    EXPECT_EQ(frames, expected) << count;
  }
}

TEST_P(Train, parts_are_trains_whose_headers_agree_with_themselves) {
  PacketPtr rest = train_of(GetParam(), pool_);
  PacketPtr front = split_front(*rest, static_cast<std::uint16_t>(rest->segments / 2), pool_);
  for (Packet* part : {front.get(), rest.get()}) {
    const std::uint16_t segments = part->segments;
    const VirtioNetFields fields = virtio_net_fields(*part);
    EXPECT_TRUE(describe_frame(*part, fields));
    EXPECT_EQ(part->segments, segments);
  }
}

TEST_P(Train, without_its_back_is_the_segments_in_front_less_what_only_the_last_says) {
  const auto all = expected_segments(GetParam());
  for (std::uint16_t count = 1; count < all.size(); ++count) {
    PacketPtr train = train_of(GetParam(), pool_);
    drop_back(*train, count);
    ASSERT_EQ(train->segments, all.size() - count);
    const std::vector<Bytes> expected(all.begin(), all.end() - count);
    EXPECT_EQ(segments_of(std::move(train), pool_), expected) << count;
  }
}

TEST(TrainTiming, segments_arrive_evenly_spread) {
  PacketPool pool;
  PacketPtr rest = train_of(Shape{}, pool);  // five segments, 1,000 to 1,400 ns
  const PacketPtr front = split_front(*rest, 2, pool);
  EXPECT_EQ(front->first_arrival, SimTime::at_ns(1'000));
  EXPECT_EQ(front->last_arrival, SimTime::at_ns(1'100));
  EXPECT_EQ(rest->first_arrival, SimTime::at_ns(1'200));
  EXPECT_EQ(rest->last_arrival, SimTime::at_ns(1'400));
  drop_back(*rest, 2);
  EXPECT_EQ(rest->last_arrival, SimTime::at_ns(1'200));
}

TEST(TrainSize, largest_segment_is_a_full_one_with_its_headers) {
  PacketPool pool;
  PacketPtr train = train_of(Shape{}, pool);
  EXPECT_EQ(largest_segment(*train), kHeaders + kMss);
  const PacketPtr single = split_front(*train, 1, pool);
  EXPECT_EQ(largest_segment(*single), kHeaders + kMss);
  EXPECT_EQ(single->train, TrainKind::none);
  EXPECT_EQ(single->header_size, 0);
  EXPECT_EQ(single->segment_payload, 0);
}

TEST(TrainSplit, without_memory_leaves_the_train_as_it_was) {
  PacketPool small(ByteCount::bytes(1 << 20));  // one chunk, taken by the class of the train itself
  PacketPtr train = train_of(Shape{.payload = 450}, small);
  const Bytes before = bytes_of(*train);
  EXPECT_FALSE(split_front(*train, 1, small));  // a small frame would need a chunk of its class
  EXPECT_EQ(bytes_of(*train), before);
  EXPECT_EQ(train->segments, 5);
}

TEST(TrainVirtual, a_train_of_headers_only_splits_like_one_that_stores_zeros) {
  PacketPool pool;
  const Ends ends;
  const TcpFields tcp{1, 2, 10, 20, tcp_flag::kAck | tcp_flag::kPsh, 30};
  const Bytes full =
      testing::tcp_frame(ends, testing::ipv4_fields(ends, ip_protocol::kTcp), tcp, Bytes(450, 0));
  VirtioNetFields fields = fields_of(Shape{});
  for (const std::size_t stored : {std::size_t{0}, std::size_t{60}, std::size_t{100}, std::size_t{250}}) {
    PacketPtr real = pool.copy_of(full);
    testing::make_partial(*real, ends, ip_protocol::kTcp);
    PacketPtr hollow = pool.copy_of(*real);
    hollow->resize(kHeaders + stored);
    hollow->virtual_payload = static_cast<std::uint32_t>(450 - stored);
    ASSERT_TRUE(describe_frame(*real, fields));
    ASSERT_TRUE(describe_frame(*hollow, fields));
    EXPECT_EQ(hollow->wire_size(), real->wire_size());
    while (real->segments > 1) {
      const PacketPtr real_front = split_front(*real, 1, pool);
      const PacketPtr hollow_front = split_front(*hollow, 1, pool);
      finish_checksum(*real_front);
      finish_checksum(*hollow_front);
      EXPECT_EQ(hollow_front->wire_size(), real_front->wire_size());
      Bytes padded = bytes_of(*hollow_front);
      padded.resize(padded.size() + hollow_front->virtual_payload, 0);
      EXPECT_EQ(padded, bytes_of(*real_front)) << stored;
    }
    EXPECT_EQ(hollow->size() + hollow->virtual_payload, real->size());
  }
}

// TCP over IPv6 behind a VLAN tag, built by hand.
Bytes ipv6_frame(std::size_t start, std::span<const std::uint8_t> payload, std::uint8_t flags) {
  Bytes frame(18 + 40 + 20);
  write_ethernet(frame, MacAddress::of(2), MacAddress::of(1), EtherType::vlan);
  store_be16(frame.data() + 14, 42);
  store_be16(frame.data() + 16, static_cast<std::uint16_t>(EtherType::ipv6));
  std::uint8_t* const ip = frame.data() + 18;
  ip[0] = 0x60;
  const auto length = static_cast<std::uint16_t>(20 + payload.size());
  store_be16(ip + 4, length);
  ip[6] = ip_protocol::kTcp;
  ip[7] = 64;
  for (std::uint8_t i = 0; i < 32; ++i) ip[8 + i] = static_cast<std::uint8_t>(0x20 + i);
  write_tcp(std::span(frame).subspan(58), {7, 8, static_cast<std::uint32_t>(500 + start), 0, flags, 9});
  frame.insert(frame.end(), payload.begin(), payload.end());
  ChecksumSum sum;
  sum.add(std::span(frame).subspan(26, 32));
  sum.add32(length);
  sum.add32(ip_protocol::kTcp);
  sum.add(std::span(frame).subspan(58));
  store_be16(frame.data() + 58 + TcpHeader::kChecksumOffset, sum.checksum());
  return frame;
}

TEST(TrainIpv6, behind_a_vlan_tag_is_taken_apart_too) {
  PacketPool pool;
  const Bytes payload = pattern(250);
  PacketPtr train = pool.copy_of(ipv6_frame(0, payload, tcp_flag::kAck | tcp_flag::kPsh));
  ChecksumSum sum;
  sum.add(train->bytes().subspan(26, 32));
  sum.add32(20 + 250);
  sum.add32(ip_protocol::kTcp);
  store_be16(train->bytes().data() + 58 + TcpHeader::kChecksumOffset, sum.folded());
  VirtioNetFields fields;
  fields.needs_checksum = true;
  fields.checksum_start = 58;
  fields.checksum_offset = TcpHeader::kChecksumOffset;
  fields.train = TrainKind::tcp_ipv6;
  fields.gso_size = kMss;
  ASSERT_TRUE(describe_frame(*train, fields));
  EXPECT_EQ(train->segments, 3);
  EXPECT_EQ(train->header_size, 78);
  const std::span<const std::uint8_t> all(payload);
  const std::vector<Bytes> expected = {ipv6_frame(0, all.first(100), tcp_flag::kAck),
                                       ipv6_frame(100, all.subspan(100, 100), tcp_flag::kAck),
                                       ipv6_frame(200, all.subspan(200), tcp_flag::kAck | tcp_flag::kPsh)};
  EXPECT_EQ(segments_of(std::move(train), pool), expected);
}

TEST(FinishChecksum, leaves_a_complete_one_alone) {
  PacketPool pool;
  const Bytes frame = frame_of(Shape{}, 0);
  const PacketPtr packet = pool.copy_of(frame);
  finish_checksum(*packet);
  EXPECT_EQ(bytes_of(*packet), frame);
}

TEST(FinishChecksum, writes_ffff_where_the_sum_gives_zero) {
  PacketPool pool;
  const Ends ends;
  Bytes payload = {0, 0};
  Bytes frame = testing::udp_frame(ends, testing::ipv4_fields(ends, ip_protocol::kUdp), 1, 2, payload);
  // With its own checksum as payload, the sum of everything else becomes ffff.
  std::memcpy(payload.data(), frame.data() + 34 + UdpHeader::kChecksumOffset, 2);
  frame = testing::udp_frame(ends, testing::ipv4_fields(ends, ip_protocol::kUdp), 1, 2, payload);
  const PacketPtr packet = pool.copy_of(frame);
  testing::make_partial(*packet, ends, ip_protocol::kUdp);
  packet->checksum_partial = true;
  packet->checksum_start = 34;
  packet->checksum_offset = UdpHeader::kChecksumOffset;
  finish_checksum(*packet);
  EXPECT_EQ(load_be16(packet->bytes().data() + 34 + UdpHeader::kChecksumOffset), 0xffff);
  EXPECT_FALSE(packet->checksum_partial);
}

}  // namespace
}  // namespace simcore
