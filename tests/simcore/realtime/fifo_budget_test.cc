// SPDX-License-Identifier: MIT
#include "simcore/realtime/fifo_budget.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace simcore {
namespace {

constexpr std::int64_t kMs = 1'000'000;

// A thread that uses `share` of a core, and looks every millisecond: under SCHED_FIFO or not, for each of them.
std::vector<bool> milliseconds(FifoBudget& budget, int count, double share) {
  std::vector<bool> fifo;
  const auto used_ns = static_cast<std::int64_t>(share * kMs);
  bool now = true;
  for (int i = 1; i <= count; ++i) {
    if (budget.due(i * kMs)) now = budget.look(i * kMs, i * used_ns);
    fifo.push_back(now);
  }
  return fifo;
}

TEST(FifoBudgetTest, who_uses_less_than_is_allowed_keeps_the_priority) {
  FifoBudget budget(Duration::ms(950), Duration::seconds(1));
  const std::vector<bool> fifo = milliseconds(budget, 10'000, 0.8);
  EXPECT_EQ(std::count(fifo.begin(), fifo.end(), true), 10'000);
}

TEST(FifoBudgetTest, in_no_period_it_is_kept_for_as_long_as_the_kernel_allows) {
  FifoBudget budget(Duration::ms(950), Duration::seconds(1));
  const std::vector<bool> fifo = milliseconds(budget, 10'000, 1);
  std::int64_t in_period = std::count(fifo.begin(), fifo.begin() + 1'000, true);
  std::int64_t most = in_period;
  for (int end = 1'000; end < 10'000; ++end) {
    in_period += static_cast<int>(fifo[end]) - static_cast<int>(fifo[end - 1'000]);
    most = std::max(most, in_period);
  }
  // It leaks 0.9 of 950, then a bucket of 38 is filled, and a look is due every 19 ms.
  EXPECT_LE(most, 855 + 38 + 19 + 1);
  // It fills by 0.145 of each 19 ms and empties by 0.855: 14 looks are more than 38 ms, 3 more than 14 * 19 * 0.145.
  EXPECT_GE(std::count(fifo.begin(), fifo.end(), true), 10'000 * 14 / 17);
}

TEST(FifoBudgetTest, it_comes_back_when_the_bucket_is_empty) {
  FifoBudget budget(Duration::ms(950), Duration::seconds(1));
  // A busy thread fills it by 0.145 ms each millisecond: 38 ms take 263, and it is looked at every 19.
  const std::vector<bool> fifo = milliseconds(budget, 1'000, 1);
  const auto given_up = std::find(fifo.begin(), fifo.end(), false);
  EXPECT_GE(given_up - fifo.begin(), 262);
  EXPECT_LE(given_up - fifo.begin(), 262 + 2 * 19);
  // It empties by 0.855 ms each: at most 38 + 2.8 take 48.
  const auto back = std::find(given_up, fifo.end(), true);
  EXPECT_GE(back - given_up, 38);
  EXPECT_LE(back - given_up, 48 + 19);
}

TEST(FifoBudgetTest, a_thread_that_was_not_looked_at_for_long_pauses_no_longer_than_two_buckets_take) {
  FifoBudget budget(Duration::ms(950), Duration::seconds(1));
  EXPECT_TRUE(budget.look(1 * kMs, 0));
  EXPECT_FALSE(budget.look(5'001 * kMs, 5'000 * kMs));
  // Two buckets are 76 ms, which 0.855 of 89 ms empty.
  EXPECT_FALSE(budget.look(5'089 * kMs, 5'000 * kMs));
  EXPECT_TRUE(budget.look(5'090 * kMs, 5'000 * kMs));
}

}  // namespace
}  // namespace simcore
