// SPDX-License-Identifier: MIT
#include "simcore/link/cobalt.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "simcore/units/error.h"
#include "tests/simcore/link/traffic.h"

namespace simcore {
namespace {

constexpr Duration kStep = Duration::ms(1);  // one frame leaves per step

class CobaltTest : public testing::Test {
 protected:
  Cobalt make(const Cobalt::Config& config, std::int64_t limit = 1'000,
              Duration full_frame = Duration::zero()) {
    return {config, limit, full_frame, RandomStream(5, "cobalt")};
  }

  void offer(Cobalt& queue, SimTime now, bool ect = false) {
    PacketPtr packet = frame(pool, now, 1'000);
    if (ect) packet->bytes()[15] = 0b10;
    queue.enqueue(std::move(packet), now, ByteCount::zero());
  }

  // When drops happen, in ms, while the queue is kept standing: a frame leaves each step and as many come.
  std::vector<std::int64_t> drops(Cobalt& queue, SimTime begin, SimTime end) {
    std::vector<std::int64_t> times;
    for (int i = 0; i < 200; ++i) offer(queue, begin);
    for (SimTime now = begin + kStep; now <= end; now = now + kStep) {
      const std::uint64_t before = queue.counters().dropped.of(DropReason::aqm);
      queue.dequeue(now);
      const std::uint64_t dropped = queue.counters().dropped.of(DropReason::aqm) - before;
      for (std::uint64_t i = 0; i < dropped; ++i) times.push_back((now - begin) / kStep);
      while (queue.packets() < 200) offer(queue, now);
    }
    return times;
  }

  PacketPool pool;
};

// The delay is above 5 ms from 6 ms on; the first drop is an interval later, then 100 ms / sqrt(count) after each.
TEST_F(CobaltTest, dropsAtTheTimesOfTheControlLaw) {
  Cobalt queue = make({});
  std::vector<std::int64_t> expected;
  double next = 106;
  for (int count = 2; next <= 1'000; ++count) {
    expected.push_back(static_cast<std::int64_t>(std::ceil(next)));
    next += 100 / std::sqrt(static_cast<double>(count));
  }
  EXPECT_EQ(drops(queue, SimTime::zero(), SimTime::at_ns(1'000'000'000)), expected);
}

// What a congestion came to is forgotten drop by drop: soon after it, the next one begins with more than one in an interval.
TEST_F(CobaltTest, theNextCongestionBeginsWhereTheLastOneWas) {
  Cobalt queue = make({});
  SimTime now = SimTime::at_ns(1'000'000'000);
  const std::size_t first = drops(queue, SimTime::zero(), now).size();
  for (int i = 0; i < 200; ++i) queue.dequeue(now);
  const std::size_t second = drops(queue, now, now + Duration::ms(1'000)).size();
  EXPECT_GT(second, first * 3 / 2);
}

TEST_F(CobaltTest, aFullQueueDropsItsFrontAndOneIn256More) {
  Cobalt queue = make({}, 10);
  SimTime now = SimTime::zero() + Duration::ms(6);
  for (int i = 0; i < 10; ++i) offer(queue, now);
  for (int i = 1; i <= 100; ++i, now = now + Duration::ms(6)) {
    offer(queue, now);
    EXPECT_DOUBLE_EQ(queue.blue(), i / 256.0);
    offer(queue, now);  // within the target it counts once
    EXPECT_DOUBLE_EQ(queue.blue(), i / 256.0);
  }
  EXPECT_EQ(queue.counters().dropped.of(DropReason::queue_full), 200U);
  EXPECT_EQ(queue.packets(), 10);
}

TEST_F(CobaltTest, anEmptyQueueTakesAFourThousandthBack) {
  Cobalt queue = make({}, 1);
  SimTime now = SimTime::zero() + Duration::ms(6);
  offer(queue, now);
  offer(queue, now);
  EXPECT_DOUBLE_EQ(queue.blue(), 1.0 / 256);
  queue.dequeue(now);
  for (int i = 1; i <= 16; ++i) {
    now = now + Duration::ms(6);
    queue.dequeue(now);
    EXPECT_DOUBLE_EQ(queue.blue(), 1.0 / 256 - i / 4'096.0);
  }
  EXPECT_EQ(queue.blue(), 0);
}

TEST_F(CobaltTest, codelMarksWhereTheSenderUnderstandsIt) {
  Cobalt queue = make({.ecn = true});
  for (int i = 0; i < 200; ++i) offer(queue, SimTime::zero(), true);
  for (SimTime now = SimTime::zero() + kStep; now <= SimTime::at_ns(300'000'000); now = now + kStep) {
    queue.dequeue(now);
    offer(queue, now, true);
  }
  EXPECT_GE(queue.counters().marked, 3U);  // at 106, 177 and 235 ms
  EXPECT_EQ(queue.counters().dropped.total(), 0U);
}

TEST_F(CobaltTest, theLastPacketIsNeverDropped) {
  Cobalt queue = make({});
  for (int i = 0; i < 100; ++i) {
    const SimTime now = SimTime::zero() + Duration::seconds(i);
    offer(queue, now);
    EXPECT_TRUE(queue.dequeue(now + Duration::ms(900)));
  }
}

// A full frame takes 12 ms on 1 Mbit/s: four of them are no queue.
TEST_F(CobaltTest, onASlowLinkFourFullFramesAreNoQueue) {
  Cobalt queue = make({}, 1'000, Duration::ms(12));
  for (SimTime now = SimTime::zero(); now < SimTime::at_ns(10'000'000'000); now = now + Duration::ms(12)) {
    while (queue.packets() < 4) offer(queue, now);
    EXPECT_TRUE(queue.dequeue(now));
  }
  EXPECT_EQ(queue.counters().dropped.total(), 0U);
}

TEST_F(CobaltTest, refusesWhatIsNotPositive) {
  EXPECT_THROW(make({.target = Duration::zero()}), ConfigError);
  EXPECT_THROW(make({.interval = Duration::zero()}), ConfigError);
  EXPECT_THROW(make({}, 0), ConfigError);
}

}  // namespace
}  // namespace simcore
