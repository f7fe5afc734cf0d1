// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "simcore/tcpip/icmpv6_echo.h"
#include "simcore/tcpip/icmpv6_error.h"
#include "tests/simcore/packet/frames6.h"

namespace simcore::testing {
namespace {

class Icmpv6Test : public ::testing::Test {
 protected:
  PacketPool pool_;
  Ends6 ends_;
  const Ipv6Address router_ = Ipv6Address::parse("2001:db8:1::ff");
};

TEST_F(Icmpv6Test, an_echo_reply_has_the_body_and_a_checksum_of_its_own) {
  PacketPtr packet = pool_.copy_of(ping6_frame(ends_, 9, pattern(101)));
  make_icmpv6_echo_reply(*packet, ip_of(*packet), ends_.destination);
  const IpHeader reply = ip_of(*packet);
  EXPECT_EQ(reply.source(), IpAddress(ends_.destination));
  EXPECT_EQ(reply.destination(), IpAddress(ends_.source));
  EXPECT_TRUE(reply.transport_checksum_correct());
  const Icmpv6Header icmp = icmpv6_of(*packet);
  EXPECT_EQ(icmp.type(), Icmpv6Type::echo_reply);
  EXPECT_EQ(icmp.sequence(), 9);
  EXPECT_EQ(Bytes(icmp.body().begin(), icmp.body().end()), pattern(101));
}

TEST_F(Icmpv6Test, an_echo_reply_for_a_group_comes_from_one_address_and_leaves_extensions_out) {
  Ends6 to_group = ends_;
  to_group.destination = Ipv6Address::all_nodes();
  const Bytes plain = ping6_frame(to_group, 1, pattern(8));
  Bytes payload = {ip_protocol::kIcmpv6, 0, 1, 4, 0, 0, 0, 0};  // hop-by-hop padding
  payload.insert(payload.end(), plain.begin() + EthernetHeader::kSize + Ipv6Header::kSize, plain.end());
  PacketPtr packet = pool_.copy_of(ipv6_frame(to_group, 0, payload));
  make_icmpv6_echo_reply(*packet, ip_of(*packet), router_);
  EXPECT_EQ(packet->size(), plain.size());
  EXPECT_EQ(ip_of(*packet).source(), IpAddress(router_));
  EXPECT_TRUE(ip_of(*packet).transport_checksum_correct());
}

TEST_F(Icmpv6Test, an_error_quotes_what_fits_into_1280_bytes) {
  PacketPtr about = pool_.copy_of(udp6_frame(ends_, 1, 2, pattern(1'400)));
  const Icmpv6Error error = Icmpv6Error::packet_too_big(1'300);
  ASSERT_TRUE(deserves_icmpv6_error(*about, error));
  const PacketPtr packet = make_icmpv6_error(error, router_, *about, pool_);
  EXPECT_EQ(packet->size(), EthernetHeader::kSize + 1'280U);
  EXPECT_TRUE(ip_of(*packet).transport_checksum_correct());
  EXPECT_EQ(ip_of(*packet).destination(), IpAddress(ends_.source));
  const Icmpv6Header icmp = icmpv6_of(*packet);
  EXPECT_EQ(icmp.type(), Icmpv6Type::packet_too_big);
  EXPECT_EQ(icmp.rest(), 1'300U);
  ASSERT_EQ(icmp.body().size(), 1'232U);
  const auto quoted = about->bytes().subspan(EthernetHeader::kSize, 1'232);
  EXPECT_TRUE(std::ranges::equal(icmp.body(), quoted));
}

TEST_F(Icmpv6Test, no_error_answers_an_error_a_redirect_a_group_or_nobody) {
  const Icmpv6Error error = Icmpv6Error::no_route();
  const auto deserves = [&](const Bytes& frame, const Icmpv6Error& which) {
    return deserves_icmpv6_error(*pool_.copy_of(frame), which);
  };
  const auto message = [&](Icmpv6Type type) {
    Bytes bytes(Icmpv6Header::kSize);
    write_icmpv6(bytes, type, 0, 0, {ends_.source, ends_.destination});
    return ipv6_frame(ends_, ip_protocol::kIcmpv6, bytes);
  };
  EXPECT_TRUE(deserves(message(Icmpv6Type::echo_request), error));
  EXPECT_FALSE(deserves(message(Icmpv6Type::time_exceeded), error));
  EXPECT_FALSE(deserves(message(Icmpv6Type::redirect), error));
  Ends6 from_nobody = ends_;
  from_nobody.source = Ipv6Address::any();
  EXPECT_FALSE(deserves(udp6_frame(from_nobody, 1, 2, {}), error));
  Ends6 to_group = ends_;
  to_group.destination = Ipv6Address::parse("ff0e::1");
  EXPECT_FALSE(deserves(udp6_frame(to_group, 1, 2, {}), error));
  EXPECT_TRUE(deserves(udp6_frame(to_group, 1, 2, {}), Icmpv6Error::packet_too_big(1'280)));
}

}  // namespace
}  // namespace simcore::testing
