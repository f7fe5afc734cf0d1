// SPDX-License-Identifier: MIT
//
// Matches as controllers write them: each field of OXM, Nicira's names for them, and the fixed structure of 1.0; what
// they are told as, and with which error they are refused.
#include "simcore/openflow/match.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "tests/simcore/openflow/frames.h"

namespace simcore::openflow {
namespace {

Match read(const std::string& digits) {
  const Bytes bytes = hex(digits);
  return read_oxms({bytes, error::kMatchLength});
}
std::optional<ErrorCode> refused(const std::string& digits) {
  try {
    read(digits);
    return std::nullopt;
  } catch (const ProtocolError& error) {
    return error.code();
  }
}
Bytes written(const Match& match) {
  Bytes bytes;
  Writer to(bytes);
  write_oxms(to, match);
  return bytes;
}

constexpr char kIp4[] = "80000a02 0800 ";
constexpr char kIp6[] = "80000a02 86dd ";
constexpr char kArp[] = "80000a02 0806 ";
constexpr char kMpls[] = "80000a02 8847 ";
constexpr char kPbb[] = "80000a02 88e7 ";

// Section 7.2.3.7 of OpenFlow 1.3.5: class, number << 1 | mask, length, value, mask; each behind what it needs.
TEST(Match, EachFieldIsToldAsItCame) {
  const std::string tcp = "80001401 06 ";
  const std::string udp = "80001401 11 ";
  const std::string icmp6 = "80001401 3a ";
  for (const std::string& digits : std::vector<std::string>{
           "",
           "80000004 00000003",
           "80000004 fffffffe",  // OFPP_LOCAL
           "80000408 0123456789abcdef",
           "80000510 0120406789800000 ffffffffff800000",
           "80000606 020000000001",
           "8000070c 020000000000 ffff00000000",
           "80000806 020000000002",
           "80000a02 88b5",
           "80000c02 1005",
           "80000c02 0000",       // untagged
           "80000d04 1000 1000",  // with any tag
           "80000c02 1005 80000e01 07",
           kIp4 + std::string("80001001 3f"),
           kIp4 + std::string("80001201 03"),
           kIp4 + std::string("80001401 ff"),
           kIp6 + std::string("80001001 01"),
           kIp4 + std::string("80001604 0a000001"),
           kIp4 + std::string("80001908 0a000000 ff000000"),
           kIp4 + tcp + "80001a02 0050",
           kIp4 + tcp + "80001d04 0050 00f0",
           kIp6 + tcp + "80001c02 0050",
           kIp4 + udp + "80001e02 0050",
           kIp6 + udp + "80002002 0050",
           kIp4 + std::string("80001401 84 80002202 0050 80002402 0051"),
           kIp4 + std::string("80001401 01 80002601 08 80002801 00"),
           kArp + std::string("80002a02 0001 80002c04 0a000001 80002e04 0a000002 80003006 020000000001"),
           kArp + std::string("8000330c 020000000000 ffff00000000"),
           kIp6 + std::string("80003410 fd000000000000000000000000000001"),
           kIp6 + std::string("80003720 fd000000000000000000000000000000 ffff0000000000000000000000000000"),
           kIp6 + std::string("80003804 000abcde"),
           kIp6 + icmp6 + "80003a01 80 80003c01 00",
           kIp6 + icmp6 +
               "80003a01 87 80003c01 00 80003e10 fd000000000000000000000000000001 80004006 020000000001",
           kIp6 + icmp6 + "80003a01 88 80003c01 00 80004206 020000000001",
           kMpls + std::string("80004404 000fffff 80004601 07 80004801 01"),
           kPbb + std::string("80004a03 123456"),
           "80004c08 000000000000002a",
           kIp6 + std::string("80004f04 0040 0040"),
           kIp4 + tcp + "ffff5406 4f4e4600 0002",  // TCP flags, of the Open Networking Foundation
           kIp4 + tcp + "ffff5508 4f4e4600 0002 0012",
           kIp4 + std::string("00013502 01 01"),  // Nicira's: a fragment
           kIp4 + std::string("00013a01 40"),     // the TTL
           kMpls + std::string("00013c01 40"),
           "00014204 00000007",  // the packet's mark
           "00010004 12345678",  // a register
           "00011f08 12340000 ffff0000",
       }) {
    SCOPED_TRACE(digits);
    const auto why = refused(digits);
    EXPECT_EQ(why, std::nullopt);
    if (why) continue;
    EXPECT_EQ(written(read(digits)), hex(digits));
  }
}

TEST(Match, OtherNamesOfAFieldAreToldAsItsOwn) {
  const std::string tcp = "80001401 06 ";
  for (const auto& [nicira, own] : std::vector<std::pair<std::string, std::string>>{
           {"00000206 020000000001", "80000606 020000000001"},
           {"00000406 020000000001", "80000806 020000000001"},
           {"00000602 0800", "80000a02 0800"},
           {"00000602 0800 00000c01 06", kIp4 + tcp},
           {"00000602 0800 00000e04 0a000001", kIp4 + std::string("80001604 0a000001")},
           {"00000602 0800 00000c01 06 00001202 0050", kIp4 + tcp + "80001a02 0050"},
           {"00000602 86dd 00012610 fd000000000000000000000000000001",
            kIp6 + std::string("80003410 fd000000000000000000000000000001")},
           {"00012008 000000000000002a", "80004c08 000000000000002a"},
           {"00000602 0806 00012206 020000000001", kArp + std::string("80003006 020000000001")},
           {kIp4 + tcp + "00014402 0002", kIp4 + tcp + "ffff5406 4f4e4600 0002"},
           {kIp4 + tcp + "80005402 0002", kIp4 + tcp + "ffff5406 4f4e4600 0002"},
           {kIp4 + std::string("00000a01 b8"), kIp4 + std::string("80001001 2e")},  // NXM_OF_IP_TOS
           {"00000802 1005", "80000c02 1005 80000e01 00"},                          // NXM_OF_VLAN_TCI
           {"00000904 1005 1fff", "80000c02 1005"},
           {"80010008 0000000112345678", "00010004 00000001 00010204 12345678"},  // a pair of registers
           {"80000a02 0800 80000b04 0800 ffff", ""},
       }) {
    SCOPED_TRACE(nicira);
    if (own.empty()) {
      EXPECT_EQ(refused(nicira), error::kMatchDuplicate);
      continue;
    }
    const auto why = refused(nicira);
    EXPECT_EQ(why, std::nullopt);
    if (why) continue;
    EXPECT_EQ(written(read(nicira)), hex(own));
  }
}

TEST(Match, AMaskOfAllBitsIsNoneAndOneOfNoBitsIsNoCondition) {
  EXPECT_EQ(written(read("80000b04 0800 ffff")), hex("80000a02 0800"));
  EXPECT_EQ(written(read("8000070c 020000000001 ffffffffffff")), hex("80000606 020000000001"));
  EXPECT_EQ(written(read("80000b04 0000 0000")), Bytes{});
  EXPECT_TRUE(read("80000510 0000000000000000 0000000000000000") == Match{});
}

// OFPET_BAD_MATCH is 4.
TEST(Match, WhatIsNoFieldIsRefused) {
  constexpr ErrorCode kLength{4, 1}, kWildcards{4, 5}, kField{4, 6}, kValue{4, 7}, kMask{4, 8},
      kPrerequisite{4, 9}, kDuplicate{4, 10};
  const std::vector<std::pair<std::string, ErrorCode>> cases = {
      {"800000", kLength},                 // no whole header
      {"80000a02 08", kLength},            // no whole value
      {"80000a01 08", kField},             // of another length
      {"80000a04 08000000", kField},       // with a mask, and it does not say so
      {"80000b02 0800", kField},           // says so, and has none
      {"80000204 00000001", kField},       // IN_PHY_PORT
      {"80007e02 0000", kField},           // unknown
      {"12340002 0000", kField},           // of an unknown class
      {"ffff5406 00001234 0002", kField},  // of an unknown experimenter
      {"ffff0006 4f4e4600 0002", kField},  // an unknown field of a known one
      {"ffff5402 0002", kLength},          // without an experimenter
      {"80000004 ffffff00 80000004", kLength},
      {"80000004 0000ff00", kValue},  // no number that a port has
      {"80000004 fffffeff", kValue},
      {"80000c02 2005", kValue},  // more than 13 bits
      {"80000c02 1005 80000e01 08", kValue},
      {kIp4 + std::string("80001001 40"), kValue},
      {kIp4 + std::string("80001201 04"), kValue},
      {kArp + std::string("80002a02 0100"), kValue},
      {kIp6 + std::string("80003804 00100000"), kValue},
      {kMpls + std::string("80004404 00100000"), kValue},
      {kIp4 + std::string("00000a01 b9"), kValue},         // a TOS with bits of ECN
      {"8000070c 020000000001 ffff00000000", kWildcards},  // a value beside its mask
      {"80000b04 0800 00ff", kWildcards},
      {"80000b04 0800 0fff", kMask},  // an EtherType of some bits
      {"80001604 0a000001", kPrerequisite},
      {kIp6 + std::string("80001604 0a000001"), kPrerequisite},
      {kIp4 + std::string("80001a02 0050"), kPrerequisite},
      {"80000e01 05", kPrerequisite},  // a priority without a tag
      {"80000c02 0000 80000e01 05", kPrerequisite},
      {kIp6 + std::string("80001401 3a 80003e10 fd000000000000000000000000000001"), kPrerequisite},
      {kIp6 + std::string("80001401 3a 80003a01 88 80003c01 00 80004006 020000000001"), kPrerequisite},
      {"80000004 00000001 80000004 00000001", kDuplicate},
      {kIp4 + std::string("80000a02 0800"), kDuplicate},
      {"80000606 020000000001 00000206 020000000001", kDuplicate},
  };
  for (const auto& [digits, code] : cases) {
    SCOPED_TRACE(digits);
    EXPECT_EQ(refused(digits), code);
  }
}

TEST(Match, IsPaddedToEightBytes) {
  for (const auto& [digits, size] :
       std::vector<std::pair<std::string, std::size_t>>{{"", 8},
                                                        {"80000a02 0800", 16},
                                                        {"80000004 00000001", 16},
                                                        {"80000004 00000001 80000a02 0800", 24}}) {
    Bytes bytes;
    Writer to(bytes);
    to.zeros(3);  // it counts from its own beginning
    write_match(to, read(digits));
    const Bytes fields = hex(digits);
    Bytes right = joined({Bytes(3), number(1, 2), number(4 + fields.size(), 2), fields});
    right.resize(3 + size);
    EXPECT_EQ(bytes, right);
    Reader from({bytes.data() + 3, bytes.size() - 3}, error::kBadLength);
    EXPECT_TRUE(read_match(from) == read(digits));
    EXPECT_TRUE(from.empty());
  }
}

TEST(Match, CoversContainsAndOverlaps) {
  const Match net = read(kIp4 + std::string("80001708 0a000000 ff000000"));
  const Match host = read(kIp4 + std::string("80001604 0a000001"));
  const Match other = read(kIp4 + std::string("80001604 0b000001"));
  const Match to_host = read(kIp4 + std::string("80001804 0a000001"));
  FlowKey key;
  parse(PacketText{}.bytes(), 0, key);  // from 10.0.0.1
  EXPECT_TRUE(net.covers(key) && host.covers(key) && Match{}.covers(key));
  EXPECT_FALSE(other.covers(key) || to_host.covers(key));
  EXPECT_TRUE(net.contains(host) && Match{}.contains(net) && host.contains(host));
  EXPECT_FALSE(host.contains(net) || net.contains(other) || net.contains(to_host));
  EXPECT_TRUE(net.overlaps(host) && host.overlaps(net) && host.overlaps(to_host));
  EXPECT_FALSE(net.overlaps(other) || host.overlaps(other));
}

// Section 5.2.3 of OpenFlow 1.0.1: wildcards, port, addresses, VLAN, priority, EtherType, TOS, protocol, addresses, ports.
struct Text10 {
  std::uint32_t wildcards = 0x3fffff;
  std::uint16_t in_port = 0;
  std::uint64_t eth_src = 0;
  std::uint64_t eth_dst = 0;
  std::uint16_t vlan = 0;
  std::uint8_t pcp = 0;
  std::uint16_t eth_type = 0;
  std::uint8_t tos = 0;
  std::uint8_t protocol = 0;
  std::uint32_t ip_src = 0;
  std::uint32_t ip_dst = 0;
  std::uint16_t port_src = 0;
  std::uint16_t port_dst = 0;

