// SPDX-License-Identifier: MIT
#include "simcore/tcp/header_options.h"

#include <gtest/gtest.h>

#include <vector>

namespace simcore {
namespace {

std::vector<std::uint8_t> written(const TcpHeaderOptions& options) {
  std::vector<std::uint8_t> bytes(options.size());
  EXPECT_EQ(options.write(bytes), options.size());
  EXPECT_EQ(bytes.size() % 4, 0u);
  return bytes;
}

TEST(TcpHeaderOptions, ASynOfLinuxTakesTwentyBytes) {
  TcpHeaderOptions options;
  options.mss = 1460;
  options.sack_permitted = true;
  options.timestamps = TcpTimestamps{0x01020304, 0};
  options.window_scale = 7;
  const std::vector<std::uint8_t> expected = {2, 4, 5, 0xb4, 4, 2, 8, 10, 1, 2, 3, 4, 0, 0, 0, 0, 1, 3, 3, 7};
  EXPECT_EQ(written(options), expected);
}

TEST(TcpHeaderOptions, WhatIsWrittenIsReadBack) {
  for (int mask = 0; mask < 32; ++mask) {
    TcpHeaderOptions options;
    if (mask & 1) options.mss = 536;
    if (mask & 2) options.window_scale = 14;
    if (mask & 4) options.sack_permitted = true;
    if (mask & 8) options.timestamps = TcpTimestamps{7, 9};
    if (mask & 16) options.sack.add({SeqNum(0xffff'fff0), SeqNum(16)});
    const auto read = TcpHeaderOptions::parse(written(options));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->mss, options.mss);
    EXPECT_EQ(read->window_scale, options.window_scale);
    EXPECT_EQ(read->sack_permitted, options.sack_permitted);
    EXPECT_EQ(read->timestamps, options.timestamps);
    ASSERT_EQ(read->sack.count, options.sack.count);
    if (options.sack.count > 0) {
      EXPECT_EQ(read->sack.block[0], options.sack.block[0]);
    }
  }
}

TEST(TcpHeaderOptions, ThreeBlocksFitBesideTimestamps) {
  TcpHeaderOptions options;
  options.timestamps = TcpTimestamps{};
  for (std::uint32_t i = 0; i < 3; ++i) options.sack.add({SeqNum(i), SeqNum(i + 1)});
  EXPECT_EQ(options.size(), 40u);
}

TEST(TcpHeaderOptions, UnknownKindsAreSkipped) {
  const std::vector<std::uint8_t> area = {254, 4, 1, 2, 2, 4, 2, 0x18, 0, 99, 99};
  const auto read = TcpHeaderOptions::parse(area);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->mss, 536);
}

TEST(TcpHeaderOptions, ALengthThatDoesNotFitIsRefused) {
  const std::vector<std::vector<std::uint8_t>> areas = {{2},    {2, 4, 5}, {2, 3, 5},
                                                        {8, 0}, {3, 1},    {5, 9, 0, 0, 0, 0, 0, 0, 0}};
  for (const auto& area : areas) EXPECT_FALSE(TcpHeaderOptions::parse(area));
}

}  // namespace
}  // namespace simcore
