// SPDX-License-Identifier: MIT
#include "simcore/portal/spsc_ring.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <thread>

namespace simcore {
namespace {

TEST(SpscRingTest, holds_its_capacity_and_no_more) {
  SpscRing<int> ring(3);
  EXPECT_TRUE(ring.filled().empty());
  EXPECT_EQ(ring.room().size(), 3u);
  ring.publish(3);
  EXPECT_TRUE(ring.room().empty());
  EXPECT_EQ(ring.filled().size(), 3u);
}

TEST(SpscRingTest, what_it_shows_lies_in_a_row_and_goes_on_at_the_start) {
  SpscRing<int> ring(4);
  ring.publish(3);
  ring.release(3);
  ASSERT_EQ(ring.room().size(), 1u) << "up to the end of the memory";
  ring.room()[0] = 7;
  ring.publish(1);
  ASSERT_EQ(ring.room().size(), 3u) << "and on from its start";
  ring.room()[0] = 8;
  ring.publish(1);
  EXPECT_EQ(ring.filled()[0], 7);
  ring.release(1);
  EXPECT_EQ(ring.filled()[0], 8);
}

TEST(SpscRingTest, elements_pass_between_two_threads_in_order) {
  constexpr std::uint64_t kCount = 100'000;
  SpscRing<std::uint64_t> ring(17);
  std::thread filler([&ring] {
    for (std::uint64_t next = 0; next < kCount;) {
      const auto room = ring.room();
      std::size_t count = 0;
      while (count < room.size() && next < kCount) room[count++] = next++;
      ring.publish(count);
      if (count == 0) std::this_thread::yield();
    }
  });
  std::uint64_t expected = 0;
  bool in_order = true;
  while (expected < kCount) {
    const auto filled = ring.filled();
    for (const std::uint64_t each : filled) in_order = in_order && each == expected++;
    ring.release(filled.size());
    if (filled.empty()) std::this_thread::yield();
  }
  filler.join();
  EXPECT_TRUE(in_order);
}

}  // namespace
}  // namespace simcore
