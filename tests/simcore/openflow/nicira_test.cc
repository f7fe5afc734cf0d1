// SPDX-License-Identifier: MIT
//
// Nicira's actions as a controller writes them, byte by byte as Open vSwitch's ofp-actions describes them: how they are
// told again, what they do, and with which error they are refused.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/simcore/openflow/frames.h"

namespace simcore::openflow {
namespace {

constexpr std::size_t kFlowHeader13 = 48;  // of a flow's description, before the match
constexpr std::size_t kFlowHeader10 = 88;
constexpr char kOutput2[] = "0000 0010 00000002 ffff 000000000000";

// NXM headers: class, number and length.
constexpr char kNxReg0[] = "00010004";
constexpr char kNxReg1[] = "00010204";
constexpr char kNxInPort[] = "00000002";
constexpr char kNxEthDst[] = "00000206";
constexpr char kNxEthSrc[] = "00000406";
constexpr char kNxEthType[] = "00000602";
constexpr char kNxVlanTci[] = "00000802";
constexpr char kNxIpDst[] = "00001004";
constexpr char kOxmInPort[] = "80000004";

// Type, length and vendor, `rest` being the subtype and what follows, and zeros up to a length that an action has.
Bytes nicira(const std::string& rest) {
  Bytes body = hex(rest);
  body.resize((body.size() + 7) / 8 * 8);
  return joined({number(0xffff, 2), number(8 + body.size(), 2), number(0x2320, 4), body});
}

Bytes flow_mod(const Bytes& actions, const Bytes& match = hex("0001 0004 00000000"), std::uint8_t table = 0,
               std::uint16_t priority = 100) {
  return joined({number(0, 16), number(table, 1), number(0, 5), number(priority, 2),
                 hex("ffffffff ffffffff ffffffff"), number(0, 4), match, number(4, 2),
                 number(8 + actions.size(), 2), number(0, 4), actions});
}

// A learn of these specifications.
std::string learn(const std::string& specs, const std::string& table = "01",
                  const std::string& flags = "0000") {
  return "0010 0000 0000 0001 0000000000000000" + flags + table + "00 0000 0000" + specs;
}

// The only flow of the table, as 1.3 tells it: its instructions.
Bytes told13(Bench& bench, std::uint8_t table = 0) {
  bench.tell(type::kMultipartRequest,
             joined({hex("0001 0000 00000000"), number(table, 1), hex("000000 ffffffff ffffffff 00000000"),
                     number(0, 16), hex("0001 0004 00000000")}));
  const Bytes answer = bench.answers().at(0);
  const std::size_t match = load_be16(answer.data() + 16 + kFlowHeader13 + 2);
  return {answer.begin() + static_cast<std::ptrdiff_t>(16 + kFlowHeader13 + (match + 7) / 8 * 8),
          answer.end()};
}
Bytes told_actions13(Bench& bench) {
  const Bytes instructions = told13(bench);
  return {instructions.begin() + 8, instructions.end()};
}

// As 1.0 tells it: its actions.
Bytes told10(Bench& bench) {
  Session* const session = bench.session;
  bench.session = &bench.of.connect(Session::Kind::controller, [] {});
  bench.greet(1);
  bench.tell(type10::kStatisticsRequest,
             joined({hex("0001 0000 003fffff"), number(0, 36), hex("ff 00 ffff")}), 1);
  const Bytes answer = bench.answers().at(0);
  bench.session = session;
  return {answer.begin() + 12 + kFlowHeader10, answer.end()};
}

class NiciraActions : public ::testing::Test {
 protected:
  NiciraActions() { bench.greet(); }

  ErrorCode said(const std::string& rest) { return bench.said(type::kFlowMod, flow_mod(nicira(rest))); }

  // What goes out for a frame, by port 1, after some actions.
  std::vector<std::pair<std::uint32_t, Bytes>> sent_after(const Bytes& actions, const Bytes& frame) {
    EXPECT_EQ(bench.said(type::kFlowMod, flow_mod(actions)), Bench::kTaken);
    bench.sent.clear();
    bench.receive(1, frame);
    return bench.sent;
  }

