// SPDX-License-Identifier: MIT
//
// Exact bytes of every header, and what is refused. The memory sanitizer sees to it that nothing is read beyond a span:
// every prefix of a frame is parsed from an allocation of its own size.
#include <gtest/gtest.h>

#include "simcore/packet/arp.h"
#include "simcore/packet/transport_place.h"
#include "tests/simcore/packet/frames.h"

namespace simcore {
namespace {

using testing::Bytes;
using testing::Ends;

TEST(Ethernet, tags_are_skipped) {
  Bytes frame = {2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x88, 0xa8, 0, 5, 0x81, 0x00, 0, 7, 0x08, 0x06, 0xaa};
  const auto header = EthernetHeader::parse(frame);
  ASSERT_TRUE(header);
  EXPECT_EQ(header->destination().to_string(), "02:00:00:00:00:02");
  EXPECT_EQ(header->source().to_string(), "02:00:00:00:00:01");
  EXPECT_EQ(header->ether_type(), EtherType::arp);
  EXPECT_TRUE(header->tagged());
  EXPECT_EQ(header->size(), 22U);
  EXPECT_EQ(header->payload()[0], 0xaa);
}

TEST(Ethernet, a_third_tag_or_a_frame_that_ends_early_is_refused) {
  Bytes frame(30, 0);
  for (const std::size_t at : {12U, 16U, 20U}) store_be16(frame.data() + at, 0x8100);
  EXPECT_FALSE(EthernetHeader::parse(frame));
  EXPECT_FALSE(EthernetHeader::parse(std::span(frame).first(13)));
  EXPECT_FALSE(EthernetHeader::parse(std::span(frame).first(17)));
}

TEST(Arp, bytes_of_a_request) {
  const ArpMessage message{ArpMessage::Operation::request, MacAddress::parse("02:00:00:00:00:01"),
                           Ipv4Address::parse("10.0.0.1"), MacAddress::zero(),
                           Ipv4Address::parse("10.0.0.2")};
  Bytes bytes(28, 0xff);
  message.write_to(bytes);
  const Bytes expected = {0,  1, 8, 0, 6, 4, 0, 1, 2, 0, 0,  0, 0, 1,
                          10, 0, 0, 1, 0, 0, 0, 0, 0, 0, 10, 0, 0, 2};
  EXPECT_EQ(bytes, expected);
  EXPECT_EQ(ArpMessage::parse(bytes), message);
}

TEST(Arp, other_hardware_protocols_and_operations_are_refused) {
  const ArpMessage message{ArpMessage::Operation::reply, MacAddress::of(1), Ipv4Address::of(1),
                           MacAddress::of(2), Ipv4Address::of(2)};
  Bytes good(28);
  message.write_to(good);
  for (const std::size_t at : {1U, 2U, 4U, 5U, 7U}) {
    Bytes bad = good;
    bad[at] = 9;
    EXPECT_FALSE(ArpMessage::parse(bad)) << at;
  }
  EXPECT_FALSE(ArpMessage::parse(std::span(good).first(27)));
}

TEST(Ipv4, bytes_of_a_header) {
  Ipv4Fields fields{Ipv4Address::parse("192.168.0.1"), Ipv4Address::parse("192.168.0.199"), ip_protocol::kUdp,
                    95};
  fields.dont_fragment = true;
  Bytes bytes(20);
  write_ipv4(bytes, fields);
  // 4500 + 0073 + 0000 + 4000 + 4011 + c0a8 + 0001 + c0a8 + 00c7 = 2479c; 479c + 2 = 479e; complement b861.
  const Bytes expected = {0x45, 0x00, 0x00, 0x73, 0x00, 0x00, 0x40, 0x00, 0x40, 0x11,
                          0xb8, 0x61, 0xc0, 0xa8, 0x00, 0x01, 0xc0, 0xa8, 0x00, 0xc7};
  EXPECT_EQ(bytes, expected);
}

TEST(Ipv4, lengths_that_the_bytes_do_not_have_are_refused) {
  const Ends ends;
  const Bytes frame = testing::ping_frame(ends, 1, testing::pattern(10));
  const std::span<const std::uint8_t> datagram = std::span(frame).subspan(14);
  ASSERT_TRUE(Ipv4Header::parse(datagram));
  EXPECT_FALSE(Ipv4Header::parse(datagram.first(datagram.size() - 1)));
  EXPECT_TRUE(Ipv4Header::parse(datagram.first(datagram.size() - 1), 1));
  Bytes bad(datagram.begin(), datagram.end());
  bad[0] = 0x44;
  EXPECT_FALSE(Ipv4Header::parse(bad));
  bad[0] = 0x65;
  EXPECT_FALSE(Ipv4Header::parse(bad));
  bad[0] = 0x4f;  // a header of 60 bytes in 38
  EXPECT_FALSE(Ipv4Header::parse(bad));
  bad[0] = 0x45;
  store_be16(bad.data() + 2, 19);
  EXPECT_FALSE(Ipv4Header::parse(bad));
}

TEST(Ipv4, padding_is_not_payload) {
  const Ends ends;
  Bytes frame = testing::ping_frame(ends, 1, {});
  frame.resize(60, 0xee);
  const auto header = Ipv4Header::parse(std::span(frame).subspan(14));
  ASSERT_TRUE(header);
  EXPECT_EQ(header->payload().size(), 8U);
  EXPECT_EQ(header->virtual_payload(), 0U);
}

TEST(Ipv4, ttl_goes_down_and_the_checksum_stays_correct) {
  const Ends ends;
  Bytes frame = testing::ping_frame(ends, 1, {});
  const std::span<std::uint8_t> header = std::span(frame).subspan(14, 20);
  for (int ttl = 63; ttl >= 0; --ttl) {
    decrement_ttl(header);
    EXPECT_EQ(header[8], ttl);
    EXPECT_TRUE(Ipv4Header::parse(std::span<const std::uint8_t>(header), 8)->checksum_correct());
  }
}

TEST(Icmp, bytes_of_an_echo_request) {
  Bytes message = {0, 0, 0, 0, 0, 0, 0, 0, 'a', 'b', 'c'};
  write_icmp(message, IcmpType::echo_request, 0, 0x0001'0002);
  // 0800 + 0001 + 0002 + 6162 + 6300 = cc65; complement 339a.
  const Bytes expected = {8, 0, 0x33, 0x9a, 0, 1, 0, 2, 'a', 'b', 'c'};
  EXPECT_EQ(message, expected);
  EXPECT_TRUE(IcmpHeader::parse(message)->checksum_correct());
  EXPECT_EQ(IcmpHeader::parse(message)->identifier(), 1);
  EXPECT_EQ(IcmpHeader::parse(message)->sequence(), 2);
}

TEST(Udp, a_length_below_the_header_or_above_the_datagram_is_refused) {
  Bytes datagram(12);
  write_udp(datagram, {53, 1'024, 4});
  EXPECT_TRUE(UdpHeader::parse(datagram));
  store_be16(datagram.data() + 4, 7);
  EXPECT_FALSE(UdpHeader::parse(datagram));
  store_be16(datagram.data() + 4, 13);
  EXPECT_FALSE(UdpHeader::parse(datagram));
  EXPECT_TRUE(UdpHeader::parse(datagram, 1));
}

TEST(Tcp, a_data_offset_outside_of_the_segment_is_refused) {
  Bytes segment(24);
  write_tcp(segment, {80, 1'024, 7, 9, tcp_flag::kAck, 100});
  EXPECT_EQ(TcpHeader::parse(segment)->payload().size(), 4U);
  segment[12] = 0x60;
  EXPECT_EQ(TcpHeader::parse(segment)->options().size(), 4U);
  segment[12] = 0x70;
  EXPECT_FALSE(TcpHeader::parse(segment));
  segment[12] = 0x40;
  EXPECT_FALSE(TcpHeader::parse(segment));
}

TEST(TransportPlace, is_found_behind_ipv6_extension_headers) {
  // Ethernet, IPv6, hop-by-hop options of 16 bytes, UDP with 3 bytes.
  Bytes frame(14 + 40 + 16 + 11);
  write_ethernet(frame, MacAddress::of(2), MacAddress::of(1), EtherType::ipv6);
  frame[14] = 0x60;
  store_be16(frame.data() + 18, 16 + 11);
  frame[20] = 0;   // hop-by-hop options
  frame[54] = 17;  // then UDP
  frame[55] = 1;   // 8 * (1 + 1) bytes
  write_udp(std::span(frame).subspan(70), {1, 2, 3});
  const auto place = find_transport(frame);
  ASSERT_TRUE(place);
  EXPECT_TRUE(place->ipv6);
  EXPECT_TRUE(place->udp);
  EXPECT_EQ(place->network, 14U);
  EXPECT_EQ(place->transport, 70U);
  EXPECT_EQ(place->payload, 78U);
  EXPECT_EQ(place->end, 81U);
  frame[55] = 200;
  EXPECT_FALSE(find_transport(frame));
}

TEST(TransportPlace, fragments_have_none) {
  const Ends ends;
  Bytes frame =
      testing::udp_frame(ends, testing::ipv4_fields(ends, ip_protocol::kUdp), 1, 2, testing::pattern(8));
  EXPECT_TRUE(find_transport(frame));
  frame[20] = 0x20;
  EXPECT_FALSE(find_transport(frame));
  frame[20] = 0;
  frame[21] = 1;
  EXPECT_FALSE(find_transport(frame));
}

TEST(Headers, no_prefix_of_a_frame_is_read_beyond_its_end) {
  const Ends ends;
  const Bytes tcp = testing::tcp_frame(ends, testing::ipv4_fields(ends, ip_protocol::kTcp),
                                       {1, 2, 3, 4, tcp_flag::kAck, 5}, testing::pattern(30));
  for (std::size_t size = 0; size < tcp.size(); ++size) {
    const Bytes prefix(tcp.begin(), tcp.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_FALSE(find_transport(prefix)) << size;
    // With the rest virtual, all headers must still be there: 14 + 20 + 20.
    EXPECT_EQ(find_transport(prefix, tcp.size() - size).has_value(), size >= 54) << size;
    EXPECT_EQ(EthernetHeader::parse(prefix).has_value(), size >= 14) << size;
    EXPECT_EQ(ArpMessage::parse(prefix).has_value(), false) << size;
  }
}

}  // namespace
}  // namespace simcore
