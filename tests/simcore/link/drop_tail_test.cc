// SPDX-License-Identifier: MIT
#include "simcore/link/drop_tail.h"

#include <gtest/gtest.h>

#include "simcore/units/error.h"
#include "tests/simcore/link/traffic.h"

namespace simcore {
namespace {

class DropTailTest : public testing::Test {
 protected:
  void offer(DropTail& queue, std::size_t size, ByteCount sending) {
    queue.enqueue(frame(pool, SimTime::zero(), size), SimTime::zero(), sending);
  }
  PacketPool pool;
};

TEST_F(DropTailTest, theFrameOnTheWireTakesAPlace) {
  DropTail queue({.packets = 3});
  for (int i = 0; i < 4; ++i) offer(queue, 100, ByteCount::bytes(100));
  EXPECT_EQ(queue.packets(), 2);
  EXPECT_EQ(queue.counters().dropped.of(DropReason::queue_full), 2U);
  offer(queue, 100, ByteCount::zero());
  EXPECT_EQ(queue.packets(), 3);
}

TEST_F(DropTailTest, countsBytesWhereBytesAreTheLimit) {
  DropTail queue({.packets = 100, .bytes = ByteCount::bytes(1'000)});
  offer(queue, 600, ByteCount::bytes(300));
  offer(queue, 101, ByteCount::bytes(300));  // one byte too many
  offer(queue, 100, ByteCount::bytes(300));
  EXPECT_EQ(queue.bytes(), ByteCount::bytes(700));
  EXPECT_EQ(queue.counters().dropped.total(), 1U);
}

TEST_F(DropTailTest, isFirstInFirstOutAndTellsSojournTimes) {
  DropTail queue({.packets = 10});
  for (std::uint8_t flow = 1; flow <= 3; ++flow) {
    const SimTime now = SimTime::at_ns(flow * 1'000);
    queue.enqueue(frame(pool, now, 100, flow), now, ByteCount::zero());
  }
  for (std::uint8_t flow = 1; flow <= 3; ++flow) {
    EXPECT_EQ(queue.dequeue(SimTime::at_ns(flow * 10'000))->bytes()[29], flow);  // after 9, 18 and 27 us
  }
  EXPECT_FALSE(queue.dequeue(SimTime::at_ns(40'000)));
  EXPECT_EQ(queue.counters().sojourn_total, Duration::us(54));
  EXPECT_EQ(queue.counters().sojourn_longest, Duration::us(27));
  EXPECT_EQ(queue.counters().most_waiting, 3);
}

TEST_F(DropTailTest, refusesALimitBelowOne) {
  EXPECT_THROW(DropTail({.packets = 0}), ConfigError);
  EXPECT_THROW(DropTail({.packets = 1, .bytes = ByteCount::zero()}), ConfigError);
}

}  // namespace
}  // namespace simcore
