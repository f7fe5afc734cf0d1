// SPDX-License-Identifier: MIT
//
// Controllers that ask for too much: what they get is bounded in time and memory, and done in parts.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/simcore/openflow/support.h"

namespace simcore::openflow {
namespace {

constexpr std::size_t kLargestMessage = 65'535;

class Hostile : public Bench {
 public:
  Hostile() { greet(); }

  // `count` flows that each match another address.
  void fill(std::uint32_t count, const FlowModText& like = {}) {
    for (std::uint32_t number = 0; number < count; ++number) {
      FlowModText mod = like;
      mod.match.set(field(FieldId::eth_dst), number);
      mod.cookie = number;
      tell(type::kFlowMod, mod.bytes());
    }
  }

  void group(std::uint8_t type, std::uint32_t number, const std::vector<Bucket>& buckets) {
    Bytes body;
    Writer to(body);
    to.u16(0);
    to.u8(type);
    to.u8(0);
    to.u32(number);
    Group made;
    made.buckets = buckets;
    write_buckets(to, made);
    tell(type::kGroupMod, body);
  }

  static Bytes flows_request() {
    Bytes request;
    Writer to(request);
    to.u16(1);
    to.zeros(6);
    to.u8(kAllTables);
    to.zeros(3);
    to.u32(port_no::kAny);
    to.u32(kAnyGroup);
    to.zeros(4 + 16);
    write_match(to, Match{});
    return request;
  }

