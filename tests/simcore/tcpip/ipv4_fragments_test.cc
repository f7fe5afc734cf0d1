// SPDX-License-Identifier: MIT
#include "simcore/tcpip/ipv4_fragments.h"

#include <gtest/gtest.h>

#include "tests/simcore/packet/frames.h"

namespace simcore {
namespace {

using testing::Bytes;
using testing::Ends;
using testing::pattern;

Bytes udp(std::size_t payload) {
  const Ends ends;
  Ipv4Fields fields = testing::ipv4_fields(ends, ip_protocol::kUdp);
  fields.identification = 4'711;
  return testing::udp_frame(ends, fields, 1'000, 33'434, pattern(payload));
}

std::vector<PacketPtr> cut(PacketPtr datagram, std::uint16_t mtu, PacketPool& pool) {
  std::vector<PacketPtr> all;
  for (Ipv4Fragments fragments(std::move(datagram), mtu, pool); !fragments.done();) {
    all.push_back(fragments.next());
  }
  return all;
}

Ipv4Header header(const PacketPtr& packet) {
  return *Ipv4Header::parse(packet->bytes().subspan(EthernetHeader::kSize), packet->virtual_payload);
}

Bytes payloads(const std::vector<PacketPtr>& fragments) {
  Bytes all;
  for (const PacketPtr& each : fragments) {
    const auto payload = header(each).payload();
    all.insert(all.end(), payload.begin(), payload.end());
    all.resize(all.size() + header(each).virtual_payload());
  }
  return all;
}

TEST(Ipv4Fragments, fill_the_mtu_in_multiples_of_eight) {
  PacketPool pool;
  const Bytes whole = udp(4'000);
  const auto fragments = cut(pool.copy_of(whole), 1'500, pool);
  // 4,008 bytes of UDP in pieces of 1,480.
  ASSERT_EQ(fragments.size(), 3U);
  const std::vector<std::size_t> lengths = {1'480, 1'480, 1'048};
  std::size_t offset = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const Ipv4Header each = header(fragments[i]);
    EXPECT_TRUE(each.checksum_correct());
    EXPECT_EQ(each.payload_length(), lengths[i]);
    EXPECT_EQ(each.fragment_offset(), offset);
    EXPECT_EQ(each.more_fragments(), i < 2);
    EXPECT_EQ(each.identification(), 4'711);
    EXPECT_EQ(each.protocol(), ip_protocol::kUdp);
    offset += lengths[i];
  }
  EXPECT_EQ(payloads(fragments), Bytes(whole.begin() + 34, whole.end()));
}

TEST(Ipv4Fragments, of_a_fragment_keep_its_place_and_its_flag) {
  PacketPool pool;
  const auto outer = cut(pool.copy_of(udp(4'000)), 1'500, pool);
  // The middle one, cut for an MTU that no multiple of 8 fills: 600 - 20 = 580, so 576.
  const auto inner = cut(pool.copy_of(*outer[1]), 600, pool);
  ASSERT_EQ(inner.size(), 3U);
  EXPECT_EQ(header(inner[0]).fragment_offset(), 1'480);
  EXPECT_EQ(header(inner[1]).fragment_offset(), 1'480 + 576);
  EXPECT_EQ(header(inner[2]).fragment_offset(), 1'480 + 2 * 576);
  EXPECT_EQ(header(inner[2]).payload_length(), 1'480 - 2 * 576);
  for (const PacketPtr& each : inner) EXPECT_TRUE(header(each).more_fragments());
}

TEST(Ipv4Fragments, virtual_payload_stays_virtual) {
  PacketPool pool;
  PacketPtr datagram = pool.copy_of(udp(4'000));
  datagram->resize(34 + 1'500);
  datagram->virtual_payload = 2'508;
  const auto fragments = cut(std::move(datagram), 1'500, pool);
  ASSERT_EQ(fragments.size(), 3U);
  EXPECT_EQ(fragments[0]->virtual_payload, 0U);
  EXPECT_EQ(fragments[1]->virtual_payload, 1'460U) << "20 of its bytes are stored";
  EXPECT_EQ(fragments[2]->virtual_payload, 1'048U);
  EXPECT_EQ(fragments[2]->wire_size().count(), 34 + 1'048);
}

TEST(Ipv4Fragments, a_partial_checksum_is_finished_over_the_whole) {
  PacketPool pool;
  const Bytes whole = udp(2'000);
  PacketPtr datagram = pool.copy_of(whole);
  testing::make_partial(*datagram, Ends(), ip_protocol::kUdp);
  datagram->checksum_partial = true;
  datagram->checksum_start = 34;
  datagram->checksum_offset = UdpHeader::kChecksumOffset;
  EXPECT_EQ(payloads(cut(std::move(datagram), 576, pool)), Bytes(whole.begin() + 34, whole.end()));
}

TEST(Ipv4Fragments, later_ones_have_only_the_options_that_are_copied) {
  PacketPool pool;
  Bytes whole = udp(100);
  // Record route (7) is for the first only; the router alert (148) is for all.
  const Bytes options = {7, 7, 4, 0, 0, 0, 0, 148, 4, 0, 0, 0};
  whole.insert(whole.begin() + 34, options.begin(), options.end());
  whole[14] = 0x48;
  store_be16(whole.data() + 16, static_cast<std::uint16_t>(whole.size() - 14));
  const auto fragments = cut(pool.copy_of(whole), 32 + 64, pool);
  ASSERT_EQ(fragments.size(), 2U);
  const auto options_of = [](const PacketPtr& packet) {
    return Bytes(packet->bytes().begin() + 34, packet->bytes().begin() + 46);
  };
  EXPECT_EQ(options_of(fragments[0]), options);
  EXPECT_EQ(options_of(fragments[1]), (Bytes{1, 1, 1, 1, 1, 1, 1, 148, 4, 0, 0, 0}));
  EXPECT_TRUE(header(fragments[1]).checksum_correct());
}

TEST(Ipv4Fragments, without_a_packet_there_is_none) {
  PacketPool source;
  PacketPool empty(ByteCount::zero());
  Ipv4Fragments fragments(source.copy_of(udp(4'000)), 1'500, empty);
  EXPECT_EQ(fragments.next(), nullptr);
  EXPECT_FALSE(fragments.done());
}

}  // namespace
}  // namespace simcore