  Bench bench;
};

TEST_F(NiciraActions, AreToldInBothVersionsAsTheyCame) {
  for (const std::string& rest : std::vector<std::string>{
           std::string("000e 0003 05 000000"),                                         // resubmit(3,5)
           std::string("000e fff8 ff 000000"),                                         // resubmit(,)
           std::string("0006 0010 0004 0008") + kNxReg0 + kNxReg1,                     // move
           std::string("000f 010f") + kNxReg0 + "00ff 000000000000",                   // output
           std::string("0010 0007 0009 0064 0123456789abcdef 0003 02 00 0000 0000") +  // learn
               "0030" + "80000806" + "0000" + "80000606" + "0000" +                    //
               "2010 0800" + "80000a02" + "0000" +                                     //
               "2808 00ff" + kNxReg0 + "0004" +                                        //
               "1010" + kNxInPort + "0000" + "0000",                                   //
       }) {
    SCOPED_TRACE(rest);
    Bench fresh;
    fresh.greet();
    const Bytes action = nicira(rest);
    ASSERT_EQ(fresh.said(type::kFlowMod, flow_mod(action)), Bench::kTaken);
    EXPECT_EQ(told_actions13(fresh), action);
    EXPECT_EQ(told10(fresh), action);
  }
}

// Those that mean what another action means are told as that one.
TEST_F(NiciraActions, AreToldAsTheActionThatTheyAre) {
  struct Case {
    std::string rest;
    std::string in13;
    std::string in10;
    std::string match;  // what they need
  };
  const std::string any = "0001 0004 00000000";
  const std::string ip = "0001 000a 80000a02 0800 000000000000";
  const std::string head10 = "ffff 0018 00002320 ";
  for (const Case& each : {
           Case{"0005 000000000000", "ffff 0010 00002320 0005 000000000000",
                "ffff 0010 00002320 0005 000000000000", any},
           Case{"0008 68656c6c6f21 68656c6c6f212121", "ffff 0018 00002320 0008 68656c6c6f21 68656c6c6f212121",
                "ffff 0018 00002320 0008 68656c6c6f21 68656c6c6f212121", any},
           // resubmit is resubmit_table of the table that it is in.
           Case{"0001 0003 00 000000", "ffff 0010 00002320 000e 0003 ff 000000",
                "ffff 0010 00002320 000e 0003 ff 000000", any},
           // load of bits 4 to 11 of a register
           Case{std::string("0007 0107") + kNxReg0 + "00000000000000ab",
                "0019 0010 00010108 00000ab0 00000ff0",
                head10 + "0021 000000000000 00010108 00000ab0 00000ff0 00000000", any},
           // and of a whole one
           Case{std::string("0007 001f") + kNxReg0 + "00000000deadbeef",
                "0019 0010 00010004 deadbeef 00000000", head10 + "0021 000000000000 00010004 deadbeef", any},
           Case{"0021 000000000000 00010108 00000ab0 00000ff0 00000000",
                "0019 0010 00010108 00000ab0 00000ff0",
                head10 + "0021 000000000000 00010108 00000ab0 00000ff0 00000000", any},
           // set_tunnel, of 32 and of 64 bits
           Case{"0002 0000 00001234", "0019 0010 80004c08 0000000000001234",
                head10 + "0021 000000000000 80004c08 0000000000001234", any},
           Case{"0009 000000000000 123456789abcdef0", "0019 0010 80004c08 123456789abcdef0",
                head10 + "0021 000000000000 80004c08 123456789abcdef0", any},
           Case{"0004 0000 00000007", "0015 0008 00000007", "ffff 0010 00002320 0004 0000 00000007", any},
           Case{"0012 000000000000", "0018 0008 00000000", "ffff 0010 00002320 0012 000000000000", ip},
           Case{"0014 0040 0000 00 00", "0000 0010 fffffffd 0040 000000000000", "0000 0008 fffd 0040", any},
       }) {
    SCOPED_TRACE(each.rest);
    Bench fresh;
    fresh.greet();
    Bytes right10 = hex(each.in10);
    Bytes right13 = hex(each.in13);
    for (Bytes* const right : {&right10, &right13}) {
      while (right->size() % 8 != 0) right->push_back(0);
      store_be16(right->data() + 2, static_cast<std::uint16_t>(right->size()));
    }
    ASSERT_EQ(fresh.said(type::kFlowMod, flow_mod(nicira(each.rest), hex(each.match))), Bench::kTaken);
    EXPECT_EQ(told_actions13(fresh), right13);
    EXPECT_EQ(told10(fresh), right10);
  }
}

TEST_F(NiciraActions, OfAnotherLengthAreRefused) {
  for (
      const char* const rest : {
          "0001 0003 00 000000 0000000000000000",  // resubmit
          "000e 0003 05 000000 0000000000000000",  // resubmit, with a table
          "0002 0000 00000001 0000000000000000",   // set_tunnel
          "0009 0000 00000001",                    // set_tunnel64
          "0004 0000 00000001 0000000000000000",   // set_queue
          "0006 0010 0000 0000",                   // move
          "0007 001f 00010004",                    // load
          "000f 001f 00010004",                    // output
          "0012 000000000000 0000000000000000",    // dec_ttl
          "0014 0040 0000 0000 0000000000000000",  // controller
          "0010 000000000000",                     // learn
          "0010 0000 0000 0001 00000000 00000000 0000 00 00 0000 0000 0004 00010004 0000",  // ends in a specification
          "0010 0000 0000 0001 00000000 00000000 0000 00 00 0000 0000 2080 000000000000",  // and in its value
      }) {
    SCOPED_TRACE(rest);
    EXPECT_EQ(said(rest), error::kActionLength);
  }
}

TEST_F(NiciraActions, ThatNamePartsOfNoFieldAreRefused) {
  const std::string reg0 = kNxReg0;
  for (const std::string& rest : std::vector<std::string>{
           "0006 0000 0000 0000" + reg0 + reg0,                         // no bits
           "0006 0021 0000 0000" + reg0 + reg0,                         // more than it has
           "0006 0010 0011 0000" + reg0 + reg0,                         // behind its end, of the source
           "0006 0010 0000 0011" + reg0 + reg0,                         // and of the target
           "0006 0010 0000 0000 0001fe04" + reg0,                       // an unknown field
           "0006 0010 0000 0000 00010002" + reg0,                       // of another length
           "0006 0010 0000 0000 00010108" + reg0,                       // with a mask
           "0006 0010 0000 0000" + reg0 + kNxEthType,                   // that cannot be set
           "0007 001f 0001fe04 0000000000000000",                       // load: unknown
           "0007 001f" + std::string(kOxmInPort) + "0000000000000001",  // cannot be set
           "0007 0047" + reg0 + "0000000000000100",                     // a value of more bits
           "000f 001f 0001fe04 0000 000000000000",                      // output
           "000f 003f" + reg0 + "0000 000000000000",
       }) {
    SCOPED_TRACE(rest);
    EXPECT_EQ(said(rest), error::kActionArgument);
  }
}

TEST_F(NiciraActions, Load2IsRefusedForWhatIsWrongWithItsField) {
  EXPECT_EQ(said("0021 000000000000 0001fe04 00000000"), error::kMatchField);
  EXPECT_EQ(said("0021 000000000000 00010108 00000001 00000000 00000000"), error::kMatchWildcards);
  EXPECT_EQ(said("0021 000000000000 00010040 00000000"), error::kMatchLength);
  EXPECT_EQ(said("0021 000000000000 00000602 0800 0000"), error::kActionSetArgument);
}

TEST_F(NiciraActions, ThatNeedAnotherPacketAreRefused) {
  EXPECT_EQ(said("0012 000000000000"), error::kActionInconsistent);
  EXPECT_EQ(said(std::string("0006 0020 0000 0000") + kNxIpDst + kNxReg0), error::kActionInconsistent);
  EXPECT_EQ(said(std::string("0006 0020 0000 0000") + kNxReg0 + kNxIpDst), error::kActionInconsistent);
  EXPECT_EQ(said(std::string("000f 001f") + kNxIpDst + "0000 000000000000"), error::kActionInconsistent);
  EXPECT_EQ(said(learn(std::string("0020") + kNxIpDst + "0000" + kNxReg0 + "0000")),
            error::kActionInconsistent);
}

TEST_F(NiciraActions, ThatAreUnknownAreRefused) {
  EXPECT_EQ(said("0000 000000000000"), error::kActionExperimenterType);
  EXPECT_EQ(said("0064 000000000000"), error::kActionExperimenterType);
  Bytes other = nicira("0012 000000000000");
  other[7] = 0x21;
  EXPECT_EQ(bench.said(type::kFlowMod, flow_mod(other)), error::kActionExperimenter);
}

TEST_F(NiciraActions, ALearnWithASpecificationThatIsNoneIsRefused) {
  const std::string reg0 = kNxReg0;
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"no bits", "2800"},
      {"more than the widest field has", "2081" + std::string(36, '0') + reg0 + "0000"},
      {"no such target", "1804" + reg0 + "0000"},
      {"output of a number", "3010 0002"},
      {"an unknown source", "0004 0001fe04 0000" + reg0 + "0000"},
      {"an unknown target", "0004" + reg0 + "0000 0001fe04 0000"},
      {"a target that cannot be set", "0810" + reg0 + "0000" + kNxEthType + "0000"},
      {"bits behind the target", "0010" + reg0 + "0000" + reg0 + "0018"},
  };
  for (const auto& [what, specs] : wrong) {
    SCOPED_TRACE(what);
    EXPECT_EQ(said(learn(specs)), error::kActionArgument);
  }
  EXPECT_EQ(said(learn("", "fe")), error::kActionArgument);
  EXPECT_EQ(said(learn("", "01", "0004")), error::kActionArgument);
  EXPECT_EQ(said(learn("", "fd", "0003")), Bench::kTaken);
}

