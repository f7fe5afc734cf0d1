// SPDX-License-Identifier: MIT
//
// Changes of a running link: what waits, what is on its way, and what comes later.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <vector>

#include "simcore/link/link.h"
#include "simcore/units/error.h"
#include "tests/simcore/link/traffic.h"

namespace simcore {
namespace {

class LinkChangeTest : public testing::Test {
 protected:
  std::unique_ptr<Link> link(const Link::Config& config) {
    return std::make_unique<Link>(sim, pool, "a-b", config, far);
  }
  void run_until_us(std::int64_t us) { sim.run_until(SimTime::zero() + Duration::us(us)); }
  void run() { sim.run_until(sim.now() + Duration::seconds(3'600)); }
  std::vector<std::int64_t> arrivals_us() const {
    std::vector<std::int64_t> times;
    for (const auto& arrival : far.arrivals) times.push_back(arrival.first.count_ns() / 1'000);
    return times;
  }

  Simulation sim{1};
  PacketPool pool;
  Recorder far{sim};
};

using Times = std::vector<std::int64_t>;

class Waits final : public QueueWatcher {
 public:
  void waited(Duration sojourn, std::int64_t others, std::uint32_t) override {
    us.push_back(sojourn.count_ns() / 1'000);
    beside.push_back(others);
  }

  Times us;
  Times beside;
};

TEST_F(LinkChangeTest, whatWaitsGoesOnAtTheNewRate) {
  const auto wire = link({.rate = DataRate::mbps(10), .propagation_delay = Duration::ms(1)});
  for (int i = 0; i < 3; ++i) wire->accept(frame(pool, sim.now(), 1'250));  // 10,000 bits: 1 ms each
  run_until_us(500);
  wire->change({.rate = DataRate::mbps(100), .propagation_delay = Duration::ms(1)});
  EXPECT_EQ(wire->backlog_packets(), 3);
  run();
  // 5,000 bits are left of the first: 50 us.
  EXPECT_EQ(arrivals_us(), (Times{1'550, 1'650, 1'750}));
}

TEST_F(LinkChangeTest, aSlowerRateHoldsUpWhatWaitsAndWhatComes) {
  const auto wire = link({.rate = DataRate::mbps(10)});
  for (int i = 0; i < 2; ++i) wire->accept(frame(pool, sim.now(), 1'250));
  run_until_us(500);
  wire->change({.rate = DataRate::mbps(1)});
  wire->accept(frame(pool, sim.now(), 1'250));
  run();
  EXPECT_EQ(arrivals_us(), (Times{5'500, 15'500, 25'500}));
}

TEST_F(LinkChangeTest, aWatcherIsToldHowLongAPacketReallyWaitedWhereTheRateChanged) {
  const auto wire = link({.rate = DataRate::mbps(10)});
  Waits waits;
  wire->watch(&waits);
  for (int i = 0; i < 3; ++i) wire->accept(frame(pool, sim.now(), 1'250));  // 10,000 bits: 1 ms each
  run_until_us(500);
  wire->change({.rate = DataRate::mbps(1)});  // 5,000 bits are left of the first: 5 ms
  run_until_us(5'000);
  EXPECT_EQ(wire->backlog_packets(), 3);
  EXPECT_EQ(waits.us, (Times{0}));
  run_until_us(6'000);
  wire->change({.rate = DataRate::mbps(10)});  // 9,500 bits are left of the second: 950 us
  run();
  EXPECT_EQ(wire->backlog_packets(), 0);
  EXPECT_EQ(waits.us, (Times{0, 5'500, 6'950}));
  EXPECT_EQ(waits.beside, (Times{0, 1, 2}));
}

TEST_F(LinkChangeTest, aWatcherIsNotToldOfWhatSomebodyElseSends) {
  const auto wire = link({.rate = DataRate::mbps(10)});
  Waits waits;
  wire->watch(&waits);
  for (int i = 0; i < 3; ++i) wire->accept(frame(pool, sim.now(), 1'250));
  run_until_us(500);
  EXPECT_EQ(wire->hand_over().waiting.size(), 2U);
  run();
  EXPECT_EQ(wire->backlog_packets(), 0);
  EXPECT_EQ(waits.us, (Times{0}));
}

TEST_F(LinkChangeTest, whatIsOnItsWayKeepsItsDelayAndIsNotOvertaken) {
  const auto wire = link({.propagation_delay = Duration::ms(10)});
  wire->accept(frame(pool, sim.now(), 100, 1));
  run_until_us(2'000);
  wire->change({.propagation_delay = Duration::ms(1)});
  wire->accept(frame(pool, sim.now(), 100, 2));  // would arrive at 3 ms
  run_until_us(9'500);
  wire->accept(frame(pool, sim.now(), 100, 3));
  run();
  EXPECT_EQ(arrivals_us(), (Times{10'000, 10'000, 10'500}));
  EXPECT_EQ(far.arrivals[0].flow, 1);
  EXPECT_EQ(far.arrivals[1].flow, 2);
}

TEST_F(LinkChangeTest, aShorterQueueRefusesWhatComesAndKeepsWhatWaits) {
  const auto wire = link({.rate = DataRate::mbps(10), .queue_packets = 10});
  for (int i = 0; i < 10; ++i) wire->accept(frame(pool, sim.now(), 1'250));
  wire->change({.rate = DataRate::mbps(10), .queue_packets = 2, .queue_bytes = ByteCount::bytes(2'500)});
  wire->accept(frame(pool, sim.now(), 1'250));
  wire->accept(train(pool, sim.now(), sim.now(), 4, 1'250, 1'250));
  EXPECT_EQ(wire->counters().dropped.of(DropReason::queue_full), 5U);
  run_until_us(9'500);  // one waits
  wire->accept(frame(pool, sim.now(), 1'250));
  run();
  EXPECT_EQ(far.arrivals.size(), 11U);
  EXPECT_EQ(wire->counters().dropped.total(), 5U);
}

TEST_F(LinkChangeTest, withoutARateWhatWaitsDepartsAtOnce) {
  const auto wire = link({.rate = DataRate::mbps(10), .propagation_delay = Duration::ms(1)});
  for (int i = 0; i < 3; ++i) wire->accept(frame(pool, sim.now(), 1'250));
  run_until_us(500);
  wire->change({.propagation_delay = Duration::ms(1)});
  EXPECT_EQ(wire->backlog_packets(), 0);
  EXPECT_EQ(wire->backlog_bytes(), ByteCount::zero());
  wire->accept(frame(pool, sim.now(), 1'250));
  run_until_us(600);
  wire->change({.rate = DataRate::mbps(10), .propagation_delay = Duration::ms(1)});
  wire->accept(frame(pool, sim.now(), 1'250));
  run();
  EXPECT_EQ(arrivals_us(), (Times{1'500, 1'500, 1'500, 1'500, 2'600}));
}

TEST_F(LinkChangeTest, theRestOfATrainArrivesAlsoAtALinkWithoutARate) {
  const auto wire = link({.rate = DataRate::mbps(100), .train_limit = Duration::us(100)});
  wire->accept(train(pool, sim.now(), sim.now() + Duration::ms(1), 20, 1'250, 1'250));
  run_until_us(150);
  wire->change({});
  run();
  EXPECT_EQ(wire->counters().delivered_packets, 20U);
  EXPECT_EQ(wire->in_flight(), 0U);
}

TEST_F(LinkChangeTest, aTrainIsServedLikeItsSegments) {
  const auto whole = link({.rate = DataRate::mbps(100),
                           .propagation_delay = Duration::ms(50),
                           .train_limit = Duration::seconds(1)});
  Recorder singles{sim};
  Link single(sim, pool, "c-d", {.rate = DataRate::mbps(100), .propagation_delay = Duration::ms(50)},
              singles);
  whole->accept(frame(pool, sim.now(), 1'250));
  whole->accept(train(pool, sim.now(), sim.now(), 10, 1'250, 500));
  for (int i = 0; i < 10; ++i) single.accept(frame(pool, sim.now(), 1'250));
  single.accept(frame(pool, sim.now(), 500));
  for (const auto& [us, mbps] : {std::pair{50, 10}, {1'250, 33}, {2'345, 7}}) {
    run_until_us(us);
    whole->change({.rate = DataRate::mbps(mbps),
                   .propagation_delay = Duration::ms(50),
                   .train_limit = Duration::seconds(1)});
    single.change({.rate = DataRate::mbps(mbps), .propagation_delay = Duration::ms(50)});
    EXPECT_EQ(whole->backlog_packets(), single.backlog_packets()) << us;
    EXPECT_EQ(whole->backlog_bytes(), single.backlog_bytes()) << us;
  }
  run();
  ASSERT_EQ(far.arrivals.size(), 2U);
  EXPECT_EQ(far.arrivals[1].first, singles.arrivals[1].first);
  EXPECT_EQ(far.arrivals[1].last, singles.arrivals[10].first);
}

TEST_F(LinkChangeTest, thereAndBackIsAsIfNothingHadHappened) {
  const auto wire = link({.rate = DataRate::mbps(7)});
  Recorder undisturbed{sim};
  Link other(sim, pool, "c-d", {.rate = DataRate::mbps(7)}, undisturbed);
  for (int i = 0; i < 50; ++i) {
    wire->accept(frame(pool, sim.now(), static_cast<std::size_t>(100 + 13 * i)));
    other.accept(frame(pool, sim.now(), static_cast<std::size_t>(100 + 13 * i)));
  }
  for (int us = 100; us < 20'000; us += 377) {
    run_until_us(us);
    wire->change({.rate = DataRate::mbps(3)});
    wire->change({.rate = DataRate::mbps(7)});
  }
  run();
  ASSERT_EQ(far.arrivals.size(), undisturbed.arrivals.size());
  for (std::size_t i = 0; i < far.arrivals.size(); ++i) {
    EXPECT_EQ(far.arrivals[i].first, undisturbed.arrivals[i].first) << i;
  }
}

TEST_F(LinkChangeTest, anythingChangedAtAnyTimeLosesAndReordersNothing) {
  const auto wire = link({.rate = DataRate::mbps(50), .queue_packets = 1'000'000});
  std::mt19937 random(7);
  const auto pick = [&](int from, int to) { return std::uniform_int_distribution<int>(from, to)(random); };
  std::uint64_t sent = 0;
  for (int turn = 0; turn < 2'000; ++turn) {
    sim.run_until(sim.now() + Duration::us(pick(0, 300)));
    const auto flow = static_cast<std::uint8_t>(turn % 251);
    if (pick(0, 1) == 0) {
      wire->accept(frame(pool, sim.now(), static_cast<std::size_t>(pick(60, 1'514)), flow));
      sent += 1;
    } else {
      const auto segments = static_cast<std::uint16_t>(pick(2, 40));
      wire->accept(
          train(pool, sim.now(), sim.now() + Duration::us(pick(0, 200)), segments, 1'000, 700, flow));
      sent += segments;
    }
    if (pick(0, 3) != 0) continue;
    Link::Config config{.propagation_delay = Duration::us(pick(0, 5'000)), .queue_packets = 1'000'000};
    if (pick(0, 9) != 0) config.rate = DataRate::bps(pick(1'000'000, 2'000'000'000));
    wire->change(config);
    EXPECT_EQ(wire->counters().accepted_packets, wire->counters().delivered_packets + wire->in_flight());
  }
  run();
  EXPECT_EQ(wire->counters().delivered_packets, sent);
  EXPECT_EQ(wire->in_flight(), 0U);
  EXPECT_EQ(wire->backlog_packets(), 0);
  // The pieces of a train may enclose others; between single frames the order is that of sending.
  std::int64_t previous = 0;
  for (const auto& arrival : far.arrivals) {
    EXPECT_GE(arrival.first.count_ns(), previous);
    previous = arrival.first.count_ns();
  }
}

TEST_F(LinkChangeTest, aConfigurationThatIsRefusedChangesNothing) {
  const auto wire = link({.rate = DataRate::mbps(10)});
  EXPECT_THROW(wire->change({.rate = DataRate::bps(0)}), ConfigError);
  EXPECT_THROW(wire->change({.rate = DataRate::mbps(1), .queue_packets = 0}), ConfigError);
  wire->accept(frame(pool, sim.now(), 1'250));
  run();
  EXPECT_EQ(arrivals_us(), (Times{1'000}));
}

}  // namespace
}  // namespace simcore
