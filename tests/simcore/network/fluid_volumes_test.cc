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

TEST(FluidVolumesTest, whatComesLaterThanAnInstantIsStretchedFromThere) {
  FluidVolumes volumes;
  volumes.spread(12, 0, 3.0);
  next(volumes, 1);
  // Steps of 4 each: the half of the first stays; from 0.5 on the other 6 come from 1 to 4.
  volumes.retime(0.5, 1.0, 2.0);
  EXPECT_EQ(next(volumes, 5), (std::vector<double>{2, 2, 2, 2, 0}));
}

TEST(FluidVolumesTest, nothingComesBeforeTheInstantFromWhichItIsRetimed) {
  FluidVolumes volumes;
  volumes.spread(40, 0, 10.0);
  // Three steps earlier: what would come from 2 to 5 comes at 2.
  volumes.retime(2.0, -1.0, 1.0);
  EXPECT_EQ(next(volumes, 8), (std::vector<double>{4, 4, 16, 4, 4, 4, 4, 0}));
}

TEST(FluidVolumesTest, whatIsRetimedMayAllComeAtOnce) {
  FluidVolumes volumes;
  volumes.spread(40, 0, 10.0);
  volumes.retime(2.0, -90.0, 1.0);
  EXPECT_EQ(next(volumes, 4), (std::vector<double>{4, 4, 32, 0}));
}

TEST(FluidVolumesTest, otherStepsShareWhatComes) {
  FluidVolumes volumes;
  volumes.spread(8, 2.0, 4.0);
  volumes.regrid(2.0);
  next(volumes, 1);
  volumes.regrid(0.5);
  // From 2 to 4; from 4 to 8, a step later from 3 to 7; from 1.5 to 3.5.
  EXPECT_EQ(next(volumes, 5), (std::vector<double>{0, 2, 4, 2, 0}));
}

}  // namespace
}  // namespace simcore
