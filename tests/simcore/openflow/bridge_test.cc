// SPDX-License-Identifier: MIT
#include "simcore/openflow/bridge.h"

#include <gtest/gtest.h>

namespace simcore::openflow {
namespace {

constexpr std::uint64_t kAlice = 0x0200'0000'0001;
constexpr std::uint64_t kBob = 0x0200'0000'0002;

SimTime at_s(std::int64_t seconds) { return SimTime::zero() + Duration::seconds(seconds); }

FlowKey key(std::uint64_t from, std::uint64_t to, std::uint32_t port = 1, std::uint16_t vlan = 0) {
  FlowKey made{};
  made.set16(at::kEthSrc, static_cast<std::uint16_t>(from >> 32));
  made.set32(at::kEthSrc + 2, static_cast<std::uint32_t>(from));
  made.set16(at::kEthDst, static_cast<std::uint16_t>(to >> 32));
  made.set32(at::kEthDst + 2, static_cast<std::uint32_t>(to));
  made.set32(at::kInPort, port);
  made.set16(at::kVlan, vlan);
  return made;
}

// As many addresses as it may know, the first of them Alice's, behind port 1.
void fill(Bridge& bridge) {
  for (std::uint64_t number = 0; number < Bridge::kLargestTable; ++number)
    bridge.learn(key(kAlice + number, kBob, 1), at_s(0));
}

TEST(OpenFlowBridge, finds_an_address_behind_the_port_where_it_was_seen_last) {
  Bridge bridge;
  EXPECT_FALSE(bridge.find(key(kBob, kAlice), at_s(0)));
  bridge.learn(key(kAlice, kBob, 3), at_s(0));
  EXPECT_EQ(bridge.find(key(kBob, kAlice), at_s(1)), 3U);
  bridge.learn(key(kAlice, kBob, 4), at_s(2));
  EXPECT_EQ(bridge.find(key(kBob, kAlice), at_s(2)), 4U);
}

TEST(OpenFlowBridge, an_address_is_known_in_its_vlan_alone) {
  Bridge bridge;
  bridge.learn(key(kAlice, kBob, 3, 0x1005), at_s(0));
  EXPECT_FALSE(bridge.find(key(kBob, kAlice), at_s(0)));
  EXPECT_FALSE(bridge.find(key(kBob, kAlice, 1, 0x1006), at_s(0)));
  EXPECT_EQ(bridge.find(key(kBob, kAlice, 1, 0x1005), at_s(0)), 3U);
}

TEST(OpenFlowBridge, groups_of_addresses_are_nowhere) {
  Bridge bridge;
  constexpr std::uint64_t kGroup = 0x0100'5e00'0001;
  bridge.learn(key(kGroup, kBob, 3), at_s(0));
  EXPECT_FALSE(bridge.find(key(kBob, kGroup), at_s(0)));
}

TEST(OpenFlowBridge, what_was_not_seen_for_300_seconds_is_forgotten) {
  Bridge bridge;
  bridge.learn(key(kAlice, kBob), at_s(0));
  EXPECT_TRUE(bridge.find(key(kBob, kAlice), at_s(299)));
  EXPECT_FALSE(bridge.find(key(kBob, kAlice), at_s(300)));
  bridge.learn(key(kAlice, kBob), at_s(299));
  EXPECT_TRUE(bridge.find(key(kBob, kAlice), at_s(300)));
}

TEST(OpenFlowBridge, a_port_takes_what_is_behind_it_along) {
  Bridge bridge;
  bridge.learn(key(kAlice, kBob, 1), at_s(0));
  bridge.learn(key(kBob, kAlice, 2), at_s(0));
  bridge.forget_port(1);
  EXPECT_FALSE(bridge.find(key(kBob, kAlice), at_s(0)));
  EXPECT_EQ(bridge.find(key(kAlice, kBob), at_s(0)), 2U);
}

TEST(OpenFlowBridge, a_full_table_keeps_what_is_fresh_and_has_room_when_that_is_old) {
  Bridge bridge;
  fill(bridge);
  const std::uint64_t newcomer = kAlice + Bridge::kLargestTable;
  bridge.learn(key(newcomer, kBob, 2), at_s(10));
  EXPECT_FALSE(bridge.find(key(kBob, newcomer), at_s(10)));
  bridge.learn(key(kAlice, kBob, 2), at_s(10));  // it has its place
  EXPECT_EQ(bridge.find(key(kBob, kAlice), at_s(10)), 2U);
  bridge.learn(key(newcomer, kBob, 2), at_s(301));
  EXPECT_EQ(bridge.find(key(kBob, newcomer), at_s(301)), 2U);
  EXPECT_EQ(bridge.find(key(kBob, kAlice), at_s(301)), 2U);
}

TEST(OpenFlowBridge, a_full_table_is_swept_once_a_second) {
  Bridge bridge;
  fill(bridge);
  const std::uint64_t newcomer = kAlice + Bridge::kLargestTable;
  const SimTime almost = at_s(300) - Duration::ms(1);
  bridge.learn(key(newcomer, kBob, 2), almost);
  bridge.learn(key(newcomer, kBob, 2), at_s(300));
  EXPECT_FALSE(bridge.find(key(kBob, newcomer), at_s(300)));
  bridge.learn(key(newcomer, kBob, 2), almost + Duration::seconds(1));
  EXPECT_TRUE(bridge.find(key(kBob, newcomer), at_s(301)));
}

}  // namespace
}  // namespace simcore::openflow
