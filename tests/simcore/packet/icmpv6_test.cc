// SPDX-License-Identifier: MIT
#include "simcore/packet/icmpv6.h"

#include <gtest/gtest.h>

#include "tests/simcore/packet/frames6.h"

namespace simcore::testing {
namespace {

TEST(Icmpv6Header, reads_what_was_written_and_its_checksum_covers_the_addresses) {
  const Ends6 ends;
  const Bytes frame = ping6_frame(ends, 7, pattern(33));
  const auto ip = IpHeader::parse(std::span(frame).subspan(EthernetHeader::kSize));
  EXPECT_TRUE(ip->transport_checksum_correct());
  const auto icmp = Icmpv6Header::parse(ip->payload());
  ASSERT_TRUE(icmp);
  EXPECT_EQ(icmp->type(), Icmpv6Type::echo_request);
  EXPECT_EQ(icmp->code(), 0);
  EXPECT_EQ(icmp->identifier(), 0x1234);
  EXPECT_EQ(icmp->sequence(), 7);
  EXPECT_EQ(icmp->rest(), 0x1234'0007U);
  EXPECT_EQ(icmp->body().size(), 33U);
}

TEST(Icmpv6Header, refuses_what_is_cut_short) {
  EXPECT_FALSE(Icmpv6Header::parse(Bytes(7)));
  EXPECT_TRUE(Icmpv6Header::parse(Bytes(8)));
}

TEST(Icmpv6Header, errors_are_the_types_without_the_highest_bit) {
  EXPECT_TRUE(is_icmpv6_error(Icmpv6Type::packet_too_big));
  EXPECT_TRUE(is_icmpv6_error(static_cast<Icmpv6Type>(127)));
  EXPECT_FALSE(is_icmpv6_error(Icmpv6Type::echo_request));
}

}  // namespace
}  // namespace simcore::testing
