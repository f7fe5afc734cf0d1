// SPDX-License-Identifier: MIT
//
// What a controller asks for in several parts, byte by byte as OpenFlow 1.3.5 (section 7.3.5) and 1.0.1 (section 5.3.5)
// lay it out.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/simcore/openflow/frames.h"

namespace simcore::openflow {
namespace {

using namespace multipart_type;
using Type = multipart_type::Number;

Bytes text(const std::string& what, std::size_t size) {
  Bytes bytes(what.begin(), what.end());
  bytes.resize(size);
  return bytes;
}

class Multipart : public ::testing::Test {
 protected:
  Multipart() : bench(2) {
    bench.greet();
    of13 = bench.session;
    of10 = bench.session = &bench.of.connect(Session::Kind::controller, [] {});
    bench.greet(1);
  }

  // The only message of an answer, behind its head.
  Bytes report13(Type type, const Bytes& body = {}) {
    bench.session = of13;
    bench.tell(type::kMultipartRequest, joined({number(type, 2), number(0, 6), body}));
    const auto answers = bench.answers();
    if (answers.size() != 1 || answers[0].size() < 16) return hex("ff");
    EXPECT_EQ(Bytes(answers[0].begin() + 8, answers[0].begin() + 16),
              joined({number(type, 2), number(0, 6)}));
    return {answers[0].begin() + 16, answers[0].end()};
  }
  Bytes report10(Type type, const Bytes& body = {}) {
    bench.session = of10;
    bench.tell(type10::kStatisticsRequest, joined({number(type, 2), number(0, 2), body}), 1);
    const auto answers = bench.answers();
    if (answers.size() != 1 || answers[0].size() < 12) return hex("ff");
    EXPECT_EQ(Bytes(answers[0].begin() + 8, answers[0].begin() + 12),
              joined({number(type, 2), number(0, 2)}));
    return {answers[0].begin() + 12, answers[0].end()};
  }
  ErrorCode refused13(std::uint16_t type, const std::string& body = "") {
    bench.session = of13;
    return bench.said(type::kMultipartRequest, joined({number(type, 2), number(0, 6), hex(body)}));
  }
  ErrorCode refused10(std::uint16_t type, const std::string& body = "") {
    bench.session = of10;
    return bench.said(type10::kStatisticsRequest, joined({number(type, 2), number(0, 2), hex(body)}), 1);
  }
  void flow(const FlowModText& mod) {
    bench.session = of13;
    ASSERT_EQ(bench.said(type::kFlowMod, mod.bytes()), Bench::kTaken);
  }

