// SPDX-License-Identifier: MIT
#include "simcore/link/ecn.h"

#include <gtest/gtest.h>

#include "simcore/packet/ipv4.h"
#include "tests/simcore/link/traffic.h"

namespace simcore {
namespace {

class EcnTest : public testing::Test {
 protected:
  PacketPtr ipv4(std::uint8_t type_of_service) {
    PacketPtr packet = frame(pool, SimTime::zero(), 100);
    write_ipv4(packet->bytes().subspan(14), {.source = Ipv4Address::parse("10.0.0.1"),
                                             .destination = Ipv4Address::parse("10.0.0.2"),
                                             .protocol = 17,
                                             .payload_length = 66,
                                             .type_of_service = type_of_service});
    return packet;
  }
  PacketPool pool;
};

TEST_F(EcnTest, marksBothEctCodepointsAndKeepsTheChecksumCorrect) {
  for (const int codepoint : {0b01, 0b10, 0b11}) {
    PacketPtr packet = ipv4(static_cast<std::uint8_t>(0xb8 | codepoint));
    EXPECT_TRUE(mark_congestion(*packet));
    const auto header = Ipv4Header::parse(packet->bytes().subspan(14));
    ASSERT_TRUE(header);
    EXPECT_EQ(header->type_of_service(), 0xb8 | 0b11);
    EXPECT_TRUE(header->checksum_correct());
  }
}

TEST_F(EcnTest, leavesAloneWhoDoesNotUnderstandIt) {
  PacketPtr packet = ipv4(0xb8);
  EXPECT_FALSE(mark_congestion(*packet));
  EXPECT_EQ(packet->bytes()[15], 0xb8);
  packet->bytes()[12] = 0x08;
  packet->bytes()[13] = 0x06;  // ARP
  packet->bytes()[15] = 0x01;
  EXPECT_FALSE(mark_congestion(*packet));
  packet->resize(16);
  packet->bytes()[13] = 0x00;  // IPv4, cut short
  EXPECT_FALSE(mark_congestion(*packet));
}

TEST_F(EcnTest, marksIpv6) {
  PacketPtr packet = frame(pool, SimTime::zero(), 100);
  packet->bytes()[12] = 0x86;
  packet->bytes()[13] = 0xdd;
  packet->bytes()[14] = 0x60;
  packet->bytes()[15] = 0x00;
  EXPECT_FALSE(mark_congestion(*packet));
  packet->bytes()[15] = 0x25;  // ECT(0), and the flow label's first bits
  EXPECT_TRUE(mark_congestion(*packet));
  EXPECT_EQ(packet->bytes()[15], 0x35);
}

}  // namespace
}  // namespace simcore
