// SPDX-License-Identifier: MIT
#include "simcore/realtime/waiter.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "simcore/sys/clock.h"
#include "simcore/sys/event_fd.h"

namespace simcore {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

TEST(PollBudgetTest, no_more_than_its_part_of_the_time_is_spent_looking) {
  PollBudget budget;
  budget.earn(kSecond);
  EXPECT_FALSE(budget.has(Duration::ns(1))) << "nothing is earned yet";
  // Every 200 us a wait that would look for 100 us.
  Duration spent = Duration::zero();
  for (std::int64_t now = kSecond; now < 2 * kSecond; now += 200'000) {
    budget.earn(now);
    if (!budget.has(Duration::us(100))) continue;
    budget.spend(Duration::us(100));
    spent += Duration::us(100);
  }
  EXPECT_LE(spent, Duration::ns(kSecond / PollBudget::kPart));
  EXPECT_GE(spent, Duration::ns(kSecond / PollBudget::kPart) - Duration::us(200));
}

TEST(PollBudgetTest, what_is_not_spent_is_kept_up_to_a_bound) {
  PollBudget budget;
  budget.earn(kSecond);
  budget.earn(100 * kSecond);
  EXPECT_TRUE(budget.has(PollBudget::kMostSaved));
  EXPECT_FALSE(budget.has(PollBudget::kMostSaved + Duration::ns(1)));
}

TEST(PollWindowTest, it_doubles_when_a_frame_came_and_halves_when_none_did_within_its_bounds) {
  PollWindow window;
  EXPECT_EQ(window.length(), Duration::us(50));
  window.found();
  EXPECT_EQ(window.length(), Duration::us(100));
  window.found();
  window.found();
  EXPECT_EQ(window.length(), Duration::us(200));
  window.missed();
  EXPECT_EQ(window.length(), Duration::us(100));
  window.missed();
  window.missed();
  EXPECT_EQ(window.length(), Duration::us(50));
}

class WaiterTest : public testing::Test {
 protected:
  // A waiter that `event_` ends, and that has earned all it may keep.
  Waiter& rich(Waiter::Policy policy) {
    waiter_.emplace(policy, Duration::zero(), false);
    waiter_->watch_always(event_.fd(), 7);
    event_.signal();
    const std::int64_t now_ns = monotonic_ns();
    waiter_->wait(now_ns - kSecond, {});
    waiter_->wait(now_ns, {});
    event_.clear();
    return *waiter_;
  }

  EventFd event_;
  std::optional<Waiter> waiter_;
};

TEST_F(WaiterTest, what_is_due_already_is_not_waited_for) {
  for (const auto policy : {Waiter::Policy::sleep, Waiter::Policy::adaptive, Waiter::Policy::dedicated}) {
    const std::int64_t now_ns = monotonic_ns();
    const Waiter::Waited waited = rich(policy).wait(now_ns, {.due_ns = now_ns});
    EXPECT_FALSE(waited.slept || waited.heard || waited.moderated);
    EXPECT_EQ(waited.looked, Duration::zero());
  }
}

TEST_F(WaiterTest, no_wait_ends_before_an_event_is_due) {
  for (const auto policy : {Waiter::Policy::sleep, Waiter::Policy::adaptive}) {
    Waiter& waiter = rich(policy);
    for (int i = 0; i < 50; ++i) {
      const std::int64_t now_ns = monotonic_ns();
      const std::int64_t due_ns = now_ns + 500'000;
      EXPECT_GE(waiter.wait(now_ns, {.due_ns = due_ns}).now_ns, due_ns);
    }
  }
}

TEST_F(WaiterTest, asleep_it_does_not_look) {
  Waiter& waiter = rich(Waiter::Policy::sleep);
  const std::int64_t now_ns = monotonic_ns();
  waiter.frames_passed(now_ns);
  const Waiter::Waited waited = waiter.wait(now_ns, {.due_ns = now_ns + 1'000'000});
  EXPECT_TRUE(waited.slept);
  EXPECT_EQ(waited.looked, Duration::zero());
}

TEST_F(WaiterTest, after_a_frame_an_adaptive_wait_looks_for_the_next_and_then_sleeps) {
  Waiter& waiter = rich(Waiter::Policy::adaptive);
  const std::int64_t now_ns = monotonic_ns();
  waiter.frames_passed(now_ns);
  const Waiter::Waited waited = waiter.wait(now_ns, {.due_ns = now_ns + 5'000'000, .event = false});
  EXPECT_TRUE(waited.slept);
  EXPECT_GE(waited.looked, PollWindow::kLeast);
  EXPECT_EQ(waited.expected, Duration::ms(5));
}

TEST_F(WaiterTest, a_frame_that_comes_while_it_looks_spares_the_sleep) {
  Waiter& waiter = rich(Waiter::Policy::adaptive);
  event_.signal();
  const std::int64_t now_ns = monotonic_ns();
  waiter.frames_passed(now_ns);
  const Waiter::Waited waited = waiter.wait(now_ns, {});
  EXPECT_EQ(*waited.readable, std::vector<std::uint32_t>{7});
  EXPECT_TRUE(waited.heard);
  EXPECT_FALSE(waited.slept);
}

TEST_F(WaiterTest, who_has_earned_nothing_does_not_look) {
  Waiter waiter(Waiter::Policy::adaptive, Duration::zero(), false);
  const std::int64_t now_ns = monotonic_ns();
  waiter.frames_passed(now_ns);
  const Waiter::Waited waited = waiter.wait(now_ns, {.due_ns = now_ns + 100'000});
  EXPECT_TRUE(waited.slept);
  EXPECT_EQ(waited.looked, Duration::zero());
}

TEST_F(WaiterTest, without_a_frame_nobody_looks_for_another) {
  Waiter& waiter = rich(Waiter::Policy::adaptive);
  const std::int64_t now_ns = monotonic_ns();
  EXPECT_EQ(waiter.wait(now_ns, {.due_ns = now_ns + 100'000, .event = false}).looked, Duration::zero());
}

TEST_F(WaiterTest, where_the_clock_is_simulated_it_sleeps_whatever_was_asked) {
  for (const auto policy : {Waiter::Policy::automatic, Waiter::Policy::adaptive, Waiter::Policy::dedicated}) {
    Waiter waiter(policy, Duration::ms(1), true);
    EXPECT_EQ(waiter.policy(), Waiter::Policy::simulated);
    const std::int64_t now_ns = monotonic_ns();
    waiter.frames_passed(now_ns);
    const Waiter::Waited waited = waiter.wait(now_ns, {.due_ns = now_ns + 100'000});
    EXPECT_TRUE(waited.slept);
    EXPECT_EQ(waited.looked, Duration::zero());
    EXPECT_FALSE(waited.moderated);
  }
}

TEST_F(WaiterTest, a_dedicated_wait_looks_and_returns_now_and_then) {
  Waiter& waiter = rich(Waiter::Policy::dedicated);
  const Waiter::Waited waited = waiter.wait(monotonic_ns(), {});
  EXPECT_TRUE(waited.readable->empty());
  EXPECT_FALSE(waited.slept);
  EXPECT_EQ(waited.expected, Duration::ms(1));
  EXPECT_GE(waited.looked, Duration::ms(1));
}

}  // namespace
}  // namespace simcore
