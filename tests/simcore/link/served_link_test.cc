// SPDX-License-Identifier: MIT
#include "simcore/link/served_link.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "simcore/link/drop_tail.h"
#include "simcore/link/fq_codel.h"
#include "simcore/link/rate_schedule.h"
#include "simcore/units/error.h"
#include "tests/simcore/link/traffic.h"

namespace simcore {
namespace {

class ServedLinkTest : public testing::Test {
 protected:
  std::unique_ptr<ServedLink> make(DataRate rate, std::int64_t packets = 1'000,
                                   Duration delay = Duration::ms(1)) {
    return std::make_unique<ServedLink>(sim, pool, "l", ServedLink::Config{.propagation_delay = delay},
                                        std::make_unique<DropTail>(DropTail::Config{.packets = packets}),
                                        std::make_unique<RateServer>(rate), far);
  }

  Simulation sim{1};
  PacketPool pool;
  Recorder far{sim};
};

TEST_F(ServedLinkTest, whereFramingIsModelledAFrameTakesAtLeastEthernetsLeast) {
  ServedLink wire(sim, pool, "l", {.propagation_delay = Duration::zero(), .overhead = ByteCount::bytes(24)},
                  std::make_unique<DropTail>(DropTail::Config{.packets = 10}),
                  std::make_unique<RateServer>(DataRate::mbps(10)), far);
  wire.accept(frame(pool, sim.now(), 42));
  wire.accept(frame(pool, sim.now(), 101));
  sim.run_until(SimTime::zero() + Duration::seconds(1));
  ASSERT_EQ(far.arrivals.size(), 2u);
  EXPECT_EQ(far.arrivals[0].first, SimTime::zero() + Duration::ns(67'200));  // 84 bytes
  EXPECT_EQ(far.arrivals[1].first, SimTime::zero() + Duration::ns(167'200));
}

TEST_F(ServedLinkTest, doesWhatLinkDoesFrameByFrame) {
  // Random frames, more than the wire carries, into both.
  Recorder other{sim};
  Link link(sim, pool, "link",
            {.rate = DataRate::mbps(7), .propagation_delay = Duration::ms(1), .queue_packets = 9}, other);
  const auto served = make(DataRate::mbps(7), 9);
  RandomStream random(2, "traffic");
  SimTime time = SimTime::zero();
  std::vector<std::unique_ptr<At>> sends;
  for (int i = 0; i < 2'000; ++i) {
    time = time + Duration::ns(static_cast<std::int64_t>(random.exponential(700'000)));
    const auto size = 64 + static_cast<std::size_t>(random.uniform() * 1'450);
    sends.push_back(std::make_unique<At>(sim, time, [&, size] {
      link.accept(frame(pool, sim.now(), size));
      served->accept(frame(pool, sim.now(), size));
    }));
  }
  sim.run_until(SimTime::at_ns(10'000'000'000));
  ASSERT_EQ(far.arrivals.size(), other.arrivals.size());
  for (std::size_t i = 0; i < far.arrivals.size(); ++i) {
    EXPECT_EQ(far.arrivals[i].first, other.arrivals[i].first);
    EXPECT_EQ(far.arrivals[i].bytes, other.arrivals[i].bytes);
  }
  const Link::Counters counters = served->counters();
  EXPECT_GT(counters.dropped.total(), 100U);
  EXPECT_EQ(counters.dropped.of(DropReason::queue_full), link.counters().dropped.of(DropReason::queue_full));
  EXPECT_EQ(counters.accepted_packets, counters.delivered_packets + counters.dropped.total());
}

TEST_F(ServedLinkTest, aTrainIsTakenApartAndEachSegmentCountsWhenItArrives) {
  const auto link = make(DataRate::mbps(8), 1'000, Duration::zero());                // 1000 bytes: 1 ms
  link->accept(train(pool, sim.now(), SimTime::at_ns(8'000'000), 5, 1'000, 1'000));  // 2 ms apart
  EXPECT_EQ(link->in_flight(), 5U);
  sim.run_until(SimTime::at_ns(20'000'000));
  EXPECT_EQ(far.segment_times(1),
            (std::vector<std::int64_t>{1'000'000, 3'000'000, 5'000'000, 7'000'000, 9'000'000}));
  EXPECT_EQ(link->in_flight(), 0U);
  EXPECT_EQ(pool.in_use(), 0U);
}

TEST_F(ServedLinkTest, aChangedRateHoldsForWhatWaits) {
  const auto link = make(DataRate::mbps(8), 1'000, Duration::zero());
  for (int i = 0; i < 3; ++i) link->accept(frame(pool, sim.now(), 1'000));
  sim.run_until(SimTime::at_ns(500'000));
  link->change_rate(DataRate::mbps(4));
  sim.run_until(SimTime::at_ns(20'000'000));
  EXPECT_EQ(far.segment_times(1), (std::vector<std::int64_t>{1'500'000, 3'500'000, 5'500'000}));
}

TEST_F(ServedLinkTest, aScheduleOfRatesIsTheSameForBothKindsOfLink) {
  Recorder other{sim};
  Link link(sim, pool, "link", {.rate = DataRate::mbps(1)}, other);
  const auto served = make(DataRate::mbps(1), 1'000, Duration::zero());
  const std::vector<RateSchedule::Slot> slots = {{Duration::ms(3), DataRate::mbps(8)},
                                                 {Duration::ms(2), DataRate::mbps(2)}};
  RateSchedule first(sim, slots, [&](DataRate rate) {
    Link::Config config = link.config();
    config.rate = rate;
    link.change(config);
  });
  RateSchedule second(sim, slots, [&](DataRate rate) { served->change_rate(rate); });
  for (int i = 0; i < 6; ++i) {
    link.accept(frame(pool, sim.now(), 1'000));
    served->accept(frame(pool, sim.now(), 1'000));
  }
  sim.run_until(SimTime::at_ns(50'000'000));
  // Three by 3 ms; half of the fourth by 5 ms, the rest by 5.5; two more by 7.5.
  EXPECT_EQ(far.segment_times(1),
            (std::vector<std::int64_t>{1'000'000, 2'000'000, 3'000'000, 5'500'000, 6'500'000, 7'500'000}));
  EXPECT_EQ(other.segment_times(1), far.segment_times(1));
}

TEST_F(ServedLinkTest, whatATokenBucketCannotHoldIsTooBig) {
  ServedLink link(sim, pool, "l", {}, std::make_unique<DropTail>(DropTail::Config{}),
                  std::make_unique<TokenBucketServer>(
                      TokenBucketServer::Config{.rate = DataRate::mbps(8), .burst = ByteCount::bytes(1'000)}),
                  far);
  link.accept(frame(pool, sim.now(), 1'001));
  link.accept(frame(pool, sim.now(), 1'000));
  sim.run_until(SimTime::at_ns(1));
  EXPECT_EQ(far.arrivals.size(), 1U);
  EXPECT_EQ(link.counters().dropped.of(DropReason::too_big), 1U);
  EXPECT_THROW(link.change_rate(DataRate::mbps(1)), ConfigError);
}

TEST_F(ServedLinkTest, withFqCodelAFloodDoesNotDelayAThinFlow) {
  ServedLink link(sim, pool, "l", {}, std::make_unique<FqCodel>(FqCodel::Config{}, sim.stream("fq")),
                  std::make_unique<RateServer>(DataRate::mbps(12)), far);  // 1500 bytes: 1 ms
  std::vector<std::unique_ptr<At>> sends;
  for (std::int64_t k = 0; k < 2'000; ++k) {
    sends.push_back(std::make_unique<At>(sim, SimTime::at_ns(k * 500'000),
                                         [&] { link.accept(frame(pool, sim.now(), 1'500, 1)); }));
  }
  for (std::int64_t k = 0; k < 50; ++k) {
    sends.push_back(std::make_unique<At>(sim, SimTime::at_ns(k * 20'000'000 + 123'456),
                                         [&] { link.accept(frame(pool, sim.now(), 150, 2)); }));
  }
  sim.run_until(SimTime::at_ns(5'000'000'000));
  const std::vector<std::int64_t> thin = far.segment_times(2);
  ASSERT_EQ(thin.size(), 50U);
  for (std::size_t k = 0; k < thin.size(); ++k) {
    // Behind the frame on the wire and one more of the flow whose turn it is.
    EXPECT_LE(thin[k] - (static_cast<std::int64_t>(k) * 20'000'000 + 123'456), 2'100'000);
  }
  EXPECT_GT(link.counters().dropped.of(DropReason::aqm), 0U);
  EXPECT_EQ(pool.in_use(), 0U);
}

}  // namespace
}  // namespace simcore