TEST_F(NiciraActions, ALearnHasABoundedNumberOfSpecifications) {
  std::string specs;
  for (int count = 0; count < 256; ++count) specs += "1010 00000002 0000";
  EXPECT_EQ(said(learn(specs)), Bench::kTaken);
  EXPECT_EQ(said(learn(specs + "1010 00000002 0000")), error::kActionTooMany);
}

TEST_F(NiciraActions, ASetHasNoPlaceForLearnAndOutput) {
  for (const std::string& rest : {learn(""), std::string("000f 001f 00010004 0000 000000000000")}) {
    Bytes mod = flow_mod(nicira(rest));
    mod[49] = 3;  // OFPIT_WRITE_ACTIONS
    EXPECT_EQ(bench.said(type::kFlowMod, mod), error::kActionType);
  }
}

TEST_F(NiciraActions, LearnMakesAFlowOfThePacket) {
  const std::string specs =
      std::string("0030") + kNxEthSrc + "0000" + kNxEthDst + "0000" +  // match eth_dst=eth_src
      "000c" + kNxVlanTci + "0000" + kNxVlanTci + "0000" +             // and the same VLAN
      "2010 0800" + kNxEthType + "0000" +                              // match eth_type=0x0800
      "0810" + kNxReg0 + "0010" + kNxReg1 + "0004" +                   // load reg0[16..31] to reg1[4..19]
      "2808 00ab" + kNxReg0 + "0008" +                                 // load 0xab to reg0[8..15]
      "1010" + kNxInPort + "0000";                                     // output to in_port
  const Bytes actions = joined({nicira(std::string("0007 001f") + kNxReg0 + "000000005678beef"),
                                nicira("0010 0007 0009 0064 0123456789abcdef 0001 02 00 0000 0000" + specs)});
  Bytes frame = PacketText{.tag = 0x0005}.bytes();
  EXPECT_TRUE(sent_after(actions, frame).empty());
  ASSERT_NE(bench.of.tables().at(2), nullptr);
  ASSERT_EQ(bench.of.tables().at(2)->flows().size(), 1U);
  const Flow& flow = *bench.of.tables().at(2)->flows()[0];
  EXPECT_EQ(flow.idle_timeout, 7);
  EXPECT_EQ(flow.hard_timeout, 9);
  EXPECT_EQ(flow.priority, 100);
  EXPECT_EQ(flow.cookie, 0x0123456789abcdefU);
  EXPECT_EQ(flow.flags, flow_flag::kSendRemoved);
  Match match;
  match.set(field(FieldId::eth_dst), 0x020000000001);
  match.set(field(FieldId::vlan_tci), 5, 0xfff);
  match.set(field(FieldId::eth_type), 0x0800);
  EXPECT_TRUE(flow.match == match);
  // set_field of 0x5678 to reg1[4..19] and of 0xab to reg0[8..15], output:1
  EXPECT_EQ(told13(bench, 2), hex("0004 0038 00000000"
                                  "0019 0010 00010308 00056780 000ffff0"
                                  "0019 0010 00010108 0000ab00 0000ff00"
                                  "0000 0010 00000001 0000 000000000000"));
}

