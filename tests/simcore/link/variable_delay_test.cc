// SPDX-License-Identifier: MIT
#include "simcore/link/variable_delay.h"

#include <gtest/gtest.h>

#include "tests/simcore/link/traffic.h"

namespace simcore {
namespace {

class VariableDelayTest : public testing::Test {
 protected:
  DelayModel falling() { return trace_delay({Duration::us(30), Duration::us(20), Duration::us(10)}); }

  std::vector<std::int64_t> flows_in_order() const {
    std::vector<std::int64_t> flows;
    for (const auto& arrival : far.arrivals) flows.push_back(arrival.flow);
    return flows;
  }

  Simulation sim{1};
  PacketPool pool;
  Recorder far{sim};
};

TEST_F(VariableDelayTest, shorterDelaysOvertake) {
  VariableDelay delay(sim, pool, "v", falling(), false, far);
  for (std::uint8_t flow = 1; flow <= 3; ++flow) delay.accept(frame(pool, sim.now(), 64, flow));
  EXPECT_EQ(delay.in_flight(), 3U);
  sim.run_until(SimTime::at_ns(100'000));
  EXPECT_EQ(flows_in_order(), (std::vector<std::int64_t>{3, 2, 1}));
  EXPECT_EQ(far.arrivals[0].first, SimTime::at_ns(10'000));
  EXPECT_EQ(far.arrivals[2].first, SimTime::at_ns(30'000));
}

TEST_F(VariableDelayTest, inOrderNobodyOvertakes) {
  VariableDelay delay(sim, pool, "v", falling(), true, far);
  for (std::uint8_t flow = 1; flow <= 3; ++flow) delay.accept(frame(pool, sim.now(), 64, flow));
  sim.run_until(SimTime::at_ns(100'000));
  EXPECT_EQ(flows_in_order(), (std::vector<std::int64_t>{1, 2, 3}));
  EXPECT_EQ(far.arrivals[2].first, SimTime::at_ns(30'000));
}

TEST_F(VariableDelayTest, aConstantDelayKeepsTheTrainWhole) {
  VariableDelay delay(sim, pool, "v", constant_delay(Duration::us(7)), false, far);
  delay.accept(train(pool, sim.now(), SimTime::at_ns(900), 10, 1'500, 1'500));
  sim.run_until(SimTime::at_ns(100'000));
  ASSERT_EQ(far.arrivals.size(), 1U);
  EXPECT_EQ(far.arrivals[0].last, SimTime::at_ns(7'900));
}

TEST_F(VariableDelayTest, eachSegmentOfATrainHasItsOwnDelay) {
  VariableDelay delay(sim, pool, "v", falling(), false, far);
  delay.accept(train(pool, sim.now(), SimTime::at_ns(2'000), 3, 500, 500));  // 1 us apart
  sim.run_until(SimTime::at_ns(100'000));
  EXPECT_EQ(far.segment_times(1), (std::vector<std::int64_t>{12'000, 21'000, 30'000}));
}

}  // namespace
}  // namespace simcore