  Bench bench;
  Session* of13 = nullptr;
  Session* of10 = nullptr;
};

// A request for flows of 1.3: table, what they go out of, cookie and its mask; any match.
Bytes flows13(std::uint8_t table, std::uint32_t port = 0xffffffff, std::uint32_t group = 0xffffffff,
              std::uint64_t cookie = 0, std::uint64_t mask = 0, const char* match = "0001 0004 00000000") {
  return joined({number(table, 1), number(0, 3), number(port, 4), number(group, 4), number(0, 4),
                 number(cookie, 8), number(mask, 8), hex(match)});
}
Bytes flows10(std::uint8_t table, std::uint16_t port = 0xffff) {
  return joined({number(0x3fffff, 4), number(0, 36), number(table, 1), number(0, 1), number(port, 2)});
}

TEST_F(Multipart, Description) {
  const Bytes right = joined({text("hybridnet", 256), text("simulated switch", 256), text("simcore", 256),
                              text("None", 32), text("s1", 256)});
  EXPECT_EQ(report13(kDescription), right);
  EXPECT_EQ(report10(kDescription), right);
}

TEST_F(Multipart, FlowsWithTheirCountersInBothVersions) {
  FlowModText mod{.instructions = applying({output_to(2)}),
                  .priority = 7,
                  .idle = 60,
                  .hard = 90,
                  .flags = 1,
                  .cookie = 0x0123456789abcdef};
  mod.match.set(field(FieldId::in_port), 1);
  flow(mod);
  const Bytes frame = PacketText{}.bytes();
  bench.receive(1, frame);
  bench.receive(1, frame);
  bench.time = SimTime::at_ns(3'000'000'004);
  const Bytes counters = joined({hex("0123456789abcdef"), number(2, 8), number(2 * frame.size(), 8)});
  const Bytes age = hex("00000003 00000004");
  EXPECT_EQ(report13(kFlows, flows13(0xff)),
            joined({hex("0058 00 00"), age, hex("0007 003c 005a 0001 00000000"), counters,
                    hex("0001 000c 80000004 00000001 00000000"
                        "0004 0018 00000000 0000 0010 00000002 ffff 000000000000")}));
  EXPECT_EQ(report10(kFlows, flows10(0xff)),
            joined({hex("0060 00 00 003820fe 0001"), number(0, 34), age, hex("0007 003c 005a 000000000000"),
                    counters, hex("0000 0008 0002 ffff")}));
  EXPECT_EQ(report13(kAggregate, flows13(0xff)),
            joined({number(2, 8), number(2 * frame.size(), 8), number(1, 4), number(0, 4)}));
  EXPECT_EQ(report10(kAggregate, flows10(0xff)),
            joined({number(2, 8), number(2 * frame.size(), 8), number(1, 4), number(0, 4)}));
}

TEST_F(Multipart, FlowsAreChosenByTableOutletCookieAndMatch) {
  bench.session = of13;
  ASSERT_EQ(bench.said(15, hex("0000 00 00 00000005")), Bench::kTaken);  // a group
  FlowModText mod{.instructions = applying({output_to(2)}), .cookie = 0x11};
  flow(mod);
  mod = {.instructions = applying({of(ActionType::group, 0, 5)}), .table = 1, .cookie = 0x12};
  mod.match.set(field(FieldId::in_port), 1);
  flow(mod);
  mod = {.table = 2, .cookie = 0x21};
  mod.instructions.write = Actions{output_to(1)};
  flow(mod);
  const auto chosen = [this](const Bytes& body) { return load_be32(report13(kAggregate, body).data() + 16); };
  EXPECT_EQ(chosen(flows13(0xff)), 3U);
  EXPECT_EQ(chosen(flows13(1)), 1U);
  EXPECT_EQ(chosen(flows13(9)), 0U);
  EXPECT_EQ(chosen(flows13(0xff, 2)), 1U);
  EXPECT_EQ(chosen(flows13(0xff, 1)), 1U);  // of an action set, too
  EXPECT_EQ(chosen(flows13(0xff, 3)), 0U);
  EXPECT_EQ(chosen(flows13(0xff, 0xffffffff, 5)), 1U);
  EXPECT_EQ(chosen(flows13(0xff, 0xffffffff, 6)), 0U);
  EXPECT_EQ(chosen(flows13(0xff, 0xffffffff, 0xffffffff, 0x10, 0xf0)), 2U);
  EXPECT_EQ(chosen(flows13(0xff, 0xffffffff, 0xffffffff, 0x01, 0x0f)), 2U);
  EXPECT_EQ(chosen(flows13(0xff, 0xffffffff, 0xffffffff, 0, 0, "0001 000c 80000004 00000001 00000000")), 1U);
  EXPECT_EQ(load_be32(report10(kAggregate, flows10(0xff, 2)).data() + 16), 1U);
  EXPECT_EQ(load_be32(report10(kAggregate, flows10(2)).data() + 16), 1U);
}

TEST_F(Multipart, TablesWithTheirCounters) {
  flow({.instructions = applying({output_to(2)}), .table = 3});
  FlowModText first;
  first.match.set(field(FieldId::in_port), 1);
  first.instructions.go_to = 3;
  flow(first);
  const Bytes frame = PacketText{}.bytes();
  bench.receive(1, frame);
  bench.receive(2, frame);
  Bytes right13;
  Bytes right10;
  for (std::size_t table = 0; table < 254; ++table) {
    const unsigned lookups = table == 0 ? 2 : table == 3 ? 1 : 0;
    const unsigned flows = table == 0 || table == 3 ? 1 : 0;
    const unsigned matched = flows;
    const Bytes counters = joined({number(flows, 4), number(lookups, 8), number(matched, 8)});
    right13 = joined({right13, number(table, 1), number(0, 3), counters});
    right10 = joined({right10, number(table, 1), number(0, 3), text("table" + std::to_string(table), 32),
                      number(0x3fffff, 4), number(1'000'000, 4), counters});
  }
  of10->output().clear();  // a packet that was missed
  EXPECT_EQ(report13(kTableCounters), right13);
  EXPECT_EQ(report10(kTableCounters), right10);
}

TEST_F(Multipart, PortsWithTheirCounters) {
  flow({.instructions = applying({output_to(2)})});
  const Bytes frame = PacketText{}.bytes();
  for (int count = 0; count < 3; ++count) bench.receive(1, frame);
  bench.time = SimTime::at_ns(5'000'000'006);
  const Bytes in = joined({number(3, 8), number(0, 8), number(3 * frame.size(), 8), number(0, 8 * 9)});
  const Bytes out =
      joined({number(0, 8), number(3, 8), number(0, 8), number(3 * frame.size(), 8), number(0, 8 * 8)});
  const Bytes age = hex("00000005 00000006");
  const Bytes first13 = joined({hex("00000001 00000000"), in, age});
  const Bytes second13 = joined({hex("00000002 00000000"), out, age});
  EXPECT_EQ(report13(kPortCounters, hex("00000001 00000000")), first13);
  EXPECT_EQ(report13(kPortCounters, hex("00000002 00000000")), second13);
  EXPECT_EQ(report13(kPortCounters, hex("00000009 00000000")), Bytes{});
  const Bytes all = report13(kPortCounters, hex("ffffffff 00000000"));
  EXPECT_EQ(Bytes(all.begin(), all.begin() + 224), joined({first13, second13}));
  EXPECT_EQ(report10(kPortCounters, hex("0002 000000000000")), joined({hex("0002 000000000000"), out}));
}

TEST_F(Multipart, DescriptionsOfPorts) {
  bench.of.set_link(2, false);
  bench.session = of13;
  bench.answers();
  of10->output().clear();
  // 10 Gbit/s, full duplex, of copper; live while it has a link.
  const Bytes one =
      joined({hex("00000001 00000000 000000000001 0000"), text("s1-eth1", 16),
              hex("00000000 00000004 00000840"), number(0, 12), number(10'000'000, 4), number(0, 4)});
  const Bytes two =
      joined({hex("00000002 00000000 000000000002 0000"), text("s1-eth2", 16),
              hex("00000000 00000001 00000840"), number(0, 12), number(10'000'000, 4), number(0, 4)});
  const Bytes told = report13(kPortDescriptions);
  ASSERT_GE(told.size(), 128U);
  EXPECT_EQ(Bytes(told.begin(), told.begin() + 128), joined({one, two}));
  const Bytes one10 = joined(
      {hex("0001 000000000001"), text("s1-eth1", 16), hex("00000000 00000000 000000c0"), number(0, 12)});
  const Bytes two10 = joined(
      {hex("0002 000000000002"), text("s1-eth2", 16), hex("00000000 00000001 000000c0"), number(0, 12)});
  const Bytes told10 = report10(kPortDescriptions);
  ASSERT_GE(told10.size(), 96U);
  EXPECT_EQ(Bytes(told10.begin(), told10.begin() + 96), joined({one10, two10}));
}

TEST_F(Multipart, PortsHaveNoQueuesToTellOf) {
  EXPECT_EQ(report13(kQueues, hex("00000001 ffffffff")), Bytes{});
  EXPECT_EQ(report13(kQueues, hex("ffffffff ffffffff")), Bytes{});
  EXPECT_EQ(report10(kQueues, hex("0001 0000 ffffffff")), Bytes{});
  EXPECT_EQ(report10(kQueues, hex("fffc 0000 ffffffff")), Bytes{});       // OFPP_ALL
  EXPECT_EQ(refused13(kQueues, "00000009 ffffffff"), (ErrorCode{9, 0}));  // OFPQOFC_BAD_PORT
  EXPECT_EQ(refused13(kQueues, "00000001 00000001"), (ErrorCode{9, 1}));  // OFPQOFC_BAD_QUEUE
  EXPECT_EQ(refused10(kQueues, "0009 0000 ffffffff"), (ErrorCode{5, 0}));
  EXPECT_EQ(refused10(kQueues, "0001 0000 00000001"), (ErrorCode{5, 1}));
}

TEST_F(Multipart, RequestsThatAreRefused) {
  for (const std::uint16_t type : {kDescription, kTableCounters, kPortDescriptions}) {
    EXPECT_EQ(refused13(type, "00000000"), error::kBadLength);
    EXPECT_EQ(refused10(type, "00000000"), error::kBadLength);
  }
  EXPECT_EQ(refused13(14), (ErrorCode{1, 2}));  // OFPBRC_BAD_MULTIPART
  EXPECT_EQ(refused10(14), (ErrorCode{1, 2}));
  EXPECT_EQ(refused13(0xffff, "00001234 00000000"), (ErrorCode{1, 3}));  // OFPBRC_BAD_EXPERIMENTER
  EXPECT_EQ(refused10(0xffff, "00001234"), (ErrorCode{1, 3}));
  EXPECT_EQ(refused13(kPortCounters, "00000001"), error::kBadLength);
  EXPECT_EQ(refused10(kPortCounters, "0001"), error::kBadLength);
  EXPECT_EQ(refused13(kQueues, "00000001"), error::kBadLength);
  bench.session = of13;
  const auto flows = [this](const Bytes& body) {
    return bench.said(type::kMultipartRequest, joined({number(kFlows, 2), number(0, 6), body}));
  };
  EXPECT_EQ(flows(flows13(0xfe)), (ErrorCode{1, 9}));          // OFPBRC_BAD_TABLE_ID
  EXPECT_EQ(flows(flows13(0xff, 0xff00)), (ErrorCode{2, 4}));  // OFPBAC_BAD_OUT_PORT
  EXPECT_EQ(flows(joined({flows13(0xff), Bytes(8)})), error::kBadLength);
  EXPECT_EQ(flows(hex("ff000000")), error::kBadLength);
}

}  // namespace
}  // namespace simcore::openflow