TEST_F(NiciraActions, ANumberInALearnHasAsManyBitsAsItSays) {
  // reg0[8..15] is to be 0, reg0[0..3] 5; what stands above the four bits of the latter says nothing.
  const std::string specs = std::string("2008 0000") + kNxReg0 + "0008" + "2004 fff5" + kNxReg0 + "0000" +
                            "2804 fff6" + kNxReg1 + "0000";
  EXPECT_TRUE(sent_after(nicira(learn(specs)), PacketText{}.bytes()).empty());
  ASSERT_EQ(bench.of.tables().at(1)->flows().size(), 1U);
  const Flow& flow = *bench.of.tables().at(1)->flows()[0];
  Match match;
  match.set(field(FieldId::reg0), 5, 0xff0f);
  EXPECT_TRUE(flow.match == match);
  EXPECT_EQ(flow.instructions.apply->at(0).value, 6U);
}

TEST_F(NiciraActions, MoveCopiesBitsOfOneFieldToAnother) {
  const Bytes actions =
      joined({nicira(std::string("0007 001f") + kNxReg0 + "0000000012345678"),
              nicira(std::string("0006 0010 0008 0010") + kNxReg0 + kNxEthDst), hex(kOutput2)});
  const auto sent = sent_after(actions, PacketText{}.bytes());
  ASSERT_EQ(sent.size(), 1U);
  PacketText right;
  right.eth_dst = 0x020034560002;  // bits 8 to 23 of the register are bits 16 to 31 of the address
  EXPECT_EQ(sent[0].second, right.bytes());
}

