// SPDX-License-Identifier: MIT
#include "simcore/link/pie.h"

#include <gtest/gtest.h>

#include "simcore/units/error.h"
#include "tests/simcore/link/traffic.h"

namespace simcore {
namespace {

constexpr std::size_t kFrame = 1'000;

class PieTest : public testing::Test {
 protected:
  Pie make(const PieConfig& config, std::int64_t limit = 10'000) {
    return {config, limit, RandomStream(3, "pie")};
  }

  void offer(Pie& queue, SimTime now, bool ect = false) {
    PacketPtr packet = frame(pool, now, kFrame);
    if (ect) packet->bytes()[15] = 0b10;
    queue.enqueue(std::move(packet), now, ByteCount::zero());
  }

  // A frame leaves every millisecond, and `per_step` come, until `end`. What came in fractions comes later.
  void run(Pie& queue, double per_step, Duration length, bool ect = false) {
    const SimTime end = now_ + length;
    for (; now_ < end; now_ = now_ + Duration::ms(1)) {
      for (due_ += per_step; due_ >= 1; --due_) offer(queue, now_, ect);
      queue.dequeue(now_);
    }
  }

  PacketPool pool;
  SimTime now_ = SimTime::zero();
  double due_ = 0;
};

// RFC 8033, section 4.2.
TEST_F(PieTest, aSmallProbabilityMovesInSmallSteps) {
  EXPECT_EQ(PieControl::scale(0.5), 1.0);
  EXPECT_EQ(PieControl::scale(0.05), 1.0 / 2);
  EXPECT_EQ(PieControl::scale(5e-3), 1.0 / 8);
  EXPECT_EQ(PieControl::scale(5e-4), 1.0 / 32);
  EXPECT_EQ(PieControl::scale(5e-5), 1.0 / 128);
  EXPECT_EQ(PieControl::scale(5e-6), 1.0 / 512);
  EXPECT_EQ(PieControl::scale(5e-7), 1.0 / 2048);
}

TEST_F(PieTest, aStepFollowsTheDelayAndItsGrowth) {
  const PieConfig config;
  PieControl control;
  const ByteCount some = ByteCount::bytes(10'000);
  const auto at = [](int ms) { return SimTime::zero() + Duration::ms(ms); };
  control.advance(config, at(0), some);
  control.left(at(1), Duration::ms(35), some);
  control.advance(config, at(14), some);
  EXPECT_EQ(control.probability(), 0);
  control.advance(config, at(15), some);
  const double first = (0.125 * (0.035 - 0.015) + 1.25 * 0.035) / 2048;  // 2.3e-5
  EXPECT_DOUBLE_EQ(control.probability(), first);
  control.left(at(16), Duration::ms(45), some);
  control.advance(config, at(30), some);
  EXPECT_DOUBLE_EQ(control.probability(), first + (0.125 * 0.030 + 1.25 * 0.010) / 128);
}

TEST_F(PieTest, stepsThatWereDueAreTakenWhenTheNextPacketComes) {
  const PieConfig config;
  const ByteCount some = ByteCount::bytes(10'000);
  PieControl at_once;
  PieControl one_by_one;
  for (PieControl* const control : {&at_once, &one_by_one}) {
    control->advance(config, SimTime::zero(), some);
    control->left(SimTime::zero(), Duration::ms(400), some);
  }
  for (int step = 1; step <= 40; ++step)
    one_by_one.advance(config, SimTime::zero() + Duration::ms(15) * step, some);
  at_once.advance(config, SimTime::zero() + Duration::ms(15) * 40, some);
  EXPECT_DOUBLE_EQ(at_once.probability(), one_by_one.probability());
  EXPECT_GT(at_once.probability(), 0.1);
  // Idle for a year: it forgets, and does not count 2e9 steps.
  at_once.left(SimTime::zero() + Duration::seconds(1), Duration::zero(), ByteCount::zero());
  at_once.advance(config, SimTime::zero() + Duration::seconds(365 * 86'400), ByteCount::zero());
  EXPECT_EQ(at_once.probability(), 0);
}

TEST_F(PieTest, aBurstOf150MillisecondsIsLeftAlone) {
  Pie queue = make({});
  for (int i = 0; i < 300; ++i) offer(queue, now_);
  run(queue, 1.0, Duration::ms(150));
  EXPECT_EQ(queue.counters().dropped.total(), 0U);
  run(queue, 1.0, Duration::ms(500));
  EXPECT_GT(queue.counters().dropped.of(DropReason::aqm), 0U);
}

// 1.25 frames come for each that can leave: a fifth is dropped, and the delay is the target.
TEST_F(PieTest, aLoadThatDoesNotYieldIsHeldAtTheTarget) {
  Pie queue = make({});
  run(queue, 1.25, Duration::seconds(60));
  const QueueDiscipline::Counters before = queue.counters();
  run(queue, 1.25, Duration::seconds(60));
  const QueueDiscipline::Counters& after = queue.counters();
  const auto came = static_cast<double>(after.accepted - before.accepted);
  EXPECT_NEAR(static_cast<double>(after.dropped.total() - before.dropped.total()) / came, 0.2, 0.005);
  const auto left = static_cast<double>(after.delivered - before.delivered);
  EXPECT_NEAR((after.sojourn_total - before.sojourn_total).in_seconds() / left, 0.015, 0.002);
}

TEST_F(PieTest, marksUpToTenPercent) {
  Pie queue = make({.ecn = true});
  run(queue, 1.05, Duration::seconds(20), true);  // a twentieth must go, but marks take nothing away
  EXPECT_GT(queue.counters().marked, 10U);
  EXPECT_GT(queue.counters().dropped.of(DropReason::aqm), 0U);
  Pie of_others = make({.ecn = true});
  run(of_others, 1.05, Duration::seconds(20));
  EXPECT_EQ(of_others.counters().marked, 0U);
}

TEST_F(PieTest, aFullQueueDropsWhoComes) {
  Pie queue = make({}, 10);
  for (int i = 0; i < 12; ++i) offer(queue, now_);
  EXPECT_EQ(queue.packets(), 10);
  EXPECT_EQ(queue.counters().dropped.of(DropReason::queue_full), 2U);
}

TEST_F(PieTest, refusesWhatIsNotPositive) {
  EXPECT_THROW(make({.target = Duration::zero()}), ConfigError);
  EXPECT_THROW(make({.interval = Duration::zero()}), ConfigError);
  EXPECT_THROW(make({.alpha = -1}), ConfigError);
  EXPECT_THROW(make({}, 0), ConfigError);
}

}  // namespace
}  // namespace simcore
