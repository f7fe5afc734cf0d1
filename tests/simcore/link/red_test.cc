// SPDX-License-Identifier: MIT
#include "simcore/link/red.h"

#include <gtest/gtest.h>

#include <cmath>

#include "simcore/units/error.h"
#include "tests/simcore/link/traffic.h"

namespace simcore {
namespace {

constexpr std::size_t kFrame = 1'000;

class RedTest : public testing::Test {
 protected:
  Red make(const Red::Config& config) { return {config, RandomStream(9, "red")}; }

  void offer(Red& queue, SimTime now, bool ect = false) {
    PacketPtr packet = frame(pool, now, kFrame);
    if (ect) packet->bytes()[15] = 0b10;
    queue.enqueue(std::move(packet), now, ByteCount::zero());
  }

  // Holds `packets` in the queue while `offered` come: one leaves for each that is let in.
  std::uint64_t dropped_of(Red& queue, std::int64_t packets, int offered) {
    const std::uint64_t before = queue.counters().dropped.total();
    for (int i = 0; i < offered; ++i) {
      offer(queue, SimTime::zero());
      if (queue.packets() > packets) queue.dequeue(SimTime::zero());
    }
    return queue.counters().dropped.total() - before;
  }

  PacketPool pool;
};

TEST_F(RedTest, theAverageFollowsTheQueue) {
  Red queue = make({.limit = ByteCount::bytes(1'000'000),
                    .least = ByteCount::bytes(500'000),
                    .most = ByteCount::bytes(900'000),
                    .weight = 0.25});
  double average = 0;
  for (int i = 0; i < 20; ++i) {
    average = 0.75 * average + 0.25 * i * static_cast<double>(kFrame);
    offer(queue, SimTime::zero());
    EXPECT_NEAR(queue.average(), average, 1e-6);
  }
}

TEST_F(RedTest, idleTimeCountsAsTypicalPackets) {
  Red queue = make({.limit = ByteCount::bytes(1'000'000),
                    .least = ByteCount::bytes(500'000),
                    .most = ByteCount::bytes(900'000),
                    .weight = 0.25,
                    .typical = Duration::us(8)});
  for (int i = 0; i < 20; ++i) offer(queue, SimTime::zero());
  while (queue.dequeue(SimTime::at_ns(1'000))) {
  }
  const double before = queue.average();
  offer(queue, SimTime::at_ns(1'000 + 5 * 8'000));
  EXPECT_NEAR(queue.average(), before * std::pow(0.75, 5) * 0.75, 1e-6);
}

TEST_F(RedTest, dropsEvenlyAtTheRateOfItsLaw) {
  // The average stands at the middle: p = highest / 2, and drops are 1 to 1 / p packets apart, all equally likely
  // (Floyd and Jacobson 1993, section 7): on average (1 / p + 1) / 2.
  Red queue = make({.limit = ByteCount::bytes(1'000'000),
                    .least = ByteCount::bytes(50'000),
                    .most = ByteCount::bytes(150'000),
                    .highest = 0.1,
                    .weight = 1.0});
  for (int i = 0; i < 100; ++i) {
    PacketPtr packet = frame(pool, SimTime::zero(), kFrame);
    while (queue.packets() < 100) offer(queue, SimTime::zero());
  }
  const int offered = 60'000;
  const auto dropped = static_cast<double>(dropped_of(queue, 100, offered));
  const double expected = offered / ((1 / 0.05 + 1) / 2);
  EXPECT_NEAR(dropped, expected, 0.05 * expected);
}

TEST_F(RedTest, belowTheLeastNobodyAndAboveTheMostEverybodyIsDropped) {
  Red queue = make({.limit = ByteCount::bytes(1'000'000),
                    .least = ByteCount::bytes(50'000),
                    .most = ByteCount::bytes(60'000),
                    .highest = 0.0,
                    .weight = 1.0});
  EXPECT_EQ(dropped_of(queue, 50, 1'000), 0U);
  for (int i = 0; i < 11; ++i) offer(queue, SimTime::zero());
  EXPECT_EQ(queue.bytes(), ByteCount::bytes(60'000));
  EXPECT_EQ(dropped_of(queue, 100, 10), 10U);
  EXPECT_EQ(queue.counters().dropped.of(DropReason::aqm), queue.counters().dropped.total());
}

TEST_F(RedTest, marksInsteadWhereTheSenderUnderstandsIt) {
  Red queue = make({.limit = ByteCount::bytes(20'000),
                    .least = ByteCount::zero(),
                    .most = ByteCount::bytes(1),
                    .highest = 1.0,
                    .weight = 1.0,
                    .ecn = true});
  offer(queue, SimTime::zero(), true);
  for (int i = 0; i < 5; ++i) offer(queue, SimTime::zero(), true);
  EXPECT_EQ(queue.packets(), 6);
  EXPECT_EQ(queue.counters().marked, 5U);
  offer(queue, SimTime::zero(), false);
  EXPECT_EQ(queue.counters().dropped.of(DropReason::aqm), 1U);
  for (int i = 0; i < 100; ++i) offer(queue, SimTime::zero(), true);
  EXPECT_EQ(queue.packets(), 20);
  EXPECT_EQ(queue.counters().dropped.of(DropReason::queue_full), 86U);
}

// At one and a half times `most`: p = 0.1 + 0.9 / 2, and drops are 1 to 1 / p packets apart: on average (1 / p + 1) / 2.
TEST_F(RedTest, gentlyTheShareRisesToAllAtTwiceTheMost) {
  Red queue = make({.limit = ByteCount::bytes(1'000'000),
                    .least = ByteCount::bytes(50'000),
                    .most = ByteCount::bytes(100'000),
                    .highest = 0.1,
                    .weight = 1.0,
                    .gentle = true});
  while (queue.packets() < 150) offer(queue, SimTime::zero());
  // Of those that come one by one with these gaps, p of all: the first is dropped with 0.55, else the second with
  // 0.55 / (1 - 0.55) > 1.
  const int offered = 60'000;
  const auto dropped = static_cast<double>(dropped_of(queue, 150, offered));
  EXPECT_NEAR(dropped, offered / (0.55 * 1 + 0.45 * 2), 0.02 * offered);
  while (queue.packets() < 200) offer(queue, SimTime::zero());
  EXPECT_EQ(dropped_of(queue, 300, 10), 10U);
}

TEST_F(RedTest, adaptingTheShareFollowsTheAverage) {
  Red queue = make({.limit = ByteCount::bytes(1'000'000),
                    .least = ByteCount::bytes(100'000),
                    .most = ByteCount::bytes(200'000),
                    .highest = 0.02,
                    .weight = 1.0,
                    .adaptive = true});
  const auto at = [](int ms) { return SimTime::zero() + Duration::ms(ms); };
  while (queue.packets() < 170) offer(queue, at(0));  // 0.7 of the way
  offer(queue, at(499));
  EXPECT_DOUBLE_EQ(queue.highest(), 0.02);
  offer(queue, at(500));
  EXPECT_DOUBLE_EQ(queue.highest(), 0.02 + 0.02 / 4);
  offer(queue, at(1'000));
  EXPECT_DOUBLE_EQ(queue.highest(), 0.025 + 0.025 / 4);
  while (queue.packets() > 150) queue.dequeue(at(1'001));  // in the middle it rests
  offer(queue, at(1'002));
  offer(queue, at(60'000));
  const double resting = queue.highest();
  EXPECT_DOUBLE_EQ(resting, 0.025 + 0.025 / 4);
  while (queue.packets() > 120) queue.dequeue(at(60'001));
  offer(queue, at(60'002));
  offer(queue, at(60'500));
  EXPECT_DOUBLE_EQ(queue.highest(), resting * 0.9);
  offer(queue, at(600'000'000));
  EXPECT_LT(queue.highest(), 0.01);
  EXPECT_GT(queue.highest(), 0.009 - 1e-9);
}

TEST_F(RedTest, refusesThresholdsThatCross) {
  EXPECT_THROW(make({.least = ByteCount::bytes(5), .most = ByteCount::bytes(5)}), ConfigError);
  EXPECT_THROW(make({.weight = 0.0}), ConfigError);
  EXPECT_THROW(make({.highest = 1.5}), ConfigError);
  EXPECT_THROW(make({.limit = ByteCount::zero()}), ConfigError);
}

}  // namespace
}  // namespace simcore
