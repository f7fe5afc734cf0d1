// SPDX-License-Identifier: MIT
#include "simcore/link/loss.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "simcore/units/error.h"
#include "tests/simcore/link/traffic.h"

namespace simcore {
namespace {

class LossTest : public testing::Test {
 protected:
  // How many of `segments` single frames the model loses, and in how many bursts.
  std::pair<std::int64_t, std::int64_t> lost_of(LossModel model, std::int64_t segments) {
    RandomStream random(5, "loss");
    const PacketPtr packet = frame(pool, sim.now(), 100);
    const SegmentView any{*packet, 0};
    std::int64_t lost = 0;
    std::int64_t bursts = 0;
    bool before = false;
    for (std::int64_t i = 0; i < segments; ++i) {
      const bool now = model(random, any);
      lost += now ? 1 : 0;
      bursts += now && !before ? 1 : 0;
      before = now;
    }
    return {lost, bursts};
  }

  Simulation sim{1};
  PacketPool pool;
  Recorder far{sim};
};

TEST_F(LossTest, independentLossLosesItsShare) {
  constexpr std::int64_t kSegments = 100'000;
  const auto [lost, bursts] = lost_of(independent_loss(0.02), kSegments);
  EXPECT_NEAR(static_cast<double>(lost), 0.02 * kSegments, 5 * std::sqrt(0.02 * 0.98 * kSegments));
  EXPECT_EQ(lost_of(independent_loss(0.0), 1'000).first, 0);
  EXPECT_EQ(lost_of(independent_loss(1.0), 1'000).first, 1'000);
}

TEST_F(LossTest, gilbertElliottLosesInBursts) {
  // Bad for to_bad / (to_bad + to_good) of the time, in bursts of 1 / to_good.
  constexpr std::int64_t kSegments = 400'000;
  const auto [lost, bursts] = lost_of(gilbert_elliott_loss({.to_bad = 0.01, .to_good = 0.2}), kSegments);
  EXPECT_NEAR(static_cast<double>(lost) / kSegments, 0.01 / 0.21, 0.004);
  EXPECT_NEAR(static_cast<double>(lost) / static_cast<double>(bursts), 1 / 0.2, 0.25);
}

TEST_F(LossTest, aScriptLosesExactlyItsSegmentsAndSplitsTheTrain) {
  Loss loss(sim, pool, "l", scripted_loss({0, 3, 4, 11}), far);
  loss.accept(train(pool, sim.now(), SimTime::at_ns(900), 10, 1'500, 700));  // 0 to 9, 100 ns apart
  loss.accept(frame(pool, sim.now(), 64));                                   // 10
  loss.accept(frame(pool, sim.now(), 64));                                   // 11
  sim.run_until(SimTime::at_ns(10'000));
  EXPECT_EQ(far.segment_times(1), (std::vector<std::int64_t>{0, 100, 200, 500, 600, 700, 800, 900}));
  EXPECT_EQ(loss.accepted(), 12U);
  EXPECT_EQ(loss.dropped().of(DropReason::impaired), 4U);
  EXPECT_EQ(pool.in_use(), 0U);
}

TEST_F(LossTest, aTrainThatLosesNothingStaysWhole) {
  Loss loss(sim, pool, "l", independent_loss(0.0), far);
  loss.accept(train(pool, sim.now(), SimTime::at_ns(900), 10, 1'500, 1'500));
  ASSERT_EQ(far.arrivals.size(), 1U);
  EXPECT_EQ(far.arrivals[0].segments, 10);
}

TEST_F(LossTest, changesWhileItRuns) {
  Loss loss(sim, pool, "l", independent_loss(1.0), far);
  loss.accept(frame(pool, sim.now(), 64));
  loss.change(independent_loss(0.0));
  loss.accept(frame(pool, sim.now(), 64));
  EXPECT_EQ(far.arrivals.size(), 1U);
  EXPECT_EQ(loss.dropped().total(), 1U);
}

TEST_F(LossTest, refusesWhatIsNoProbabilityAndNoScript) {
  EXPECT_THROW(independent_loss(1.5), ConfigError);
  EXPECT_THROW(independent_loss(std::nan("")), ConfigError);
  EXPECT_THROW(gilbert_elliott_loss({.to_bad = 0.1, .to_good = -0.1}), ConfigError);
  EXPECT_THROW(scripted_loss({3, 3}), ConfigError);
}

}  // namespace
}  // namespace simcore
