// SPDX-License-Identifier: MIT
#include "simcore/link/cake.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <vector>

#include "simcore/units/error.h"
#include "tests/simcore/link/traffic.h"

namespace simcore {
namespace {

constexpr Duration kStep = Duration::ms(1);  // a frame of 1,000 bytes on 8 Mbit/s
constexpr std::uint8_t kVoice = 46 << 2;     // EF
constexpr std::uint8_t kBulk = 8 << 2;       // CS1
constexpr std::uint8_t kVideo = 34 << 2;     // AF41

class CakeTest : public testing::Test {
 protected:
  Cake make(const Cake::Config& config, std::int64_t limit = 10'000) {
    return {config, limit, DataRate::mbps(8), RandomStream(6, "cake")};
  }

  // From and to a host of that number; `flow` is of its ports.
  void offer(Cake& queue, SimTime now, std::uint8_t source, std::uint8_t flow = 0, std::uint8_t tos = 0) {
    PacketPtr packet = frame(pool, now, 1'000, source);
    packet->bytes()[15] = tos;
    packet->bytes()[33] = source;  // to a host of its own
    packet->bytes()[35] = flow;    // of the source port
    queue.enqueue(std::move(packet), now, ByteCount::zero());
  }

  PacketPool pool;
};

TEST_F(CakeTest, aHundredFlowsHaveAQueueEach) {
  Cake queue = make({.isolation = CakeIsolation::flows});
  for (int i = 0; i < 10; ++i) {
    for (std::uint8_t flow = 0; flow < 100; ++flow) offer(queue, SimTime::zero(), 1, flow);
  }
  std::set<std::uint8_t> seen;
  for (int i = 0; i < 100; ++i) seen.insert(queue.dequeue(SimTime::zero() + kStep)->bytes()[35]);
  EXPECT_EQ(seen.size(), 100U);
}

// Host 1 has four flows and host 2 has one.
TEST_F(CakeTest, hostsShareBeforeTheirFlowsDo) {
  for (const CakeIsolation isolation : {CakeIsolation::triple, CakeIsolation::flows}) {
    Cake queue = make({.isolation = isolation, .target = Duration::seconds(100)});
    for (int i = 0; i < 1'000; ++i) {
      for (std::uint8_t flow = 0; flow < 4; ++flow) offer(queue, SimTime::zero(), 1, flow);
      offer(queue, SimTime::zero(), 2);
    }
    std::map<std::uint8_t, int> left;
    SimTime now = SimTime::zero();
    for (int i = 0; i < 1'000; ++i, now = now + kStep) ++left[queue.dequeue(now)->bytes()[29]];
    const double share = isolation == CakeIsolation::triple ? 0.5 : 0.2;
    EXPECT_NEAR(left[2], 1'000 * share, 25);
  }
}

TEST_F(CakeTest, whoSendsLittlePassesAtOnce) {
  Cake queue = make({.isolation = CakeIsolation::flows});
  for (int i = 0; i < 100; ++i) offer(queue, SimTime::zero(), 1);
  SimTime now = SimTime::zero();
  for (int i = 0; i < 10; ++i, now = now + kStep) queue.dequeue(now);
  offer(queue, now, 2);
  EXPECT_EQ(queue.dequeue(now)->bytes()[29], 2);
}

// All have more than they may: voice a quarter, bulk a sixteenth, video a half; best effort what is left.
TEST_F(CakeTest, tinsComeFirstWithinTheirRates) {
  const std::map<CakeTins, std::vector<double>> shares = {
      {CakeTins::besteffort, {0.25, 0.25, 0.25, 0.25}},
      {CakeTins::diffserv3, {11.0 / 32, 1.0 / 16, 11.0 / 32, 0.25}},
      {CakeTins::diffserv4, {3.0 / 16, 1.0 / 16, 0.5, 0.25}},
  };
  for (const auto& [tins, expected] : shares) {
    Cake queue = make({.tins = tins, .isolation = CakeIsolation::flows, .target = Duration::seconds(100)});
    const std::vector<std::uint8_t> codepoints = {0, kBulk, kVideo, kVoice};
    for (int i = 0; i < 2'000; ++i) {
      for (std::uint8_t flow = 0; flow < 4; ++flow) offer(queue, SimTime::zero(), 1, flow, codepoints[flow]);
    }
    std::map<std::uint8_t, int> left;
    SimTime now = SimTime::zero();
    for (int i = 0; i < 2'000; ++i, now = now + kStep) ++left[queue.dequeue(now)->bytes()[35]];
    for (std::uint8_t flow = 0; flow < 4; ++flow) {
      EXPECT_NEAR(left[flow], 2'000 * expected[flow], 20) << static_cast<int>(tins) << " " << int{flow};
    }
  }
}

TEST_F(CakeTest, aTinThatIsAloneHasTheWholeLink) {
  Cake queue = make({});
  for (int i = 0; i < 10; ++i) offer(queue, SimTime::zero(), 1, 0, kBulk);
  SimTime now = SimTime::zero();
  for (int i = 0; i < 10; ++i, now = now + kStep) EXPECT_TRUE(queue.dequeue(now));
}

// The delay is above four full frames of 1.514 ms from 7 ms on; then as COBALT's own tests have it: after 100 ms, and
// 100 ms / sqrt(count) later.
TEST_F(CakeTest, aFlowIsDroppedFromByCobaltsTimes) {
  Cake queue = make({.ecn = false});
  std::vector<std::int64_t> times;
  for (int i = 0; i < 200; ++i) offer(queue, SimTime::zero(), 1);
  for (SimTime now = SimTime::zero() + kStep; now <= SimTime::at_ns(240'000'000); now = now + kStep) {
    const std::uint64_t before = queue.counters().dropped.of(DropReason::aqm);
    queue.dequeue(now);
    if (queue.counters().dropped.of(DropReason::aqm) > before)
      times.push_back((now - SimTime::zero()) / kStep);
    while (queue.packets() < 200) offer(queue, now, 1);
  }
  EXPECT_EQ(times, (std::vector<std::int64_t>{107, 178, 236}));
}

TEST_F(CakeTest, whatUnderstandsMarksIsMarked) {
  Cake queue = make({});
  for (int i = 0; i < 200; ++i) offer(queue, SimTime::zero(), 1, 0, 0b10);
  for (SimTime now = SimTime::zero() + kStep; now <= SimTime::at_ns(150'000'000); now = now + kStep) {
    queue.dequeue(now);
    offer(queue, now, 1, 0, 0b10);
  }
  EXPECT_EQ(queue.counters().marked, 1U);
  EXPECT_EQ(queue.counters().dropped.total(), 0U);
}

TEST_F(CakeTest, aFullQueueDropsTheFrontOfTheLongest) {
  Cake queue = make({}, 10);
  for (int i = 0; i < 9; ++i) offer(queue, SimTime::zero(), 1);
  for (int i = 0; i < 3; ++i) offer(queue, SimTime::zero(), 2);
  EXPECT_EQ(queue.packets(), 10);
  EXPECT_EQ(queue.counters().dropped.of(DropReason::queue_full), 2U);
  std::map<std::uint8_t, int> left;
  while (const PacketPtr packet = queue.dequeue(SimTime::zero())) ++left[packet->bytes()[29]];
  EXPECT_EQ(left[1], 7);
  EXPECT_EQ(left[2], 3);
}

TEST_F(CakeTest, whatWaitsIsHandedOverInItsOrder) {
  Cake queue = make({});
  for (int i = 0; i < 6; ++i) {
    offer(queue, SimTime::at_ns(i), static_cast<std::uint8_t>(1 + i % 2), 0,
          i % 3 == 0 ? kVoice : std::uint8_t{0});
  }
  SimTime last = SimTime::zero();
  const std::vector<PacketPtr> all = queue.surrender();
  EXPECT_EQ(all.size(), 6U);
  for (const PacketPtr& packet : all) {
    EXPECT_GE(packet->first_arrival, last);
    last = packet->first_arrival;
  }
  EXPECT_EQ(queue.packets(), 0);
  EXPECT_EQ(queue.bytes(), ByteCount::zero());
  EXPECT_FALSE(queue.dequeue(SimTime::at_ns(10)));
}

TEST_F(CakeTest, refusesWhatCannotBe) {
  EXPECT_THROW(make({.target = Duration::zero()}), ConfigError);
  EXPECT_THROW(make({.interval = Duration::zero()}), ConfigError);
  EXPECT_THROW(make({}, 0), ConfigError);
  const RandomStream random(6, "cake");
  EXPECT_THROW(make_queue(Cake::Config{}, {.packets = 10, .rate = std::nullopt}, random), ConfigError);
  EXPECT_THROW(make_queue(Cake::Config{},
                          {.packets = 10, .bytes = ByteCount::bytes(10), .rate = DataRate::mbps(1)}, random),
               ConfigError);
}

}  // namespace
}  // namespace simcore
