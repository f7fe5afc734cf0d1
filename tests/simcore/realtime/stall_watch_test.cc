// SPDX-License-Identifier: MIT
#include "simcore/realtime/stall_watch.h"

#include <gtest/gtest.h>

namespace simcore {
namespace {

constexpr std::int64_t kStall_ns = StallWatch::kStall.count_ns();

TEST(StallWatchTest, a_pause_counts_when_it_is_longer_than_a_stall_and_with_all_of_it) {
  StallWatch watch;
  watch.begin(1'000);
  watch.done(1'000 + kStall_ns, Duration::zero());
  EXPECT_EQ(watch.count(), 0u);
  watch.done(1'000 + kStall_ns + kStall_ns + 1, Duration::zero());
  EXPECT_EQ(watch.count(), 1u);
  EXPECT_EQ(watch.total(), Duration::ns(kStall_ns + 1));
}

TEST(StallWatchTest, what_a_thing_should_take_is_none_of_it) {
  StallWatch watch;
  watch.begin(0);
  watch.done(20'000'000, Duration::ms(20));  // as long as asked for
  watch.done(25'000'000, Duration::ms(20));  // a signal ended it earlier
  EXPECT_EQ(watch.count(), 0u);
  watch.done(48'000'000, Duration::ms(20));
  EXPECT_EQ(watch.count(), 1u);
  EXPECT_EQ(watch.total(), Duration::ms(3));
  watch.done(100'000'000, Duration::infinite());
  EXPECT_EQ(watch.count(), 1u);
}

TEST(StallWatchTest, what_passes_before_something_begins_is_not_judged) {
  StallWatch watch;
  watch.begin(0);
  watch.begin(80'000'000);
  watch.done(80'100'000, Duration::zero());
  EXPECT_EQ(watch.count(), 0u);
}

TEST(StallWatchTest, a_sleep_that_did_not_end_when_a_frame_came_is_one) {
  StallWatch watch;
  watch.begin(10'000'000);
  watch.woke(13'000'000, Duration::ms(20));
  watch.called(9'000'000);  // before the sleep
  watch.called(12'500'000);
  EXPECT_EQ(watch.count(), 0u);
  watch.called(12'000'000);
  watch.called(12'400'000);  // came while it was late already
  EXPECT_EQ(watch.count(), 1u);
  EXPECT_EQ(watch.total(), Duration::ms(1));
  watch.begin(14'000'000);
  watch.done(15'000'000, Duration::ms(1));  // not a sleep that a frame ends
  watch.called(14'100'000);
  EXPECT_EQ(watch.count(), 1u);
}

TEST(StallWatchTest, a_sleep_that_ended_too_late_for_frames_and_for_what_was_due_counts_once) {
  StallWatch watch;
  watch.begin(0);
  watch.woke(5'000'000, Duration::ms(2));
  watch.called(1'000'000);
  EXPECT_EQ(watch.count(), 1u);
  EXPECT_EQ(watch.total(), Duration::ms(3));
}

TEST(StallWatchTest, frames_take_their_time) {
  StallWatch watch;
  watch.begin(0);
  watch.done(2'000'000, StallWatch::of_frames(192));  // 1.92 ms of it for them
  EXPECT_EQ(watch.count(), 0u);
  watch.done(4'000'000, StallWatch::of_frames(1));
  EXPECT_EQ(watch.count(), 1u);
  EXPECT_EQ(watch.total(), Duration::us(1'990));
}

TEST(StallWatchTest, nothing_is_counted_while_others_may_be_in_the_way) {
  StallWatch watch;
  watch.begin(0);
  watch.judge(false);
  watch.done(5'000'000, Duration::zero());
  EXPECT_EQ(watch.count(), 0u);
  EXPECT_EQ(watch.total(), Duration::zero());
  watch.judge(true);
  watch.done(7'000'000, Duration::zero());
  EXPECT_EQ(watch.count(), 1u);
  EXPECT_EQ(watch.total(), Duration::ms(2));
}

}  // namespace
}  // namespace simcore
