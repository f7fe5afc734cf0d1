// SPDX-License-Identifier: MIT
#include "simcore/network/fluid_volumes.h"

#include <gtest/gtest.h>

#include <vector>

namespace simcore {
namespace {

std::vector<double> next(FluidVolumes& volumes, int steps) {
  std::vector<double> all;
  for (int step = 0; step < steps; ++step) all.push_back(volumes.next());
  return all;
}

TEST(FluidVolumesTest, whatComesEvenlyIsSharedByTheStepsInWhichItComes) {
  FluidVolumes volumes;
  volumes.spread(10, 1.5, 4.0);
  EXPECT_EQ(next(volumes, 5), (std::vector<double>{0, 2, 4, 4, 0}));
}

TEST(FluidVolumesTest, whatWouldHaveComeBeforeComesInTheFirstStep) {
  FluidVolumes volumes;
  volumes.spread(8, -1.0, 1.0);
  volumes.spread(3, -2.0, -1.0);
  volumes.spread(10, -0.5, 2.0);
  EXPECT_EQ(next(volumes, 3), (std::vector<double>{8 + 3 + 6, 4, 0}));
}

TEST(FluidVolumesTest, itGrowsAndKeepsWhatItHas) {
  FluidVolumes volumes;
  volumes.spread(1, 14.0, 14.0);
  next(volumes, 10);
  volumes.spread(2, 100.0, 101.0);
  const std::vector<double> came = next(volumes, 101);
  EXPECT_EQ(came[4], 1);
  EXPECT_EQ(came[100], 2);
  EXPECT_EQ(volumes.all(), 0);
}

TEST(FluidVolumesTest, whatComesTooLateComesInTheLastStepThatItKnows) {
  FluidVolumes volumes;
  volumes.spread(5, 1e9, 1e9 + 1);
  volumes.spread(7, FluidVolumes::kMostSteps - 2, 1e9);
  EXPECT_DOUBLE_EQ(volumes.all(), 12);
  const std::vector<double> came = next(volumes, FluidVolumes::kMostSteps);
  EXPECT_NEAR(came.back(), 12, 1e-3);
}

}  // namespace
}  // namespace simcore
