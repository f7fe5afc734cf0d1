// SPDX-License-Identifier: MIT
#include "simcore/link/fair_losses.h"

#include <gtest/gtest.h>

namespace simcore {
namespace {

constexpr double kStep = 0.01;

// A queue that takes these shares of packets and of fluid, for some seconds; what is taken besides is `fair`'s.
void run(FairLosses& fair, double seconds, double packets_per_second, double of_packets, double of_fluid) {
  for (double now = 0; now < seconds; now += kStep) {
    const double packets = packets_per_second * kStep;
    fair.observe({.length = kStep,
                  .packets = packets,
                  .lost_packets = packets * of_packets,
                  .fluid = 1'000,
                  .lost_fluid = 1'000 * (of_fluid + (1 - of_fluid) * fair.share())});
  }
}

// x + (1 - x) 0.02 = 0.1.
TEST(FairLossesTest, fluidComesToLoseWhatPacketsLose) {
  FairLosses fair;
  run(fair, 60, 1'000, 0.1, 0.02);
  EXPECT_NEAR(fair.share(), 0.08 / 0.98, 0.001);
}

TEST(FairLossesTest, nothingIsTakenWherePacketsLoseLess) {
  FairLosses fair;
  run(fair, 60, 1'000, 0.01, 0.02);
  EXPECT_EQ(fair.share(), 0);
}

TEST(FairLossesTest, whatWasTakenIsGivenUpWhenPacketsLoseNothingAnyMore) {
  FairLosses fair;
  run(fair, 60, 1'000, 0.1, 0.02);
  run(fair, 30, 1'000, 0, 0.02);
  EXPECT_EQ(fair.share(), 0);
}

// 40 a second are 80 in two seconds.
TEST(FairLossesTest, fewPacketsTellNothing) {
  FairLosses fair;
  run(fair, 60, 40, 0.5, 0);
  EXPECT_EQ(fair.share(), 0);
}

TEST(FairLossesTest, halfIsTheMost) {
  FairLosses fair;
  run(fair, 60, 1'000, 0.9, 0);
  EXPECT_EQ(fair.share(), FairLosses::kMost);
}

}  // namespace
}  // namespace simcore
