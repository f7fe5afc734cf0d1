// SPDX-License-Identifier: MIT
#include "simcore/realtime/early_wake.h"

#include <gtest/gtest.h>

namespace simcore {
namespace {

TEST(EarlyWakeTest, nothing_is_known_at_first) { EXPECT_EQ(EarlyWake().lead(), Duration::zero()); }

TEST(EarlyWakeTest, the_lead_comes_to_what_waking_up_takes) {
  EarlyWake early;
  for (int i = 0; i < 100; ++i) early.woke(Duration::us(60));
  EXPECT_GE(early.lead(), Duration::us(59));
  EXPECT_LE(early.lead(), Duration::us(61));
}

TEST(EarlyWakeTest, a_stall_lengthens_it_to_the_most_that_is_allowed) {
  EarlyWake early;
  for (int i = 0; i < 100; ++i) early.woke(Duration::us(60));
  early.woke(Duration::ms(9));
  // Mean 60 + (150 - 60) / 8, deviation (150 - 60) / 4.
  EXPECT_NEAR(static_cast<double>(early.lead().count_ns()), (60 + 90.0 / 8 + 90.0 / 4) * 1e3, 500);
  for (int i = 0; i < 100; ++i) early.woke(Duration::ms(9));
  EXPECT_EQ(early.lead(), EarlyWake::kMost);
}

}  // namespace
}  // namespace simcore
