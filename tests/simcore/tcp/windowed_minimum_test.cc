// SPDX-License-Identifier: MIT
#include "simcore/tcp/windowed_minimum.h"

#include <gtest/gtest.h>

namespace simcore {
namespace {

SimTime at_s(std::int64_t seconds) { return SimTime::zero() + Duration::seconds(seconds); }

class MinimumOfHundredSeconds : public testing::Test {
 protected:
  // A sample a second from `from` on, before `end`.
  void samples(std::int64_t from, std::int64_t end, Duration rtt) {
    for (std::int64_t second = from; second < end; ++second) minimum_.sample(at_s(second), rtt);
  }

  WindowedMinimum minimum_{Duration::seconds(100)};
};

TEST_F(MinimumOfHundredSeconds, there_is_none_before_the_first_sample) {
  EXPECT_FALSE(minimum_.has_sample());
  EXPECT_EQ(minimum_.smallest(), Duration::zero());
}

TEST_F(MinimumOfHundredSeconds, a_smaller_sample_counts_at_once) {
  samples(0, 10, Duration::ms(20));
  samples(10, 11, Duration::ms(10));
  EXPECT_EQ(minimum_.smallest(), Duration::ms(10));
}

TEST_F(MinimumOfHundredSeconds, a_larger_one_counts_when_the_smaller_are_older_than_the_window) {
  samples(0, 10, Duration::ms(10));
  samples(10, 110, Duration::ms(20));
  EXPECT_EQ(minimum_.smallest(), Duration::ms(10)) << "the latest of 10 ms came at 9 s";
  samples(110, 111, Duration::ms(20));
  EXPECT_EQ(minimum_.smallest(), Duration::ms(20));
}

TEST_F(MinimumOfHundredSeconds, after_a_pause_longer_than_the_window_nothing_older_counts) {
  samples(0, 10, Duration::ms(10));
  samples(1000, 1001, Duration::ms(50));
  EXPECT_EQ(minimum_.smallest(), Duration::ms(50));
}

TEST_F(MinimumOfHundredSeconds,
       what_was_smallest_in_the_rest_of_the_window_takes_the_place_of_what_leaves_it) {
  samples(0, 1, Duration::ms(10));
  samples(1, 60, Duration::ms(30));
  samples(60, 61, Duration::ms(20));
  samples(61, 102, Duration::ms(30));
  EXPECT_EQ(minimum_.smallest(), Duration::ms(20));
}

}  // namespace
}  // namespace simcore