TEST_F(NiciraActions, OutputGoesToThePortThatAFieldSays) {
  const std::string load = std::string("0007 001f") + kNxReg0;
  // 32 bits, and bits 8 to 15.
  auto sent =
      sent_after(joined({nicira(load + "0000000000000003"), nicira("000f 001f 00010004 ffff 000000000000")}),
                 PacketText{}.bytes());
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent[0].first, 3U);
  sent =
      sent_after(joined({nicira(load + "0000000077770499"), nicira("000f 0207 00010004 ffff 000000000000")}),
                 PacketText{}.bytes());
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent[0].first, 4U);
  // 16 bits say a port as 1.0 does: 0xfff8 is the one that it came by.
  sent =
      sent_after(joined({nicira(load + "000000000000fff8"), nicira("000f 000f 00010004 ffff 000000000000")}),
                 PacketText{}.bytes());
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent[0].first, 1U);
}

TEST_F(NiciraActions, ResubmitLooksUpInATableAsIfThePacketHadComeByAPort) {
  const Bytes of_port3 = hex("0001 000c 80000004 00000003 00000000");
  ASSERT_EQ(bench.said(type::kFlowMod, flow_mod(hex(kOutput2), of_port3, 5)), Bench::kTaken);
  auto sent = sent_after(joined({nicira("000e 0003 05 000000"), hex("0000 0010 00000004 ffff 000000000000")}),
                         PacketText{}.bytes());
  ASSERT_EQ(sent.size(), 2U);
  EXPECT_EQ(sent[0].first, 2U);
  EXPECT_EQ(sent[1].first, 4U);  // what follows is done, too
  // Without another port no flow of table 5 matches.
  EXPECT_TRUE(sent_after(nicira("000e fff8 05 000000"), PacketText{}.bytes()).empty());
  // The old one stays in its table.
  ASSERT_EQ(
      bench.said(type::kFlowMod, flow_mod(hex("0000 0010 00000001 ffff 000000000000"), of_port3, 0, 200)),
      Bench::kTaken);
  sent = sent_after(nicira("0001 0003 00 000000"), PacketText{}.bytes());
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent[0].first, 1U);
}

