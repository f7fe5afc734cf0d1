// SPDX-License-Identifier: MIT
#include "simcore/tcp/vegas.h"

#include <gtest/gtest.h>

#include "tests/simcore/tcp/window_test.h"

namespace simcore {
namespace {

using testing::kMss;

class VegasTest : public testing::WindowTest<Vegas> {};

// A window of 100 segments over a path of 100 ms: each millisecond more is a segment that waits.
class VegasOverAHundredMilliseconds : public VegasTest {
 protected:
  VegasOverAHundredMilliseconds() {
    round_trip_ = Duration::ms(100);
    hold(2);
  }

  std::int64_t after(int waiting_ms) {
    round_trip_ = Duration::ms(100 + waiting_ms);
    hold(1);  // the round trip that begins with it
    window_.cwnd = 100 * kMss;
    round();
    return segments();
  }
};

TEST_F(VegasOverAHundredMilliseconds, FewerThanTwoSegmentsInTheQueueGrowTheWindow) {
  EXPECT_EQ(after(1), 101);
}

TEST_F(VegasOverAHundredMilliseconds, TwoToFourLeaveIt) {
  EXPECT_EQ(after(2), 100);
  EXPECT_EQ(after(4), 100);
}

TEST_F(VegasOverAHundredMilliseconds, FiveShrinkIt) {
  EXPECT_EQ(after(5), 99);
  EXPECT_EQ(after(50), 99);
}

TEST_F(VegasOverAHundredMilliseconds, SlowStartEndsWithTheSecondSegmentInTheQueue) {
  window_.ssthresh = 1'000 * kMss;
  round_trip_ = Duration::ms(103);
  while (window_.slow_start()) acknowledge();
  // 100 ms of the 103 are the path: 100 / 103 of the window, and one segment.
  EXPECT_LT(segments(), 1'000);
  EXPECT_EQ(window_.ssthresh, window_.cwnd);
}

TEST_F(VegasTest, ALossCostsHalf) {
  lose();
  EXPECT_EQ(segments(), 50);
}

}  // namespace
}  // namespace simcore
