// SPDX-License-Identifier: MIT
#include "simcore/portal/peering_compressor.h"

#include <gtest/gtest.h>

#include <random>

namespace simcore::peering {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes zeros() { return Bytes(50'000, 0); }

Bytes noise() {
  std::mt19937 random(3);
  Bytes bytes(50'000);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
  return bytes;
}

// A clock that shows 10 us more at each look: compressing always takes 10 us.
struct TickingClock {
  SimTime operator()() { return now = now + Duration::us(10); }
  SimTime now = SimTime::zero();
};

TEST(Compressor, what_was_compressed_comes_back) {
  Compressor compressor(Compression::on, TickingClock{});
  Bytes text;
  for (int i = 0; i < 5'000; ++i) text.push_back(static_cast<std::uint8_t>(i % 251 + i / 1'000));
  Bytes body = text;
  ASSERT_TRUE(compressor.compress(body, false));
  EXPECT_LT(body.size(), text.size());
  EXPECT_EQ(compressor.raw_bytes(), text.size());
  EXPECT_EQ(compressor.carried_bytes(), body.size());
  Bytes raw(text.size());
  ASSERT_TRUE(decompress(body, raw));
  EXPECT_EQ(raw, text);
}

TEST(Compressor, what_does_not_shrink_goes_raw) {
  Compressor compressor(Compression::on, TickingClock{});
  Bytes body = noise();
  EXPECT_FALSE(compressor.compress(body, false));
  EXPECT_EQ(body, noise());
  EXPECT_EQ(compressor.raw_bytes(), 0u);
}

TEST(Compressor, off_leaves_everything_alone) {
  Compressor compressor(Compression::off, TickingClock{});
  Bytes body = zeros();
  EXPECT_FALSE(compressor.compress(body, true));
  EXPECT_EQ(body, zeros());
}

TEST(Compressor, automatic_compresses_where_sending_costs_more_than_compressing) {
  Compressor compressor(Compression::automatic, TickingClock{});
  for (int i = 0; i < 200; ++i) compressor.sent(1'000, Duration::us(1));  // 1 ns/byte: 50 us for a body
  int compressed = 0;
  for (unsigned i = 0; i < Compressor::kProbe; ++i) {
    Bytes body = zeros();
    if (compressor.compress(body, false)) ++compressed;
  }
  EXPECT_EQ(compressed, 64);
}

TEST(Compressor, automatic_sends_raw_where_sending_costs_less) {
  Compressor compressor(Compression::automatic, TickingClock{});
  for (int i = 0; i < 200; ++i) compressor.sent(10'000, Duration::us(1));  // 0.1 ns/byte: 5 us for a body
  for (unsigned i = 0; i < 2 * Compressor::kProbe; ++i) {
    Bytes body = zeros();
    EXPECT_FALSE(compressor.compress(body, false));
    EXPECT_EQ(body, zeros());
  }
  Bytes body = zeros();
  EXPECT_TRUE(compressor.compress(body, true));  // the wire is full
}

TEST(Compressor, automatic_notices_within_one_probe_that_it_pays_now) {
  Compressor compressor(Compression::automatic, TickingClock{});
  Bytes body = noise();
  EXPECT_FALSE(compressor.compress(body, false));
  for (int i = 0; i < 200; ++i) compressor.sent(1'000, Duration::us(1));
  unsigned raw = 0;
  for (body = zeros(); !compressor.compress(body, false); body = zeros()) ++raw;
  EXPECT_EQ(raw, Compressor::kProbe - 1);
}

TEST(Compressor, random_bytes_are_no_block) {
  Bytes raw(1'000);
  EXPECT_FALSE(decompress(noise(), raw));
  EXPECT_FALSE(decompress({}, raw));
}

}  // namespace
}  // namespace simcore::peering
