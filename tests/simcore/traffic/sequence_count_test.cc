// SPDX-License-Identifier: MIT
#include "simcore/traffic/sequence_count.h"

#include <gtest/gtest.h>

namespace simcore {
namespace {

constexpr std::uint64_t kWindow = SequenceCount::kWindow;

TEST(SequenceCount, what_never_came_is_missing_and_what_came_late_is_not) {
  SequenceCount count;
  for (const std::uint64_t number : {1, 2, 5, 4, 9}) count.add(number);
  EXPECT_EQ(count.highest(), 9U);
  EXPECT_EQ(count.distinct(), 5U);
  EXPECT_EQ(count.missing(), 4U);  // 3, 6, 7, 8
  EXPECT_EQ(count.reordered(), 1U);
  EXPECT_EQ(count.duplicates(), 0U);
}

TEST(SequenceCount, a_number_that_comes_again_is_a_duplicate_also_when_it_was_late) {
  SequenceCount count;
  for (const std::uint64_t number : {3, 1, 1, 3}) count.add(number);
  EXPECT_EQ(count.distinct(), 2U);
  EXPECT_EQ(count.duplicates(), 2U);
  EXPECT_EQ(count.reordered(), 1U);
}

TEST(SequenceCount, places_of_the_window_are_used_again_and_remember_nothing_of_before) {
  SequenceCount count;
  for (std::uint64_t number = 1; number <= kWindow; ++number) count.add(number);
  count.add(kWindow + 10);  // it is in the place of 10, between them nothing came
  for (std::uint64_t number = kWindow + 1; number < kWindow + 10; ++number) count.add(number);
  EXPECT_EQ(count.duplicates(), 0U);
  EXPECT_EQ(count.missing(), 0U);
  EXPECT_EQ(count.reordered(), 9U);
}

TEST(SequenceCount, a_jump_of_more_than_a_window_forgets_all) {
  SequenceCount count;
  for (std::uint64_t number = 1; number <= 100; ++number) count.add(number);
  count.add(3 * kWindow);
  count.add(2 * kWindow + 50);  // in the place of 50
  EXPECT_EQ(count.duplicates(), 0U);
  EXPECT_EQ(count.distinct(), 102U);
}

TEST(SequenceCount, what_is_older_than_the_window_is_counted_apart_and_stays_missing) {
  SequenceCount count;
  count.add(kWindow + 1);
  count.add(2);  // the oldest that is remembered
  count.add(1);
  EXPECT_EQ(count.too_late(), 1U);
  EXPECT_EQ(count.distinct(), 2U);
  EXPECT_EQ(count.missing(), kWindow - 1);
}

}  // namespace
}  // namespace simcore
