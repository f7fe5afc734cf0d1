// SPDX-License-Identifier: MIT
#include "simcore/tcp/seq_num.h"

#include <gtest/gtest.h>

namespace simcore {
namespace {

constexpr std::uint32_t kLargest = 0xffff'ffff;

template <class T>
concept HasOrder = requires(T a, T b) {
  a < b;
};
static_assert(!HasOrder<SeqNum>, "sequence numbers wrap: they have no order");

TEST(SeqNum, BeforeAndAfterHoldAcrossTheWrap) {
  EXPECT_TRUE(before(SeqNum(kLargest), SeqNum(0)));
  EXPECT_TRUE(after(SeqNum(5), SeqNum(kLargest - 5)));
  EXPECT_FALSE(before(SeqNum(7), SeqNum(7)));
  EXPECT_FALSE(after(SeqNum(7), SeqNum(7)));
}

TEST(SeqNum, AdditionWraps) { EXPECT_EQ(SeqNum(kLargest) + 3, SeqNum(2)); }

TEST(SeqNum, UnwrapFindsThePositionNearestToTheReference) {
  const SeqNum initial(kLargest - 9);
  for (const std::int64_t position :
       {std::int64_t{0}, std::int64_t{10}, std::int64_t{1} << 32, std::int64_t{123'456'789'012}}) {
    for (const std::int64_t away : {-2'000'000'000, -1, 0, 1, 2'000'000'000}) {
      EXPECT_EQ(unwrap(wrap(position, initial), initial, position + away), position);
    }
  }
}

TEST(SeqNum, UnwrapMayLieBeforeTheStream) { EXPECT_EQ(unwrap(SeqNum(95), SeqNum(100), 3), -5); }

}  // namespace
}  // namespace simcore
