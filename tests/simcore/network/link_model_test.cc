// SPDX-License-Identifier: MIT
#include "simcore/network/link_model.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "simcore/link/class_queue.h"
#include "simcore/link/codel.h"
#include "simcore/link/constant_background.h"
#include "simcore/link/delay_model.h"
#include "simcore/units/error.h"
#include "tests/simcore/link/traffic.h"

namespace simcore {
namespace {

class LinkModelTest : public testing::Test {
 protected:
  void send(ModelledLink& link, int frames) {
    for (int i = 0; i < frames; ++i) link.entrance().accept(frame(pool, sim.now(), 1'000));
  }
  void run(std::int64_t ms) { sim.run_until(sim.now() + Duration::ms(ms)); }

  static Link::Config plain() { return {.rate = DataRate::mbps(8), .propagation_delay = Duration::ms(2)}; }

  Simulation sim{1};
  PacketPool pool;
  Recorder far{sim};
};

TEST_F(LinkModelTest, aPlainModelIsALink) {
  ModelledLink link(sim, pool, "l", LinkModel(plain()), far);
  EXPECT_TRUE(dynamic_cast<Link*>(&link.entrance()));
  send(link, 2);
  EXPECT_EQ(link.in_flight(), 2U);
  run(10);
  EXPECT_EQ(far.segment_times(1), (std::vector<std::int64_t>{3'000'000, 4'000'000}));
}

TEST_F(LinkModelTest, aPartThatRefusesItsOptionsNamesTheLink) {
  LinkModel model(plain());
  model.queue = WeightedConfig{.by = ClassBy::flow, .weights = {1, 2, 3}, .ports = {80}};
  try {
    ModelledLink link(sim, pool, "a-b", model, far);
    FAIL() << "it was made";
  } catch (const ConfigError& error) {
    EXPECT_EQ(std::string(error.what()).rfind("link a-b: make weighted queue: 1 ports and 3 weights", 0), 0U)
        << error.what();
  }
}

TEST_F(LinkModelTest, whatComesOutGoesWhereItLeadsNow) {
  LinkModel delayed(plain());
  delayed.extra_delay = constant_delay(Duration::ms(5));
  LinkModel impaired = delayed;
  impaired.loss = independent_loss(0.0);
  impaired.queue = CodelConfig{};
  for (const LinkModel& model : {LinkModel(plain()), delayed, impaired}) {
    Recorder first(sim);
    Recorder second(sim);
    ModelledLink link(sim, pool, "l", model, first);
    send(link, 1);
    run(20);
    send(link, 2);  // which are on their way
    link.lead_to(second);
    run(20);
    EXPECT_EQ(first.arrivals.size(), 1U);
    EXPECT_EQ(second.arrivals.size(), 2U);
    EXPECT_EQ(link.counters().delivered_packets, 3U);
    link.change(impaired);  // another element may be the last then
    send(link, 1);
    run(20);
    EXPECT_EQ(first.arrivals.size(), 1U);
    EXPECT_EQ(second.arrivals.size(), 3U);
  }
}

TEST_F(LinkModelTest, aLinkThatIsDownLeadsNowhereUntilItIsUp) {
  Recorder second(sim);
  ModelledLink link(sim, pool, "l", LinkModel(plain()), far);
  send(link, 1);
  link.set_up(false);
  link.lead_to(second);
  EXPECT_FALSE(link.up());
  send(link, 1);
  run(20);
  EXPECT_TRUE(far.arrivals.empty());
  EXPECT_TRUE(second.arrivals.empty());
  EXPECT_EQ(link.counters().dropped.of(DropReason::link_down), 2U);
  link.set_up(true);
  send(link, 1);
  run(20);
  EXPECT_TRUE(far.arrivals.empty());
  EXPECT_EQ(second.arrivals.size(), 1U);
}

TEST_F(LinkModelTest, countsOfAllElementsAddUp) {
  LinkModel model(plain());
  model.link.queue_packets = 50;
  model.loss = independent_loss(0.2);
  model.duplicate = 0.1;
  model.errors = one_bit_errors(0.1);
  model.extra_delay = uniform_delay(Duration::zero(), Duration::ms(50));
  ModelledLink link(sim, pool, "l", model, far);
  for (int i = 0; i < 100; ++i) {
    send(link, 3);
    run(1);
    const Link::Counters now = link.counters();
    EXPECT_EQ(now.delivered_packets, far.arrivals.size());
    EXPECT_EQ(link.in_flight(), pool.in_use());
  }
  run(1'000);
  const Link::Counters end = link.counters();
  EXPECT_EQ(end.accepted_packets, 300U);
  EXPECT_EQ(link.in_flight(), 0U);
  EXPECT_GT(end.dropped.of(DropReason::impaired), 0U);
  EXPECT_GT(end.dropped.of(DropReason::queue_full), 0U);
  EXPECT_GT(link.duplicated(), 0U);
  EXPECT_GT(link.corrupted(), 0U);
  EXPECT_EQ(end.delivered_packets + end.dropped.total(), 300 + link.duplicated());
}

TEST_F(LinkModelTest, impairmentsCanBeAddedAndTakenAwayWhileItRuns) {
  ModelledLink link(sim, pool, "l", LinkModel(plain()), far);
  send(link, 2);
  LinkModel lossy(plain());
  lossy.loss = independent_loss(1.0);
  link.change(lossy);
  send(link, 3);
  link.change(LinkModel(plain()));
  send(link, 4);
  run(100);
  EXPECT_EQ(far.arrivals.size(), 6U);
  EXPECT_EQ(link.counters().accepted_packets, 9U);
  EXPECT_EQ(link.counters().dropped.of(DropReason::impaired), 3U);
}

TEST_F(LinkModelTest, theOrderIsKeptFromTheChangeOnThatAsksForIt) {
  LinkModel jittery(plain());
  jittery.extra_delay = uniform_delay(Duration::zero(), Duration::ms(50));
  jittery.extra_delay_origin = "the same before and after";
  ModelledLink link(sim, pool, "l", jittery, far);
  const auto in_order = [&](int frames) {
    far.arrivals.clear();
    for (int i = 0; i < frames; ++i) {
      link.entrance().accept(frame(pool, sim.now(), 100, static_cast<std::uint8_t>(i)));
      run(1);
    }
    run(100);
    return std::ranges::is_sorted(far.arrivals, {}, &Recorder::Arrival::flow);
  };
  EXPECT_FALSE(in_order(200));
  jittery.in_order = true;
  link.change(jittery);
  EXPECT_TRUE(in_order(200));
}

TEST_F(LinkModelTest, otherQueuesTakeTheirLimitsFromTheLink) {
  LinkModel model(plain());
  model.link.queue_packets = 5;
  model.queue = CodelConfig{};
  ModelledLink link(sim, pool, "l", model, far);
  send(link, 10);
  EXPECT_EQ(link.queue()->packets(), 5);  // and one on the wire
  EXPECT_EQ(link.counters().dropped.of(DropReason::queue_full), 4U);
  run(100);
  EXPECT_EQ(far.arrivals.front().first, SimTime::at_ns(3'000'000));
  model.link.rate = DataRate::mbps(80);
  link.change(model);
  const std::size_t before = far.arrivals.size();
  send(link, 1);
  run(3);
  EXPECT_EQ(far.arrivals.size(), before + 1);
}

TEST_F(LinkModelTest, slotsChangeTheRateOfAPlainLink) {
  LinkModel model(plain());
  model.rate_model =
      LinkModel::Slots{{Duration::ms(3), DataRate::mbps(8)}, {Duration::ms(2), DataRate::mbps(2)}};
  ModelledLink link(sim, pool, "l", model, far);
  send(link, 4);
  run(100);
  EXPECT_EQ(far.segment_times(1), (std::vector<std::int64_t>{3'000'000, 4'000'000, 5'000'000, 7'500'000}));
}

TEST_F(LinkModelTest, refusesWhatContradictsItself) {
  LinkModel model{Link::Config{}};
  model.queue = CodelConfig{};
  EXPECT_THROW(ModelledLink(sim, pool, "l", model, far), ConfigError);
  LinkModel twice(plain());
  twice.rate_model = LinkModel::Opportunities{OpportunityTrace::parse("1", "t"), ByteCount::bytes(1'514)};
  EXPECT_THROW(ModelledLink(sim, pool, "l", twice, far), ConfigError);
}

TEST_F(LinkModelTest, aBackgroundSharesTheQueueAndIsCounted) {
  LinkModel model(plain());
  model.background = constant_background({.rate = DataRate::mbps(4)});
  ModelledLink link(sim, pool, "l", model, far);
  send(link, 2);
  EXPECT_EQ(link.backlog_packets(), 2);
  EXPECT_EQ(link.in_flight(), 2U);
  run(1);
  send(link, 1);  // behind the second frame and half a millisecond of fluid
  run(19);
  EXPECT_EQ(far.segment_times(1), (std::vector<std::int64_t>{3'000'000, 4'000'000, 5'500'000}));
  EXPECT_EQ(link.background()->offered_bytes, 10'000);
  EXPECT_EQ(link.background()->served_bytes, 10'000);
  EXPECT_EQ(link.in_flight(), 0U);
}

TEST_F(LinkModelTest, aBackgroundNeedsARateAndADropTailQueue) {
  const auto refused = [&](LinkModel model, const std::string& why) {
    model.background = constant_background({.rate = DataRate::mbps(4)});
    try {
      ModelledLink link(sim, pool, "l", model, far);
      FAIL() << "it was made";
    } catch (const ConfigError& error) {
      EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
    }
  };
  refused(LinkModel(Link::Config{}), "make link l: it has no rate");
  LinkModel model(plain());
  model.queue = CodelConfig{};
  refused(model, "its queue is another one");
  model.queue = {};
  model.rate_model = LinkModel::TokenBucket{.burst = ByteCount::bytes(3'000), .peak = {}};
  refused(model, "its rate model is another one");
}

TEST_F(LinkModelTest, aBackgroundComesAndGoesAndNothingIsLostOrOvertaken) {
  ModelledLink link(sim, pool, "l", LinkModel(plain()), far);
  LinkModel shared(plain());
  shared.background = constant_background({.rate = DataRate::mbps(4)});
  shared.background_origin = "the same";
  LinkModel queued(plain());
  queued.queue = CodelConfig{};
  int sent = 0;
  for (const LinkModel& next : {shared, shared, LinkModel(plain()), shared, queued, shared, queued}) {
    for (int i = 0; i < 4; ++i) {
      link.entrance().accept(frame(pool, sim.now(), 1'000 + static_cast<std::size_t>(sent++)));
    }
    sim.run_until(sim.now() + Duration::us(1'300));
    link.change(next);
  }
  run(100);
  ASSERT_EQ(far.arrivals.size(), static_cast<std::size_t>(sent));
  for (int i = 0; i < sent; ++i) EXPECT_EQ(far.arrivals[static_cast<std::size_t>(i)].bytes, 1'000 + i);
  EXPECT_EQ(link.in_flight(), 0U);
  EXPECT_EQ(link.counters().accepted_packets, static_cast<std::uint64_t>(sent));
  EXPECT_EQ(link.counters().delivered_packets, static_cast<std::uint64_t>(sent));
}

TEST_F(LinkModelTest, theSlotsOfARateAreThoseThatABackgroundShares) {
  LinkModel model(plain());
  model.rate_model =
      LinkModel::Slots{{Duration::ms(10), DataRate::mbps(8)}, {Duration::ms(10), DataRate::mbps(2)}};
  model.background = constant_background({.rate = DataRate::mbps(4)});
  ModelledLink link(sim, pool, "l", model, far);
  run(20);  // in the second slot 4 Mbit/s come and 2 leave: 2,500 bytes stay
  EXPECT_EQ(link.background()->waiting_bytes, 2'500);
}

}  // namespace
}  // namespace simcore