TEST_F(NiciraActions, ControllerSendsThePacketThere) {
  sent_after(nicira("0014 ffff 0000 00 00"), PacketText{}.bytes());
  const auto answers = bench.answers();
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0][1], 10);  // OFPT_PACKET_IN
  EXPECT_EQ(answers[0][14], 1);  // OFPR_ACTION
}

TEST_F(NiciraActions, DecTtlLowersTheTimeToLive) {
  const Bytes ip = hex("0001 000a 80000a02 0800 000000000000");
  ASSERT_EQ(bench.said(type::kFlowMod, flow_mod(joined({nicira("0012 000000000000"), hex(kOutput2)}), ip)),
            Bench::kTaken);
  bench.receive(1, PacketText{.ttl = 9}.bytes());
  ASSERT_EQ(bench.sent.size(), 1U);
  EXPECT_EQ(bench.sent[0].second, PacketText{.ttl = 8}.bytes());
}

// What 1.3 has and 1.0 has not is told to controllers of 1.0 as Nicira's.
TEST_F(NiciraActions, TellsWhat10HasNoWordFor) {
  struct Case {
    const char* match;
    const char* actions;
    const char* right;
  };
  const char* const any = "0001 0004 00000000";
  const char* const mpls = "0001 000a 80000a02 8847 000000000000";
  const char* const ip = "0001 000a 80000a02 0800 000000000000";
  for (const Case& each : {
           Case{any, "0013 0008 8847 0000", "ffff 0010 00002320 0017 8847 00000000"},   // push_mpls
           Case{mpls, "0014 0008 0800 0000", "ffff 0010 00002320 0018 0800 00000000"},  // pop_mpls
           Case{mpls, "000f 0008 21 000000", "ffff 0010 00002320 0019 21 0000000000"},  // set_mpls_ttl
           Case{mpls, "0010 0008 00000000", "ffff 0010 00002320 001a 000000000000"},    // dec_mpls_ttl
           Case{ip, "0018 0008 00000000", "ffff 0010 00002320 0012 000000000000"},      // dec_ttl
           Case{any, "0015 0008 00000009", "ffff 0010 00002320 0004 0000 00000009"},    // set_queue
           Case{any, "0016 0008 00000009", "ffff 0010 00002320 0028 0000 00000009"},    // group
           Case{any, "0019 0010 80000c02 1005 000000000000", ""},
       }) {
    SCOPED_TRACE(each.actions);
    Bench fresh;
    fresh.greet();
    ASSERT_EQ(fresh.said(15, hex("0000 00 00 00000009")), Bench::kTaken);  // a group
    const ErrorCode said = fresh.said(type::kFlowMod, flow_mod(hex(each.actions), hex(each.match)));
    if (std::string(each.right).empty()) {
      EXPECT_EQ(said, error::kActionInconsistent);
      continue;
    }
    ASSERT_EQ(said, Bench::kTaken);
    EXPECT_EQ(told10(fresh), hex(each.right));
  }
}

TEST_F(NiciraActions, TellsMetadataAndTheNextTableTo10) {
  FlowModText mod{.instructions = applying({output_to(2)})};
  mod.instructions.metadata = Instructions::Metadata{};
  mod.instructions.metadata->value = 0x1122;
  mod.instructions.metadata->mask = 0xffff;
  mod.instructions.go_to = 3;
  ASSERT_EQ(bench.said(type::kFlowMod, mod.bytes()), Bench::kTaken);
  EXPECT_EQ(told10(bench), hex("0000 0008 0002 ffff"
                               "ffff 0020 00002320 0016 000000000000 0000000000001122 000000000000ffff"
                               "ffff 0010 00002320 000e fff8 03 000000"));
}

}  // namespace
}  // namespace simcore::openflow
