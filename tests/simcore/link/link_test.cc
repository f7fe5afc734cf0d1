// SPDX-License-Identifier: MIT
#include "simcore/link/link.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "simcore/units/error.h"
#include "tests/simcore/link/traffic.h"

namespace simcore {
namespace {

class LinkTest : public testing::Test {
 protected:
  std::unique_ptr<Link> link(const Link::Config& config) {
    return std::make_unique<Link>(sim, pool, "a-b", config, far);
  }
  void run() { sim.run_until(sim.now() + Duration::seconds(3'600)); }

  static void expect_balance(const Link& wire) {
    const Link::Counters& count = wire.counters();
    EXPECT_EQ(count.accepted_packets, count.delivered_packets + count.dropped.total() + wire.in_flight());
  }

  Simulation sim{1};
  PacketPool pool;
  Recorder far{sim};
};

TEST_F(LinkTest, aFrameArrivesAfterItsSerializationAndThePropagationDelay) {
  const auto wire = link({.rate = DataRate::mbps(10), .propagation_delay = Duration::ms(5)});
  wire->accept(frame(pool, sim.now(), 1'250));  // 10,000 bits: 1 ms
  EXPECT_EQ(wire->in_flight(), 1U);
  run();
  ASSERT_EQ(far.arrivals.size(), 1U);
  EXPECT_EQ(far.arrivals[0].first, SimTime::zero() + Duration::ms(6));
  EXPECT_EQ(far.arrivals[0].last, far.arrivals[0].first);
  EXPECT_EQ(wire->counters().delivered_bytes, 1'250U);
  expect_balance(*wire);
}

TEST_F(LinkTest, overheadHoldsTheWireAndIsNotCountedAsBytes) {
  const auto wire = link({.rate = DataRate::mbps(10), .overhead = ByteCount::bytes(24)});
  wire->accept(frame(pool, sim.now(), 1'226));
  run();
  EXPECT_EQ(far.arrivals.at(0).first, SimTime::zero() + Duration::ms(1));
  EXPECT_EQ(wire->counters().accepted_bytes, 1'226U);
}

// IEEE 802.3 section 3.2.8: 64 bytes with the check sequence; with preamble and gap 84 bytes, 672 bits, as RFC 2544 counts.
TEST_F(LinkTest, whereFramingIsModelledAFrameTakesAtLeastEthernetsLeast) {
  const Link::Config config{.rate = DataRate::mbps(10), .overhead = ByteCount::bytes(24)};
  const auto wire = link(config);
  for (const std::size_t size : {42u, 54u, 60u}) wire->accept(frame(pool, sim.now(), size));
  EXPECT_EQ(wire->backlog_bytes(), ByteCount::bytes(3 * 84));
  // Of a train each segment: three of 50 bytes, and the last of 43.
  wire->accept(train(pool, sim.now(), sim.now(), 4, 50, 43));
  run();
  const std::int64_t one = 67'200;  // ns
  EXPECT_EQ(far.segment_times(1),
            (std::vector<std::int64_t>{one, 2 * one, 3 * one, 4 * one, 5 * one, 6 * one, 7 * one}));
  EXPECT_EQ(wire->counters().accepted_bytes, 42u + 54 + 60 + 3 * 50 + 43);
  // A longer one than the least is as long as it is, with a short last segment too.
  far.arrivals.clear();
  const SimTime start = sim.now();
  wire->accept(train(pool, start, start, 2, 101, 43));
  run();
  EXPECT_EQ(far.arrivals.at(0).first - start, Duration::us(100));
  EXPECT_EQ(far.arrivals.at(0).last - start, Duration::us(100) + Duration::ns(one));
}

TEST_F(LinkTest, withoutFramingAFrameTakesWhatItHas) {
  const auto wire = link({.rate = DataRate::mbps(10)});
  wire->accept(frame(pool, sim.now(), 50));
  run();
  EXPECT_EQ(far.arrivals.at(0).first, SimTime::zero() + Duration::us(40));
}

TEST_F(LinkTest, aBoundInBytesCountsWhatFramesTakeOnTheWire) {
  const auto wire = link({.rate = DataRate::mbps(10),
                          .queue_bytes = ByteCount::bytes(84 * 3),
                          .overhead = ByteCount::bytes(24)});
  for (int i = 0; i < 4; ++i) wire->accept(frame(pool, sim.now(), 42));
  EXPECT_EQ(wire->counters().dropped.of(DropReason::queue_full), 1u);
  run();
  wire->accept(train(pool, sim.now(), sim.now(), 5, 50, 50));
  EXPECT_EQ(wire->counters().dropped.of(DropReason::queue_full), 3u);
  run();
  expect_balance(*wire);
}

TEST_F(LinkTest, oneLinkLeavesHalfOfThePoolToTheOthers) {
  PacketPool small(ByteCount::bytes(4 << 20));
  Link long_one(sim, small, "long", {.propagation_delay = Duration::seconds(10)}, far);
  const std::size_t block = frame(small, sim.now(), 1'500)->block_bytes();
  const auto fit =
      static_cast<std::uint64_t>(small.share().count()) / block;  // without a rest: both are powers of two
  for (std::uint64_t i = 0; i < 2 * fit; ++i) long_one.accept(frame(small, sim.now(), 1'500));
  EXPECT_EQ(long_one.in_flight(), fit);
  EXPECT_EQ(long_one.counters().dropped.of(DropReason::pool_share), fit);
  EXPECT_EQ(small.refused_share(), fit);
  EXPECT_EQ(small.exhausted(), 0u);
  Link other(sim, small, "other", {.propagation_delay = Duration::ms(1)}, far);
  other.accept(frame(small, sim.now(), 1'500));
  EXPECT_EQ(other.in_flight(), 1u);
  expect_balance(long_one);
  run();
  long_one.accept(frame(small, sim.now(), 1'500));
  EXPECT_EQ(long_one.in_flight(), 1u);
  run();
}

TEST_F(LinkTest, framesWaitForTheOneBefore) {
  const auto wire = link({.rate = DataRate::mbps(10)});
  for (int i = 0; i < 3; ++i) wire->accept(frame(pool, sim.now(), 1'250));
  EXPECT_EQ(wire->backlog_packets(), 3);
  EXPECT_EQ(wire->backlog_bytes(), ByteCount::bytes(3'750));
  EXPECT_EQ(sim.pending_events(), 1U);
  run();
  ASSERT_EQ(far.arrivals.size(), 3U);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(far.arrivals[static_cast<std::size_t>(i)].first, SimTime::zero() + Duration::ms(i + 1));
  }
  EXPECT_EQ(wire->backlog_packets(), 0);
}

TEST_F(LinkTest, anIdleWireStartsAtOnce) {
  const auto wire = link({.rate = DataRate::mbps(10)});
  wire->accept(frame(pool, sim.now(), 1'250));
  sim.run_until(SimTime::zero() + Duration::ms(50));
  wire->accept(frame(pool, sim.now(), 1'250));
  run();
  EXPECT_EQ(far.arrivals.at(1).first, SimTime::zero() + Duration::ms(51));
}

TEST_F(LinkTest, withoutARateOnlyTheDelayRemains) {
  const auto wire = link({.propagation_delay = Duration::ms(5)});
  for (int i = 0; i < 5'000; ++i) wire->accept(frame(pool, sim.now(), 64));
  EXPECT_EQ(wire->backlog_packets(), 0);
  run();
  EXPECT_EQ(far.arrivals.size(), 5'000U);
  EXPECT_EQ(far.arrivals.back().first, SimTime::zero() + Duration::ms(5));
}

TEST_F(LinkTest, aBusyWireKeepsItsRateExactlyAtFractionsOfANanosecond) {
  // 64 bytes at 100 Gbit/s take 5.12 ns. 25 frames take 128 ns, and the k-th leaves at ceil(5.12 k).
  const auto wire = link({.rate = DataRate::gbps(100), .queue_packets = 100'000});
  constexpr std::int64_t kFrames = 25'000;
  for (std::int64_t i = 0; i < kFrames; ++i) wire->accept(frame(pool, sim.now(), 64));
  run();
  ASSERT_EQ(far.arrivals.size(), static_cast<std::size_t>(kFrames));
  for (std::int64_t k = 1; k <= kFrames; ++k) {
    ASSERT_EQ(far.arrivals[static_cast<std::size_t>(k - 1)].first, SimTime::at_ns((512 * k + 99) / 100));
  }
}

TEST_F(LinkTest, aTrainTakesExactlyAsLongAsItsSegments) {
  // 100 trains of 7 segments of 1,000 bytes at 3 Gbit/s: 8,000 / 3 = 2,666.67 ns each.
  const auto wire = link({.rate = DataRate::gbps(3), .queue_packets = 1'000});
  for (int i = 0; i < 100; ++i) wire->accept(train(pool, sim.now(), sim.now(), 7, 1'000, 1'000));
  run();
  ASSERT_EQ(far.arrivals.size(), 100U);
  for (std::int64_t i = 0; i < 100; ++i) {
    const auto& arrival = far.arrivals[static_cast<std::size_t>(i)];
    EXPECT_EQ(arrival.first, SimTime::at_ns((8'000 * (7 * i + 1) + 2) / 3));
    EXPECT_EQ(arrival.last, SimTime::at_ns((8'000 * (7 * i + 7) + 2) / 3));
  }
}

TEST_F(LinkTest, aShortLastSegmentHoldsTheWireForItsOwnSize) {
  const auto wire = link({.rate = DataRate::gbps(1), .overhead = ByteCount::bytes(24)});
  wire->accept(train(pool, sim.now(), sim.now(), 3, 1'226, 101));
  wire->accept(frame(pool, sim.now(), 101));
  run();
  ASSERT_EQ(far.arrivals.size(), 2U);
  EXPECT_EQ(far.arrivals[0].first, SimTime::at_ns(10'000));
  EXPECT_EQ(far.arrivals[0].last, SimTime::at_ns(21'000));
  EXPECT_EQ(far.arrivals[1].first, SimTime::at_ns(22'000));
}

TEST_F(LinkTest, theFarEndSeesTheFirstSegmentBeforeTheLast) {
  const auto wire = link({.rate = DataRate::gbps(1), .propagation_delay = Duration::ms(1)});
  wire->accept(train(pool, sim.now(), sim.now(), 4, 1'250, 1'250));  // 10 us each
  run();
  EXPECT_EQ(far.arrivals.at(0).first, SimTime::zero() + Duration::us(1'010));
  EXPECT_EQ(far.arrivals.at(0).last, SimTime::zero() + Duration::us(1'040));
}

TEST_F(LinkTest, theLastSegmentLeavesNoEarlierThanItArrivedPlusItsSerialization) {
  const auto wire = link({.rate = DataRate::gbps(1)});
  const SimTime last = SimTime::zero() + Duration::us(90);
  wire->accept(train(pool, sim.now(), last, 4, 1'250, 1'250));  // every 30 us, and 10 us on this wire
  run();
  EXPECT_EQ(far.segment_times(1), (std::vector<std::int64_t>{10'000, 40'000, 70'000, 100'000}));
}

TEST_F(LinkTest, otherFlowsFillTheGapsOfASlowTrain) {
  const auto wire = link({.rate = DataRate::gbps(1)});
  wire->accept(train(pool, sim.now(), SimTime::zero() + Duration::us(900), 4, 1'250, 1'250));
  At other(sim, SimTime::zero() + Duration::us(50), [&] { wire->accept(frame(pool, sim.now(), 1'250, 2)); });
  run();
  // The wire has worked off 4 x 10 us by then, so the other flow waits for nothing.
  EXPECT_EQ(far.segment_times(2), (std::vector<std::int64_t>{60'000}));
}

TEST_F(LinkTest, whatArrivesAfterTheLastSegmentOfASlowTrainLeavesAfterIt) {
  const auto wire = link({.rate = DataRate::gbps(1)});
  wire->accept(train(pool, sim.now(), SimTime::zero() + Duration::us(90), 4, 1'250, 1'250));
  // The last segment holds the wire from 90 to 100 us; 125 bytes take 1 us.
  At before(sim, SimTime::zero() + Duration::us(89), [&] { wire->accept(frame(pool, sim.now(), 125, 2)); });
  At after(sim, SimTime::zero() + Duration::us(91), [&] { wire->accept(frame(pool, sim.now(), 125, 3)); });
  run();
  EXPECT_EQ(far.segment_times(2), (std::vector<std::int64_t>{90'000}));
  EXPECT_EQ(far.segment_times(3), (std::vector<std::int64_t>{101'000}));
}

TEST_F(LinkTest, dropsWhatFindsTheQueueFull) {
  const auto wire = link({.rate = DataRate::mbps(10), .queue_packets = 5});
  for (int i = 0; i < 8; ++i) wire->accept(frame(pool, sim.now(), 1'250));
  EXPECT_EQ(wire->counters().dropped.of(DropReason::queue_full), 3U);
  expect_balance(*wire);
  sim.run_until(SimTime::zero() + Duration::ms(1));  // one has left, at this very instant
  wire->accept(frame(pool, sim.now(), 1'250));
  wire->accept(frame(pool, sim.now(), 1'250));
  EXPECT_EQ(wire->counters().dropped.of(DropReason::queue_full), 4U);
  run();
  EXPECT_EQ(far.arrivals.size(), 6U);
  expect_balance(*wire);
  EXPECT_EQ(pool.in_use(), 0U);
}

TEST_F(LinkTest, aLimitInBytesCountsTheOverhead) {
  const auto wire = link(
      {.rate = DataRate::mbps(10), .queue_bytes = ByteCount::bytes(3'000), .overhead = ByteCount::bytes(24)});
  wire->accept(frame(pool, sim.now(), 1'476));
  wire->accept(frame(pool, sim.now(), 1'477));
  wire->accept(frame(pool, sim.now(), 1'476));
  EXPECT_EQ(wire->counters().dropped.of(DropReason::queue_full), 1U);
  EXPECT_EQ(wire->backlog_bytes(), ByteCount::bytes(3'000));
}

TEST_F(LinkTest, aLimitInBytesTakesAShortLastSegmentThatFits) {
  const auto wire = link({.rate = DataRate::mbps(10), .queue_bytes = ByteCount::bytes(2'100)});
  wire->accept(train(pool, sim.now(), sim.now(), 3, 1'000, 100));
  EXPECT_EQ(wire->counters().dropped.total(), 0U);
  EXPECT_EQ(wire->backlog_bytes(), ByteCount::bytes(2'100));
}

// 10 Mbit/s offered to 1 Mbit/s, through a queue of one bandwidth-delay product, as single frames and as
// trains: in the long run nine of ten are lost.
TEST_F(LinkTest, aBottleneckOfOneBandwidthDelayProductLosesNinetyPercent) {
  for (const std::uint16_t segments : {std::uint16_t{1}, std::uint16_t{10}}) {
    const Duration delay = Duration::ms(60);
    const ByteCount product = carried(DataRate::mbps(1), delay * 2);  // 15,000 bytes
    Simulation own(1);
    Recorder end(own);
    Link bottleneck(own, pool, "a-b",
                    {.rate = DataRate::mbps(1), .propagation_delay = delay, .queue_bytes = product}, end);
    constexpr std::int64_t kSegments = 20'000;
    std::vector<std::unique_ptr<At>> sends;
    for (std::int64_t i = 0; i < kSegments / segments; ++i) {
      // 1,250 bytes every millisecond.
      const SimTime when = SimTime::zero() + Duration::ms(1) * (i * segments);
      const SimTime last = when + Duration::ms(1) * (segments - 1);
      sends.push_back(std::make_unique<At>(own, when, [&, last, segments] {
        bottleneck.accept(segments == 1 ? frame(pool, own.now(), 1'250)
                                        : train(pool, own.now(), last, segments, 1'250, 1'250));
      }));
    }
    own.run_until(SimTime::zero() + Duration::seconds(3'600));
    // 20 s at 1 Mbit/s carry 2,000 frames; those that wait at the end, at most 12, come besides.
    const std::int64_t delivered = static_cast<std::int64_t>(bottleneck.counters().delivered_packets);
    EXPECT_GE(delivered, kSegments / 10) << segments;
    EXPECT_LE(delivered, kSegments / 10 + 13) << segments;
    EXPECT_EQ(bottleneck.counters().dropped.of(DropReason::queue_full),
              static_cast<std::uint64_t>(kSegments - delivered));
    EXPECT_EQ(bottleneck.in_flight(), 0U);
  }
}

TEST_F(LinkTest, theSegmentsOfATrainLeaveTheQueueOneByOne) {
  const auto wire = link({.rate = DataRate::gbps(1), .queue_packets = 6});
  wire->accept(train(pool, sim.now(), sim.now(), 4, 1'250, 125));  // leave at 10, 20, 30 and 31 us
  wire->accept(frame(pool, sim.now(), 1'250));                     // leaves at 41 us
  const auto backlog_at = [&](std::int64_t us) {
    sim.run_until(SimTime::zero() + Duration::us(us));
    return wire->backlog_packets();
  };
  EXPECT_EQ(wire->backlog_packets(), 5);
  EXPECT_EQ(backlog_at(9), 5);
  EXPECT_EQ(backlog_at(10), 4);
  EXPECT_EQ(wire->backlog_bytes(), ByteCount::bytes(2 * 1'250 + 125 + 1'250));
  EXPECT_EQ(backlog_at(29), 3);
  EXPECT_EQ(backlog_at(30), 2);
  EXPECT_EQ(wire->backlog_bytes(), ByteCount::bytes(125 + 1'250));
  EXPECT_EQ(backlog_at(31), 1);
  EXPECT_EQ(backlog_at(41), 0);
  EXPECT_EQ(wire->backlog_bytes(), ByteCount::zero());
}

TEST_F(LinkTest, theSegmentsLeaveOneByOneAtFractionsOfANanosecondToo) {
  // Segments of 100 bytes at 3 Gbit/s leave at ceil(800 k / 3).
  const auto wire = link({.rate = DataRate::gbps(3)});
  wire->accept(train(pool, sim.now(), sim.now(), 9, 100, 100));
  std::vector<std::unique_ptr<At>> looks;
  for (std::int64_t k = 1; k <= 9; ++k) {
    const std::int64_t leaves = (800 * k + 2) / 3;
    looks.push_back(std::make_unique<At>(sim, SimTime::at_ns(leaves - 1),
                                         [&, k] { EXPECT_EQ(wire->backlog_packets(), 9 - k + 1) << k; }));
    looks.push_back(std::make_unique<At>(sim, SimTime::at_ns(leaves),
                                         [&, k] { EXPECT_EQ(wire->backlog_packets(), 9 - k) << k; }));
  }
  run();
}

TEST_F(LinkTest, aTrainThatComesAtOnceLosesTheSegmentsThatDoNotFit) {
  const auto wire = link({.rate = DataRate::gbps(1), .queue_packets = 10});
  wire->accept(train(pool, sim.now(), sim.now(), 7, 1'250, 1'250, 1));
  wire->accept(train(pool, sim.now(), sim.now(), 7, 1'250, 1'250, 2));
  wire->accept(train(pool, sim.now(), sim.now(), 7, 1'250, 1'250, 3));
  EXPECT_EQ(wire->counters().dropped.of(DropReason::queue_full), 11U);
  expect_balance(*wire);
  run();
  EXPECT_EQ(far.segment_times(1).size(), 7U);
  EXPECT_EQ(far.segment_times(2).size(), 3U);
  EXPECT_EQ(far.segment_times(3).size(), 0U);
  EXPECT_EQ(pool.in_use(), 0U);
}

TEST_F(LinkTest, aSmallQueueTakesASlowTrainThatNeverWaitsInIt) {
  const auto wire = link({.rate = DataRate::gbps(1), .queue_packets = 2});
  wire->accept(train(pool, sim.now(), SimTime::zero() + Duration::us(900), 10, 1'250, 1'250));
  EXPECT_EQ(wire->in_flight(), 10U);
  run();
  EXPECT_EQ(wire->counters().dropped.total(), 0U);
  ASSERT_EQ(far.segment_times(1).size(), 10U);
  for (std::int64_t k = 0; k < 10; ++k) {
    EXPECT_EQ(far.segment_times(1)[static_cast<std::size_t>(k)], 10'000 + k * 100'000);
  }
}

TEST_F(LinkTest, aTrainTooLongForThisLinkIsCut) {
  // At 1 Gbit/s 50 us are 4 segments of 1,500 bytes.
  const auto wire = link({.rate = DataRate::gbps(1), .train_limit = Duration::us(50)});
  wire->accept(train(pool, sim.now(), sim.now(), 10, 1'500, 700));
  run();
  std::vector<int> pieces;
  std::int64_t bytes = 0;
  for (const auto& arrival : far.arrivals) {
    pieces.push_back(arrival.segments);
    bytes += arrival.bytes;
  }
  EXPECT_EQ(pieces, (std::vector<int>{4, 4, 2}));
  EXPECT_EQ(bytes, 9 * 1'500 + 700);
  expect_balance(*wire);
}

TEST_F(LinkTest, aPoolWithoutRoomForThePiecesIsADropWithThatReason) {
  PacketPool small(ByteCount::bytes(1 << 20));  // one chunk: of train blocks only
  Link wire(sim, small, "a-b", {.rate = DataRate::gbps(1), .train_limit = Duration::zero()}, far);
  wire.accept(train(small, sim.now(), sim.now(), 10, 1'500, 1'500));
  EXPECT_EQ(wire.counters().dropped.of(DropReason::pool_exhausted), 10U);
  expect_balance(wire);
  EXPECT_EQ(small.in_use(), 0U);
}

TEST_F(LinkTest, refusesValuesOutOfTheirRangeAndSaysWhich) {
  const auto message = [&](const Link::Config& config) {
    try {
      link(config);
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(message({.rate = DataRate::bps(0)}),
            "make link a-b: rate is 0 bit/s; it must be at least 1 bit/s, or absent for no limit");
  EXPECT_NE(message({.propagation_delay = Duration::ns(-1)}).find("propagation delay is -1 ns"),
            std::string::npos);
  EXPECT_NE(message({.queue_packets = 0}).find("queue limit is 0 packets"), std::string::npos);
  EXPECT_NE(message({.queue_bytes = ByteCount::zero()}).find("queue limit is 0 bytes"), std::string::npos);
  EXPECT_NE(message({.overhead = ByteCount::bytes(-4)}).find("overhead is -4 bytes"), std::string::npos);
  EXPECT_NE(message({.train_limit = Duration::ns(-1)}).find("train limit is -1 ns"), std::string::npos);
}

TEST_F(LinkTest, showsWhatWaitsWhatIsSentAndWhatIsOnTheWire) {
  const auto wire = link({.rate = DataRate::mbps(10), .propagation_delay = Duration::ms(5)});
  for (int i = 0; i < 3; ++i) wire->accept(frame(pool, sim.now(), 1'250));  // 1 ms each
  sim.run_until(SimTime::zero() + Duration::us(1'500));
  LinkView view(10);
  wire->look(view);
  ASSERT_EQ(view.seen.size(), 3U);
  const LinkView::Place places[] = {LinkView::Place::wire, LinkView::Place::sending,
                                    LinkView::Place::waiting};
  for (int i = 0; i < 3; ++i) {
    const LinkView::Seen& seen = view.seen[static_cast<std::size_t>(i)];
    EXPECT_EQ(seen.place, places[i]);
    EXPECT_EQ(seen.begins, SimTime::zero() + Duration::ms(i));
    EXPECT_EQ(seen.departs, SimTime::zero() + Duration::ms(i + 1));
    EXPECT_EQ(seen.arrives, SimTime::zero() + Duration::ms(i + 6));
    EXPECT_EQ(seen.packet.wire_bytes, 1'250);
    EXPECT_EQ(seen.packet.bytes().size(), PacketView::kMostBytes);
  }
  EXPECT_EQ(view.waiting, 2U);
  EXPECT_EQ(view.under_way, 1U);
}

TEST_F(LinkTest, showsAtMostSoManyAndCountsTheRest) {
  const auto wire = link({.rate = DataRate::mbps(10)});
  for (int i = 0; i < 30; ++i) wire->accept(frame(pool, sim.now(), 1'250));
  LinkView view(7);
  wire->look(view);
  EXPECT_EQ(view.seen.size(), 7U);
  EXPECT_EQ(view.waiting, 30U);
}

TEST_F(LinkTest, itsEventsSayWhatTheyAreAndOfWhichLink) {
  const auto wire = link({.propagation_delay = Duration::ms(5)});
  wire->accept(frame(pool, sim.now(), 100));
  const auto due = sim.next_events(10);
  ASSERT_EQ(due.size(), 1U);
  EXPECT_EQ(due[0].time, SimTime::zero() + Duration::ms(5));
  EXPECT_EQ(due[0].event->what(), "a packet arrives");
  EXPECT_EQ(due[0].event->where(), "a-b");
}

}  // namespace
}  // namespace simcore
