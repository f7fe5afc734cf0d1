// SPDX-License-Identifier: MIT
#include "simcore/link/delay_line.h"

#include <gtest/gtest.h>

#include <functional>
#include <utility>

#include "tests/simcore/link/traffic.h"

namespace simcore {
namespace {

class DelayLineTest : public testing::Test {
 protected:
  void push(std::int64_t release_ns, std::uint8_t flow) {
    line.push(frame(pool, sim.now(), 64, flow), SimTime::at_ns(release_ns));
  }
  void insert(std::int64_t release_ns, std::uint8_t flow) {
    line.insert(frame(pool, sim.now(), 64, flow), SimTime::at_ns(release_ns));
  }
  // Runs to the end and returns (instant, flow) of what came out.
  std::vector<std::pair<std::int64_t, int>> out() {
    sim.run_until(SimTime::at_ns(1'000'000));
    std::vector<std::pair<std::int64_t, int>> seen;
    for (const auto& arrival : far.arrivals) seen.emplace_back(arrival.first.count_ns(), arrival.flow);
    return seen;
  }

  using Seen = std::vector<std::pair<std::int64_t, int>>;

  Simulation sim{1};
  PacketPool pool;
  Recorder far{sim};
  DelayLine line{sim, far};
};

TEST_F(DelayLineTest, releasesEachPacketAtItsInstant) {
  push(10, 1);
  push(20, 2);
  EXPECT_EQ(line.packets(), 2U);
  EXPECT_EQ(out(), (Seen{{10, 1}, {20, 2}}));
  EXPECT_TRUE(line.empty());
  EXPECT_EQ(line.segments(), 0U);
}

TEST_F(DelayLineTest, aPacketThatWouldOvertakeComesOutWithTheOneBefore) {
  push(20, 1);
  push(10, 2);
  push(25, 3);
  EXPECT_EQ(out(), (Seen{{20, 1}, {20, 2}, {25, 3}}));
}

TEST_F(DelayLineTest, insertLetsAPacketOvertakeThoseThatComeOutLater) {
  push(20, 1);
  push(30, 2);
  insert(10, 3);
  insert(20, 4);
  insert(25, 5);
  insert(40, 6);
  EXPECT_EQ(out(), (Seen{{10, 3}, {20, 1}, {20, 4}, {25, 5}, {30, 2}, {40, 6}}));
}

TEST_F(DelayLineTest, aPacketDoesNotWaitForOneThatWasTakenOut) {
  push(20, 1);
  push(50, 2);
  EXPECT_EQ(line.take_back(1).size(), 1U);
  push(30, 3);
  EXPECT_EQ(line.take_back(2).size(), 2U);
  push(10, 4);
  EXPECT_EQ(out(), (Seen{{10, 4}}));
}

TEST_F(DelayLineTest, aPacketWaitsForTheOneBeforeIfThatWasPutOff) {
  push(20, 1);
  line.from_back(0).first_arrival = SimTime::at_ns(40);
  line.keep_order(1);
  push(30, 2);
  EXPECT_EQ(out(), (Seen{{40, 1}, {40, 2}}));
}

TEST_F(DelayLineTest, aPacketWaitsForOneThatWasInsertedLast) {
  push(20, 1);
  insert(40, 2);
  push(30, 3);
  EXPECT_EQ(out(), (Seen{{20, 1}, {40, 2}, {40, 3}}));
}

TEST_F(DelayLineTest, givesAheadWithTheInstantAtWhichEachWouldComeOut) {
  struct Ahead final : PacketSink {
    void accept(PacketPtr packet) override { instants.push_back(packet->first_arrival.count_ns()); }
    std::vector<std::int64_t> instants;
  } ahead;
  line.lead_to(ahead);
  line.give_ahead();
  push(20, 1);
  push(10, 2);
  push(25, 3);
  EXPECT_EQ(ahead.instants, (std::vector<std::int64_t>{20, 20, 25}));
  EXPECT_TRUE(line.empty());
  EXPECT_EQ(sim.pending_events(), 0U);
}

TEST_F(DelayLineTest, holdsOnePendingEventHoweverManyPacketsAreInFlight) {
  for (int i = 0; i < 1'000; ++i) push(100 + i, 1);
  EXPECT_EQ(sim.pending_events(), 1U);
  EXPECT_EQ(out().size(), 1'000U);
  EXPECT_EQ(sim.pending_events(), 0U);
}

TEST_F(DelayLineTest, packetsOfTwoLinesComeOutInTheOrderOfTime) {
  DelayLine other(sim, far);
  for (int i = 0; i < 3; ++i) push(10 + 20 * i, 1);
  for (int i = 0; i < 3; ++i) other.push(frame(pool, sim.now(), 64, 2), SimTime::at_ns(20 + 20 * i));
  EXPECT_EQ(out(), (Seen{{10, 1}, {20, 2}, {30, 1}, {40, 2}, {50, 1}, {60, 2}}));
  EXPECT_EQ(sim.events_fired(), 6U);
}

TEST_F(DelayLineTest, onePacketComesOutAtEachEvent) {
  for (int i = 0; i < 3; ++i) push(10 + i, 1);
  EXPECT_TRUE(sim.fire_next(SimTime::at_ns(100)));
  EXPECT_EQ(line.packets(), 2U);
  EXPECT_EQ(sim.now(), SimTime::at_ns(10));
}

// The event that delivers is not pending while the sink has the packet; whatever the sink does to the line, it is afterwards.
class Feeding final : public PacketSink {
 public:
  explicit Feeding(Recorder& next) : next_(next) {}
  void accept(PacketPtr packet) override {
    if (feed) std::exchange(feed, {})();
    next_.accept(std::move(packet));
  }

  std::function<void()> feed;

 private:
  Recorder& next_;
};

TEST_F(DelayLineTest, whoGetsAPacketMayAddOneThatComesNext) {
  Feeding feeding(far);
  line.lead_to(feeding);
  feeding.feed = [&] { push(15, 2); };
  push(10, 1);
  EXPECT_EQ(out(), (Seen{{10, 1}, {15, 2}}));
}

TEST_F(DelayLineTest, whoGetsAPacketMayInsertOneBeforeTheOthers) {
  Feeding feeding(far);
  line.lead_to(feeding);
  feeding.feed = [&] { insert(12, 3); };
  push(10, 1);
  push(20, 2);
  EXPECT_EQ(out(), (Seen{{10, 1}, {12, 3}, {20, 2}}));
}

TEST_F(DelayLineTest, whoGetsAPacketMayTakeOutTheOthers) {
  Feeding feeding(far);
  line.lead_to(feeding);
  feeding.feed = [&] { EXPECT_EQ(line.take_back(2).size(), 2U); };
  push(10, 1);
  push(20, 2);
  push(30, 3);
  EXPECT_EQ(out(), (Seen{{10, 1}}));
  EXPECT_EQ(sim.pending_events(), 0U);
}

TEST_F(DelayLineTest, theLastArrivalIsNeverBeforeTheFirst) {
  PacketPtr packet = train(pool, sim.now(), SimTime::at_ns(5), 3, 1'500, 1'500);
  line.push(std::move(packet), SimTime::at_ns(50));
  packet = train(pool, sim.now(), SimTime::at_ns(90), 3, 1'500, 1'500);
  line.push(std::move(packet), SimTime::at_ns(60));
  EXPECT_EQ(line.segments(), 6U);
  out();
  ASSERT_EQ(far.arrivals.size(), 2U);
  EXPECT_EQ(far.arrivals[0].last, SimTime::at_ns(50));
  EXPECT_EQ(far.arrivals[1].last, SimTime::at_ns(90));
}

TEST_F(DelayLineTest, givesItsPacketsBackWhenItIsDestroyed) {
  {
    DelayLine short_lived(sim, far);
    short_lived.push(frame(pool, sim.now(), 64), SimTime::at_ns(50));
    EXPECT_EQ(pool.in_use(), 1U);
  }
  EXPECT_EQ(pool.in_use(), 0U);
  EXPECT_TRUE(out().empty());
}

}  // namespace
}  // namespace simcore
