// SPDX-License-Identifier: MIT
//
// What a controller asks and sets that is neither a flow nor a packet, byte by byte as OpenFlow 1.3.5 lays it out; and
// roles.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/simcore/openflow/frames.h"

namespace simcore::openflow {
namespace {

class Requests : public ::testing::Test {
 protected:
  Requests() : bench(2, {.name = "s1", .dpid = 0x0123456789abcdef, .versions = 1U << 1 | 1U << 4}) {
    bench.greet();
  }

  // The only answer, which is of that type, behind its header.
  Bytes asked(std::uint8_t type, const std::string& body, std::uint8_t answer, std::uint8_t version = 4) {
    bench.tell(type, hex(body), version);
    const auto answers = bench.answers();
    if (answers.size() != 1 || answers[0][1] != answer) return hex("ff");
    return {answers[0].begin() + 8, answers[0].end()};
  }
  ErrorCode said(std::uint8_t type, const std::string& body, std::uint8_t version = 4) {
    return bench.said(type, hex(body), version);
  }

  Bench bench;
};

TEST_F(Requests, Features) {
  // No buffers, 254 tables; counters of flows, tables, ports, groups and queues.
  EXPECT_EQ(asked(5, "", 6), hex("0123456789abcdef 00000000 fe 00 0000 0000004f 00000000"));
}

TEST_F(Requests, WhatIsToldUnaskedIsWhatWasSet) {
  // Section 7.3.10: packets in, ports, removed flows, as equal or master and as slave.
  EXPECT_EQ(asked(26, "", 27), hex("00000003 00000000 00000007 00000007 0000000f 00000000"));
  EXPECT_EQ(said(28, "00000004 00000001 00000002 00000000 00000008 00000003"), Bench::kTaken);
  EXPECT_EQ(asked(26, "", 27), hex("00000004 00000001 00000002 00000000 00000008 00000003"));
  EXPECT_EQ(said(28, "00000004 00000001 00000002 00000000 00000008"), error::kBadLength);
  bench.of.set_link(1, false);  // OFPPR_MODIFY is bit 2, which is not wanted
  EXPECT_TRUE(bench.answers().empty());
  EXPECT_EQ(said(28, "00000004 00000001 00000004 00000000 00000008 00000003"), Bench::kTaken);
  bench.of.set_link(1, true);
  EXPECT_EQ(bench.answers().size(), 1U);
}

TEST_F(Requests, RolesAreGivenByGenerations) {
  EXPECT_EQ(asked(24, "00000000 00000000 0000000000000000", 25),
            hex("00000001 00000000 ffffffffffffffff"));  // asks
  EXPECT_EQ(asked(24, "00000002 00000000 0000000000000005", 25), hex("00000002 00000000 0000000000000005"));
  EXPECT_EQ(said(24, "00000003 00000000 0000000000000004"), (ErrorCode{11, 0}));  // OFPRRFC_STALE
  EXPECT_EQ(said(24, "00000004 00000000 0000000000000005"), (ErrorCode{11, 2}));  // OFPRRFC_BAD_ROLE
  Session* const first = bench.session;
  bench.session = &bench.of.connect(Session::Kind::controller, [] {});
  bench.greet();
  EXPECT_EQ(asked(24, "00000002 00000000 0000000000000006", 25), hex("00000002 00000000 0000000000000006"));
  EXPECT_EQ(first->role, Role::slave);
  EXPECT_EQ(asked(24, "00000001 00000000 0000000000000000", 25), hex("00000001 00000000 0000000000000006"));
}

TEST_F(Requests, RolesOf10AreNiciras) {
  Session* const first = bench.session;
  first->role = Role::master;
  bench.session = &bench.of.connect(Session::Kind::controller, [] {});
  bench.greet(1);
  EXPECT_EQ(asked(4, "00002320 0000000a 00000001", 4, 1), hex("00002320 0000000b 00000001"));
  EXPECT_EQ(bench.session->role, Role::master);
  EXPECT_EQ(first->role, Role::slave);
  EXPECT_EQ(asked(4, "00002320 0000000a 00000002", 4, 1), hex("00002320 0000000b 00000002"));
  EXPECT_EQ(bench.session->role, Role::slave);
  EXPECT_EQ(asked(4, "00002320 0000000a 00000000", 4, 1), hex("00002320 0000000b 00000000"));
  EXPECT_EQ(bench.session->role, Role::equal);
  EXPECT_EQ(said(4, "00002320 00000063 00000001", 1), (ErrorCode{1, 4}));  // OFPBRC_BAD_SUBTYPE
}

TEST_F(Requests, PortsHaveNoQueuesToConfigure) {
  EXPECT_EQ(asked(22, "00000001 00000000", 23), hex("00000001 00000000"));
  EXPECT_EQ(asked(22, "ffffffff 00000000", 23), hex("ffffffff 00000000"));
  EXPECT_EQ(said(22, "00000009 00000000"), (ErrorCode{9, 0}));  // OFPQOFC_BAD_PORT
  bench.session = &bench.of.connect(Session::Kind::controller, [] {});
  bench.greet(1);
  EXPECT_EQ(asked(20, "0001 0000", 21, 1), hex("0001 000000000000"));
  EXPECT_EQ(said(20, "0009 0000", 1), (ErrorCode{5, 0}));
}

TEST_F(Requests, AModificationOfAPortNamesItAndItsAddress) {
  EXPECT_EQ(said(16, "00000009 00000000 000000000002 0000 00000001 00000001 00000000 00000000"),
            (ErrorCode{7, 0}));
  EXPECT_EQ(said(16, "00000002 00000000 000000000003 0000 00000001 00000001 00000000 00000000"),
            (ErrorCode{7, 1}));
  EXPECT_EQ(said(16, "00000002 00000000 000000000002 0000 00000001 00000001 00000000"), error::kBadLength);
  // Only bits of the mask change: OFPPC_NO_FWD, and a packet does not go there.
  EXPECT_EQ(bench.said(14, FlowModText{.instructions = applying({output_to(2)})}.bytes()), Bench::kTaken);
  bench.tell(16, hex("00000002 00000000 000000000002 0000 ffffffff 00000020 00000000 00000000"));
  const auto answers = bench.answers();
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0][1], 12);  // OFPT_PORT_STATUS
  EXPECT_EQ(load_be32(answers[0].data() + 16 + 32), 0x20U);
  bench.receive(1, PacketText{}.bytes());
  EXPECT_TRUE(bench.sent.empty());
}

TEST_F(Requests, AModificationOfATableChangesNothing) {
  EXPECT_EQ(said(17, "00 000000 00000003"), Bench::kTaken);
  EXPECT_EQ(said(17, "ff 000000 00000003"), Bench::kTaken);
  EXPECT_EQ(said(17, "00 000000"), error::kBadLength);
}

}  // namespace
}  // namespace simcore::openflow