  Bytes bytes() const {
    return joined({number(wildcards, 4), number(in_port, 2), number(eth_src, 6), number(eth_dst, 6),
                   number(vlan, 2), number(pcp, 1), number(0, 1), number(eth_type, 2), number(tos, 1),
                   number(protocol, 1), number(0, 2), number(ip_src, 4), number(ip_dst, 4),
                   number(port_src, 2), number(port_dst, 2)});
  }
};
Match read10(const Text10& text) {
  const Bytes bytes = text.bytes();
  Reader from(bytes, error::kBadLength);
  const Match match = read_match10(from);
  EXPECT_TRUE(from.empty());
  return match;
}
Bytes written10(const Match& match) {
  Bytes bytes;
  Writer to(bytes);
  write_match10(to, match);
  return bytes;
}

// What the wildcards leave out, with addresses of which no bit counts: 32 is said for these.
constexpr std::uint32_t kAll = (0x3fffff & ~(63U << 8 | 63U << 14)) | 32U << 8 | 32U << 14;
constexpr std::uint32_t kInPort = 1, kVlan = 2, kSrc = 4, kDst = 8, kType = 16, kProtocol = 32, kPortSrc = 64,
                        kPortDst = 128, kPcp = 1 << 20, kTos = 1 << 21;

TEST(Match, Of10IsWhatItsFieldsSay) {
  struct Case {
    Text10 text;
    std::string right;  // as OXM
  };
  for (const Case& each : {
           Case{{}, ""},
           Case{{.wildcards = kAll & ~kInPort, .in_port = 3}, "80000004 00000003"},
           Case{{.wildcards = kAll & ~kInPort, .in_port = 0xfffe}, "80000004 fffffffe"},
           Case{{.wildcards = kAll & ~kSrc, .eth_src = 0x020000000001}, "80000806 020000000001"},
           Case{{.wildcards = kAll & ~kDst, .eth_dst = 0x020000000001}, "80000606 020000000001"},
           Case{{.wildcards = kAll & ~kVlan, .vlan = 5}, "80000c02 1005"},
           Case{{.wildcards = kAll & ~(kVlan | kPcp), .vlan = 5, .pcp = 3}, "80000c02 1005 80000e01 03"},
           Case{{.wildcards = kAll & ~kPcp, .pcp = 3}, "80000d04 1000 1000 80000e01 03"},
           Case{{.wildcards = kAll & ~(kVlan | kPcp), .vlan = 0xffff}, "80000c02 0000"},
           Case{{.wildcards = kAll & ~kType, .eth_type = 0x88b5}, "80000a02 88b5"},
           Case{{.wildcards = kAll & ~(kType | kTos), .eth_type = 0x0800, .tos = 0xb8},
                kIp4 + std::string("80001001 2e")},
           Case{{.wildcards = (kAll & ~(kType | 63U << 8 | 63U << 14)) | 8U << 8 | 0U << 14,
           .eth_type = 0x0800,
           .ip_src = 0x0a000100,
           .ip_dst = 0x0a000002},
                kIp4 + std::string("80001708 0a000100 ffffff00 80001804 0a000002")},
           Case{{.wildcards = kAll & ~(kType | kProtocol | kPortSrc | kPortDst),
           .eth_type = 0x0800,
           .protocol = 6,
           .port_src = 1,
           .port_dst = 2},
                kIp4 + std::string("80001401 06 80001a02 0001 80001c02 0002")},
           Case{{.wildcards = kAll & ~(kType | kProtocol | kPortSrc | kPortDst),
           .eth_type = 0x0800,
           .protocol = 17,
           .port_src = 1,
           .port_dst = 2},
                kIp4 + std::string("80001401 11 80001e02 0001 80002002 0002")},
           Case{{.wildcards = kAll & ~(kType | kProtocol | kPortSrc | kPortDst),
           .eth_type = 0x0800,
           .protocol = 132,
           .port_src = 1,
           .port_dst = 2},
                kIp4 + std::string("80001401 84 80002202 0001 80002402 0002")},
           Case{{.wildcards = kAll & ~(kType | kProtocol | kPortSrc | kPortDst),
           .eth_type = 0x0800,
           .protocol = 1,
           .port_src = 8,
           .port_dst = 2},
                kIp4 + std::string("80001401 01 80002601 08 80002801 02")},
           Case{{.wildcards = kAll & ~(kType | kProtocol | kPortSrc | kPortDst),
           .eth_type = 0x86dd,
           .protocol = 58,
           .port_src = 128,
           .port_dst = 2},
                kIp6 + std::string("80001401 3a 80003a01 80 80003c01 02")},
           Case{{.wildcards = (kAll & ~(kType | kProtocol | 63U << 8)),
           .eth_type = 0x0806,
           .protocol = 1,
           .ip_src = 0x0a000001},
                kArp + std::string("80002a02 0001 80002c04 0a000001")},
       }) {
    SCOPED_TRACE(each.right);
    EXPECT_EQ(written(read10(each.text)), hex(each.right));
    // Told again, it is the same, but for wildcards that say no bit in another way.
    Text10 told = each.text;
    if (told.wildcards == 0x3fffff) told.wildcards = kAll;
    if (told.vlan == 0xffff) told.pcp = 0;
    EXPECT_EQ(written10(read10(each.text)), told.bytes());
  }
}

TEST(Match, Of10LeavesOutWhatThePacketsHaveNot) {
  // Addresses without an EtherType, ports without a protocol, a protocol of another packet.
  EXPECT_TRUE(read10({.wildcards = 0x3fffff & ~(63U << 8), .ip_src = 0x0a000001}) == Match{});
  EXPECT_EQ(written(read10({.wildcards = kAll & ~(kType | kPortDst), .eth_type = 0x0800, .port_dst = 80})),
            hex(kIp4));
  EXPECT_EQ(written(read10({.wildcards = kAll & ~(kType | kPortDst | kProtocol),
                            .eth_type = 0x0800,
                            .protocol = 89,
                            .port_dst = 80})),
            hex(kIp4 + std::string("80001401 59")));
  EXPECT_EQ(
      written(read10({.wildcards = kAll & ~(kType | kProtocol | kTos), .eth_type = 0x88b5, .protocol = 6})),
      hex("80000a02 88b5"));
}

TEST(Match, OfASetFieldHasErrorsOfActions) {
  Bench bench;
  bench.greet();
  const auto said = [&bench](const std::string& action) {
    const Bytes bytes = hex(action);
    const Bytes mod = joined({FlowModText{.match = read("80000c02 1005")}.bytes(), number(4, 2),
                              number(8 + bytes.size(), 2), number(0, 4), bytes});
    return bench.said(type::kFlowMod, mod);
  };
  EXPECT_EQ(said("0019 0010 80000c02 1007 000000000000"), Bench::kTaken);
  EXPECT_EQ(said("0019 0010 80000c02 0007 000000000000"),
            (ErrorCode{2, 15}));  // OFPBAC_BAD_SET_ARGUMENT: no tag
  EXPECT_EQ(said("0019 0010 80000c02 2007 000000000000"), (ErrorCode{2, 15}));
  EXPECT_EQ(said("0019 0010 80000c02 1007 000000000001"), (ErrorCode{2, 15}));  // what pads is no zero
  EXPECT_EQ(said("0019 0010 80000004 00000001 00000000"), (ErrorCode{2, 15}));  // IN_PORT
  EXPECT_EQ(said("0019 0010 8000fe02 1007 000000000000"), (ErrorCode{2, 13}));  // OFPBAC_BAD_SET_TYPE
  EXPECT_EQ(said("0019 0010 80000c01 10 00000000000000"), (ErrorCode{2, 13}));
  EXPECT_EQ(said("0019 0010 80000c20 1007 000000000000"), (ErrorCode{2, 14}));  // OFPBAC_BAD_SET_LEN
  EXPECT_EQ(said("0019 0010 80000f02 04 03 000000000000"), (ErrorCode{4, 5}));  // OFPBMC_BAD_WILDCARDS
  EXPECT_EQ(said("0019 0010 80000f02 02 03 000000000000"), (ErrorCode{0xffff, 4250}));  // OFPBAC_BAD_SET_MASK
  EXPECT_EQ(said("0019 0018 80000c02 1007 000000000000 0000000000000000"),
            (ErrorCode{2, 1}));  // OFPBAC_BAD_LEN
}

}  // namespace
}  // namespace simcore::openflow
