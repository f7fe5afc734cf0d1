// SPDX-License-Identifier: MIT
#include "simcore/packet/ipv6.h"

#include <gtest/gtest.h>

#include "tests/simcore/packet/frames6.h"

namespace simcore::testing {
namespace {

constexpr std::uint8_t kHopByHop = 0;
constexpr std::uint8_t kRouting = 43;
constexpr std::uint8_t kDestinationOptions = 60;
constexpr std::uint8_t kUdp = 17;

// A datagram without its Ethernet header.
Bytes datagram(std::uint8_t next_header, const Bytes& payload) {
  const Bytes frame = ipv6_frame(Ends6{}, next_header, payload);
  return {frame.begin() + EthernetHeader::kSize, frame.end()};
}

TEST(Ipv6Header, reads_what_was_written) {
  Bytes bytes(Ipv6Header::kSize + 8);
  write_ipv6(bytes, {.source = Ipv6Address::parse("2001:db8::1"),
                     .destination = Ipv6Address::parse("2001:db8::2"),
                     .protocol = kUdp,
                     .payload_length = 8,
                     .hop_limit = 7,
                     .traffic_class = 0xb9});
  const auto header = Ipv6Header::parse(bytes);
  ASSERT_TRUE(header);
  EXPECT_EQ(bytes[0], 0x6b);  // version and the first half of the traffic class
  EXPECT_EQ(bytes[1], 0x90);
  EXPECT_EQ(header->traffic_class(), 0xb9);
  EXPECT_EQ(header->payload_length(), 8U);
  EXPECT_EQ(header->total_length(), 48U);
  EXPECT_EQ(header->hop_limit(), 7);
  EXPECT_EQ(header->source().to_string(), "2001:db8::1");
  EXPECT_EQ(header->destination().to_string(), "2001:db8::2");
  const auto upper = header->upper_layer();
  ASSERT_TRUE(upper);
  EXPECT_EQ(upper->protocol, kUdp);
  EXPECT_EQ(upper->offset, 40U);
  EXPECT_EQ(upper->named_at, 6U);
  EXPECT_TRUE(upper->skippable);
}

TEST(Ipv6Header, padding_is_left_out_and_virtual_payload_counts) {
  Bytes padded = datagram(kUdp, Bytes(8));
  padded.resize(padded.size() + 6);
  EXPECT_EQ(Ipv6Header::parse(padded)->stored().size(), 48U);
  const Bytes cut(padded.begin(), padded.begin() + 44);
  EXPECT_FALSE(Ipv6Header::parse(cut));
  EXPECT_EQ(Ipv6Header::parse(cut, 4)->stored().size(), 44U);
}

TEST(Ipv6Header, refuses_what_is_cut_short_or_another_version) {
  Bytes bytes = datagram(kUdp, Bytes(8));
  EXPECT_FALSE(Ipv6Header::parse(std::span(bytes).first(39)));
  bytes[0] = 0x45;
  EXPECT_FALSE(Ipv6Header::parse(bytes));
}

TEST(Ipv6Header, extension_headers_lead_to_what_is_carried) {
  Bytes extensions = {kRouting, 0, 1, 4, 0, 0, 0, 0};  // hop by hop: 6 bytes of padding
  const Bytes routing = {kDestinationOptions, 0, 0, 0, 0, 0, 0, 0};
  const Bytes options = {kUdp, 1, 1, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  extensions.insert(extensions.end(), routing.begin(), routing.end());
  extensions.insert(extensions.end(), options.begin(), options.end());
  extensions.resize(extensions.size() + 8);
  const Bytes bytes = datagram(kHopByHop, extensions);
  const auto upper = Ipv6Header::parse(bytes)->upper_layer();
  ASSERT_TRUE(upper);
  EXPECT_EQ(upper->protocol, kUdp);
  EXPECT_EQ(upper->offset, 40U + 8 + 8 + 16);
  EXPECT_EQ(upper->named_at, 40U + 8 + 8);  // the first byte of the last extension
  EXPECT_TRUE(upper->skippable);
}

TEST(Ipv6Header, an_option_or_route_that_must_be_understood_is_not_skippable) {
  const auto skippable = [](std::uint8_t kind, const Bytes& extension) {
    return Ipv6Header::parse(datagram(kind, extension))->upper_layer()->skippable;
  };
  EXPECT_TRUE(skippable(kHopByHop, {kUdp, 0, 0x05, 2, 0, 0, 0, 0}));   // router alert and two times Pad1
  EXPECT_FALSE(skippable(kHopByHop, {kUdp, 0, 0xc2, 4, 0, 0, 0, 0}));  // a jumbo payload
  EXPECT_FALSE(skippable(kHopByHop, {kUdp, 0, 0x01, 9, 0, 0, 0, 0}));  // longer than its header
  EXPECT_TRUE(skippable(kRouting, {kUdp, 0, 3, 0, 0, 0, 0, 0}));
  EXPECT_FALSE(skippable(kRouting, {kUdp, 0, 3, 1, 0, 0, 0, 0}));  // one segment left
}

TEST(Ipv6Header, an_extension_header_that_is_cut_short_leads_nowhere) {
  EXPECT_FALSE(Ipv6Header::parse(datagram(kHopByHop, {kUdp, 0, 1, 4, 0, 0, 0}))->upper_layer());
  EXPECT_FALSE(Ipv6Header::parse(datagram(kHopByHop, {kUdp, 1, 1, 4, 0, 0, 0, 0}))->upper_layer());
  EXPECT_FALSE(Ipv6Header::parse(datagram(kHopByHop, {}))->upper_layer());
}

}  // namespace
}  // namespace simcore::testing
