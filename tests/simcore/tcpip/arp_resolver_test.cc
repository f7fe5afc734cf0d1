// SPDX-License-Identifier: MIT
#include "simcore/tcpip/arp_resolver.h"

#include <gtest/gtest.h>

#include "simcore/packet/packet_pool.h"

namespace simcore {
namespace {

constexpr SimTime at_ms(std::int64_t ms) { return SimTime::zero() + Duration::ms(ms); }

const Ipv4Address kPeer = Ipv4Address::of(0x0a000002);
const MacAddress kPeerMac = MacAddress::of(0x02'0000'0000'02);

class Arp : public ::testing::Test {
 protected:
  // A packet that can be told by its size.
  PacketPtr packet(std::size_t size = 60) { return pool_.make(size); }

  PacketPool pool_;
  ArpResolver arp_;
};

TEST_F(Arp, an_unknown_address_is_asked_for_once_and_packets_wait_for_it_in_order) {
  const auto first = arp_.lookup(kPeer, at_ms(0));
  EXPECT_FALSE(first.mac);
  ASSERT_TRUE(first.request);
  EXPECT_EQ(first.request->target, kPeer);
  EXPECT_TRUE(first.request->destination.is_broadcast());
  EXPECT_FALSE(arp_.hold(kPeer, packet(61)));
  const auto second = arp_.lookup(kPeer, at_ms(1));
  EXPECT_FALSE(second.mac);
  EXPECT_FALSE(second.request);
  EXPECT_FALSE(arp_.hold(kPeer, packet(62)));

  const auto released = arp_.learn(kPeer, kPeerMac, false, at_ms(2));
  ASSERT_EQ(released.size(), 2U);
  EXPECT_EQ(released[0]->size(), 61U);
  EXPECT_EQ(released[1]->size(), 62U);
  EXPECT_EQ(arp_.lookup(kPeer, at_ms(3)).mac, kPeerMac);
}

TEST_F(Arp, three_requests_a_second_apart_then_what_waited_has_failed) {
  EXPECT_TRUE(arp_.lookup(kPeer, at_ms(0)).request);
  EXPECT_FALSE(arp_.hold(kPeer, packet()));
  for (const std::int64_t second : {1, 2}) {
    EXPECT_EQ(arp_.next_deadline(), at_ms(1'000 * second));
    const auto expired = arp_.expire(at_ms(1'000 * second));
    EXPECT_EQ(expired.requests.size(), 1U);
    EXPECT_TRUE(expired.failed.empty());
  }
  EXPECT_EQ(arp_.next_deadline(), at_ms(3'000));
  const auto expired = arp_.expire(at_ms(3'000));
  EXPECT_TRUE(expired.requests.empty());
  EXPECT_EQ(expired.failed.size(), 1U);
  EXPECT_EQ(arp_.next_deadline(), SimTime::never());
  EXPECT_EQ(arp_.size(), 0U);
  EXPECT_TRUE(arp_.lookup(kPeer, at_ms(4'000)).request) << "and may be asked for again";
}

TEST_F(Arp, an_answer_voids_the_deadline) {
  arp_.lookup(kPeer, at_ms(0));
  arp_.learn(kPeer, kPeerMac, false, at_ms(500));
  const auto expired = arp_.expire(at_ms(1'000));
  EXPECT_TRUE(expired.requests.empty());
  EXPECT_EQ(arp_.next_deadline(), SimTime::never());
  EXPECT_EQ(arp_.lookup(kPeer, at_ms(1'001)).mac, kPeerMac);
}

TEST_F(Arp, an_old_entry_is_used_while_its_owner_is_asked_directly) {
  arp_.learn(kPeer, kPeerMac, true, at_ms(0));
  EXPECT_FALSE(arp_.lookup(kPeer, at_ms(59'999)).request);
  const auto answer = arp_.lookup(kPeer, at_ms(60'000));
  EXPECT_EQ(answer.mac, kPeerMac);
  ASSERT_TRUE(answer.request);
  EXPECT_EQ(answer.request->destination, kPeerMac);
  EXPECT_FALSE(arp_.lookup(kPeer, at_ms(60'001)).request) << "one request at a time";
  arp_.learn(kPeer, kPeerMac, false, at_ms(60'002));
  EXPECT_FALSE(arp_.lookup(kPeer, at_ms(119'000)).request);
}

TEST_F(Arp, an_old_entry_whose_owner_is_silent_is_forgotten) {
  arp_.learn(kPeer, kPeerMac, true, at_ms(0));
  arp_.lookup(kPeer, at_ms(60'000));
  EXPECT_EQ(arp_.expire(at_ms(61'000)).requests.size(), 1U);
  EXPECT_EQ(arp_.expire(at_ms(62'000)).requests.size(), 1U);
  EXPECT_TRUE(arp_.expire(at_ms(63'000)).requests.empty());
  EXPECT_FALSE(arp_.lookup(kPeer, at_ms(63'001)).mac);
}

TEST_F(Arp, strangers_are_learnt_only_when_they_talk_to_us) {
  arp_.learn(kPeer, kPeerMac, false, at_ms(0));
  EXPECT_EQ(arp_.size(), 0U);
  arp_.learn(kPeer, kPeerMac, true, at_ms(0));
  EXPECT_EQ(arp_.lookup(kPeer, at_ms(1)).mac, kPeerMac);
  const MacAddress moved = MacAddress::of(0x02'0000'0000'99);
  arp_.learn(kPeer, moved, false, at_ms(2));
  EXPECT_EQ(arp_.lookup(kPeer, at_ms(3)).mac, moved) << "a gratuitous ARP corrects what is known";
}

TEST_F(Arp, one_neighbour_is_not_taken_for_another_that_was_looked_up_before) {
  const Ipv4Address other = Ipv4Address::of(0x0a000003);
  const MacAddress other_mac = MacAddress::of(0x02'0000'0000'03);
  arp_.learn(kPeer, kPeerMac, true, at_ms(0));
  arp_.learn(other, other_mac, true, at_ms(0));
  for (int turn = 1; turn < 4; ++turn) {
    EXPECT_EQ(arp_.lookup(kPeer, at_ms(turn)).mac, kPeerMac);
    EXPECT_EQ(arp_.lookup(kPeer, at_ms(turn)).mac, kPeerMac);
    EXPECT_EQ(arp_.lookup(other, at_ms(turn)).mac, other_mac);
  }
}

TEST_F(Arp, the_oldest_waiting_packet_gives_way_to_the_newest) {
  ArpResolver::Config config;
  config.waiting_packets = 2;
  ArpResolver arp(config);
  arp.lookup(kPeer, at_ms(0));
  EXPECT_FALSE(arp.hold(kPeer, packet(61)));
  EXPECT_FALSE(arp.hold(kPeer, packet(62)));
  const PacketPtr displaced = arp.hold(kPeer, packet(63));
  ASSERT_TRUE(displaced);
  EXPECT_EQ(displaced->size(), 61U);
  EXPECT_EQ(arp.learn(kPeer, kPeerMac, false, at_ms(1)).size(), 2U);
}

TEST_F(Arp, a_full_table_forgets_what_is_old_and_else_takes_no_more) {
  ArpResolver::Config config;
  config.entries = 2;
  ArpResolver arp(config);
  const Ipv4Address third = Ipv4Address::of(0x0a000003);
  const Ipv4Address fourth = Ipv4Address::of(0x0a000004);
  arp.learn(kPeer, kPeerMac, true, at_ms(0));
  arp.learn(third, kPeerMac, true, at_ms(30'000));
  const auto refused = arp.lookup(fourth, at_ms(40'000));
  EXPECT_FALSE(refused.mac);
  EXPECT_FALSE(refused.request);
  EXPECT_TRUE(arp.hold(fourth, packet())) << "there is no entry to wait at";
  EXPECT_TRUE(arp.lookup(fourth, at_ms(60'000)).request);
  EXPECT_EQ(arp.size(), 2U);
  EXPECT_EQ(arp.lookup(third, at_ms(60'001)).mac, kPeerMac);
}

}  // namespace
}  // namespace simcore
