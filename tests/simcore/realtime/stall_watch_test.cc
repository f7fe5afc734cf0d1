// SPDX-License-Identifier: MIT
#include "simcore/realtime/stall_watch.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include "simcore/sys/clock.h"
#include "simcore/sys/thread.h"
#include "simcore/units/error.h"

namespace simcore {
namespace {

int first_core() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (::sched_getaffinity(0, sizeof cores, &cores) != 0) return -1;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &cores)) return core;
  }
  return -1;
}

class StallWatchTest : public testing::Test {
 protected:
  void SetUp() override {
    bool allowed = false;
    std::thread([&] { allowed = try_fifo_priority(99); }).join();
    if (!allowed) GTEST_SKIP() << "needs SCHED_FIFO, which is root's";
  }
};

TEST_F(StallWatchTest, a_core_that_is_kept_from_it_has_stood_still) {
  StallWatch watch({first_core()});
  std::int64_t began_ns = 0;
  std::int64_t ended_ns = 0;
  // Above the watch, on its core: to it that is a core that stands still.
  std::thread([&] {
    pin_to_cpu(first_core());
    ASSERT_TRUE(try_fifo_priority(StallWatch::kPriority + 1));
    began_ns = monotonic_ns();
    while (monotonic_ns() < began_ns + 5'000'000) {
    }
    ended_ns = monotonic_ns();
  }).join();
  sleep_until_ns(ended_ns + 2 * StallWatch::kPeriod.count_ns());

  bool seen = false;
  for (const Stall& stall : watch.take()) {
    EXPECT_EQ(stall.core, first_core());
    EXPECT_GT(stall.ended_ns - stall.began_ns, (StallWatch::kPeriod + StallWatch::kStall).count_ns());
    // Known to run at most a period before, so within two of the beginning where that was late itself.
    seen = seen || (stall.began_ns <= began_ns && stall.ended_ns >= began_ns + 5'000'000);
  }
  EXPECT_TRUE(seen);
  EXPECT_EQ(watch.forgotten(), 0U);
}

TEST_F(StallWatchTest, what_was_taken_is_not_taken_again) {
  StallWatch watch({first_core()});
  std::thread([] {
    pin_to_cpu(first_core());
    ASSERT_TRUE(try_fifo_priority(StallWatch::kPriority + 1));
    const std::int64_t began_ns = monotonic_ns();
    while (monotonic_ns() < began_ns + 3'000'000) {
    }
  }).join();
  sleep_until_ns(monotonic_ns() + 2 * StallWatch::kPeriod.count_ns());
  const std::vector<Stall> first = watch.take();
  ASSERT_FALSE(first.empty());
  for (const Stall& later : watch.take()) EXPECT_GE(later.began_ns, first.back().ended_ns);
}

TEST_F(StallWatchTest, a_core_that_does_not_exist_is_refused) {
  EXPECT_THROW(StallWatch({first_core(), CPU_SETSIZE - 1}), ConfigError);
}

TEST(StallWatchWithoutPrivilegeTest, without_real_time_priority_it_says_so) {
  bool allowed = false;
  std::thread([&] { allowed = try_fifo_priority(99); }).join();
  if (allowed) GTEST_SKIP() << "may run under SCHED_FIFO";
  EXPECT_THROW(StallWatch({first_core()}), EnvironmentError);
}

}  // namespace
}  // namespace simcore
