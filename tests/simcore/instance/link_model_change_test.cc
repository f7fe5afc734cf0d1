// SPDX-License-Identifier: MIT
//
// Every part of a link changes while packets wait, are being sent, and are on their way. A frame of 1000 bytes takes
// 1 ms at 8 Mbit/s.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "simcore/kernel/random.h"
#include "simcore/link/codel.h"
#include "simcore/link/fq_codel.h"
#include "simcore/link/red.h"
#include "simcore/network/link_model.h"
#include "simcore/units/error.h"
#include "tests/simcore/link/traffic.h"

namespace simcore {
namespace {

using Times = std::vector<std::int64_t>;

class LinkModelChangeTest : public testing::Test {
 protected:
  static LinkModel plain(std::int64_t mbps = 8, Duration delay = Duration::ms(2)) {
    return LinkModel({.rate = DataRate::mbps(mbps), .propagation_delay = delay});
  }
  static LinkModel codel(std::int64_t mbps = 8, Duration delay = Duration::ms(2)) {
    LinkModel model = plain(mbps, delay);
    model.queue = CodelConfig{.target = Duration::seconds(10)};
    return model;
  }
  static LinkModel trace(std::string_view text) {
    LinkModel model({.propagation_delay = Duration::ms(2)});
    model.rate_model = LinkModel::Opportunities{OpportunityTrace::parse(text, "t"), ByteCount::bytes(1'514)};
    return model;
  }

  void send(ModelledLink& link, int frames) {
    for (int i = 0; i < frames; ++i) link.entrance().accept(frame(pool, sim.now(), 1'000));
  }
  void until(std::int64_t us) { sim.run_until(SimTime::at_ns(us * 1'000)); }
  Times arrivals_us() const {
    Times times;
    for (const std::int64_t ns : far.segment_times(1)) times.push_back(ns / 1'000);
    return times;
  }
  void expect_all_arrived(const ModelledLink& link, std::uint64_t frames) {
    EXPECT_EQ(link.counters().accepted_packets, frames);
    EXPECT_EQ(link.counters().accepted_bytes, frames * 1'000);
    EXPECT_EQ(link.counters().delivered_packets, frames);
    EXPECT_EQ(link.counters().dropped.total(), 0U);
    EXPECT_EQ(link.in_flight(), 0U);
    EXPECT_EQ(pool.in_use(), 0U);
  }

  Simulation sim{1};
  PacketPool pool;
  Recorder far{sim};
};

TEST_F(LinkModelChangeTest, anotherQueueTakesOverWhatWaitsBeforeALink) {
  ModelledLink link(sim, pool, "l", plain(), far);
  send(link, 5);
  until(2'500);  // two have left, the third is being sent
  link.change(codel());
  EXPECT_EQ(link.queue()->packets(), 2);
  EXPECT_EQ(link.in_flight(), 5U);
  until(100'000);
  EXPECT_EQ(arrivals_us(), (Times{3'000, 4'000, 5'000, 6'000, 7'000}));
  expect_all_arrived(link, 5);
}

TEST_F(LinkModelChangeTest, aLinkTakesOverWhatWaitsInAnotherQueue) {
  ModelledLink link(sim, pool, "l", codel(), far);
  send(link, 5);
  until(2'500);
  link.change(plain(16));  // the third leaves when it would have, and the others take 0.5 ms
  EXPECT_EQ(link.in_flight(), 5U);
  until(100'000);
  EXPECT_EQ(arrivals_us(), (Times{3'000, 4'000, 5'000, 5'500, 6'000}));
  expect_all_arrived(link, 5);
}

TEST_F(LinkModelChangeTest, aNewRateHoldsForWhatWaitsInTheNewQueue) {
  ModelledLink link(sim, pool, "l", plain(), far);
  send(link, 3);
  until(500);
  link.change(codel(4));  // the first frame leaves at 1 ms, as it would have; a frame takes 2 ms then
  until(100'000);
  EXPECT_EQ(arrivals_us(), (Times{3'000, 5'000, 7'000}));
}

TEST_F(LinkModelChangeTest, theWireIsBusyUntilWhatItSendsHasLeft) {
  ModelledLink link(sim, pool, "l", plain(), far);
  send(link, 1);
  until(500);
  link.change(codel());
  link.change(plain());
  send(link, 1);
  until(100'000);
  EXPECT_EQ(arrivals_us(), (Times{3'000, 4'000}));
  expect_all_arrived(link, 2);
}

TEST_F(LinkModelChangeTest, whatHasLeftKeepsItsDelayAndIsNotOvertaken) {
  ModelledLink link(sim, pool, "l", codel(8, Duration::ms(10)), far);
  send(link, 3);
  until(1'500);  // the first has left
  link.change(codel(8, Duration::ms(1)));
  until(100'000);
  // 1 + 10; the others would come at 2 + 1 and 3 + 1, and wait for the first.
  EXPECT_EQ(arrivals_us(), (Times{11'000, 11'000, 11'000}));
  expect_all_arrived(link, 3);
}

TEST_F(LinkModelChangeTest, anExtraDelayConcernsWhatWasAcceptedLater) {
  ModelledLink link(sim, pool, "l", plain(), far);
  send(link, 2);
  LinkModel delayed = plain();
  delayed.extra_delay = constant_delay(Duration::ms(5));
  link.change(delayed);
  send(link, 1);
  link.change(plain());
  send(link, 1);
  until(100'000);
  // 1 + 2, 2 + 2, 3 + 2 + 5, and 4 + 2 behind that one.
  EXPECT_EQ(arrivals_us(), (Times{3'000, 4'000, 10'000, 10'000}));
  expect_all_arrived(link, 4);
}

TEST_F(LinkModelChangeTest, aTraceTakesOverAndIsTakenOverFrom) {
  ModelledLink link(sim, pool, "l", plain(), far);
  send(link, 4);
  until(1'500);
  link.change(trace("20"));  // the second leaves at 2 ms, and the next one at the next opportunity: 20 ms
  until(19'000);
  EXPECT_EQ(arrivals_us(), (Times{3'000, 4'000}));
  until(21'000);
  link.change(plain());  // the fourth need not wait for 40 ms
  until(100'000);
  EXPECT_EQ(arrivals_us(), (Times{3'000, 4'000, 22'000, 24'000}));
  expect_all_arrived(link, 4);
}

TEST_F(LinkModelChangeTest, aTokenBucketBeginsFull) {
  ModelledLink link(sim, pool, "l", plain(), far);
  send(link, 6);
  until(1'500);
  LinkModel bucket = plain();
  bucket.rate_model = LinkModel::TokenBucket{.burst = ByteCount::bytes(3'000), .peak = {}};
  link.change(bucket);  // from 2 ms on: three at once, and then one each ms
  until(100'000);
  EXPECT_EQ(arrivals_us(), (Times{3'000, 4'000, 4'000, 4'000, 4'000, 5'000}));
  expect_all_arrived(link, 6);
}

TEST_F(LinkModelChangeTest, whatABucketCannotCarryIsCountedWhenItsTurnComes) {
  ModelledLink link(sim, pool, "l", plain(), far);
  send(link, 3);
  until(500);
  LinkModel bucket = plain();
  bucket.rate_model = LinkModel::TokenBucket{.burst = ByteCount::bytes(999), .peak = {}};
  link.change(bucket);
  until(100'000);
  EXPECT_EQ(far.arrivals.size(), 1U);
  EXPECT_EQ(link.counters().dropped.of(DropReason::too_big), 2U);
  EXPECT_EQ(link.in_flight(), 0U);
}

TEST_F(LinkModelChangeTest, slotsBeginWithTheFirstAndGoOnThroughOtherChanges) {
  ModelledLink link(sim, pool, "l", plain(), far);
  LinkModel slots = plain();
  slots.rate_model =
      LinkModel::Slots{{Duration::ms(2), DataRate::mbps(8)}, {Duration::ms(100), DataRate::mbps(4)}};
  link.change(slots);
  send(link, 4);
  until(2'500);  // two have left, and the third is half a ms on its way, of two
  slots.duplicate = 0.0;
  slots.link.overhead = ByteCount::bytes(0);
  link.change(slots);
  until(50'000);
  EXPECT_EQ(arrivals_us(), (Times{3'000, 4'000, 6'000, 8'000}));
}

TEST_F(LinkModelChangeTest, aShorterLimitDropsNobodyWhoWaits) {
  ModelledLink link(sim, pool, "l", codel(), far);
  send(link, 6);
  LinkModel narrow = codel();
  narrow.link.queue_packets = 2;
  link.change(narrow);
  send(link, 1);
  EXPECT_EQ(link.counters().dropped.of(DropReason::queue_full), 1U);
  until(100'000);
  EXPECT_EQ(far.arrivals.size(), 6U);
}

TEST_F(LinkModelChangeTest, countsOfTheQueueGoOnAndSojournTimesToo) {
  ModelledLink link(sim, pool, "l", codel(), far);
  send(link, 3);
  until(1'500);
  LinkModel fair = plain();
  fair.queue = FqCodel::Config{.codel = {.target = Duration::seconds(10)}};
  link.change(fair);
  until(2'500);
  LinkModel red = plain();
  red.queue = Red::Config{};
  link.change(red);
  until(100'000);
  const QueueDiscipline::Counters& queue = link.queue()->counters();
  EXPECT_EQ(queue.accepted, 3U);
  EXPECT_EQ(queue.delivered, 3U);
  EXPECT_EQ(queue.sojourn_total, Duration::ms(0 + 1 + 2));
  EXPECT_EQ(queue.sojourn_longest, Duration::ms(2));
}

TEST_F(LinkModelChangeTest, whatCannotBeChangesNothing) {
  ModelledLink link(sim, pool, "l", plain(), far);
  send(link, 3);
  LinkModel unlimited({.propagation_delay = Duration::ms(2)});
  unlimited.queue = CodelConfig{};
  EXPECT_THROW(link.change(unlimited), ConfigError);
  LinkModel empty = plain();
  empty.queue = Red::Config{.least = ByteCount::bytes(2), .most = ByteCount::bytes(1)};
  EXPECT_THROW(link.change(empty), ConfigError);
  LinkModel early = plain();
  early.link.propagation_delay = Duration::ms(-1);
  EXPECT_THROW(link.change(early), ConfigError);
  until(100'000);
  EXPECT_EQ(arrivals_us(), (Times{3'000, 4'000, 5'000}));
  expect_all_arrived(link, 3);
}

// Writes down the lengths of what arrives, which number the frames.
class Lengths final : public PacketSink {
 public:
  void accept(PacketPtr packet) override { lengths.push_back(packet->wire_size().count()); }
  std::vector<std::int64_t> lengths;
};

TEST_F(LinkModelChangeTest, whateverFollowsWhateverNothingIsLostOrOvertaken) {
  std::vector<LinkModel> models{plain(), codel(), trace("1\n3\n4\n9"), plain(40), LinkModel({}), codel(20)};
  LinkModel fair = plain(12, Duration::ms(1));
  fair.queue = FqCodel::Config{.codel = {.target = Duration::seconds(10)}};
  LinkModel bucket = codel(10, Duration::ms(4));
  bucket.rate_model = LinkModel::TokenBucket{.burst = ByteCount::bytes(4'000), .peak = DataRate::mbps(50)};
  LinkModel slots = plain(30);
  slots.rate_model =
      LinkModel::Slots{{Duration::ms(1), DataRate::mbps(30)}, {Duration::ms(1), DataRate::mbps(3)}};
  LinkModel jittery = plain(20);
  jittery.extra_delay = uniform_delay(Duration::zero(), Duration::ms(7));
  jittery.in_order = true;
  models.insert(models.end(), {fair, bucket, slots, jittery});
  for (LinkModel& model : models) model.link.queue_packets = 100'000;

  Lengths there;
  ModelledLink link(sim, pool, "l", plain(), there);
  RandomStream random(5, "changes");
  std::int64_t sent = 0;
  for (int i = 0; i < 3'000; ++i) {
    const auto burst = static_cast<int>(random.uniform() * 4);
    for (int k = 0; k < burst; ++k)
      link.entrance().accept(frame(pool, sim.now(), 100 + static_cast<std::size_t>(sent++ % 1'400)));
    sim.run_until(sim.now() + Duration::us(static_cast<std::int64_t>(random.uniform() * 1'500)));
    if (random.bernoulli(0.3)) {
      link.change(models[static_cast<std::size_t>(random.uniform() * static_cast<double>(models.size()))]);
    }
    EXPECT_EQ(link.in_flight(), pool.in_use());
  }
  link.change(plain(1'000));
  sim.run_until(sim.now() + Duration::seconds(10));
  ASSERT_EQ(static_cast<std::int64_t>(there.lengths.size()), sent);
  for (std::int64_t i = 0; i < sent; ++i)
    EXPECT_EQ(there.lengths[static_cast<std::size_t>(i)], 100 + i % 1'400);
  EXPECT_EQ(link.counters().dropped.total(), 0U);
  EXPECT_EQ(link.counters().accepted_packets, static_cast<std::uint64_t>(sent));
}

TEST_F(LinkModelChangeTest, trainsAreHandedOverWhole) {
  ModelledLink link(sim, pool, "l", plain(), far);
  for (int i = 0; i < 3; ++i)
    link.entrance().accept(train(pool, sim.now(), sim.now() + Duration::us(300), 4, 1'000, 1'000));
  until(2'500);
  link.change(codel());
  EXPECT_EQ(link.in_flight(), 12U);
  until(5'500);
  link.change(plain());
  until(100'000);
  expect_all_arrived(link, 12);
  std::uint64_t segments = 0;
  for (const Recorder::Arrival& arrival : far.arrivals) segments += arrival.segments;
  EXPECT_EQ(segments, 12U);
  EXPECT_EQ(far.arrivals.back().last, SimTime::at_ns(14'000'000));
}

TEST_F(LinkModelChangeTest, aLinkThatIsDownChangesAndCarriesAgainWhenItIsUp) {
  ModelledLink link(sim, pool, "l", plain(), far);
  send(link, 2);
  until(500);
  link.set_up(false);
  send(link, 3);  // refused
  LinkModel jittery = codel();
  jittery.extra_delay = constant_delay(Duration::ms(1));
  link.change(jittery);  // an element more, at the far end
  until(20'000);
  EXPECT_TRUE(far.arrivals.empty());
  EXPECT_EQ(link.counters().dropped.of(DropReason::link_down), 5U);
  EXPECT_EQ(link.counters().accepted_packets, 5U);
  EXPECT_EQ(link.counters().delivered_packets, 0U);
  link.set_up(true);
  send(link, 1);
  until(40'000);
  EXPECT_EQ(far.arrivals.size(), 1U);
  EXPECT_EQ(link.counters().accepted_packets, 6U);
  EXPECT_EQ(link.counters().accepted_bytes, 6'000U);
  EXPECT_EQ(link.counters().delivered_packets, 1U);
  EXPECT_EQ(link.in_flight(), 0U);
}

TEST_F(LinkModelChangeTest, whatIsOnItsWayWhenALinkGoesDownArrivesIfTheLinkIsUpByThen) {
  ModelledLink link(sim, pool, "l", plain(), far);
  send(link, 4);  // at 3, 4, 5 and 6 ms
  until(3'500);
  link.set_up(false);
  until(4'500);
  link.set_up(true);
  until(10'000);
  EXPECT_EQ(arrivals_us(), (Times{3'000, 5'000, 6'000}));
  EXPECT_EQ(link.counters().dropped.of(DropReason::link_down), 1U);
}

}  // namespace
}  // namespace simcore
