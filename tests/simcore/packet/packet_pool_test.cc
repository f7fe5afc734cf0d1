// SPDX-License-Identifier: MIT
#include "simcore/packet/packet_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/simcore/packet/frames.h"

namespace simcore {
namespace {

using testing::bytes_of;
using testing::pattern;

TEST(PacketPool, a_packet_holds_what_it_was_made_for) {
  PacketPool pool;
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{64}, std::size_t{1'514},
                                 std::size_t{9'014}, PacketPool::kLargestFrame}) {
    const PacketPtr packet = pool.make(size);
    ASSERT_TRUE(packet) << size;
    EXPECT_EQ(packet->size(), size);
    EXPECT_GE(packet->capacity(), size);
    EXPECT_EQ(packet->segments, 1);
    EXPECT_EQ(packet->wire_size(), ByteCount::bytes(static_cast<std::int64_t>(size)));
    std::ranges::fill(packet->bytes(), std::uint8_t{0xab});  // all of it may be written
  }
}

TEST(PacketPool, a_tcp_header_with_timestamps_takes_the_smallest_block) {
  PacketPool pool;
  constexpr std::size_t kHeaders = 14 + 20 + 20 + 12;
  constexpr std::size_t kWithSackBlock = kHeaders + 12;
  EXPECT_EQ(pool.make(kHeaders)->block_bytes(), 128U);
  EXPECT_EQ(pool.make(kWithSackBlock)->block_bytes(), 128U);
  EXPECT_EQ(pool.make(128 - 48 + 1)->block_bytes(), 256U);
}

TEST(PacketPool, larger_than_the_largest_frame_is_refused_and_counted) {
  PacketPool pool;
  EXPECT_FALSE(pool.make(PacketPool::kLargestFrame + 1'000));
  EXPECT_EQ(pool.exhausted(), 1U);
  EXPECT_EQ(pool.in_use(), 0U);
}

TEST(PacketPool, packets_go_back_and_are_used_again) {
  PacketPool pool;
  PacketPtr first = pool.make(1'000);
  const std::uint8_t* const where = first->bytes().data();
  const ByteCount reserved = pool.reserved();
  EXPECT_EQ(pool.in_use(), 1U);
  first->segments = 7;
  first->checksum_partial = true;
  first.reset();
  EXPECT_EQ(pool.in_use(), 0U);
  const PacketPtr second = pool.make(1'000);
  EXPECT_EQ(second->bytes().data(), where);
  EXPECT_EQ(second->segments, 1);
  EXPECT_FALSE(second->checksum_partial);
  EXPECT_EQ(pool.reserved(), reserved);
}

TEST(PacketPool, a_packet_whose_front_was_removed_goes_back_whole) {
  PacketPool pool;
  PacketPtr first = pool.copy_of(pattern(1'000));
  const std::size_t capacity = first->capacity();
  const std::uint8_t* const where = first->bytes().data();
  first->remove_front(400);
  EXPECT_EQ(first->size(), 600U);
  EXPECT_EQ(first->capacity(), capacity - 400);
  EXPECT_EQ(first->bytes()[0], pattern(1'000)[400]);
  first.reset();
  const PacketPtr second = pool.make(1'000);
  EXPECT_EQ(second->bytes().data(), where);
  EXPECT_EQ(second->capacity(), capacity);
}

TEST(PacketPool, the_limit_bounds_what_is_taken_and_a_freed_packet_makes_room) {
  const ByteCount limit = ByteCount::bytes(3 << 20);
  PacketPool pool(limit);
  std::vector<PacketPtr> held;
  while (PacketPtr packet = pool.make(1'500)) held.push_back(std::move(packet));
  EXPECT_LE(pool.reserved(), limit);
  // A block of 2,048 bytes each: 512 to a chunk of 1 MiB, 3 chunks.
  EXPECT_EQ(held.size(), 3U * 512U);
  EXPECT_EQ(pool.exhausted(), 1U);
  held.pop_back();
  EXPECT_TRUE(pool.make(1'500));
}

TEST(PacketPool, a_copy_is_like_its_original_and_apart_from_it) {
  PacketPool pool;
  const PacketPtr original = pool.copy_of(pattern(200));
  original->first_arrival = SimTime::at_ns(5);
  original->last_arrival = SimTime::at_ns(9);
  original->virtual_payload = 300;
  original->segments = 4;
  original->segment_payload = 100;
  original->header_size = 54;
  original->train = TrainKind::tcp_ipv4;
  original->checksum_partial = true;
  original->checksum_start = 34;
  original->checksum_offset = 16;
  const PacketPtr copy = pool.copy_of(*original);
  EXPECT_EQ(bytes_of(*copy), bytes_of(*original));
  EXPECT_EQ(copy->first_arrival, original->first_arrival);
  EXPECT_EQ(copy->last_arrival, original->last_arrival);
  EXPECT_EQ(copy->wire_size(), original->wire_size());
  EXPECT_EQ(copy->segment_payload, 100);
  EXPECT_EQ(copy->train, TrainKind::tcp_ipv4);
  EXPECT_TRUE(copy->checksum_partial);
  EXPECT_EQ(copy->checksum_start, 34);
  EXPECT_EQ(copy->checksum_offset, 16);
  copy->bytes()[0] = 0xee;
  EXPECT_EQ(original->bytes()[0], 0);
}

TEST(Packet, wire_size_repeats_the_headers_for_every_segment) {
  PacketPool pool;
  const PacketPtr train = pool.make(54 + 1'000);
  train->virtual_payload = 500;
  train->segments = 3;
  train->segment_payload = 500;
  train->header_size = 54;
  EXPECT_EQ(train->wire_size(), ByteCount::bytes(3 * (54 + 500)));
}

}  // namespace
}  // namespace simcore
