// SPDX-License-Identifier: MIT
//
// Peers that are guests: they join late, leave and return, from wherever they like, if they have the key.
#include <string>

#include "tests/simcore/portal/peering_pair.h"

namespace simcore {
namespace {

using testing::free_endpoint;
using testing::joined;

const std::string kKey(64, '5');
const std::string kOtherKey(64, '6');

// Instance a is the guest, b the run.
class PeeringGuestTest : public testing::PeeringPortalTest {
 protected:
  void start_run() {
    PeeringPortal::Config config = joined(b_address, a_address);
    config.remote = PeeringPortal::Config::kAnybody;
    config.options.key = kKey;
    b.emplace(clock, Duration::seconds(5), config);
  }

  void join(const UdpEndpoint& from, const std::string& key = kKey) {
    PeeringPortal::Config config = joined(from, b_address);
    config.options.key = key;
    a.emplace(clock, Duration::zero(), config);
  }

  const DropCounters& dropped_by_run() { return (counters_ = b->portal.counters()).sent.dropped; }

  PeeringPortal::Counters counters_;
};

TEST_F(PeeringGuestTest, packets_for_a_guest_that_is_not_there_are_counted_and_nobody_is_called) {
  start_run();
  for (int i = 0; i < 1'000; ++i) b->send(100);
  pass(Duration::seconds(2));
  EXPECT_EQ(dropped_by_run().of(DropReason::no_listener), 1'000u);
  EXPECT_EQ(counters_.sent.accepted_packets, 1'000u);
  EXPECT_EQ(counters_.queued_packets, 0u);
  EXPECT_EQ(counters_.sent.sent_datagrams, 0u);
  EXPECT_TRUE(counters_.peer_silent);
}

TEST_F(PeeringGuestTest, a_guest_that_joins_late_sends_and_gets_at_the_links_delay) {
  start_run();
  pass(Duration::seconds(3));
  join(a_address);
  synchronize();
  const SimTime sent = clock;
  a->send(100);
  b->send(200);
  pass(Duration::ms(20));
  ASSERT_EQ(a->sink.instants.size(), 1u);
  ASSERT_EQ(b->sink.instants.size(), 1u);
  // The run's clock is 5 s ahead, and its link's delay is 10 ms in both directions.
  EXPECT_LT((b->sink.instants[0] - (sent + Duration::seconds(5) + Duration::ms(10))).count_ns(), 1'000);
  EXPECT_LT((a->sink.instants[0] - (sent + Duration::ms(10))).count_ns(), 1'000);
  EXPECT_EQ(dropped_by_run().total(), 0u);
}

TEST_F(PeeringGuestTest, a_guest_leaves_and_returns_from_another_address_as_often_as_it_likes) {
  start_run();
  for (std::uint64_t stay = 1; stay <= 5; ++stay) {
    join(free_endpoint());
    while (b->portal.counters().sessions < stay || !a->portal.synchronized() || !b->portal.synchronized())
      pass(Duration::ms(1));
    for (int i = 0; i < 100; ++i) {
      a->send(100);
      b->send(100);
      pass(Duration::us(500));
    }
    pass(Duration::ms(20));
    EXPECT_EQ(a->sink.packets.size(), 100u);
    EXPECT_EQ(b->sink.packets.size(), 100 * stay);
    a.reset();
    pass(Duration::ms(1'100));  // it is missed
    const std::uint64_t before = dropped_by_run().of(DropReason::no_listener);
    b->send(100);
    EXPECT_EQ(dropped_by_run().of(DropReason::no_listener), before + 1);
  }
  EXPECT_EQ(b->portal.counters().lost_packets, 0u);
}

TEST_F(PeeringGuestTest, a_way_that_was_cut_for_a_while_needs_no_new_session) {
  start_run();
  join(a_address);
  synchronize();
  for (int i = 0; i < 6'000; ++i) {  // 3 s in which the guest hears and says nothing
    clock = clock + Duration::us(500);
    b->turn();
  }
  EXPECT_TRUE(b->portal.counters().peer_silent);
  pass(Duration::ms(500));
  b->send(100);
  pass(Duration::ms(20));
  EXPECT_EQ(a->sink.packets.size(), 1u);
  EXPECT_EQ(b->portal.counters().sessions, 1u);
}

TEST_F(PeeringGuestTest, without_the_key_nobody_joins_and_what_they_say_is_counted) {
  start_run();
  join(a_address, kOtherKey);
  for (int i = 0; i < 10; ++i) {
    a->send(100);
    b->send(100);
    pass(Duration::ms(100));
  }
  EXPECT_FALSE(b->portal.synchronized());
  EXPECT_FALSE(a->portal.synchronized());
  EXPECT_TRUE(b->sink.packets.empty());
  EXPECT_GE(b->portal.counters().dropped_datagrams.of(DropReason::forged), 10u);
  EXPECT_EQ(dropped_by_run().of(DropReason::no_listener), 10u);
  EXPECT_EQ(counters_.sent.sent_datagrams, 0u);
}

TEST_F(PeeringGuestTest, a_guest_without_a_key_or_over_another_transport_is_refused) {
  PeeringPortal::Config config = joined(b_address, a_address);
  config.remote = PeeringPortal::Config::kAnybody;
  EXPECT_THROW(b.emplace(clock, Duration::zero(), config), ConfigError);
  config.options.key = kKey;
  config.options.bulk_dscps = {8};
  EXPECT_THROW(b.emplace(clock, Duration::zero(), config), ConfigError);
}

}  // namespace
}  // namespace simcore
