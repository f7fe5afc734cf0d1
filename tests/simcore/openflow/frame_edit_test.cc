// SPDX-License-Identifier: MIT
//
// A frame whose fields were set is compared with one that was built with these values, and so has checksums that were
// summed from nothing.
#include "simcore/openflow/frame_edit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "simcore/packet/train.h"
#include "tests/simcore/openflow/frames.h"

namespace simcore::openflow {
namespace {

using Numbers = std::initializer_list<std::uint8_t>;

// What goes out of port 2 when a controller sends a frame with these actions.
Bytes edited(Actions actions, const Bytes& frame) {
  Bench bench;
  bench.greet();
  actions.push_back(output_to(2));
  Bytes written;
  Writer list(written);
  write_actions(list, actions, Version::v13);
  const Bytes body = joined({number(kNoBuffer, 4), number(port_no::kController, 4), number(written.size(), 2),
                             number(0, 6), written, frame});
  EXPECT_EQ(bench.said(type::kPacketOut, body), Bench::kTaken);
  return bench.sent.size() == 1 ? bench.sent[0].second : Bytes{};
}

struct Change {
  FieldId id;
  FieldValue value;
  std::function<void(PacketText&)> in_text;
};

std::vector<Change> changes_of(const PacketText& text) {
  std::vector<Change> changes = {
      {FieldId::eth_dst, 0x0a0b0c0d0e0f, [](PacketText& of) { of.eth_dst = 0x0a0b0c0d0e0f; }},
      {FieldId::eth_src, 0x0f0e0d0c0b0a, [](PacketText& of) { of.eth_src = 0x0f0e0d0c0b0a; }},
      {FieldId::ip_dscp, 0x2e,
       [](PacketText& of) { of.tos = static_cast<std::uint8_t>(0x2e << 2 | (of.tos & 3)); }},
      {FieldId::ip_ecn, 2, [](PacketText& of) { of.tos = static_cast<std::uint8_t>((of.tos & 0xfc) | 2); }},
      {FieldId::ip_ttl, 3, [](PacketText& of) { of.ttl = 3; }},
  };
  if (text.tag) {
    changes.push_back({FieldId::vlan_vid, 0x1abc, [](PacketText& of) {
                         of.tag = static_cast<std::uint16_t>((*of.tag & 0xf000) | 0xabc);
                       }});
    changes.push_back({FieldId::vlan_pcp, 6, [](PacketText& of) {
                         of.tag = static_cast<std::uint16_t>((*of.tag & 0x1fff) | 6 << 13);
                       }});
  }
  if (text.v6) {
    constexpr FieldValue kOther = FieldValue{0x20010db8fedcba98} << 64 | 0x76543210ffff8001;
    changes.push_back({FieldId::ipv6_src, kOther, [](PacketText& of) { of.src = kOther; }});
    changes.push_back({FieldId::ipv6_dst, kOther, [](PacketText& of) { of.dst = kOther; }});
    changes.push_back({FieldId::ipv6_label, 0xfedcb, [](PacketText& of) { of.label = 0xfedcb; }});
  } else {
    changes.push_back({FieldId::ipv4_src, 0xfffe8001, [](PacketText& of) { of.src = 0xfffe8001; }});
    changes.push_back({FieldId::ipv4_dst, 0xc0a80101, [](PacketText& of) { of.dst = 0xc0a80101; }});
  }
  std::optional<std::pair<FieldId, FieldId>> ends;
  FieldValue value = 0xfeed;
  switch (text.protocol) {
    case 6:
      ends = {FieldId::tcp_src, FieldId::tcp_dst};
      break;
    case 17:
      ends = {FieldId::udp_src, FieldId::udp_dst};
      break;
    case 132:
      ends = {FieldId::sctp_src, FieldId::sctp_dst};
      break;
    case 1:
      ends = {FieldId::icmp4_type, FieldId::icmp4_code};
      value = 0xed;
      break;
    case 58:
      ends = {FieldId::icmp6_type, FieldId::icmp6_code};
      value = 0xed;
      break;
    default:
      break;
  }
  if (ends) {
    const auto written = static_cast<std::uint16_t>(value);
    changes.push_back({ends->first, value, [written](PacketText& of) { of.port_src = written; }});
    changes.push_back({ends->second, value, [written](PacketText& of) { of.port_dst = written; }});
  }
  return changes;
}

TEST(FrameEdit, AFieldThatIsSetStandsInTheFrameWithRightChecksums) {
  std::vector<PacketText> texts;
  for (const std::uint8_t protocol : Numbers{6, 17, 132, 1, 2, 89}) {
    texts.emplace_back().protocol = protocol;
    texts.emplace_back(texts.back()).tag = 0x2005;
    texts.emplace_back(texts.back()).options = hex("0101010101010101");
  }
  for (const std::uint8_t protocol : Numbers{6, 17, 132, 58, 89}) {
    texts.push_back(over_ipv6(protocol));
    texts.emplace_back(texts.back()).tag = 0x2005;
    PacketText& extended = texts.emplace_back(texts.back());
    extended.first_extension = std::uint8_t{60};
    extended.extensions = joined({number(protocol, 1), hex("00 0104 00000000")});
  }
  for (PacketText& text : texts) {
    text.tos = 0x01;
    text.label = text.v6 ? 0x12345 : 0;
    text.port_src = 0x0a;
    text.port_dst = 0x0b;
    if (text.protocol == 2) text.data = hex("e0000005");
  }
  std::size_t compared = 0;
  for (const PacketText& text : texts) {
    for (const Change& change : changes_of(text)) {
      SCOPED_TRACE("protocol " + std::to_string(text.protocol) + (text.v6 ? ", IPv6" : ", IPv4") +
                   (text.tag ? ", tagged" : "") + ", field " + std::to_string(static_cast<int>(change.id)));
      PacketText right = text;
      change.in_text(right);
      EXPECT_EQ(edited({set_to(change.id, change.value)}, text.bytes()), right.bytes());
      EXPECT_EQ(after_set({set_to(change.id, change.value)}, text.bytes()), right.bytes());
      ++compared;
    }
  }
  EXPECT_GT(compared, 250U);
}

TEST(FrameEdit, SetsSomeBitsOfAField) {
  Action action = set_to(FieldId::ipv4_dst, 0x00630000);
  action.mask = 0x00ff0000;
  PacketText right;
  right.dst = 0x0a630002;
  EXPECT_EQ(edited({action}, PacketText{}.bytes()), right.bytes());
}

TEST(FrameEdit, ADatagramWithoutAChecksumGetsNone) {
  for (PacketText text : {PacketText{.protocol = 17, .sums = false}, over_ipv6(17)}) {
    text.sums = false;
    for (const Change& change : changes_of(text)) {
      PacketText right = text;
      change.in_text(right);
      EXPECT_EQ(edited({set_to(change.id, change.value)}, text.bytes()), right.bytes());
    }
  }
}

TEST(FrameEdit, AChecksumOfUdpThatComesToZeroIsWrittenAsOnes) {
  PacketText text{.protocol = 17, .port_dst = 0};
  // What is missing to a sum of all ones, which the port then brings.
  const std::uint16_t missing = load_be16(text.bytes().data() + 14 + 20 + 6);
  PacketText right = text;
  right.port_dst = missing;
  const Bytes frame = edited({set_to(FieldId::udp_dst, missing)}, text.bytes());
  EXPECT_EQ(frame, right.bytes());
  EXPECT_EQ(load_be16(frame.data() + 14 + 20 + 6), 0xffff);
}

TEST(FrameEdit, APaddedFrameKeepsItsPadding) {
  const PacketText text{.protocol = 132};
  PacketText right = text;
  right.port_dst = 81;
  EXPECT_EQ(edited({set_to(FieldId::sctp_dst, 81)}, joined({text.bytes(), hex("0a0b0c0d")})),
            joined({right.bytes(), hex("0a0b0c0d")}));
  PacketText text6 = over_ipv6(132);
  PacketText right6 = text6;
  right6.port_dst = 81;
  EXPECT_EQ(edited({set_to(FieldId::sctp_dst, 81)}, joined({text6.bytes(), hex("0a0b0c0d")})),
            joined({right6.bytes(), hex("0a0b0c0d")}));
}

TEST(FrameEdit, ALaterFragmentHasNoChecksumOfATransport) {
  PacketText text;
  text.fragment = 0x0010;
  PacketText right = text;
  right.dst = 0xc0a80101;
  // Behind the header the bytes are those of some data.
  const Bytes frame = joined({text.addresses(), number(0x0800, 2), text.network()});
  Bytes expected = right.bytes();
  std::copy(frame.begin() + 34, frame.end(), expected.begin() + 34);
  EXPECT_EQ(edited({set_to(FieldId::ipv4_dst, 0xc0a80101)}, frame), expected);
}

// The pseudo-header has the address at the end of the way, which the routing header says (RFC 8200, section 8.1).
TEST(FrameEdit, TheNextHopOfARoutedPacketIsNotInItsChecksum) {
  constexpr FieldValue kOther = FieldValue{0x20010db800000000} << 64 | 0x99;
  constexpr FieldValue kEnd = kTarget6 + 7;
  for (const std::uint8_t left : {std::uint8_t{1}, std::uint8_t{0}}) {
    for (const std::uint8_t protocol : Numbers{6, 17, 58}) {
      SCOPED_TRACE(std::to_string(protocol) + ", segments left " + std::to_string(left));
      PacketText text = over_ipv6(protocol);
      text.first_extension = std::uint8_t{43};
      text.extensions = joined(
          {number(protocol, 1), number(2, 1), number(0, 1), number(left, 1), number(0, 4), number(kEnd, 16)});
      if (left != 0) text.final_destination = kEnd;
      PacketText right = text;
      right.dst = kOther;
      EXPECT_EQ(edited({set_to(FieldId::ipv6_dst, kOther)}, text.bytes()), right.bytes());
      right = text;
      right.src = kOther;
      EXPECT_EQ(edited({set_to(FieldId::ipv6_src, kOther)}, text.bytes()), right.bytes());
    }
  }
}

TEST(FrameEdit, SetsTheFieldsOfArp) {
  const std::string before = "0001 0800 06 04";
  struct Case {
    FieldId id;
    FieldValue value;
    const char* right;
  };
  for (const Case& each : {
           Case{FieldId::arp_op, 2, "0002 020000000001 0a000001 000000000000 0a000002"},
           Case{FieldId::arp_sha, 0x0a0b0c0d0e0f, "0001 0a0b0c0d0e0f 0a000001 000000000000 0a000002"},
           Case{FieldId::arp_spa, 0xc0a80101, "0001 020000000001 c0a80101 000000000000 0a000002"},
           Case{FieldId::arp_tha, 0x0a0b0c0d0e0f, "0001 020000000001 0a000001 0a0b0c0d0e0f 0a000002"},
           Case{FieldId::arp_tpa, 0xc0a80101, "0001 020000000001 0a000001 000000000000 c0a80101"},
       }) {
    EXPECT_EQ(edited({set_to(each.id, each.value)}, frame_of(0x0806, arp_request())),
              frame_of(0x0806, hex(before + each.right)));
  }
}

TEST(FrameEdit, SetsTheFieldsOfNeighbourDiscovery) {
  constexpr FieldValue kOther = FieldValue{0x20010db8fedcba98} << 64 | 0x76543210ffff8001;
  for (const std::uint8_t type : {std::uint8_t{135}, std::uint8_t{136}}) {
    const PacketText text = neighbour_message(type);
    PacketText right = text;
    right.data = joined({number(0, 4), number(kOther, 16), Bytes(text.data.begin() + 20, text.data.end())});
    EXPECT_EQ(edited({set_to(FieldId::nd_target, kOther)}, text.bytes()), right.bytes());
    const FieldId address = type == 135 ? FieldId::nd_sll : FieldId::nd_tll;
    EXPECT_EQ(edited({set_to(address, 0x0a0b0c0d0e0f)}, text.bytes()),
              neighbour_message(type, 0x0a0b0c0d0e0f).bytes());
    PacketText without = text;  // the option
    without.data.resize(20);
    EXPECT_EQ(edited({set_to(address, 0x0a0b0c0d0e0f)}, without.bytes()), without.bytes());
  }
}

TEST(FrameEdit, SetsTheFieldsOfTheOutermostLabel) {
  const auto frame = [](std::uint32_t label, unsigned traffic_class, unsigned ttl) {
    return frame_of(0x8847,
                    joined({number(label << 12 | traffic_class << 9 | ttl, 4), number(0x00005140, 4)}));
  };
  EXPECT_EQ(edited({set_to(FieldId::mpls_label, 0xfedcb)}, frame(0x12345, 5, 9)), frame(0xfedcb, 5, 9));
  EXPECT_EQ(edited({set_to(FieldId::mpls_tc, 2)}, frame(0x12345, 5, 9)), frame(0x12345, 2, 9));
  EXPECT_EQ(edited({of(ActionType::set_mpls_ttl, 77)}, frame(0x12345, 5, 9)), frame(0x12345, 5, 77));
  EXPECT_EQ(edited({of(ActionType::dec_mpls_ttl)}, frame(0x12345, 5, 9)), frame(0x12345, 5, 8));
}

TEST(FrameEdit, SetsTheServiceOfABackboneFrame) {
  EXPECT_EQ(edited({set_to(FieldId::pbb_isid, 0xfedcba)}, frame_of(0x88e7, hex("21123456 aabb"))),
            frame_of(0x88e7, hex("21fedcba aabb")));
}

TEST(FrameEdit, WhatIsNotInTheFrameChangesNoByteOfIt) {
  const Bytes frame = PacketText{}.bytes();
  for (const FieldId id : {FieldId::metadata, FieldId::tunnel_id, FieldId::packet_mark, FieldId::reg0})
    EXPECT_EQ(edited({set_to(id, 0x1234)}, frame), frame);
}

// Frames in which a header is not whole, or is none of its kind: every field behind Ethernet that can be set.
TEST(FrameEdit, AFieldThatAFrameHasNotLeavesItAsItIs) {
  const Bytes v4 = PacketText{.tos = 3}.bytes();
  PacketText text6 = over_ipv6(6);
  text6.tos = 3;
  const Bytes v6 = text6.bytes();
  const auto first = [](const Bytes& of, std::size_t count) {
    return Bytes(of.begin(), of.begin() + static_cast<std::ptrdiff_t>(count));
  };
  const auto with = [](Bytes of, std::size_t at, std::uint8_t value) {
    of[at] = value;
    return of;
  };
  const std::vector<std::pair<std::string, Bytes>> frames = {
      {"an EtherType that is unknown", frame_of(0x88b5, Bytes(60, 0xee))},
      {"an Ethernet header", first(v4, 14)},
      {"19 bytes of IPv4", first(v4, 14 + 19)},
      {"version 6 in IPv4", with(v4, 14, 0x65)},
      {"an IPv4 header of 16 bytes", with(v4, 14, 0x44)},
      {"an IPv4 header of 60 bytes", with(v4, 14, 0x4f)},
      {"an IPv4 packet that is longer than the frame", with(v4, 16, 0x10)},
      {"39 bytes of IPv6", first(v6, 14 + 39)},
      {"version 4 in IPv6", with(v6, 14, 0x40)},
      {"an IPv6 packet that is longer than the frame", with(v6, 18, 0x10)},
      {"27 bytes of ARP", first(frame_of(0x0806, arp_request()), 14 + 27)},
      {"ARP of other hardware", with(frame_of(0x0806, arp_request()), 15, 6)},
      {"3 bytes of MPLS", frame_of(0x8847, hex("010203"))},
      {"3 bytes of PBB", frame_of(0x88e7, hex("010203"))},
  };
  for (const auto& [what, frame] : frames) {
    for (const Field& each : match_fields()) {
      if (!each.writable || each.id == FieldId::eth_dst || each.id == FieldId::eth_src) continue;
      SCOPED_TRACE(what + ", field " + std::to_string(static_cast<int>(each.id)));
      const FieldValue value = each.id == FieldId::arp_op ? FieldValue{0xff} : each.all_bits();
      EXPECT_EQ(after_set({set_to(each.id, value)}, frame), frame);
    }
  }
}

TEST(FrameEdit, FieldsOfATransportThatIsNotWholeLeaveItAsItIs) {
  for (const std::uint8_t protocol : Numbers{6, 17, 132, 1, 58}) {
    PacketText text = protocol == 58 ? over_ipv6(protocol) : PacketText{.protocol = protocol};
    const Bytes whole = text.transport();
    // A few bytes of it are all that the packet has.
    text.data = Bytes(whole.begin(), whole.begin() + 7);
    text.first_extension = protocol;
    const std::uint8_t of = protocol;
    text.protocol = 255;
    Bytes frame = text.bytes();
    if (!text.v6) {
      frame[14 + 9] = of;
      store_be16(frame.data() + 14 + 10, 0);
      const std::uint16_t sum = internet_checksum(Bytes(frame.begin() + 14, frame.begin() + 34));
      store_be16(frame.data() + 14 + 10, sum);
    }
    for (const FieldId id :
         {FieldId::tcp_src, FieldId::tcp_dst, FieldId::udp_src, FieldId::udp_dst, FieldId::sctp_src,
          FieldId::sctp_dst, FieldId::icmp4_type, FieldId::icmp4_code, FieldId::icmp6_type,
          FieldId::icmp6_code, FieldId::nd_target, FieldId::nd_sll, FieldId::nd_tll}) {
      SCOPED_TRACE(std::to_string(protocol) + ", field " + std::to_string(static_cast<int>(id)));
      EXPECT_EQ(after_set({set_to(id, 0x11)}, frame), frame);
    }
  }
}

// A partial checksum holds the sum of the pseudo-header: addresses change it, ports do not.
TEST(FrameEdit, APartialChecksumStaysOne) {
  for (const bool v6 : {false, true}) {
    for (const std::uint8_t protocol : Numbers{6, 17}) {
      SCOPED_TRACE(std::to_string(protocol) + (v6 ? " over IPv6" : " over IPv4"));
      PacketText text = v6 ? over_ipv6(protocol) : PacketText{.protocol = protocol};
      for (const Change& change : changes_of(text)) {
        PacketText right = text;
        change.in_text(right);
        PacketPool pool;
        PacketPtr packet = pool.copy_of(text.bytes());
        packet->checksum_partial = true;
        packet->checksum_start = v6 ? 54 : 34;
        packet->checksum_offset = protocol == 6 ? 16 : 6;
        const std::size_t address = v6 ? 16 : 4;
        const Bytes pseudo = joined({number(text.src, address), number(text.dst, address),
                                     number(text.transport().size(), 4), number(protocol, 4)});
        std::uint8_t* const sum = packet->bytes().data() + packet->checksum_start + packet->checksum_offset;
        store_be16(sum, static_cast<std::uint16_t>(~internet_checksum(pseudo)));
        FlowKey key;
        const Layout layout = parse(packet->bytes(), 0, key);
        field(change.id).set(key, change.value);
        commit(*packet, layout, field(change.id), key);
        finish_checksum(*packet);
        EXPECT_EQ(Bytes(packet->bytes().begin(), packet->bytes().end()), right.bytes());
      }
    }
  }
}

// A train of segments whose headers stand once, and where its description says they end.
PacketPtr described(PacketPool& pool, std::size_t size) {
  PacketPtr packet = pool.make(size);
  for (std::size_t at = 0; at < size; ++at) packet->bytes()[at] = static_cast<std::uint8_t>(at);
  packet->segments = 3;
  packet->segment_payload = 10;
  packet->header_size = 54;
  packet->checksum_partial = true;
  packet->checksum_start = 34;
  packet->checksum_offset = 16;
  return packet;
}

Bytes counted(std::size_t first, std::size_t end) {
  Bytes all;
  for (; first < end; ++first) all.push_back(static_cast<std::uint8_t>(first));
  return all;
}

TEST(FrameEdit, BytesThatAreInsertedMoveWhatIsBehindThem) {
  PacketPool pool;
  for (const bool has_room : {true, false}) {
    const std::size_t size = pool.make(60)->capacity() - (has_room ? 4 : 3);
    PacketPtr packet = described(pool, size);
    const Packet* const before = packet.get();
    ASSERT_TRUE(insert_bytes(packet, 12, 4, pool));
    EXPECT_EQ(packet.get() == before, has_room);
    ASSERT_EQ(packet->size(), size + 4);
    const Bytes now(packet->bytes().begin(), packet->bytes().end());
    EXPECT_EQ(Bytes(now.begin(), now.begin() + 12), counted(0, 12));
    EXPECT_EQ(Bytes(now.begin() + 16, now.end()), counted(12, size));
    EXPECT_EQ(packet->header_size, 58);
    EXPECT_EQ(packet->checksum_start, 38);
    EXPECT_EQ(packet->checksum_offset, 16);
    EXPECT_EQ(packet->segments, 3);
  }
}

TEST(FrameEdit, NothingIsInsertedWithoutMemory) {
  PacketPool pool;
  PacketPtr packet = described(pool, PacketPool::kLargestFrame);
  const std::size_t room = packet->capacity() - packet->size();
  EXPECT_FALSE(insert_bytes(packet, 12, room + 1, pool));
  EXPECT_EQ(packet->size(), PacketPool::kLargestFrame);
  EXPECT_EQ(packet->header_size, 54);
}

TEST(FrameEdit, BytesThatAreErasedBringWhatIsBehindThemForward) {
  PacketPool pool;
  PacketPtr packet = described(pool, 70);
  erase_bytes(*packet, 12, 4);
  EXPECT_EQ(Bytes(packet->bytes().begin(), packet->bytes().end()), joined({counted(0, 12), counted(16, 70)}));
  EXPECT_EQ(packet->header_size, 50);
  EXPECT_EQ(packet->checksum_start, 30);
}

TEST(FrameEdit, ADescriptionThatSaysNothingStaysEmpty) {
  PacketPool pool;
  PacketPtr packet = pool.make(60);
  ASSERT_TRUE(insert_bytes(packet, 12, 4, pool));
  erase_bytes(*packet, 0, 18);
  EXPECT_EQ(packet->header_size, 0);
  EXPECT_EQ(packet->checksum_start, 0);
}

}  // namespace
}  // namespace simcore::openflow
