// SPDX-License-Identifier: MIT
#include "simcore/realtime/moderation.h"

#include <gtest/gtest.h>

namespace simcore {
namespace {

constexpr std::int64_t kInterval = 100'000;

// Turns every `gap_ns` from `from_ns`, all with work, until `until_ns`.
void turn(Moderation& moderation, std::int64_t from_ns, std::int64_t until_ns, std::int64_t gap_ns) {
  for (std::int64_t now = from_ns; now < until_ns; now += gap_ns) moderation.turn_begins(now, true);
}

Moderation busy() {
  Moderation moderation(Duration::ns(kInterval));
  turn(moderation, 1'000'000, 1'000'000 + 4 * kInterval, kInterval / 8);
  return moderation;
}

TEST(ModerationTest, begins_when_turns_follow_fast_for_two_intervals) {
  Moderation moderation(Duration::ns(kInterval));
  turn(moderation, 1'000'000, 1'000'000 + kInterval, kInterval / 8);
  EXPECT_EQ(moderation.wait_until(), 0);
  turn(moderation, 1'000'000 + kInterval, 1'000'000 + 4 * kInterval, kInterval / 8);
  EXPECT_NE(moderation.wait_until(), 0);
}

TEST(ModerationTest, asks_for_one_interval_after_the_turn_began) {
  Moderation moderation = busy();
  moderation.turn_begins(5'000'000, true);
  EXPECT_EQ(moderation.wait_until(), 5'000'000 + kInterval);
}

TEST(ModerationTest, ends_with_the_first_wait_that_nothing_came_of) {
  Moderation moderation = busy();
  moderation.turn_begins(5'000'000, false);
  EXPECT_EQ(moderation.wait_until(), 0);
}

TEST(ModerationTest, three_turns_an_interval_are_not_busy) {
  Moderation moderation(Duration::ns(kInterval));
  turn(moderation, 1'000'000, 1'000'000 + 50 * kInterval, kInterval / 3 + 1);
  EXPECT_EQ(moderation.wait_until(), 0);
}

// A ping makes a few quick turns and then none for long.
TEST(ModerationTest, bursts_far_apart_are_not_busy) {
  Moderation moderation(Duration::ns(kInterval));
  for (std::int64_t burst = 0; burst < 50; ++burst) {
    const std::int64_t from = 1'000'000 + burst * 20 * kInterval;
    turn(moderation, from, from + kInterval / 2, kInterval / 16);
  }
  EXPECT_EQ(moderation.wait_until(), 0);
}

TEST(ModerationTest, zero_never_waits) {
  Moderation moderation(Duration::zero());
  turn(moderation, 1'000'000, 2'000'000, 10);
  EXPECT_EQ(moderation.wait_until(), 0);
}

}  // namespace
}  // namespace simcore
