// SPDX-License-Identifier: MIT
//
// What a switch says to messages that it does not take: type and code as Open vSwitch 3.1 gives them.
#include <gtest/gtest.h>

#include <string>

#include "tests/simcore/openflow/support.h"

namespace simcore::openflow {
namespace {

constexpr ErrorCode kTaken = Bench::kTaken;

// A flow modification of 1.3: `rest` is the match and the instructions.
Bytes flow(const std::string& rest, const std::string& command = "00", const std::string& table = "00",
           const std::string& out_port = "ffffffff", const std::string& flags = "0000") {
  return hex("0000000000000000 0000000000000000" + table + command + "0000 0000 0064 ffffffff" + out_port +
             "ffffffff" + flags + "0000" + rest);
}
Bytes applied(const std::string& actions, const std::string& match = "0001000400000000") {
  const std::size_t length = 8 + hex(actions).size();
  static constexpr char kDigits[] = "0123456789abcdef";
  return flow(match + "000400" + kDigits[length >> 4] + kDigits[length & 15] + "00000000" + actions);
}

constexpr char kAnyMatch[] = "0001000400000000";
constexpr char kIpMatch[] = "0001000a 80000a02 0800 000000000000";
constexpr char kTaggedMatch[] = "0001000a 80000c02 1005 000000000000";
constexpr char kOutput[] = "00000010 00000001 ffff 000000000000";

TEST(OpenFlowRefusals, OfInstructions) {
  Bench bench;
  bench.greet();
  const auto flow_mod = [&bench](const std::string& instructions) {
    return bench.said(type::kFlowMod, flow(kAnyMatch + instructions));
  };
  EXPECT_EQ(flow_mod("0000000800000000"), error::kUnknownInstruction);
  EXPECT_EQ(flow_mod("00040000 00000000"), error::kInstructionLength);
  EXPECT_EQ(flow_mod("00040028 00000000"), error::kInstructionLength);   // longer than the message
  EXPECT_EQ(flow_mod("0004000c 00000000 00000000"), error::kBadLength);  // not in steps of 8
  EXPECT_EQ(flow_mod("0001000801000000 0001000802000000"), (ErrorCode{0xffff, 2600}));
  EXPECT_EQ(flow_mod("0001000800000000"), error::kInstructionTable);
  EXPECT_EQ(flow_mod("0006000800000009"), error::kInvalidMeter);
  EXPECT_EQ(bench.said(type::kFlowMod, flow(std::string(kAnyMatch) + "0001000800000000", "03")),
            error::kInstructionTable);  // also of a deletion, which has no use for them
}

TEST(OpenFlowRefusals, AnErrorOfTheFoundationSaysWhose) {
  Bench bench;
  bench.greet();
  bench.tell(type::kFlowMod, flow(std::string(kAnyMatch) + "0001000801000000 0001000802000000"));
  const Bytes answer = bench.answers().at(0);
  EXPECT_EQ(load_be32(answer.data() + 12), kOnf);
  EXPECT_EQ(answer[16], 4);  // the message follows
}

TEST(OpenFlowRefusals, OfActions) {
  Bench bench;
  bench.greet();
  const auto actions = [&bench](const std::string& list, const char* match = kAnyMatch) {
    return bench.said(type::kFlowMod, applied(list, match));
  };
  EXPECT_EQ(actions("0063000800000000"), error::kActionType);
  EXPECT_EQ(actions("0000000800000001"), error::kActionLength);
  EXPECT_EQ(actions("00000010 ffffff01 ffff 000000000000"), error::kActionOutPort);
  EXPECT_EQ(actions("0012000800000000"), error::kActionInconsistent);  // pop VLAN of any packet
  EXPECT_EQ(actions("0012000800000000", kTaggedMatch), kTaken);
  const std::string push = "0011000881000000";
  EXPECT_EQ(actions(push + push + "0012000800000000 0012000800000000"), kTaken);
  EXPECT_EQ(actions(push + push + push), error::kActionTag);
  EXPECT_EQ(actions(push + push, kTaggedMatch), error::kActionTag);
  EXPECT_EQ(actions("00190010 80000a02 0800 000000000000"), error::kActionSetArgument);  // the EtherType
  EXPECT_EQ(actions("00190010 80007e02 0800 000000000000"), error::kActionSetType);
  // What an action set meets is not known before.
  EXPECT_EQ(bench.said(type::kFlowMod, flow(std::string(kAnyMatch) + "00030010 00000000 0012000800000000")),
            kTaken);
}

TEST(OpenFlowRefusals, OfMatches) {
  Bench bench;
  bench.greet();
  const auto match = [&bench](const std::string& text) { return bench.said(type::kFlowMod, flow(text)); };
  EXPECT_EQ(match("0000000400000000"), error::kMatchLength);
  EXPECT_EQ(match("0002000400000000"), error::kMatchType);
  EXPECT_EQ(match("0001006400000000"), error::kMatchLength);
  EXPECT_EQ(match("0001000b 80000a03 080000 0000000000"), error::kMatchField);  // an EtherType of three bytes
  EXPECT_EQ(match("0001000a 80001402 0600 000000000000"), error::kMatchField);  // a protocol of two
  EXPECT_EQ(match("00010010 80000108 00000003 00000001"), error::kMatchWildcards);
  EXPECT_EQ(match("00010010 80000108 00000001 00000001"), error::kMatchMask);
  EXPECT_EQ(match("0001000c 80000001 01 000000"), error::kMatchField);
}

TEST(OpenFlowRefusals, OfFlowModifications) {
  Bench bench;
  bench.greet();
  EXPECT_EQ(bench.said(type::kFlowMod, flow(kAnyMatch, "00", "fe")), error::kPermission);
  EXPECT_EQ(bench.said(type::kFlowMod, flow(kAnyMatch, "00", "ff")), error::kFlowTable);
  EXPECT_EQ(bench.said(type::kFlowMod, flow(kAnyMatch, "03", "ff", "0000ff05")), error::kActionOutPort);
  EXPECT_EQ(bench.said(type::kFlowMod, flow(kAnyMatch, "00", "00", "ffffffff", "0020")), error::kFlowFlags);
  Bytes buffered = flow(kAnyMatch);
  store_be32(buffered.data() + 24, 5);
  EXPECT_EQ(bench.said(type::kFlowMod, buffered), error::kBufferUnknown);
  EXPECT_EQ(bench.of.tables().size(), 0U);
}

TEST(OpenFlowRefusals, OfGroups) {
  Bench bench;
  bench.greet();
  const std::string bucket = std::string("0020 0000 ffffffff ffffffff 00000000") + kOutput;
  const auto group = [&bench](const std::string& text) { return bench.said(type::kGroupMod, hex(text)); };
  EXPECT_EQ(group("0000 04 00 00000001"), error::kGroupType);
  EXPECT_EQ(group("0002 04 00 00000001"), error::kGroupType);
  EXPECT_EQ(group("0004 00 00 00000001"), error::kGroupCommand);
  EXPECT_EQ(group("0000 00 00 ffffff01"), error::kInvalidGroup);
  EXPECT_EQ(group("0001 00 00 ffffff01"), error::kUnknownGroup);
  EXPECT_EQ(group("0002 00 00 00000001" + bucket), error::kInvalidGroup);
  EXPECT_EQ(group("0000 00 00 00000001 0800 0000 ffffffff ffffffff 00000000"), error::kBadBucket);
  EXPECT_EQ(group("0000 00 00 00000001" + bucket + "00000000"), error::kBadLength);
  // Loops and groups that are not there yet: the pipeline sees to what happens.
  EXPECT_EQ(group("0000 00 00 00000001 0018 0000 ffffffff ffffffff 00000000 00160008 00000001"), kTaken);
  EXPECT_EQ(bench.said(type::kFlowMod, applied("0016000800000001")), kTaken);
  bench.receive(1, tcp_frame());
  EXPECT_TRUE(bench.sent.empty());
  EXPECT_EQ(group("8000 00 00 00000002" + bucket), kTaken);  // add or modify
  EXPECT_EQ(group("8000 00 00 00000002" + bucket), kTaken);
  EXPECT_EQ(group("0000 00 00 00000002" + bucket), error::kGroupExists);
}

TEST(OpenFlowRefusals, OfMeters) {
  Bench bench;
  bench.greet();
  const auto meter = [&bench](const std::string& text) { return bench.said(type::kMeterMod, hex(text)); };
  const std::string band = "0001 0010 00000064 0000000a 00000000";
  EXPECT_EQ(meter("0000 0000 00000001" + band), error::kMeterFlags);  // neither kbit/s nor packets
  EXPECT_EQ(meter("0000 0003 00000001" + band), error::kMeterFlags);
  EXPECT_EQ(meter("0000 0011 00000001" + band), error::kMeterFlags);
  EXPECT_EQ(meter("0000 0001 00000001"), error::kOutOfBands);
  EXPECT_EQ(meter("0000 0001 00000001 0001 0010 00000000 0000000a 00000000"), error::kMeterRate);
  EXPECT_EQ(meter("0000 0001 00000001 0009 0010 00000064 0000000a 00000000"), error::kMeterBand);
  EXPECT_EQ(meter("0000 0001 00000001 0001 0018 00000064 0000000a 00000000 0000000000000000"),
            error::kBadLength);
  EXPECT_EQ(meter("0000 0001 00000001" + band + "00000000"), error::kBadLength);
  EXPECT_EQ(meter("0000 0001 00000000" + band), error::kInvalidMeter);
  EXPECT_EQ(meter("0000 0001 ffff0001" + band), error::kInvalidMeter);
  EXPECT_EQ(meter("0003 0001 00000001" + band), error::kMeterCommand);
  EXPECT_EQ(meter("0001 0001 00000001" + band), error::kUnknownMeter);
  EXPECT_EQ(meter("0000 0001 00000001" + band), kTaken);
  EXPECT_EQ(meter("0000 0001 00000001" + band), error::kMeterExists);
  std::string many;
  for (int bands = 0; bands < 9; ++bands) many += band;
  EXPECT_EQ(meter("0000 0001 00000002" + many), error::kOutOfBands);
}

TEST(OpenFlowRefusals, OfOtherMessages) {
  Bench bench;
  bench.greet();
  EXPECT_EQ(bench.said(type::kFeaturesRequest, hex("00000000")), error::kBadLength);
  EXPECT_EQ(bench.said(type::kBarrierRequest, hex("00000000")), error::kBadLength);
  EXPECT_EQ(bench.said(type::kTableMod, hex("fe000000 00000000")), error::kTableModPermission);
  EXPECT_EQ(bench.said(type::kQueueConfigRequest, hex("fffffffe 00000000")), error::kQueuePort);
  EXPECT_EQ(bench.said(type::kMultipartRequest, hex("0003 0000 00000000 00000000")), error::kBadLength);
  EXPECT_EQ(bench.said(type::kExperimenter, hex("00001234 00000001")), error::kBadExperimenter);
  EXPECT_EQ(bench.said(type::kExperimenter, hex("4f4e4600 00000001")), error::kBadExperimenterType);
  const std::string frame(120, '1');
  const std::string set_ip = "00190010 80001604 00000001 00000000";
  EXPECT_EQ(bench.said(type::kPacketOut, hex("ffffffff fffffffd 0010 000000000000" + set_ip + frame)),
            error::kActionInconsistent);
  EXPECT_EQ(bench.said(type::kPacketOut, hex("ffffffff 0000ff00 0000 000000000000" + frame)),
            error::kActionOutPort);
  EXPECT_EQ(bench.said(type::kPacketOut, hex("ffffffff ffffff05 0000 000000000000" + frame)),
            error::kBadPort);
}

TEST(OpenFlowRefusals, Of10AreNicirasWhereThatHasAWord) {
  Bench bench;
  bench.greet(1);
  const std::string wild = "003fffff" + std::string(72, '0');
  const auto flow10 = [&wild](const std::string& timeout, const std::string& flags) {
    return hex(wild + "0000000000000000 0000" + timeout + "0000 0064 ffffffff ffff" + flags);
  };
  EXPECT_EQ(bench.said(type::kFlowMod, flow10("0000", "0004"), 1), (ErrorCode{3, 0}));
  EXPECT_EQ(bench.said(type::kFlowMod, flow10("0009", "0004"), 1), (ErrorCode{3, 3}));
  bench.tell(type::kFlowMod, flow10("0000", "0008"), 1);
  const Bytes answer = bench.answers().at(0);
  EXPECT_EQ((Bytes{answer.begin() + 8, answer.begin() + 20}), hex("b0c2 0000 00002320 0003 0102"));
  EXPECT_EQ(bench.said(type::kFlowMod, flow10("0000", "0000"), 1), kTaken);
}

}  // namespace
}  // namespace simcore::openflow
