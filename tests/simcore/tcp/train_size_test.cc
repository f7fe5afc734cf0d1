// SPDX-License-Identifier: MIT
#include "simcore/tcp/train_size.h"

#include <gtest/gtest.h>

namespace simcore {
namespace {

constexpr std::int64_t kMss = 1448;

TEST(TrainSize, ATrainIsAboutAMillisecondOfTheRate) {
  // 100 Mbit/s: 12.5 MB/s / 1024 = 12,207 bytes.
  EXPECT_EQ(train_segments(12.5e6, Duration::ms(20), kMss, 44), 8);
}

TEST(TrainSize, ASlowFlowSendsTwoSegmentsAtOnce) {
  EXPECT_EQ(train_segments(125e3, Duration::ms(20), kMss, 44), 2);
}

TEST(TrainSize, AFastFlowSendsAllThatFits) {
  EXPECT_EQ(train_segments(1.25e9, Duration::ms(20), kMss, 44), 44);
}

TEST(TrainSize, AShortPathAllowsLongerTrains) {
  EXPECT_EQ(train_segments(0, Duration::us(100), kMss, 100), 45);  // 65,536 bytes
  EXPECT_EQ(train_segments(0, Duration::us(600), kMss, 100), 22);  // half of it
}

TEST(TrainSize, SingleSegmentsStaySingle) {
  EXPECT_EQ(train_segments(1.25e9, Duration::us(100), kMss, 1), 1);
}

TEST(TrainSize, TheRateOfAWindowLeavesRoomToGrow) {
  EXPECT_DOUBLE_EQ(rate_of_window(100'000, 1'000'000, Duration::ms(100)), 2e6);
  EXPECT_DOUBLE_EQ(rate_of_window(100'000, 100'000, Duration::ms(100)), 1.2e6);
}

}  // namespace
}  // namespace simcore
