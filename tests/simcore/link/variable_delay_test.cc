// SPDX-License-Identifier: MIT
#include "simcore/link/variable_delay.h"

#include <gtest/gtest.h>

#include "simcore/units/error.h"
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

TEST_F(VariableDelayTest, aLineThatHoldsItsShareOfThePoolTakesNoMore) {
  PacketPool small(ByteCount::bytes(4 << 20));
  VariableDelay delay(sim, small, "v", constant_delay(Duration::ms(1)), true, far);
  const std::size_t block = frame(small, sim.now(), 1'500)->block_bytes();
  const auto fit =
      static_cast<std::uint64_t>(small.share().count()) / block;  // without a rest: both are powers of two
  for (std::uint64_t i = 0; i < fit + 3; ++i) delay.accept(frame(small, sim.now(), 1'500));
  EXPECT_EQ(delay.in_flight(), fit);
  EXPECT_EQ(delay.dropped().of(DropReason::pool_share), 3u);
  EXPECT_EQ(small.refused_share(), 3u);
  sim.run_until(SimTime::at_ns(1'000'000));
  delay.accept(frame(small, sim.now(), 1'500));
  EXPECT_EQ(delay.in_flight(), 1u);
  sim.run_until(SimTime::at_ns(2'000'000));
}

TEST_F(VariableDelayTest, aChangeThatNobodyMeetsIsNotKept) {
  VariableDelay delay(sim, pool, "v", constant_delay(Duration::us(1)), true, far);
  for (std::size_t i = 0; i < 10 * VariableDelay::kMostChanges; ++i) {
    delay.check_change(5);
    delay.change(constant_delay(Duration::us(2)), true, 5);
  }
  for (int i = 0; i < 6; ++i) delay.accept(frame(pool, sim.now(), 64, 1));
  sim.run_until(SimTime::at_ns(100'000));
  EXPECT_EQ(far.arrivals[4].first, SimTime::at_ns(1'000));
  EXPECT_EQ(far.arrivals[5].first, SimTime::at_ns(2'000));
}

TEST_F(VariableDelayTest, moreChangesThanItKeepsAreRefusedUntilSomeAreMade) {
  VariableDelay delay(sim, pool, "v", constant_delay(Duration::us(1)), true, far);
  std::uint64_t after = 0;
  for (; after < VariableDelay::kMostChanges; ++after)
    delay.change(constant_delay(Duration::us(2)), true, after);
  EXPECT_THROW(delay.check_change(after), ConfigError);
  delay.accept(frame(pool, sim.now(), 64, 1));  // makes the first of them
  EXPECT_NO_THROW(delay.check_change(after - 1));
  sim.run_until(SimTime::at_ns(100'000));
}

}  // namespace
}  // namespace simcore
