// SPDX-License-Identifier: MIT
#include "simcore/tcpip/nd_resolver.h"

#include <gtest/gtest.h>

#include "simcore/packet/packet_pool.h"

namespace simcore {
namespace {

using State = NdResolver::State;

const Ipv6Address kPeer = Ipv6Address::parse("2001:db8::2");
const MacAddress kMac = MacAddress::of(0x02'0000'0000'02);
const MacAddress kOther = MacAddress::of(0x02'0000'0000'03);

SimTime at(std::int64_t ms) { return SimTime::zero() + Duration::ms(ms); }

NeighbourMessage advertisement(std::optional<MacAddress> mac, bool solicited, bool overrides) {
  return {.advertisement = true, .target = kPeer, .mac = mac, .solicited = solicited, .overrides = overrides};
}

class NdResolverTest : public ::testing::Test {
 protected:
  // Brings kPeer to REACHABLE at `time`.
  void reach(SimTime time) {
    static_cast<void>(cache_.lookup(kPeer, time));
    EXPECT_TRUE(cache_.learn(advertisement(kMac, true, true), time).empty());
    EXPECT_EQ(cache_.state_of(kPeer, time), State::reachable);
  }

  PacketPool pool_;
  NdResolver cache_;
};

TEST_F(NdResolverTest, an_unknown_address_is_asked_for_in_its_group_and_then_known) {
  const auto answer = cache_.lookup(kPeer, at(0));
  EXPECT_FALSE(answer.mac);
  ASSERT_TRUE(answer.solicitation);
  EXPECT_EQ(answer.solicitation->target, kPeer);
  EXPECT_FALSE(answer.solicitation->destination);
  EXPECT_EQ(cache_.state_of(kPeer, at(0)), State::incomplete);
  EXPECT_FALSE(cache_.hold(kPeer, pool_.make(60)));
  EXPECT_FALSE(cache_.lookup(kPeer, at(1)).solicitation);  // one question at a time
  EXPECT_FALSE(cache_.hold(kPeer, pool_.make(61)));

  const auto released = cache_.learn(advertisement(kMac, true, true), at(2));
  ASSERT_EQ(released.size(), 2U);
  EXPECT_EQ(released[0]->size(), 60U);
  EXPECT_EQ(released[1]->size(), 61U);
  EXPECT_EQ(cache_.lookup(kPeer, at(3)).mac, kMac);
  EXPECT_EQ(cache_.next_deadline(), SimTime::never());
}

TEST_F(NdResolverTest, after_three_questions_a_second_apart_what_waited_has_failed) {
  static_cast<void>(cache_.lookup(kPeer, at(0)));
  EXPECT_FALSE(cache_.hold(kPeer, pool_.make(60)));
  for (const std::int64_t second : {1'000, 2'000}) {
    EXPECT_EQ(cache_.next_deadline(), at(second));
    const auto expired = cache_.expire(at(second));
    ASSERT_EQ(expired.solicitations.size(), 1U);
    EXPECT_TRUE(expired.failed.empty());
  }
  const auto expired = cache_.expire(at(3'000));
  EXPECT_TRUE(expired.solicitations.empty());
  EXPECT_EQ(expired.failed.size(), 1U);
  EXPECT_EQ(cache_.size(), 0U);
}

TEST_F(NdResolverTest, a_reachable_neighbour_is_stale_after_30_s_and_asked_itself_5_s_after_it_is_used) {
  reach(at(0));
  EXPECT_EQ(cache_.state_of(kPeer, at(29'999)), State::reachable);
  EXPECT_EQ(cache_.state_of(kPeer, at(30'000)), State::stale);
  EXPECT_EQ(cache_.lookup(kPeer, at(40'000)).mac, kMac);  // it is used meanwhile
  EXPECT_EQ(cache_.state_of(kPeer, at(40'000)), State::delay);
  EXPECT_EQ(cache_.next_deadline(), at(45'000));
  for (const std::int64_t second : {45'000, 46'000, 47'000}) {
    const auto expired = cache_.expire(at(second));
    ASSERT_EQ(expired.solicitations.size(), 1U);
    EXPECT_EQ(expired.solicitations[0].destination, kMac);
    EXPECT_EQ(cache_.state_of(kPeer, at(second)), State::probe);
    EXPECT_EQ(cache_.lookup(kPeer, at(second)).mac, kMac);
  }
  EXPECT_TRUE(cache_.expire(at(48'000)).solicitations.empty());
  EXPECT_EQ(cache_.state_of(kPeer, at(48'000)), State::none);
}

TEST_F(NdResolverTest, an_answer_to_a_probe_makes_it_reachable_again) {
  reach(at(0));
  static_cast<void>(cache_.lookup(kPeer, at(31'000)));
  EXPECT_EQ(cache_.expire(at(36'000)).solicitations.size(), 1U);
  cache_.learn(advertisement(std::nullopt, true, false),
               at(36'100));  // RFC 4861: the address may be left out
  EXPECT_EQ(cache_.state_of(kPeer, at(36'100)), State::reachable);
  EXPECT_EQ(cache_.next_deadline(), SimTime::never());
  EXPECT_EQ(cache_.lookup(kPeer, at(36'100)).mac, kMac);
}

TEST_F(NdResolverTest, whoever_asks_us_is_known_but_stale) {
  EXPECT_TRUE(cache_.hear(kPeer, kMac, at(0)).empty());
  EXPECT_EQ(cache_.state_of(kPeer, at(0)), State::stale);
  cache_.learn(advertisement(kMac, true, true), at(1));
  cache_.hear(kPeer, kMac, at(2));  // nothing new
  EXPECT_EQ(cache_.state_of(kPeer, at(2)), State::reachable);
  cache_.hear(kPeer, kOther, at(3));
  EXPECT_EQ(cache_.state_of(kPeer, at(3)), State::stale);
  EXPECT_EQ(cache_.mac_of(kPeer), kOther);
}

TEST_F(NdResolverTest, a_question_from_whom_we_wait_for_releases_what_waits_and_asks_later) {
  static_cast<void>(cache_.lookup(kPeer, at(0)));
  EXPECT_FALSE(cache_.hold(kPeer, pool_.make(60)));
  EXPECT_EQ(cache_.hear(kPeer, kMac, at(100)).size(), 1U);
  EXPECT_EQ(cache_.state_of(kPeer, at(100)), State::delay);
  EXPECT_EQ(cache_.next_deadline(), at(5'100));
}

TEST_F(NdResolverTest, another_address_counts_only_where_it_says_that_it_overrides) {
  reach(at(0));
  cache_.learn(advertisement(kOther, false, false), at(1));
  EXPECT_EQ(cache_.mac_of(kPeer), kMac);
  EXPECT_EQ(cache_.state_of(kPeer, at(1)), State::stale);  // but the old one is in doubt
  cache_.learn(advertisement(kOther, false, true), at(2));
  EXPECT_EQ(cache_.mac_of(kPeer), kOther);
  EXPECT_EQ(cache_.state_of(kPeer, at(2)), State::stale);
}

TEST_F(NdResolverTest, an_advertisement_of_a_neighbour_that_nobody_asked_for_is_not_kept) {
  EXPECT_TRUE(cache_.learn(advertisement(kMac, false, true), at(0)).empty());
  EXPECT_EQ(cache_.size(), 0U);
}

TEST_F(NdResolverTest, the_oldest_of_too_many_waiting_packets_gives_way) {
  NdResolver cache(NdResolver::Config{.waiting_packets = 2});
  static_cast<void>(cache.lookup(kPeer, at(0)));
  EXPECT_FALSE(cache.hold(kPeer, pool_.make(60)));
  EXPECT_FALSE(cache.hold(kPeer, pool_.make(61)));
  const PacketPtr displaced = cache.hold(kPeer, pool_.make(62));
  ASSERT_TRUE(displaced);
  EXPECT_EQ(displaced->size(), 60U);
}

TEST_F(NdResolverTest, a_full_table_forgets_who_is_stale_and_no_one_else) {
  NdResolver cache(NdResolver::Config{.entries = 2});
  cache.hear(kPeer, kMac, at(0));
  const Ipv6Address second = Ipv6Address::parse("2001:db8::3");
  const Ipv6Address third = Ipv6Address::parse("2001:db8::4");
  static_cast<void>(cache.lookup(second, at(0)));
  EXPECT_TRUE(cache.lookup(third, at(1'000)).solicitation);  // in the place of the stale one
  EXPECT_EQ(cache.state_of(kPeer, at(1'000)), State::none);
  const Ipv6Address fourth = Ipv6Address::parse("2001:db8::5");
  EXPECT_FALSE(cache.lookup(fourth, at(3'000)).solicitation);
  EXPECT_TRUE(cache.hold(fourth, pool_.make(60)));  // there is no place to wait
}

}  // namespace
}  // namespace simcore