  // Turns of the loop until nothing is left to do; how many there were.
  int turns() {
    for (int turn = 1;; ++turn) {
      Effort effort(kEffortAtOnce);
      if (!of.handle_input(*session, effort)) return turn;
    }
  }
};

Bucket watching(std::uint32_t port, std::uint32_t group, Actions actions) {
  Bucket bucket;
  bucket.watch_port = port;
  bucket.watch_group = group;
  bucket.actions = std::move(actions);
  return bucket;
}

TEST(HostileController, GroupsThatMultiplyAPacketComeToAnEnd) {
  Hostile bench;
  constexpr std::size_t kBuckets = 100;
  bench.group(0, 5, std::vector<Bucket>(kBuckets, watching(port_no::kAny, kAnyGroup, {output_to(2)})));
  for (std::uint32_t number = 4; number >= 1; --number)  // 100^5 copies
    bench.group(
        0, number,
        std::vector<Bucket>(kBuckets, watching(port_no::kAny, kAnyGroup,
                                               {simcore::openflow::of(ActionType::group, 0, number + 1)})));
  bench.tell(type::kFlowMod,
             FlowModText{.instructions = applying({simcore::openflow::of(ActionType::group, 0, 1)})}.bytes());
  ASSERT_TRUE(bench.answers().empty());
  bench.receive(1, tcp_frame());
  EXPECT_GT(bench.sent.size(), 100U);
  EXPECT_LE(bench.sent.size(), 4'096U);
  EXPECT_GE(bench.dropped.of(DropReason::too_much_work), 1U);
}

TEST(HostileController, GroupsThatWatchEachOtherComeToAnEnd) {
  Hostile bench;
  bench.of.set_link(4, false);
  constexpr std::size_t kBuckets = 1'000;
  bench.group(3, 20, std::vector<Bucket>(kBuckets, watching(4, kAnyGroup, {output_to(2)})));
  for (std::uint32_t number = 19; number >= 1; --number)  // 1000^20 looks
    bench.group(3, number, std::vector<Bucket>(kBuckets, watching(4, number + 1, {output_to(2)})));
  bench.tell(type::kFlowMod,
             FlowModText{.instructions = applying({simcore::openflow::of(ActionType::group, 0, 1)})}.bytes());
  bench.receive(1, tcp_frame());
  EXPECT_TRUE(bench.sent.empty());
  EXPECT_EQ(bench.dropped.total(), 1U);
}

TEST(HostileController, AFlowMayLearnItselfAway) {
  Hostile bench;
  Learn learn;
  learn.priority = 100;
  Learn::Spec out;
  out.target = Learn::Target::output;
  out.bits = 32;
  out.source = {&field(FieldId::in_port), 0, 32};
  learn.specs = {out};
  Action learning = simcore::openflow::of(ActionType::learn);
  learning.learned = std::make_shared<const Learn>(learn);
  bench.tell(type::kFlowMod,
             FlowModText{.instructions = applying({learning, output_to(2), output_to(3)})}.bytes());
  ASSERT_TRUE(bench.answers().empty());
  bench.receive(1, tcp_frame());
  EXPECT_EQ(bench.sent.size(), 2U);
  EXPECT_EQ(bench.of.tables().size(), 1U);
}

TEST(HostileController, ALongAnswerComesInPartsAndTellsEachFlowOnce) {
  Hostile bench;
  constexpr std::uint32_t kFlows = 20'000;
  bench.fill(kFlows, {.instructions = applying({output_to(2)})});
  bench.tell(type::kMultipartRequest, Hostile::flows_request());
  bench.tell(type::kBarrierRequest, {});
  std::set<std::uint64_t> told;
  bool ended = false;
  int turns = 0;
  while (!ended) {
    ASSERT_LT(++turns, 10'000);
    Effort effort(kEffortAtOnce);
    bench.of.handle_input(*bench.session, effort);
    EXPECT_LE(bench.session->output().size(), Session::kMostOutput + 2 * kLargestMessage);
    for (const Bytes& answer : bench.answers()) {
      if (answer[1] == type::kBarrierReply) ended = true;
      if (answer[1] != type::kMultipartReply) continue;
      for (std::size_t at = 16; at < answer.size(); at += load_be16(answer.data() + at))
        EXPECT_TRUE(told.insert(load_be64(answer.data() + at + 24)).second);
    }
  }
  EXPECT_EQ(told.size(), kFlows);
  EXPECT_GT(turns, 10);
}

TEST(HostileController, AWholeAnswerWaitsForWhoDoesNotRead) {
  Hostile bench;
  bench.fill(20'000, {.instructions = applying({output_to(2)})});  // 88 bytes of an answer each
  bench.tell(type::kMultipartRequest, Hostile::flows_request());
  bench.turns();
  EXPECT_GT(bench.session->output().size(), Session::kMostOutput);
  EXPECT_LE(bench.session->output().size(), Session::kMostOutput + 2 * kLargestMessage);
  EXPECT_TRUE(bench.session->has_work());
}

TEST(HostileController, EntriesThatFillMessagesDoNotOverflowThem) {
  Hostile bench;
  const Actions many(2'400, output_to(2));  // 38 kB
  bench.fill(3, {.instructions = applying(many)});
  bench.tell(type::kMultipartRequest, Hostile::flows_request());
  bench.turns();
  const std::size_t bytes = bench.session->output().size();
  const std::vector<Bytes> answers = bench.answers();
  ASSERT_EQ(answers.size(), 3U);
  std::size_t whole = 0;
  for (const Bytes& answer : answers) whole += answer.size();
  EXPECT_EQ(whole, bytes);
}

TEST(HostileController, AFlowThatNoMessageCouldTellIsRefused) {
  Hostile bench;
  bench.tell(type::kFlowMod, FlowModText{.instructions = applying(Actions(4'050, output_to(2)))}.bytes());
  EXPECT_EQ(bench.error(), error::kActionTooMany);
}

TEST(HostileController, ManyFlowsGoInPartsAndAllBeforeTheBarrier) {
  Hostile bench;
  bench.fill(5'000);
  bench.tell(type::kFlowMod, FlowModText{.command = 3}.bytes());
  bench.tell(type::kBarrierRequest, {});
  EXPECT_GT(bench.of.tables().size(), 0U);
  EXPECT_TRUE(bench.answers().empty());
  EXPECT_GT(bench.turns(), 2);
  EXPECT_EQ(bench.of.tables().size(), 0U);
  EXPECT_EQ(bench.answers().size(), 1U);
}

TEST(HostileController, WhatHasBegunIsDoneThoughTheControllerGoes) {
  Hostile bench;
  bench.fill(5'000);
  bench.tell(type::kFlowMod, FlowModText{.command = 3}.bytes());
  bench.of.disconnect(*bench.session);
  ASSERT_GT(bench.of.tables().size(), 0U);
  for (int turn = 0; turn < 1'000 && bench.due != SimTime::never(); ++turn) {
    bench.time = bench.due;
    bench.of.tick();
  }
  EXPECT_EQ(bench.of.tables().size(), 0U);
}

TEST(HostileController, FlowsThatTimeOutTogetherGoInParts) {
  Hostile bench;
  constexpr std::size_t kFlows = 5'000;
  bench.fill(kFlows, {.hard = 1, .flags = 1});
  bench.time = SimTime::at_ns(1'000'000'000);
  bench.of.tick();
  EXPECT_LT(bench.of.tables().size(), kFlows);
  EXPECT_GT(bench.of.tables().size(), kFlows / 2);
  EXPECT_EQ(bench.due, bench.time + Switch::kRest);
  while (bench.of.tables().size() > 0) {
    bench.time = bench.due;
    bench.of.tick();
  }
  EXPECT_EQ(bench.of.counters().flows_removed, kFlows);
}

TEST(HostileController, WhoDoesNotReadIsNotToldOfFlows) {
  Hostile bench;
  constexpr std::uint32_t kFlows = 20'000;  // 64 bytes each, when they go
  bench.fill(kFlows, {.hard = 1, .flags = 1});
  bench.time = SimTime::at_ns(1'000'000'000);
  while (bench.of.tables().size() > 0) {
    bench.of.tick();
    bench.time = bench.due;
  }
  EXPECT_LE(bench.session->output().size(), Session::kMostOutput + kLargestMessage);
  EXPECT_EQ(bench.answers().size() + bench.of.counters().notices_dropped, kFlows);
}

TEST(HostileController, LookupsTryABoundedNumberOfMasks) {
  Hostile bench;
  std::size_t refused = 0;
  for (std::uint32_t mask = 1; mask <= Tables::kMostMasks + 10; ++mask) {
    FlowModText mod;
    mod.match.set(field(FieldId::eth_dst), 0, mask);
    bench.tell(type::kFlowMod, mod.bytes());
    for (const Bytes& answer : bench.answers()) refused += answer[1] == 1 ? 1 : 0;
  }
  EXPECT_EQ(refused, 10U);
  EXPECT_EQ(bench.of.tables().size(), Tables::kMostMasks);
}

TEST(HostileController, GroupsAreCountedByTheirUsers) {
  Hostile bench;
  bench.group(0, 7, {watching(port_no::kAny, kAnyGroup, {output_to(2)})});
  const Action to_group = simcore::openflow::of(ActionType::group, 0, 7);
  bench.fill(3, {.instructions = applying({to_group, to_group})});
  EXPECT_EQ(bench.of.tables().users_of_group(7), 3U);
  Bytes erase;
  Writer to(erase);
  to.u16(2);
  to.zeros(2);
  to.u32(7);
  bench.tell(type::kGroupMod, erase);
  bench.turns();
  EXPECT_EQ(bench.of.tables().size(), 0U);
  EXPECT_FALSE(bench.of.tables().groups_used());
}

}  // namespace
}  // namespace simcore::openflow
