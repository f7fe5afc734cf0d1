// SPDX-License-Identifier: MIT
#include "simcore/link/ring.h"

#include <gtest/gtest.h>

#include <deque>
#include <memory>

namespace simcore {
namespace {

TEST(Ring, isFirstInFirstOut) {
  Ring<int> ring;
  EXPECT_TRUE(ring.empty());
  for (int i = 0; i < 3; ++i) ring.push(i);
  EXPECT_EQ(ring.size(), 3U);
  EXPECT_EQ(ring.front(), 0);
  EXPECT_EQ(ring.back(), 2);
  EXPECT_EQ(ring[1], 1);
  EXPECT_EQ(ring.pop(), 0);
  EXPECT_EQ(ring.pop(), 1);
  EXPECT_EQ(ring.pop(), 2);
  EXPECT_TRUE(ring.empty());
}

TEST(Ring, oneThatIsEmptyAgainBeginsAtItsFirstSlot) {
  Ring<int> ring;
  ring.push(1);
  const int* const first = &ring.front();
  ring.push(2);
  ring.drop_front();
  EXPECT_EQ(ring.pop(), 2);
  ring.push(3);
  EXPECT_EQ(&ring.front(), first);
  EXPECT_EQ(ring.front(), 3);
  EXPECT_EQ(ring.size(), 1U);
}

TEST(Ring, keepsItsOrderWhenItGrowsWhileWrappedAround) {
  Ring<int> ring;
  std::deque<int> reference;
  int next = 0;
  for (int round = 0; round < 200; ++round) {
    for (int i = 0; i < 7; ++i) {
      ring.push(next);
      reference.push_back(next++);
    }
    for (int i = 0; i < 5; ++i) {
      ASSERT_EQ(ring.pop(), reference.front());
      reference.pop_front();
    }
    ASSERT_EQ(ring.size(), reference.size());
    for (std::size_t i = 0; i < reference.size(); ++i) ASSERT_EQ(ring[i], reference[i]);
  }
}

TEST(Ring, movesWhatCannotBeCopied) {
  Ring<std::unique_ptr<int>> ring;
  for (int i = 0; i < 100; ++i) ring.push(std::make_unique<int>(i));
  for (int i = 0; i < 100; ++i) EXPECT_EQ(*ring.pop(), i);
}

}  // namespace
}  // namespace simcore
