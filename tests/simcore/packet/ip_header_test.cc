// SPDX-License-Identifier: MIT
#include "simcore/packet/ip_header.h"

#include <gtest/gtest.h>

#include "tests/simcore/packet/frames6.h"

namespace simcore::testing {
namespace {

std::span<const std::uint8_t> datagram_in(const Bytes& frame) {
  return std::span(frame).subspan(EthernetHeader::kSize);
}

TEST(IpHeader, says_the_same_of_both_versions) {
  const Ends four;
  const Bytes over_four = udp_frame(four, ipv4_fields(four, ip_protocol::kUdp), 1'000, 2'000, pattern(10));
  const auto ipv4 = IpHeader::parse(datagram_in(over_four));
  ASSERT_TRUE(ipv4);
  EXPECT_EQ(ipv4->source(), IpAddress(four.source));
  EXPECT_EQ(ipv4->size(), 20U);

  const Ends6 six;
  const Bytes over_six = udp6_frame(six, 1'000, 2'000, pattern(10));
  const auto ipv6 = IpHeader::parse(datagram_in(over_six));
  ASSERT_TRUE(ipv6);
  EXPECT_EQ(ipv6->destination(), IpAddress(six.destination));
  EXPECT_EQ(ipv6->size(), 40U);

  for (const IpHeader& header : {*ipv4, *ipv6}) {
    EXPECT_EQ(header.protocol(), ip_protocol::kUdp);
    EXPECT_EQ(header.ttl(), 64);
    EXPECT_EQ(header.payload_length(), 18U);
    EXPECT_EQ(header.payload().size(), 18U);
    EXPECT_EQ(header.virtual_payload(), 0U);
    EXPECT_TRUE(header.transport_checksum_correct());
  }
}

TEST(IpHeader, a_checksum_notices_the_addresses) {
  Bytes frame = udp6_frame(Ends6{}, 1'000, 2'000, pattern(10));
  ++frame[EthernetHeader::kSize + Ipv6Header::kSourceOffset + 15];
  EXPECT_FALSE(IpHeader::parse(datagram_in(frame))->transport_checksum_correct());
}

TEST(IpHeader, writes_the_version_of_its_addresses_and_their_pseudo_header) {
  for (const char* text : {"10.0.0.1", "2001:db8::1"}) {
    const IpAddress address = IpAddress::parse(text);
    const IpFields fields{.source = address,
                          .destination = address,
                          .protocol = ip_protocol::kTcp,
                          .payload_length = 4,
                          .ttl = 9,
                          .traffic_class = 2};
    Bytes bytes(ip_header_size(address) + 4);
    write_ip(bytes, fields);
    const auto header = IpHeader::parse(bytes);
    ASSERT_TRUE(header) << text;
    EXPECT_EQ(header->source(), address);
    EXPECT_EQ(header->ttl(), 9);
    EXPECT_EQ(header->traffic_class(), 2);
    EXPECT_EQ(header->payload_length(), 4U);
    ChecksumSum sum;
    add_pseudo_header(sum, fields);
    std::uint8_t* const payload = bytes.data() + ip_header_size(address);
    store_be16(payload, sum.checksum());  // over a payload of zeros
    EXPECT_TRUE(header->transport_checksum_correct()) << text;
  }
}

TEST(IpHeader, refuses_what_is_malformed_in_either_version) {
  EXPECT_FALSE(IpHeader::parse(Bytes(60)));  // version 0
  const Bytes cut = ipv6_frame(Ends6{}, 0, Bytes{17, 1, 0, 0, 0, 0, 0, 0});
  EXPECT_FALSE(IpHeader::parse(datagram_in(cut)));  // an extension header longer than the datagram
}

}  // namespace
}  // namespace simcore::testing
