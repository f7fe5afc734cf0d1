// SPDX-License-Identifier: MIT
//
// Tags, labels and service headers that come and go, and times to live: frames are compared byte by byte with what
// OpenFlow 1.3.5, section 5.12, says of them (and docs/simulated_switches.md, where Open vSwitch differs).
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/simcore/openflow/frames.h"

namespace simcore::openflow {
namespace {

// In the order of a list; `match` says what the packets are.
Bytes after(Actions actions, const Bytes& frame, const Match& match = {}) {
  Bench bench;
  bench.greet();
  actions.push_back(output_to(2));
  EXPECT_EQ(
      bench.said(type::kFlowMod, FlowModText{.match = match, .instructions = applying(actions)}.bytes()),
      Bench::kTaken);
  bench.receive(1, frame);
  return bench.sent.size() == 1 ? bench.sent[0].second : Bytes{};
}

Match typed(std::uint16_t ether_type) {
  Match match;
  match.set(field(FieldId::eth_type), ether_type);
  return match;
}

Bytes label(std::uint32_t value, unsigned traffic_class, bool bottom, unsigned ttl) {
  return number(value << 12 | traffic_class << 9 | (bottom ? 0x100U : 0U) | ttl, 4);
}

TEST(PipelineActions, APushedTagIsEmptyAndStandsInFront) {
  const PacketText plain;
  EXPECT_EQ(after({of(ActionType::push_vlan, 0x8100)}, plain.bytes()), PacketText{.tag = 0}.bytes());
  EXPECT_EQ(after({of(ActionType::push_vlan, 0x88a8), set_to(FieldId::vlan_vid, 0x1007),
                   set_to(FieldId::vlan_pcp, 3)},
                  PacketText{.tag = 0x0005}.bytes()),
            joined({plain.addresses(), hex("88a8 6007 8100 0005 0800"), plain.network()}));
}

TEST(PipelineActions, WhatIsBehindAPushedTagCanStillBeSet) {
  PacketText right{.tag = 0};
  right.port_dst = 81;
  right.dst = 0x0a000009;
  Match match = typed(0x0800);
  match.set(field(FieldId::ip_proto), 6);
  EXPECT_EQ(after({of(ActionType::push_vlan, 0x8100), set_to(FieldId::tcp_dst, 81),
                   set_to(FieldId::ipv4_dst, 0x0a000009)},
                  PacketText{}.bytes(), match),
            right.bytes());
}

TEST(PipelineActions, APoppedTagUncoversTheNext) {
  const PacketText plain;
  const Bytes two = joined({plain.addresses(), hex("88a8 6007 8100 0005 0800"), plain.network()});
  EXPECT_EQ(after_set({of(ActionType::pop_vlan)}, two), PacketText{.tag = 5}.bytes());
  EXPECT_EQ(after_set({of(ActionType::pop_vlan)}, PacketText{.tag = 5}.bytes()), plain.bytes());
  EXPECT_EQ(after_set({of(ActionType::pop_vlan)}, plain.bytes()), plain.bytes());
}

TEST(PipelineActions, AFirstLabelHasTheTtlAndTheClassOfThePacket) {
  PacketText text{.tos = 0xb8, .ttl = 9};
  EXPECT_EQ(after({of(ActionType::push_mpls, 0x8847)}, text.bytes()),
            frame_of(0x8847, joined({label(0, 0xb8 >> 2 & 7, true, 9), text.network()})));
  PacketText text6 = over_ipv6(6);  // has the explicit null label of its own (RFC 3032)
  text6.tos = 0xb8;
  text6.ttl = 9;
  EXPECT_EQ(after({of(ActionType::push_mpls, 0x8848)}, text6.bytes()),
            frame_of(0x8848, joined({label(2, 0xb8 >> 2 & 7, true, 9), text6.network()})));
  EXPECT_EQ(after({of(ActionType::push_mpls, 0x8847)}, frame_of(0x0806, arp_request())),
            frame_of(0x8847, joined({label(0, 0, true, 64), arp_request()})));
}

TEST(PipelineActions, AFurtherLabelIsACopyThatIsNotTheBottom) {
  const Bytes inner = label(0x12345, 5, true, 33);
  EXPECT_EQ(after({of(ActionType::push_mpls, 0x8847)}, frame_of(0x8847, joined({inner, hex("aabb")}))),
            frame_of(0x8847, joined({label(0x12345, 5, false, 33), inner, hex("aabb")})));
}

TEST(PipelineActions, ALabelStandsBehindTags) {
  const PacketText text{.tag = 5};
  EXPECT_EQ(after({of(ActionType::push_mpls, 0x8847)}, text.bytes()),
            joined({text.addresses(), hex("8847"), label(0, 0, true, 64), text.network()}));
}

TEST(PipelineActions, APoppedLabelLeavesTheTypeThatIsSaid) {
  const PacketText text;
  const Bytes labelled = frame_of(0x8847, joined({label(7, 0, true, 9), text.network()}));
  EXPECT_EQ(after_set({of(ActionType::pop_mpls, 0x0800)}, labelled), text.bytes());
  // What comes to light can be set.
  PacketText right = text;
  right.dst = 0x0a000009;
  EXPECT_EQ(after({of(ActionType::pop_mpls, 0x0800), set_to(FieldId::ipv4_dst, 0x0a000009)}, labelled,
                  typed(0x8847)),
            right.bytes());
  EXPECT_EQ(after_set({of(ActionType::pop_mpls, 0x0800)}, text.bytes()), text.bytes());
  const Bytes cut = frame_of(0x8847, hex("000071"));
  EXPECT_EQ(after_set({of(ActionType::pop_mpls, 0x0800)}, cut), cut);
}

TEST(PipelineActions, AServiceHeaderHasTheAddressesOfTheFrame) {
  const PacketText text{.tag = 5};
  const Bytes pushed = after({of(ActionType::push_pbb, 0x88e7)}, text.bytes());
  PacketText backbone = text;
  backbone.tag.reset();
  EXPECT_EQ(pushed, joined({backbone.addresses(), hex("88e7 00000000"), text.bytes()}));
  // A further one has the service of that behind it.
  const Bytes service = frame_of(0x88e7, joined({hex("00123456"), text.bytes()}));
  EXPECT_EQ(after({of(ActionType::push_pbb, 0x88e7)}, service),
            joined({backbone.addresses(), hex("88e7 00123456"), service}));
  EXPECT_EQ(after_set({of(ActionType::pop_pbb)}, service), text.bytes());
  EXPECT_EQ(after_set({of(ActionType::pop_pbb)}, text.bytes()), text.bytes());
  const Bytes cut(service.begin(), service.begin() + 31);  // no whole header behind it
  EXPECT_EQ(after_set({of(ActionType::pop_pbb)}, cut), cut);
}

TEST(PipelineActions, TimesToLiveAreSetAndLowered) {
  for (const bool v6 : {false, true}) {
    PacketText text = v6 ? over_ipv6(17) : PacketText{.protocol = 17};
    text.ttl = 9;
    PacketText right = text;
    right.ttl = 77;
    EXPECT_EQ(after_set({of(ActionType::set_ip_ttl, 77)}, text.bytes()), right.bytes());
    right.ttl = 8;
    EXPECT_EQ(after_set({of(ActionType::dec_ip_ttl)}, text.bytes()), right.bytes());
  }
  const Bytes arp = frame_of(0x0806, arp_request());
  for (const ActionType type : {ActionType::set_ip_ttl, ActionType::dec_ip_ttl, ActionType::set_mpls_ttl,
                                ActionType::dec_mpls_ttl, ActionType::copy_ttl_in, ActionType::copy_ttl_out})
    EXPECT_EQ(
        after_set({of(type, type == ActionType::set_ip_ttl || type == ActionType::set_mpls_ttl ? 7 : 0)},
                  arp),
        arp);
}

TEST(PipelineActions, APacketWhoseTimeToLiveIsUsedUpGoesToTheControllerThatAskedForIt) {
  for (const std::uint8_t ttl : {std::uint8_t{0}, std::uint8_t{1}}) {
    Bench bench;
    bench.greet();
    Bytes wanted = number(0, 24);  // OFPT_SET_ASYNC
    store_be32(wanted.data(), 1U << 2);
    EXPECT_EQ(bench.said(28, wanted), Bench::kTaken);
    EXPECT_EQ(bench.said(type::kFlowMod,
                         FlowModText{.match = typed(0x0800),
                                     .instructions = applying({of(ActionType::dec_ip_ttl), output_to(2)})}
                             .bytes()),
              Bench::kTaken);
    bench.receive(1, PacketText{.ttl = ttl}.bytes());
    EXPECT_TRUE(bench.sent.empty());
    const auto answers = bench.answers();
    ASSERT_EQ(answers.size(), 1U);
    EXPECT_EQ(answers[0][1], 10);  // OFPT_PACKET_IN
    EXPECT_EQ(answers[0][14], 2);  // OFPR_INVALID_TTL
  }
}

TEST(PipelineActions, ATtlIsCopiedBetweenLabels) {
  const auto frame = [](unsigned outer, unsigned inner) {
    return frame_of(0x8847, joined({label(1, 0, false, outer), label(2, 0, true, inner), hex("00")}));
  };
  EXPECT_EQ(after_set({of(ActionType::copy_ttl_out)}, frame(7, 99)), frame(99, 99));
  EXPECT_EQ(after_set({of(ActionType::copy_ttl_in)}, frame(7, 99)), frame(7, 7));
}

TEST(PipelineActions, ATtlIsCopiedBetweenALabelAndIp) {
  for (const bool v6 : {false, true}) {
    PacketText text = v6 ? over_ipv6(6) : PacketText{};
    text.ttl = 99;
    PacketText right = text;
    right.ttl = 7;
    const auto frame = [](unsigned outer, const PacketText& inner) {
      return frame_of(0x8847, joined({label(1, 0, true, outer), inner.network()}));
    };
    EXPECT_EQ(after_set({of(ActionType::copy_ttl_out)}, frame(7, text)), frame(99, text));
    EXPECT_EQ(after_set({of(ActionType::copy_ttl_in)}, frame(7, text)), frame(7, right));
    // Not where the header is not whole, or none of IP.
    Bytes cut = frame(7, text);
    cut.resize(18 + (v6 ? 39 : 19));
    Bytes other = frame(7, text);
    other[18] = 0x55;
    const Bytes alone(cut.begin(), cut.begin() + 18);
    for (const Bytes& odd : {cut, other, alone}) {
      EXPECT_EQ(after_set({of(ActionType::copy_ttl_out)}, odd), odd);
      EXPECT_EQ(after_set({of(ActionType::copy_ttl_in)}, odd), odd);
    }
  }
}

TEST(PipelineActions, AnActionSetIsDoneInTheOrderOfTheSpecification) {
  // Section 5.10: TTL in, pops, MPLS, VLAN, TTL out, decrements, sets; however it was written.
  const PacketText text{.ttl = 9};
  const Bytes right = joined({text.addresses(), hex("8100 0005 8847"), label(3, 0, true, 8), text.network()});
  EXPECT_EQ(after_set({set_to(FieldId::mpls_label, 3), set_to(FieldId::vlan_vid, 0x1005),
                       of(ActionType::dec_mpls_ttl), of(ActionType::push_vlan, 0x8100),
                       of(ActionType::push_mpls, 0x8847)},
                      text.bytes()),
            right);
}

// Ports of 1.0's actions are those of TCP, UDP and SCTP; an action that 1.0 lacks gets a tag where there is none.
TEST(PipelineActions, TheActionsOf10) {
  struct Case {
    const char* action;
    std::uint8_t protocol;
    void (*change)(PacketText&);
  };
  for (const Case& each : {
           Case{"0001 0008 0abc 0000", 6, [](PacketText& of) { of.tag = 0x0abc; }},
           Case{"0002 0008 05 000000", 6, [](PacketText& of) { of.tag = 0xa000; }},
           Case{"0003 0008 00000000", 6, [](PacketText&) {}},
           Case{"0004 0010 0a0b0c0d0e0f 000000000000", 6,
                [](PacketText& of) { of.eth_src = 0x0a0b0c0d0e0f; }},
           Case{"0005 0010 0a0b0c0d0e0f 000000000000", 6,
                [](PacketText& of) { of.eth_dst = 0x0a0b0c0d0e0f; }},
           Case{"0006 0008 c0a80101", 17, [](PacketText& of) { of.src = 0xc0a80101; }},
           Case{"0007 0008 c0a80101", 6, [](PacketText& of) { of.dst = 0xc0a80101; }},
           Case{"0008 0008 b8 000000", 6, [](PacketText& of) { of.tos = 0xb8; }},
           Case{"0009 0008 0051 0000", 6, [](PacketText& of) { of.port_src = 81; }},
           Case{"000a 0008 0051 0000", 6, [](PacketText& of) { of.port_dst = 81; }},
           Case{"0009 0008 0051 0000", 17, [](PacketText& of) { of.port_src = 81; }},
           Case{"000a 0008 0051 0000", 17, [](PacketText& of) { of.port_dst = 81; }},
           Case{"0009 0008 0051 0000", 132, [](PacketText& of) { of.port_src = 81; }},
           Case{"000a 0008 0051 0000", 132, [](PacketText& of) { of.port_dst = 81; }},
           Case{"0009 0008 0051 0000", 1, [](PacketText&) {}},
       }) {
    SCOPED_TRACE(each.action);
    Bench bench;
    bench.greet(1);
    const Bytes output = hex("0000 0008 0002 ffff");
    const Bytes mod = joined({number(0x3fffff, 4), number(0, 36), number(0, 8), number(0, 6),
                              hex("0064 ffffffff ffff 0000"), hex(each.action), output});
    ASSERT_EQ(bench.said(type::kFlowMod, mod, 1), Bench::kTaken);
    const PacketText text{.protocol = each.protocol};
    PacketText right = text;
    each.change(right);
    bench.receive(1, text.bytes());
    ASSERT_EQ(bench.sent.size(), 1U);
    EXPECT_EQ(bench.sent[0].second, right.bytes());
    // It is told as it came.
    bench.tell(16, joined({hex("0001 0000 003fffff"), number(0, 36), hex("ff 00 ffff")}), 1);
    const auto answers = bench.answers();
    ASSERT_EQ(answers.size(), 1U);
    ASSERT_GT(answers[0].size(), 100U);
    EXPECT_EQ(Bytes(answers[0].begin() + 12 + 88, answers[0].end()), joined({hex(each.action), output}));
  }
}

TEST(PipelineActions, TheActionsOf10ThatAreRefused) {
  const auto said = [](const char* action) {
    Bench bench;
    bench.greet(1);
    return bench.said(type::kFlowMod,
                      joined({number(0x3fffff, 4), number(0, 44), number(0, 6),
                              hex("0064 ffffffff ffff 0000"), hex(action)}),
                      1);
  };
  EXPECT_EQ(said("000c 0008 00000000"), (ErrorCode{2, 0}));                    // OFPBAC_BAD_TYPE
  EXPECT_EQ(said("0000 0010 0002 ffff 0000000000000000"), (ErrorCode{2, 1}));  // OFPBAC_BAD_LEN
  EXPECT_EQ(said("0004 0008 00000000"), (ErrorCode{2, 1}));
  EXPECT_EQ(said("000b 0008 00000000"), (ErrorCode{2, 1}));
  EXPECT_EQ(said("0000 0008 ff00 0000"), (ErrorCode{2, 4}));                   // OFPBAC_BAD_OUT_PORT
  EXPECT_EQ(said("000b 0010 fffb 000000000000 00000001"), (ErrorCode{2, 4}));  // enqueue to FLOOD
  EXPECT_EQ(said("000b 0010 ff00 000000000000 00000001"), (ErrorCode{2, 4}));
  EXPECT_EQ(said("000b 0010 fff8 000000000000 00000001"), Bench::kTaken);  // IN_PORT
  EXPECT_EQ(said("000b 0010 fffe 000000000000 00000001"), Bench::kTaken);  // LOCAL
  EXPECT_EQ(said("0001 0008 1000 0000"), (ErrorCode{2, 5}));               // OFPBAC_BAD_ARGUMENT
  EXPECT_EQ(said("0002 0008 08 000000"), (ErrorCode{2, 5}));
  EXPECT_EQ(said("0008 0008 b9 000000"), (ErrorCode{2, 5}));
}

}  // namespace
}  // namespace simcore::openflow
