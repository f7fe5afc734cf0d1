// SPDX-License-Identifier: MIT
#include "simcore/link/dualpi2.h"

#include <gtest/gtest.h>

#include <cmath>

#include "simcore/link/ecn.h"
#include "simcore/units/error.h"
#include "tests/simcore/link/traffic.h"

namespace simcore {
namespace {

constexpr std::size_t kFrame = 1'000;
constexpr std::uint8_t kNotEct = 0b00;
constexpr std::uint8_t kEct0 = 0b10;
constexpr std::uint8_t kEct1 = 0b01;
constexpr std::uint8_t kMarked = 0b11;

SimTime at(int ms) { return SimTime::zero() + Duration::ms(ms); }

class DualPi2Test : public testing::Test {
 protected:
  DualPi2 make(const DualPi2::Config& config, std::int64_t limit = 10'000) {
    return {config, limit, RandomStream(3, "dualpi2")};
  }

  void offer(DualPi2& queue, SimTime now, std::uint8_t codepoint) {
    PacketPtr packet = frame(pool, now, kFrame);
    packet->bytes()[15] = codepoint;
    queue.enqueue(std::move(packet), now, ByteCount::zero());
  }

  PacketPool pool;
};

TEST_F(DualPi2Test, whoReactsToEachMarkGoesFirst) {
  DualPi2 queue = make({});
  for (const std::uint8_t codepoint : {kNotEct, kEct0, kEct1, kMarked}) offer(queue, at(0), codepoint);
  std::vector<int> order;
  while (const PacketPtr packet = queue.dequeue(at(0))) order.push_back(packet->bytes()[15]);
  EXPECT_EQ(order, (std::vector<int>{kEct1, kMarked, kNotEct, kEct0}));
}

// Of both queues full, a tenth of the bytes are of the classic one.
TEST_F(DualPi2Test, theOthersHaveATenthOfTheBytes) {
  DualPi2 queue = make({});
  for (int i = 0; i < 2'000; ++i) {
    offer(queue, at(0), kNotEct);
    offer(queue, at(0), kEct1);
  }
  int classic = 0;
  for (int i = 0; i < 1'000; ++i) classic += queue.dequeue(at(0))->bytes()[15] == kNotEct ? 1 : 0;
  EXPECT_NEAR(classic, 100, 2);
}

TEST_F(DualPi2Test, aStepFollowsTheDelayAndItsGrowth) {
  DualPi2 queue = make({});
  offer(queue, at(0), kNotEct);
  offer(queue, at(15), kNotEct);
  EXPECT_EQ(queue.probability(), 0);
  offer(queue, at(16), kNotEct);
  const double first = 0.16 * 0.001 + 3.2 * 0.016;
  EXPECT_DOUBLE_EQ(queue.probability(), first);
  offer(queue, at(40), kNotEct);  // that of 32 ms was due
  EXPECT_DOUBLE_EQ(queue.probability(), first + 0.16 * 0.017 + 3.2 * 0.016);
}

TEST_F(DualPi2Test, whatStandsForHoursIsNotReckonedStepByStep) {
  DualPi2 queue = make({});
  offer(queue, at(0), kNotEct);
  offer(queue, at(0) + Duration::seconds(365 * 86'400), kNotEct);
  EXPECT_EQ(queue.probability(), 1);
  while (queue.dequeue(at(0) + Duration::seconds(365 * 86'400))) {
  }
  offer(queue, at(0) + Duration::seconds(2 * 365 * 86'400), kNotEct);
  EXPECT_EQ(queue.probability(), 0);
}

TEST_F(DualPi2Test, whoWaitedForMoreThanAMillisecondIsMarked) {
  DualPi2 queue = make({});
  for (int i = 0; i < 4; ++i) offer(queue, at(0), kEct1);
  EXPECT_FALSE(has_mark(*queue.dequeue(at(1))));
  EXPECT_TRUE(has_mark(*queue.dequeue(at(2))));
  EXPECT_EQ(queue.counters().marked, 1U);
}

// A frame leaves in each millisecond, one comes of the others, and one in ten of those that react to each mark. So a tenth of
// the others is dropped, p is the root of that, and of those that react twice as much are marked.
TEST_F(DualPi2Test, marksAreCoupledToTheOthersDrops) {
  DualPi2 queue = make({.step = Duration::ms(100)});
  int marked = 0;
  int scalable = 0;
  std::uint64_t dropped_before = 0;
  for (int ms = 0; ms < 120'000; ++ms) {
    offer(queue, at(ms), kNotEct);
    if (ms % 10 == 0) offer(queue, at(ms), kEct1);
    if (ms == 60'000) dropped_before = queue.counters().dropped.total();
    const PacketPtr packet = queue.dequeue(at(ms));
    if (ms < 60'000 || !has_scalable_codepoint(*packet)) continue;
    ++scalable;
    marked += has_mark(*packet) ? 1 : 0;
  }
  EXPECT_NEAR(scalable, 6'000, 2);
  EXPECT_NEAR(static_cast<double>(queue.counters().dropped.total() - dropped_before), 6'000, 300);
  EXPECT_NEAR(static_cast<double>(marked) / scalable, 2 * std::sqrt(0.1), 0.03);
}

TEST_F(DualPi2Test, aFullQueueDropsWhoComes) {
  DualPi2 queue = make({}, 10);
  for (int i = 0; i < 6; ++i) {
    offer(queue, at(0), kNotEct);
    offer(queue, at(0), kEct1);
  }
  EXPECT_EQ(queue.packets(), 10);
  EXPECT_EQ(queue.counters().dropped.of(DropReason::queue_full), 2U);
}

TEST_F(DualPi2Test, refusesWhatCannotBe) {
  EXPECT_THROW(make({.target = Duration::zero()}), ConfigError);
  EXPECT_THROW(make({.beta = -1}), ConfigError);
  EXPECT_THROW(make({.coupling = 0}), ConfigError);
  EXPECT_THROW(make({}, 0), ConfigError);
}

}  // namespace
}  // namespace simcore
