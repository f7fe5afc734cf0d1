// SPDX-License-Identifier: MIT
#include "simcore/link/duplicate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "simcore/units/error.h"
#include "tests/simcore/link/traffic.h"

namespace simcore {
namespace {

class DuplicateTest : public testing::Test {
 protected:
  Simulation sim{1};
  PacketPool pool;
  Recorder far{sim};
};

TEST_F(DuplicateTest, sendsItsShareTwice) {
  constexpr int kSegments = 20'000;
  Duplicate duplicate(sim, pool, "d", 0.1, far);
  for (int i = 0; i < kSegments; ++i) duplicate.accept(frame(pool, sim.now(), 64));
  EXPECT_NEAR(static_cast<double>(duplicate.duplicated()), 0.1 * kSegments, 5 * std::sqrt(0.09 * kSegments));
  EXPECT_EQ(far.arrivals.size(), kSegments + duplicate.duplicated());
  EXPECT_EQ(pool.in_use(), 0U);
}

TEST_F(DuplicateTest, aTrainThatIsNotDuplicatedStaysWholeAndOneThatIsComesTwice) {
  Duplicate duplicate(sim, pool, "d", 0.0, far);
  duplicate.accept(train(pool, sim.now(), SimTime::at_ns(900), 10, 1'500, 1'500));
  ASSERT_EQ(far.arrivals.size(), 1U);
  EXPECT_EQ(far.arrivals[0].segments, 10);
  duplicate.change(1.0);
  duplicate.accept(train(pool, sim.now(), SimTime::at_ns(900), 10, 1'500, 1'500));
  EXPECT_EQ(far.segment_times(1).size(), 30U);
  EXPECT_EQ(duplicate.duplicated(), 10U);
}

TEST_F(DuplicateTest, segmentsOfATrainAreDecidedOneByOneAndComeWhenTheyArrive) {
  Duplicate duplicate(sim, pool, "d", 0.5, far);
  duplicate.accept(train(pool, sim.now(), SimTime::at_ns(99'000), 100, 200, 200));
  sim.run_until(SimTime::at_ns(200'000));
  EXPECT_NEAR(static_cast<double>(duplicate.duplicated()), 50, 5 * 5);
  auto times = far.segment_times(1);
  ASSERT_EQ(times.size(), 100 + duplicate.duplicated());
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  ASSERT_EQ(times.size(), 100U);
  for (std::size_t k = 0; k < times.size(); ++k) EXPECT_EQ(times[k], static_cast<std::int64_t>(k) * 1'000);
}

TEST_F(DuplicateTest, refusesWhatIsNoProbability) {
  EXPECT_THROW(Duplicate(sim, pool, "d", 1.01, far), ConfigError);
}

}  // namespace
}  // namespace simcore
