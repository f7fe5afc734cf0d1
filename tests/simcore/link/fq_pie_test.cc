// SPDX-License-Identifier: MIT
#include "simcore/link/fq_pie.h"

#include <gtest/gtest.h>

#include <map>

#include "simcore/units/error.h"
#include "tests/simcore/link/traffic.h"

namespace simcore {
namespace {

class FqPieTest : public testing::Test {
 protected:
  FqPie make(const FqPie::Config& config) { return {config, RandomStream(4, "fq")}; }

  void offer(FqPie& queue, SimTime now, std::uint8_t flow, std::size_t size = 1'000) {
    queue.enqueue(frame(pool, now, size, flow), now, ByteCount::zero());
  }

  PacketPool pool;
};

// Two frames of flow 1 come for each that can leave, and one of flow 2 in four: flow 2 gets all, flow 1 what is left.
TEST_F(FqPieTest, onlyTheFlowThatFillsItsQueueIsDroppedFrom) {
  FqPie queue = make({});
  std::map<std::uint8_t, int> left;
  SimTime now = SimTime::zero();
  for (int step = 0; step < 40'000; ++step, now = now + Duration::ms(1)) {
    offer(queue, now, 1);
    offer(queue, now, 1);
    if (step % 4 == 0) offer(queue, now, 2);
    if (const PacketPtr packet = queue.dequeue(now)) ++left[packet->bytes()[29]];
  }
  EXPECT_NEAR(left[2], 10'000, 2);
  EXPECT_NEAR(left[1], 30'000, 2);
  // 50,000 of 80,000 have to go, and p comes to that in steps of 2 %.
  EXPECT_NEAR(static_cast<double>(queue.counters().dropped.of(DropReason::aqm)), 50'000, 1'000);
}

TEST_F(FqPieTest, aFullQueueDropsWhoComes) {
  FqPie queue = make({.limit = 10});
  for (int i = 0; i < 12; ++i) offer(queue, SimTime::zero(), static_cast<std::uint8_t>(i));
  EXPECT_EQ(queue.packets(), 10);
  EXPECT_EQ(queue.counters().dropped.of(DropReason::queue_full), 2U);
}

TEST_F(FqPieTest, refusesWhatCannotBe) {
  EXPECT_THROW(make({.pie = {.target = Duration::zero()}}), ConfigError);
  EXPECT_THROW(make({.flows = 0}), ConfigError);
  EXPECT_THROW(make({.quantum = ByteCount::zero()}), ConfigError);
}

}  // namespace
}  // namespace simcore
