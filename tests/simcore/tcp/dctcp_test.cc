// SPDX-License-Identifier: MIT
#include "simcore/tcp/dctcp.h"

#include <gtest/gtest.h>

#include "tests/simcore/tcp/window_test.h"

namespace simcore {
namespace {

using testing::kMss;

class DctcpTest : public testing::WindowTest<Dctcp> {
 protected:
  // A round trip of which every so many acknowledgements echo a mark; 0: none.
  void round_of_marks(std::int64_t every) {
    const std::int64_t end = una_ + window_.cwnd;
    for (std::int64_t i = 1; una_ < end; ++i) {
      una_ += kMss;
      AckSample sample = sample_of_now();
      if (every > 0 && i % every == 0) sample.marked = kMss;
      control_.observe(sample);
    }
  }
};

// 1024, and a sixteenth less in each round trip, in whole numbers.
TEST_F(DctcpTest, WithoutMarksAlphaIsForgotten) {
  acknowledge();  // the round trip of the handshake ends
  EXPECT_EQ(control_.alpha(), 1'024 - 64);
  round_of_marks(0);
  EXPECT_EQ(control_.alpha(), 960 - 60);
  for (int i = 0; i < 200; ++i) round_of_marks(0);
  EXPECT_EQ(control_.alpha(), 0);
}

TEST_F(DctcpTest, AlphaIsTheShareOfMarks) {
  for (int i = 0; i < 200; ++i) round_of_marks(4);
  EXPECT_NEAR(static_cast<double>(control_.alpha()) / Dctcp::kOne, 0.25, 0.02);
  for (int i = 0; i < 200; ++i) round_of_marks(1);
  EXPECT_NEAR(static_cast<double>(control_.alpha()) / Dctcp::kOne, 1, 0.02);
}

TEST_F(DctcpTest, AnEchoCostsHalfOfTheShare) {
  lose(CongestionEvent::ecn_echo);
  EXPECT_EQ(segments(), 50);  // alpha begins with 1
  window_.cwnd = 100 * kMss;
  for (int i = 0; i < 200; ++i) round_of_marks(4);
  const std::int64_t alpha = control_.alpha();
  lose(CongestionEvent::ecn_echo);
  EXPECT_EQ(segments(), 100 - 100 * alpha / 2'048);
}

TEST_F(DctcpTest, ALossCostsHalfAndLeavesTwoSegments) {
  for (int i = 0; i < 200; ++i) round_of_marks(0);
  lose();
  EXPECT_EQ(segments(), 50);
  window_.cwnd = 3 * kMss;
  lose(CongestionEvent::timeout);
  EXPECT_EQ(segments(), 2);
}

}  // namespace
}  // namespace simcore
