// SPDX-License-Identifier: MIT
#include "simcore/link/codel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "simcore/units/error.h"
#include "tests/simcore/link/traffic.h"

namespace simcore {
namespace {

constexpr Duration kStep = Duration::ms(1);  // one frame leaves per step

class CodelTest : public testing::Test {
 protected:
  void offer(Codel& queue, SimTime now, bool ect = false) {
    PacketPtr packet = frame(pool, now, 1'000);
    if (ect) packet->bytes()[15] = 0b10;
    queue.enqueue(std::move(packet), now, ByteCount::zero());
  }

  // When drops happen, in ns, while the queue is kept standing: a frame leaves each step and as many come.
  std::vector<std::int64_t> drops_until(Codel& queue, SimTime end) {
    std::vector<std::int64_t> times;
    for (int i = 0; i < 200; ++i) offer(queue, SimTime::zero());
    for (SimTime now = SimTime::zero() + kStep; now <= end; now = now + kStep) {
      const std::uint64_t before = queue.counters().dropped.of(DropReason::aqm);
      queue.dequeue(now);
      const std::uint64_t dropped = queue.counters().dropped.of(DropReason::aqm) - before;
      for (std::uint64_t i = 0; i < dropped; ++i) times.push_back(now.count_ns());
      while (queue.packets() < 200) offer(queue, now);
    }
    return times;
  }

  PacketPool pool;
};

TEST_F(CodelTest, dropsAtTheTimesOfTheControlLaw) {
  // The sojourn time is first seen above 5 ms at 5 ms; it has been so for an interval at 105 ms. Then
  // next = previous + 100 ms / sqrt(count), each at the first frame that leaves after it.
  Codel queue({}, 1'000);
  const SimTime end = SimTime::at_ns(1'000'000'000);
  std::vector<std::int64_t> expected = {105'000'000};
  double next = 105e6 + 100e6;
  for (int count = 2; next <= 1e9; ++count) {
    expected.push_back(static_cast<std::int64_t>(std::ceil(next / 1e6)) * 1'000'000);
    next += 100e6 / std::sqrt(static_cast<double>(count));
  }
  EXPECT_EQ(drops_until(queue, end), expected);
}

TEST_F(CodelTest, aQueueThatIsShortInTimeIsLeftAlone) {
  Codel queue({}, 1'000);
  for (int i = 0; i < 4; ++i) offer(queue, SimTime::zero());
  for (SimTime now = SimTime::zero() + kStep; now < SimTime::at_ns(2'000'000'000); now = now + kStep) {
    EXPECT_TRUE(queue.dequeue(now));  // who leaves has waited 4 ms
    offer(queue, now);
  }
  EXPECT_EQ(queue.counters().dropped.total(), 0U);
}

TEST_F(CodelTest, aSingleFrameIsNeverDropped) {
  Codel queue({}, 10);
  for (std::int64_t i = 0; i < 100; ++i) {
    offer(queue, SimTime::at_ns(i * 50'000'000));
    EXPECT_TRUE(
        queue.dequeue(SimTime::at_ns((i + 1) * 50'000'000 - 1)));  // 50 ms of waiting, for a slow wire
  }
  EXPECT_EQ(queue.counters().dropped.total(), 0U);
}

TEST_F(CodelTest, marksInsteadOfDropping) {
  Codel queue({.ecn = true}, 1'000);
  for (int i = 0; i < 500; ++i) offer(queue, SimTime::zero(), true);
  for (std::int64_t ms = 1; ms <= 400; ++ms) EXPECT_TRUE(queue.dequeue(SimTime::at_ns(ms * 1'000'000)));
  EXPECT_EQ(queue.counters().dropped.total(), 0U);
  // At 105, 205, 205 + 100 / sqrt(2) = 275.7, + 100 / sqrt(3) = 333.4, + 50 = 383.4 ms.
  EXPECT_EQ(queue.counters().marked, 5U);
}

TEST_F(CodelTest, itsLimitDropsAtTheTail) {
  Codel queue({}, 10);
  for (int i = 0; i < 15; ++i) offer(queue, SimTime::zero());
  EXPECT_EQ(queue.packets(), 10);
  EXPECT_EQ(queue.counters().dropped.of(DropReason::queue_full), 5U);
}

TEST_F(CodelTest, refusesWhatIsNotPositive) {
  EXPECT_THROW(Codel({.target = Duration::zero()}, 10), ConfigError);
  EXPECT_THROW(Codel({.interval = Duration::zero()}, 10), ConfigError);
  EXPECT_THROW(Codel({}, 0), ConfigError);
}

}  // namespace
}  // namespace simcore
