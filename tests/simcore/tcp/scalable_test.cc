// SPDX-License-Identifier: MIT
#include "simcore/tcp/scalable.h"

#include <gtest/gtest.h>

#include "tests/simcore/tcp/window_test.h"

namespace simcore {
namespace {

using testing::kMss;

class ScalableTest : public testing::WindowTest<Scalable> {};

TEST_F(ScalableTest, EveryHundredthSegmentGrowsTheWindowByOne) {
  window_.cwnd = window_.ssthresh = 200 * kMss;
  round();
  EXPECT_EQ(segments(), 202);
}

TEST_F(ScalableTest, AWindowBelowAHundredSegmentsGrowsAsRenos) {
  window_.cwnd = window_.ssthresh = 50 * kMss;
  round();
  EXPECT_EQ(segments(), 51);
}

TEST_F(ScalableTest, ALossCostsAnEighthRoundedDown) {
  window_.cwnd = 207 * kMss;
  lose();
  EXPECT_EQ(segments(), 207 - 25);
  window_.cwnd = 2 * kMss;
  lose();
  EXPECT_EQ(segments(), 2);
}

// 1.01^n = 8 / 7: n = 13.4, whatever the window.
TEST_F(ScalableTest, ALossIsMadeUpInThirteenRoundTripsWhateverTheWindow) {
  for (const std::int64_t before : {800, 8'000}) {
    window_.cwnd = before * kMss;
    lose();
    int rounds = 0;
    for (; segments() < before; ++rounds) round();
    EXPECT_NEAR(rounds, 13.4, 1) << before;
  }
}

}  // namespace
}  // namespace simcore
