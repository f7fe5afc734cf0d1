// SPDX-License-Identifier: MIT
//
// What a match can see of a frame, and where its headers lie; and how far that goes in frames that end too soon or
// contradict themselves.
#include "simcore/openflow/flow_key.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/simcore/openflow/frames.h"

namespace simcore::openflow {
namespace {

constexpr std::size_t kNetwork = 14;

struct Parsed {
  FlowKey key;
  Layout layout;

  FieldValue operator[](FieldId id) const { return field(id).get(key); }
};

Parsed parsed(const Bytes& frame, std::size_t unstored = 0) {
  Parsed all;
  all.layout = parse(frame, unstored, all.key);
  return all;
}

TEST(FlowKey, HasTheHeadersOfTcpOverIpv4) {
  PacketText text{.tos = 0xb9, .ttl = 7, .options = hex("01010101")};
  text.tcp_flags = 0x812;
  const Parsed of = parsed(text.bytes());
  EXPECT_EQ(of[FieldId::eth_dst], 0x020000000002U);
  EXPECT_EQ(of[FieldId::eth_src], 0x020000000001U);
  EXPECT_EQ(of[FieldId::eth_type], 0x0800U);
  EXPECT_EQ(of[FieldId::vlan_vid], 0U);
  EXPECT_EQ(of[FieldId::ip_dscp], 0xb9U >> 2);
  EXPECT_EQ(of[FieldId::ip_ecn], 1U);
  EXPECT_EQ(of[FieldId::ip_ttl], 7U);
  EXPECT_EQ(of[FieldId::ip_proto], 6U);
  EXPECT_EQ(of[FieldId::ipv4_src], 0x0a000001U);
  EXPECT_EQ(of[FieldId::ipv4_dst], 0x0a000002U);
  EXPECT_EQ(of[FieldId::tcp_src], 1'000U);
  EXPECT_EQ(of[FieldId::tcp_dst], 80U);
  EXPECT_EQ(of[FieldId::tcp_flags], 0x812U);
  EXPECT_EQ(of[FieldId::ip_fragment], 0U);
  EXPECT_EQ(of.layout.tag, 0U);
  EXPECT_EQ(of.layout.ether_type, 12U);
  EXPECT_EQ(of.layout.network, kNetwork);
  EXPECT_EQ(of.layout.transport, kNetwork + 24);
}

TEST(FlowKey, HasTheOuterTagAndLooksBehindIt) {
  PacketText text{.tag = 0xa064};
  Parsed of = parsed(text.bytes());
  EXPECT_EQ(of[FieldId::vlan_vid], 0x1064U);
  EXPECT_EQ(of[FieldId::vlan_pcp], 5U);
  EXPECT_EQ(of[FieldId::eth_type], 0x0800U);
  EXPECT_EQ(of[FieldId::tcp_dst], 80U);
  EXPECT_EQ(of.layout.tag, 12U);
  EXPECT_EQ(of.layout.ether_type, 16U);
  EXPECT_EQ(of.layout.network, 18U);
  EXPECT_EQ(of.layout.transport, 38U);
  // One that says 802.1ad; behind it one of 802.1Q is the EtherType.
  of = parsed(frame_of(0x88a8, joined({number(0x0005, 2), number(0x8100, 2), number(0x0006, 2),
                                       number(0x0800, 2), PacketText{}.network()})));
  EXPECT_EQ(of[FieldId::vlan_vid], 0x1005U);
  EXPECT_EQ(of[FieldId::eth_type], 0x8100U);
  EXPECT_EQ(of[FieldId::ip_proto], 0U);
}

TEST(FlowKey, ATagThatIsNotWholeIsAnEtherType) {
  Bytes frame = PacketText{.tag = 5}.bytes();
  frame.resize(17);
  const Parsed of = parsed(frame);
  EXPECT_EQ(of[FieldId::vlan_vid], 0U);
  EXPECT_EQ(of[FieldId::eth_type], 0x8100U);
  EXPECT_EQ(of.layout.tag, 0U);
}

TEST(FlowKey, TheEtherTypeOfAnIeee8023FrameStandsBehindSnap) {
  const Bytes snap = hex("aaaa03 000000 0800");
  Parsed of = parsed(frame_of(100, joined({snap, PacketText{}.network()})));
  EXPECT_EQ(of[FieldId::eth_type], 0x0800U);
  EXPECT_EQ(of[FieldId::tcp_dst], 80U);
  EXPECT_EQ(of.layout.network, kNetwork + 8);
  for (const char* const other :
       {"424203 000000 0000 00", "aaaa03 00000c 0800 00", "aaaa03 000000 0100 00", "aaaa03 000000"}) {
    SCOPED_TRACE(other);
    of = parsed(frame_of(7, hex(other)));
    EXPECT_EQ(of[FieldId::eth_type], 0x05ffU);
    EXPECT_EQ(of.layout.network, kNetwork);
  }
}

TEST(FlowKey, HasBothEndsOfArpOverEthernet) {
  Bytes request = arp_request();
  Parsed of = parsed(frame_of(0x0806, request));
  EXPECT_EQ(of[FieldId::arp_op], 1U);
  EXPECT_EQ(of[FieldId::arp_sha], 0x020000000001U);
  EXPECT_EQ(of[FieldId::arp_spa], 0x0a000001U);
  EXPECT_EQ(of[FieldId::arp_tha], 0U);
  EXPECT_EQ(of[FieldId::arp_tpa], 0x0a000002U);
  EXPECT_EQ(parsed(frame_of(0x8035, request))[FieldId::arp_spa], 0x0a000001U);  // RARP
  request[6] = 1;                                                               // operation 257 is none
  of = parsed(frame_of(0x0806, request));
  EXPECT_EQ(of[FieldId::arp_op], 0U);
  EXPECT_EQ(of[FieldId::arp_spa], 0x0a000001U);
}

TEST(FlowKey, SaysNothingOfArpThatIsShortOrOfOtherHardware) {
  Bytes request = arp_request();
  request[1] = 6;  // IEEE 802
  EXPECT_EQ(parsed(frame_of(0x0806, request))[FieldId::arp_spa], 0U);
  request = arp_request();
  request.pop_back();
  EXPECT_EQ(parsed(frame_of(0x0806, request))[FieldId::arp_spa], 0U);
}

TEST(FlowKey, HasTheOutermostLabelAndHowManyThereAre) {
  const Bytes stack = joined({number(0x12345U << 12 | 5U << 9 | 33U, 4), number(0x100 | 9, 4), number(0, 4)});
  for (const std::uint16_t type : {std::uint16_t{0x8847}, std::uint16_t{0x8848}}) {
    const Parsed of = parsed(frame_of(type, stack));
    EXPECT_EQ(of[FieldId::mpls_label], 0x12345U);
    EXPECT_EQ(of[FieldId::mpls_tc], 5U);
    EXPECT_EQ(of[FieldId::mpls_bos], 0U);
    EXPECT_EQ(of[FieldId::mpls_ttl], 33U);
    EXPECT_EQ(of.key.u32(at::kMplsDepth), 2U);
  }
  const Parsed none = parsed(frame_of(0x8847, hex("ffffff")));
  EXPECT_EQ(none[FieldId::mpls_label], 0U);
  EXPECT_EQ(none.key.u32(at::kMplsDepth), 0U);
}

TEST(FlowKey, CountsAtMost255Labels) {
  EXPECT_EQ(parsed(frame_of(0x8847, Bytes(4 * 300, 0))).key.u32(at::kMplsDepth), 255U);
}

TEST(FlowKey, HasTheServiceOfABackboneFrame) {
  EXPECT_EQ(parsed(frame_of(0x88e7, hex("ff123456")))[FieldId::pbb_isid], 0x123456U);
  EXPECT_EQ(parsed(frame_of(0x88e7, hex("ff1234")))[FieldId::pbb_isid], 0U);
}

TEST(FlowKey, SaysNothingOfAnIpv4HeaderThatContradictsItself) {
  const Bytes right = PacketText{}.bytes();
  const auto with = [&right](std::size_t at, std::uint8_t value) {
    Bytes frame = right;
    frame[kNetwork + at] = value;
    return frame;
  };
  const std::vector<std::pair<std::string, Bytes>> wrong = {
      {"version 6", with(0, 0x65)},
      {"a header of 16 bytes", with(0, 0x44)},
      {"a header that is longer than the frame", with(0, 0x4f)},
      {"a packet that is shorter than its header", with(3, 19)},
      {"a packet that is longer than the frame", with(3, static_cast<std::uint8_t>(right.size() - 13))},
      {"no whole header", {right.begin(), right.begin() + kNetwork + 19}},
      {"nothing", {right.begin(), right.begin() + kNetwork}},
  };
  for (const auto& [what, frame] : wrong) {
    SCOPED_TRACE(what);
    const Parsed of = parsed(frame);
    EXPECT_EQ(of[FieldId::eth_type], 0x0800U);
    EXPECT_EQ(of[FieldId::ipv4_src], 0U);
    EXPECT_EQ(of[FieldId::ip_proto], 0U);
    EXPECT_EQ(of[FieldId::tcp_dst], 0U);
    EXPECT_EQ(of.layout.network, kNetwork);
    EXPECT_EQ(of.layout.transport, 0U);
  }
}

TEST(FlowKey, CountsVirtualPayloadAsPartOfThePacket) {
  Bytes frame = PacketText{}.bytes();
  store_be16(frame.data() + kNetwork + 2, 1'500);
  const std::size_t stored = frame.size() - kNetwork;
  EXPECT_EQ(parsed(frame, 1'500 - stored)[FieldId::tcp_dst], 80U);
  EXPECT_EQ(parsed(frame, 1'499 - stored)[FieldId::tcp_dst], 0U);
  Bytes frame6 = over_ipv6(6).bytes();
  store_be16(frame6.data() + kNetwork + 4, 1'000);
  const std::size_t stored6 = frame6.size() - kNetwork - 40;
  EXPECT_EQ(parsed(frame6, 1'000 - stored6)[FieldId::tcp_dst], 80U);
  EXPECT_EQ(parsed(frame6, 999 - stored6)[FieldId::tcp_dst], 0U);
}

TEST(FlowKey, OnlyTheFirstFragmentHasATransportHeader) {
  PacketText text;
  text.fragment = 0x2000;
  Parsed of = parsed(text.bytes());
  EXPECT_EQ(of[FieldId::ip_fragment], 1U);
  EXPECT_EQ(of[FieldId::tcp_dst], 80U);
  for (const std::uint16_t later : {std::uint16_t{0x2001}, std::uint16_t{0x0001}}) {
    text.fragment = later;
    of = parsed(text.bytes());
    EXPECT_EQ(of[FieldId::ip_fragment], 3U);
    EXPECT_EQ(of[FieldId::ip_proto], 6U);
    EXPECT_EQ(of[FieldId::tcp_dst], 0U);
    EXPECT_EQ(of.layout.transport, 0U);
  }
}

// Each transport has its ports where its header is whole within the IP packet.
TEST(FlowKey, HasThePortsOfAWholeTransportHeaderOnly) {
  struct Case {
    std::uint8_t protocol;
    bool v6;
    std::size_t header;
    FieldId src;
    FieldId dst;
  };
  for (const Case& each : {
           Case{6, false, 20, FieldId::tcp_src, FieldId::tcp_dst},
           Case{6, true, 20, FieldId::tcp_src, FieldId::tcp_dst},
           Case{17, false, 8, FieldId::udp_src, FieldId::udp_dst},
           Case{17, true, 8, FieldId::udp_src, FieldId::udp_dst},
           Case{132, false, 12, FieldId::sctp_src, FieldId::sctp_dst},
           Case{132, true, 12, FieldId::sctp_src, FieldId::sctp_dst},
           Case{1, false, 8, FieldId::icmp4_type, FieldId::icmp4_code},
           Case{58, true, 8, FieldId::icmp6_type, FieldId::icmp6_code},
       }) {
    SCOPED_TRACE(std::to_string(each.protocol) + (each.v6 ? " over IPv6" : " over IPv4"));
    PacketText text = each.v6 ? over_ipv6(each.protocol) : PacketText{.protocol = each.protocol};
    text.port_src = 11;
    text.port_dst = 13;
    const Bytes frame = text.bytes();
    const std::size_t transport = kNetwork + (each.v6 ? 40 : 20);
    Parsed of = parsed(frame);
    EXPECT_EQ(of[each.src], 11U);
    EXPECT_EQ(of[each.dst], 13U);
    EXPECT_EQ(of.layout.transport, transport);
    // The IP packet ends within the header, and the frame goes on.
    Bytes shorter = frame;
    const std::size_t kept = each.header - 1;
    if (each.v6) {
      store_be16(shorter.data() + kNetwork + 4, static_cast<std::uint16_t>(kept));
    } else {
      store_be16(shorter.data() + kNetwork + 2, static_cast<std::uint16_t>(20 + kept));
    }
    shorter.resize(std::max(shorter.size(), transport + each.header));
    of = parsed(shorter);
    EXPECT_EQ(of[FieldId::ip_proto], each.protocol);
    EXPECT_EQ(of[each.src], 0U);
    EXPECT_EQ(of.layout.transport, 0U);
    // The frame ends there; the rest is virtual.
    const Bytes cut(frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(transport + kept));
    of = parsed(cut, frame.size() - cut.size());
    EXPECT_EQ(of[FieldId::ip_proto], each.protocol);
    EXPECT_EQ(of.layout.transport, 0U);
  }
}

TEST(FlowKey, HasTypeAndCodeOfIgmp) {
  const Parsed of = parsed(PacketText{.protocol = 2, .port_src = 0x16, .port_dst = 0}.bytes());
  EXPECT_EQ(of.key.u16(at::kPortSrc), 0x16U);
  EXPECT_EQ(of.layout.transport, kNetwork + 20);
}

TEST(FlowKey, AnIcmpMessageOfTheOtherVersionIsNone) {
  EXPECT_EQ(parsed(PacketText{.protocol = 58}.bytes()).layout.transport, 0U);
  EXPECT_EQ(parsed(over_ipv6(1).bytes()).layout.transport, 0U);
  EXPECT_EQ(parsed(over_ipv6(2).bytes()).layout.transport, 0U);
}

TEST(FlowKey, HasTheHeadersOfTcpOverIpv6) {
  PacketText text = over_ipv6(6);
  text.tos = 0xb9;
  text.ttl = 9;
  text.label = 0xabcde;
  const Parsed of = parsed(text.bytes());
  EXPECT_EQ(of[FieldId::eth_type], 0x86ddU);
  EXPECT_EQ(of[FieldId::ip_dscp], 0xb9U >> 2);
  EXPECT_EQ(of[FieldId::ip_ecn], 1U);
  EXPECT_EQ(of[FieldId::ip_ttl], 9U);
  EXPECT_EQ(of[FieldId::ipv6_label], 0xabcdeU);
  EXPECT_TRUE(of[FieldId::ipv6_src] == kSource6);
  EXPECT_TRUE(of[FieldId::ipv6_dst] == kTarget6);
  EXPECT_EQ(of[FieldId::ip_proto], 6U);
  EXPECT_EQ(of[FieldId::tcp_dst], 80U);
  EXPECT_EQ(of[FieldId::extensions], 0U);
}

TEST(FlowKey, SaysNothingOfAnIpv6HeaderThatContradictsItself) {
  const Bytes right = over_ipv6(6).bytes();
  Bytes version = right;
  version[kNetwork] = 0x45;
  Bytes length = right;
  store_be16(length.data() + kNetwork + 4, static_cast<std::uint16_t>(right.size() - kNetwork - 39));
  const Bytes cut(right.begin(), right.begin() + kNetwork + 39);
  for (const Bytes& frame : {version, length, cut}) {
    const Parsed of = parsed(frame);
    EXPECT_EQ(of[FieldId::eth_type], 0x86ddU);
    EXPECT_TRUE(of[FieldId::ipv6_src] == 0);
    EXPECT_EQ(of[FieldId::ip_proto], 0U);
    EXPECT_EQ(of.layout.transport, 0U);
  }
}

// OpenFlow 1.3.5, section 7.2.3.8: the bits of OFPXMT_OFB_IPV6_EXTHDR.
constexpr unsigned kNoNext = 1, kEsp = 2, kAuth = 4, kDest = 8, kFrag = 16, kRouter = 32, kHop = 64,
                   kUnrep = 128, kUnseq = 256;

struct Extension {
  std::uint8_t type;
  std::size_t bytes;
};

// Extension headers one after the other, the last one before TCP. Their bytes say nothing but what comes next and how
// long they are.
PacketText with_extensions(const std::vector<Extension>& headers, std::uint8_t protocol = 6) {
  PacketText text = over_ipv6(protocol);
  for (std::size_t at = 0; at < headers.size(); ++at) {
    Bytes header(headers[at].bytes);
    header[0] = at + 1 < headers.size() ? headers[at + 1].type : protocol;
    const std::size_t unit = headers[at].type == 51 ? header.size() / 4 - 2 : header.size() / 8 - 1;
    header[1] = headers[at].type == 44 ? std::uint8_t{0} : static_cast<std::uint8_t>(unit);
    text.extensions = joined({text.extensions, header});
  }
  if (!headers.empty()) text.first_extension = headers[0].type;
  return text;
}

TEST(FlowKey, LooksBehindExtensionHeadersAndSaysWhichThereAre) {
  struct Case {
    std::vector<Extension> headers;
    unsigned bits;
  };
  const std::vector<Case> cases = {
      {{}, 0},
      {{{0, 8}}, kHop},
      {{{60, 24}}, kDest},
      {{{43, 24}}, kRouter},
      {{{44, 8}}, kFrag},
      {{{51, 12}}, kAuth},
      {{{51, 24}, {60, 8}}, kAuth | kDest},
      // The order that RFC 8200, section 4.1, recommends.
      {{{0, 8}, {60, 8}, {43, 24}, {44, 8}, {51, 24}, {60, 8}}, kHop | kDest | kRouter | kFrag | kAuth},
      {{{43, 8}, {0, 8}}, kRouter | kHop | kUnseq},
      {{{51, 12}, {44, 8}}, kAuth | kFrag | kUnseq},
      {{{60, 8}, {51, 12}}, kDest | kAuth},
      {{{43, 8}, {60, 8}}, kRouter | kDest},
      {{{60, 8}, {0, 8}}, kDest | kHop | kUnseq},
      {{{51, 12}, {60, 8}, {43, 8}}, kAuth | kDest | kRouter | kUnseq},
      {{{0, 8}, {0, 8}}, kHop | kUnrep},
      {{{60, 8}, {60, 8}}, kDest | kUnrep},
      {{{43, 8}, {60, 8}, {60, 8}}, kRouter | kDest | kUnrep},
      {{{0, 8}, {43, 8}, {0, 8}}, kHop | kRouter | kUnrep | kUnseq},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.bits);
    const PacketText text = with_extensions(each.headers);
    const Parsed of = parsed(text.bytes());
    EXPECT_EQ(of[FieldId::extensions], each.bits);
    EXPECT_EQ(of[FieldId::ip_proto], 6U);
    EXPECT_EQ(of[FieldId::tcp_dst], 80U);
    EXPECT_EQ(of.layout.transport, kNetwork + 40 + text.extensions.size());
  }
}

TEST(FlowKey, NothingIsSeenBehindEncryptionAndBehindTheLastHeader) {
  for (const auto& [type, bit] : {std::pair{std::uint8_t{50}, kEsp}, std::pair{std::uint8_t{59}, kNoNext}}) {
    const Parsed of = parsed(with_extensions({{0, 8}}, type).bytes());
    EXPECT_EQ(of[FieldId::extensions], kHop | bit);
    EXPECT_EQ(of[FieldId::ip_proto], type);
    EXPECT_EQ(of.layout.transport, 0U);
  }
}

TEST(FlowKey, ThePacketEndsWithinItsExtensionHeaders) {
  PacketText text = with_extensions({{0, 8}, {60, 24}});
  Bytes frame = text.bytes();
  const std::size_t unstored = frame.size() - (kNetwork + 40 + 8);
  // The second header has not even begun.
  frame.resize(kNetwork + 40 + 8);
  Parsed of = parsed(frame, unstored);
  EXPECT_EQ(of[FieldId::extensions], kHop | kDest);
  EXPECT_EQ(of[FieldId::ip_proto], 60U);
  EXPECT_EQ(of.layout.transport, 0U);
  // It has begun.
  frame = text.bytes();
  frame.resize(kNetwork + 40 + 8 + 16);
  of = parsed(frame, unstored - 16);
  EXPECT_EQ(of[FieldId::extensions], kHop | kDest);
  EXPECT_EQ(of[FieldId::ip_proto], 6U);
  EXPECT_EQ(of.layout.transport, 0U);
}

TEST(FlowKey, SaysOfIpv6FragmentsWhatItSaysOfIpv4) {
  struct Case {
    std::uint16_t field;  // offset and flag
    unsigned fragment;
    unsigned port;
  };
  for (const Case& each :
       {Case{0x0000, 0, 80}, Case{0x0001, 1, 80}, Case{0x0009, 3, 0}, Case{0x0008, 3, 0}}) {
    SCOPED_TRACE(each.field);
    PacketText text = with_extensions({{44, 8}});
    store_be16(text.extensions.data() + 2, each.field);
    const Parsed of = parsed(text.bytes());
    EXPECT_EQ(of[FieldId::ip_fragment], each.fragment);
    EXPECT_EQ(of[FieldId::ip_proto], 6U);
    EXPECT_EQ(of[FieldId::tcp_dst], each.port);
  }
}

TEST(FlowKey, HasWhatNeighbourDiscoveryAsksFor) {
  const Parsed of = parsed(neighbour_message(135).bytes());
  EXPECT_EQ(of[FieldId::icmp6_type], 135U);
  EXPECT_TRUE(of[FieldId::nd_target] == kTarget6);
  EXPECT_EQ(of[FieldId::nd_sll], 0x020000000009U);
  EXPECT_EQ(of[FieldId::nd_tll], 0U);
  EXPECT_EQ(of.layout.nd_option, kNetwork + 40 + 24 + 2);
  const Parsed answer = parsed(neighbour_message(136).bytes());
  EXPECT_TRUE(answer[FieldId::nd_target] == kTarget6);
  EXPECT_EQ(answer[FieldId::nd_sll], 0U);
  EXPECT_EQ(answer[FieldId::nd_tll], 0x020000000009U);
}

TEST(FlowKey, LooksForTheOptionOfItsKindOnly) {
  const auto options = [](const char* digits, std::uint8_t type = 135) {
    PacketText text = neighbour_message(type);
    text.data.resize(20);
    text.data = joined({text.data, hex(digits)});
    return parsed(text.bytes());
  };
  EXPECT_EQ(options("0e01 112233445566 0101 020000000007")[FieldId::nd_sll],
            0x020000000007U);                                         // behind another
  EXPECT_EQ(options("0201 020000000007").layout.nd_option, 0U);       // the target's, in a solicitation
  EXPECT_EQ(options("0101 020000000007", 136).layout.nd_option, 0U);  // the source's, in an advertisement
  EXPECT_EQ(options("0102 020000000007 0000000000000000").layout.nd_option, 0U);   // of another length
  EXPECT_EQ(options("0e00 112233445566 0101 020000000007").layout.nd_option, 0U);  // of none
  EXPECT_EQ(options("0e05 112233445566 0101 020000000007").layout.nd_option, 0U);  // longer than the packet
  EXPECT_EQ(options("0101 0200").layout.nd_option, 0U);
}

TEST(FlowKey, NeighbourDiscoveryHasCodeZeroAndATarget) {
  PacketText text = neighbour_message(135);
  text.port_dst = 1;
  EXPECT_TRUE(parsed(text.bytes())[FieldId::nd_target] == 0);
  text = neighbour_message(135);
  text.data.resize(19);
  EXPECT_TRUE(parsed(text.bytes())[FieldId::nd_target] == 0);
  text = neighbour_message(134);  // a router's advertisement
  EXPECT_TRUE(parsed(text.bytes())[FieldId::nd_target] == 0);
}

TEST(FlowKey, ParsingAgainKeepsWhatIsNotInTheFrame) {
  FlowKey key;
  key.set32(at::kInPort, 3);
  key.set64(at::kMetadata, 5);
  key.set32(at::kRegisters, 7);
  key.set32(at::kPacketMark, 9);
  parse(joined({PacketText{}.addresses(), number(0x88e7, 2), number(0x123456, 4)}), 0, key);
  parse(over_ipv6(6).bytes(), 0, key);
  parse(frame_of(0x0806, arp_request()), 0, key);
  FlowKey fresh;
  fresh.set32(at::kInPort, 3);
  fresh.set64(at::kMetadata, 5);
  fresh.set32(at::kRegisters, 7);
  fresh.set32(at::kPacketMark, 9);
  parse(frame_of(0x0806, arp_request()), 0, fresh);
  EXPECT_TRUE(key == fresh);
}

// Every beginning of a frame is parsed within its bytes, which AddressSanitizer watches over.
TEST(FlowKey, ParsesEveryBeginningOfAFrame) {
  const std::vector<Bytes> frames = {
      PacketText{.tag = 5, .options = hex("01010101")}.bytes(),
      with_extensions({{0, 8}, {60, 8}, {43, 24}, {44, 8}, {51, 24}}).bytes(),
      neighbour_message(135).bytes(),
      frame_of(0x0806, arp_request()),
      frame_of(0x8847, hex("00000000 00000100")),
      frame_of(0x88e7, hex("00123456")),
      frame_of(40, joined({hex("aaaa03 000000 0800"), PacketText{}.network()})),
  };
  for (const Bytes& frame : frames) {
    for (std::size_t size = kEthernetHeader; size <= frame.size(); ++size) {
      const Bytes cut(frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(size));
      const Layout layout = parsed(cut, frame.size() - size).layout;
      EXPECT_LE(layout.network, size);
      EXPECT_LE(layout.transport, size);
      EXPECT_LE(layout.nd_option, size);
    }
  }
}

}  // namespace
}  // namespace simcore::openflow
