// SPDX-License-Identifier: MIT
#include "simcore/tcp/reassembly.h"

#include <gtest/gtest.h>

#include <random>

namespace simcore {
namespace {

std::uint8_t byte_at(std::int64_t position) { return static_cast<std::uint8_t>(position * 31 + 7); }

std::vector<std::uint8_t> bytes_at(std::int64_t position, std::int64_t length) {
  std::vector<std::uint8_t> bytes;
  for (std::int64_t i = 0; i < length; ++i) bytes.push_back(byte_at(position + i));
  return bytes;
}

TEST(Reassembly, PiecesInAnyOrderWithAnyOverlapGiveTheStream) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    std::mt19937_64 random(seed);
    Reassembly stream(1, 1000);
    std::int64_t read = 1;
    constexpr std::int64_t kEnd = 20'001;
    for (int turn = 0; read < kEnd; ++turn) {
      ASSERT_LT(turn, 100'000);
      const std::int64_t from =
          std::max<std::int64_t>(1, read - 100 + static_cast<std::int64_t>(random() % 3'000));
      const std::int64_t position = random() % 4 == 0 ? stream.next() : from;
      const std::int64_t length =
          std::min<std::int64_t>(1 + static_cast<std::int64_t>(random() % 400), kEnd - position);
      if (length <= 0) continue;
      stream.take(position, length, bytes_at(position, length));
      for (std::size_t i = 1; i < stream.ranges().size(); ++i) {
        ASSERT_LT(stream.ranges()[i - 1].right, stream.ranges()[i].left) << "sorted, and never touching";
      }
      if (stream.has_gaps()) {
        ASSERT_GT(stream.ranges()[0].left, stream.next());
      }
      std::vector<std::uint8_t> out(random() % 500);
      const std::int64_t got = stream.read(out);
      for (std::int64_t i = 0; i < got; ++i) ASSERT_EQ(out[static_cast<std::size_t>(i)], byte_at(read + i));
      read += got;
    }
  }
}

TEST(Reassembly, TellsWhatWasHereBefore) {
  Reassembly stream(1, 10);
  EXPECT_EQ(stream.take(1, 100, {}).in_order, 100);
  EXPECT_EQ(stream.take(51, 100, {}).duplicate, 50);
  EXPECT_EQ(stream.take(301, 100, {}).in_order, 0);
  EXPECT_EQ(stream.take(351, 100, {}).duplicate, 50);
  const Reassembly::Taken filled = stream.take(151, 150, {});
  EXPECT_TRUE(filled.filled_gap);
  EXPECT_EQ(filled.in_order, 300);
  EXPECT_EQ(stream.next(), 451);
}

TEST(Reassembly, VirtualBytesReadAsZeros) {
  Reassembly stream(1, 10);
  stream.take(1, 6, bytes_at(1, 2));
  std::vector<std::uint8_t> out(6, 0xee);
  EXPECT_EQ(stream.read(out), 6);
  EXPECT_EQ(out, (std::vector<std::uint8_t>{byte_at(1), byte_at(2), 0, 0, 0, 0}));
}

TEST(Reassembly, OfBytesThatAreOnlyCountedNoneIsStoredAndTheCountGoesOn) {
  Reassembly stream(1, 10);
  stream.take(1, 4, bytes_at(1, 4));
  stream.count_only();
  stream.take(11, 5, bytes_at(11, 5));
  EXPECT_EQ(stream.unread(), 4);
  EXPECT_EQ(stream.stored_bytes(), 0);
  EXPECT_EQ(stream.take(5, 6, {}).in_order, 11);
  EXPECT_EQ(stream.discard(20), 15);
  EXPECT_EQ(stream.stored_bytes(), 0);
}

TEST(Reassembly, RefusesARangeAboveTheBoundAndTakesWhatTouchesOne) {
  Reassembly stream(1, 2);
  EXPECT_FALSE(stream.take(11, 10, {}).refused);
  EXPECT_FALSE(stream.take(31, 10, {}).refused);
  EXPECT_TRUE(stream.take(51, 10, {}).refused);
  EXPECT_FALSE(stream.take(41, 10, {}).refused);
  EXPECT_EQ(stream.refused(), 1u);
}

}  // namespace
}  // namespace simcore
