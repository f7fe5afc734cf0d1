// SPDX-License-Identifier: MIT
//
//   left 2001:db8:1::1 ---- 2001:db8:1::ff  router  2001:db8:2::ff ---- 2001:db8:2::1 right
//        …:01                     …:0a             …:0b                      …:02
#include "simcore/stack/ipv6_stack.h"

#include <gtest/gtest.h>

#include "simcore/packet/train.h"
#include "simcore/stack/router.h"
#include "simcore/units/error.h"
#include "tests/simcore/packet/frames6.h"
#include "tests/simcore/stack/station.h"

namespace simcore::testing {
namespace {

const Ipv6Address kLeft = Ipv6Address::parse("2001:db8:1::1");
const Ipv6Address kRight = Ipv6Address::parse("2001:db8:2::1");
const Ipv6Address kNear = Ipv6Address::parse("2001:db8:1::ff");

class Ipv6StackTest : public ::testing::Test {
 protected:
  static Interface::Config config(const char* name, const char* mac, const char* address, std::uint16_t mtu) {
    return {.name = name,
            .mac = MacAddress::parse(mac),
            .mtu = mtu,
            .address6 = Ipv6InterfaceAddress::parse(address)};
  }

  void run(Duration time = Duration::ms(10)) { simulation_.run_until(simulation_.now() + time); }

  // Tells the router by a solicitation who has `address` on the link of `station`, and forgets the answer.
  void introduce(Station& station, const Ipv6Address& address, const Interface& router) {
    const NeighbourMessage question{
        .advertisement = false, .target = router.address6()->address(), .mac = station.mac};
    station.send(neighbour_frame({.source_mac = station.mac,
                                  .destination_mac = question.target.solicited_node().group_mac(),
                                  .source = address,
                                  .destination = question.target.solicited_node()},
                                 question));
    run();
    station.got.clear();
  }
  void introduce_both() {
    introduce(left_, kLeft, near_);
    introduce(right_, kRight, far_);
  }

  // From the left, to the router's MAC address.
  Ends6 ends(const Ipv6Address& destination = kRight) const {
    return {
        .source_mac = left_.mac, .destination_mac = near_.mac(), .source = kLeft, .destination = destination};
  }

  Simulation simulation_{1};
  PacketPool pool_;
  Router router_{simulation_, pool_, "r1"};
  Interface& near_ =
      router_.add_interface(config("r1-eth1", "02:00:00:00:00:0a", "2001:db8:1::ff/64", 1'500));
  Interface& far_ = router_.add_interface(config("r1-eth2", "02:00:00:00:00:0b", "2001:db8:2::ff/64", 1'400));
  Station left_{simulation_, pool_, "02:00:00:00:00:01", "10.0.1.1"};
  Station right_{simulation_, pool_, "02:00:00:00:00:02", "10.0.2.1"};
  Cable left_cable_{simulation_, pool_, left_, near_, Duration::ms(1)};
  Cable right_cable_{simulation_, pool_, right_, far_, Duration::ms(1)};
};

TEST_F(Ipv6StackTest, forwards_with_one_hop_less_and_its_own_mac) {
  introduce_both();
  left_.send(udp6_frame(ends(), 1'000, 2'000, pattern(100)));
  run();
  ASSERT_EQ(right_.ipv6().size(), 1U);
  const Packet& packet = *right_.ipv6()[0]->packet;
  const auto ethernet = EthernetHeader::parse(packet.bytes());
  EXPECT_EQ(ethernet->source(), far_.mac());
  EXPECT_EQ(ethernet->destination(), right_.mac);
  EXPECT_EQ(ipv6_of(packet).hop_limit(), 63);
  EXPECT_TRUE(ip_of(packet).transport_checksum_correct());
  EXPECT_EQ(router_.dropped().total(), 0U);
}

TEST_F(Ipv6StackTest, packets_wait_for_the_answer_to_a_solicitation_in_the_group_of_the_next_hop) {
  left_.send(udp6_frame(ends(), 1'000, 2'000, pattern(100)));
  left_.send(udp6_frame(ends(), 1'000, 2'000, pattern(101)));
  run();
  ASSERT_EQ(right_.ipv6().size(), 1U);
  const Packet& question = *right_.ipv6()[0]->packet;
  EXPECT_EQ(EthernetHeader::parse(question.bytes())->destination(), kRight.solicited_node().group_mac());
  EXPECT_EQ(ipv6_of(question).hop_limit(), 255);
  const auto message = NeighbourMessage::parse(icmpv6_of(question));
  ASSERT_TRUE(message);
  EXPECT_EQ(message->target, kRight);
  EXPECT_EQ(message->mac, far_.mac());

  right_.got.clear();
  right_.send(neighbour_frame(
      {.source_mac = right_.mac,
       .destination_mac = far_.mac(),
       .source = kRight,
       .destination = far_.address6()->address()},
      {.advertisement = true, .target = kRight, .mac = right_.mac, .solicited = true, .overrides = true}));
  run();
  ASSERT_EQ(right_.ipv6().size(), 2U);
  EXPECT_EQ(ip_of(*right_.ipv6()[0]->packet).payload_length(), 108U);
  EXPECT_EQ(ip_of(*right_.ipv6()[1]->packet).payload_length(), 109U);
}

TEST_F(Ipv6StackTest, a_next_hop_that_stays_silent_is_address_unreachable_after_three_seconds) {
  introduce(left_, kLeft, near_);
  left_.send(udp6_frame(ends(), 1'000, 2'000, pattern(100)));
  run(Duration::ms(2'990));
  EXPECT_EQ(right_.ipv6().size(), 3U);  // solicitations
  EXPECT_TRUE(left_.ipv6().empty());
  run(Duration::ms(20));
  ASSERT_EQ(left_.ipv6().size(), 1U);
  const Icmpv6Header error = icmpv6_of(*left_.ipv6()[0]->packet);
  EXPECT_EQ(error.type(), Icmpv6Type::destination_unreachable);
  EXPECT_EQ(error.code(), 3);
  EXPECT_EQ(router_.dropped().of(DropReason::arp_failed), 1U);
}

TEST_F(Ipv6StackTest, the_last_hop_is_answered_by_time_exceeded_from_the_near_interface) {
  introduce_both();
  left_.send(ping6_frame(ends(), 1, pattern(10), 1));
  run();
  ASSERT_EQ(left_.ipv6().size(), 1U);
  const Packet& packet = *left_.ipv6()[0]->packet;
  EXPECT_EQ(icmpv6_of(packet).type(), Icmpv6Type::time_exceeded);
  EXPECT_EQ(ip_of(packet).source(), IpAddress(kNear));
  EXPECT_TRUE(ip_of(packet).transport_checksum_correct());
  EXPECT_EQ(router_.dropped().of(DropReason::ttl_expired), 1U);
}

TEST_F(Ipv6StackTest, what_is_too_big_for_the_way_out_is_answered_with_its_mtu) {
  introduce_both();
  left_.send(udp6_frame(ends(), 1'000, 2'000, pattern(1'400 - 48)));
  left_.send(udp6_frame(ends(), 1'000, 2'000, pattern(1'400 - 47)));
  run();
  EXPECT_EQ(right_.ipv6().size(), 1U);
  ASSERT_EQ(left_.ipv6().size(), 1U);
  const Icmpv6Header error = icmpv6_of(*left_.ipv6()[0]->packet);
  EXPECT_EQ(error.type(), Icmpv6Type::packet_too_big);
  EXPECT_EQ(error.rest(), 1'400U);
  EXPECT_EQ(router_.dropped().of(DropReason::too_big), 1U);
}

TEST_F(Ipv6StackTest, no_route_and_a_link_local_source_are_refused) {
  introduce_both();
  left_.send(ping6_frame(ends(Ipv6Address::parse("2001:db8:9::1")), 1, {}));
  run();
  ASSERT_EQ(left_.ipv6().size(), 1U);
  EXPECT_EQ(icmpv6_of(*left_.ipv6()[0]->packet).code(), 0);
  EXPECT_EQ(router_.dropped().of(DropReason::no_route), 1U);

  left_.got.clear();
  Ends6 from_link = ends();
  from_link.source = Ipv6Address::link_local_of(left_.mac);
  introduce(left_, from_link.source, near_);
  left_.send(ping6_frame(from_link, 1, {}));
  run();
  ASSERT_EQ(left_.ipv6().size(), 1U);
  EXPECT_EQ(icmpv6_of(*left_.ipv6()[0]->packet).code(), 2);  // beyond scope of source address
  EXPECT_TRUE(right_.ipv6().empty());
}

TEST_F(Ipv6StackTest, answers_pings_to_each_of_its_addresses_and_to_the_group_of_all_nodes) {
  introduce_both();
  const Ipv6Address link_local = Ipv6Address::link_local_of(near_.mac());
  for (const Ipv6Address& asked : {kNear, far_.address6()->address(), link_local, Ipv6Address::all_nodes()}) {
    left_.got.clear();
    Ends6 to = ends(asked);
    if (asked.is_multicast()) to.destination_mac = asked.group_mac();
    left_.send(ping6_frame(to, 1, pattern(56)));
    run();
    ASSERT_EQ(left_.ipv6().size(), 1U) << asked.to_string();
    const IpHeader reply = ip_of(*left_.ipv6()[0]->packet);
    EXPECT_EQ(reply.source(), IpAddress(asked.is_multicast() ? kNear : asked));
    EXPECT_TRUE(reply.transport_checksum_correct());
  }
}

TEST_F(Ipv6StackTest, tells_who_checks_an_address_of_its_own_that_it_is_taken) {
  const NeighbourMessage check{.advertisement = false, .target = kNear, .mac = std::nullopt};
  left_.send(neighbour_frame({.source_mac = left_.mac,
                              .destination_mac = kNear.solicited_node().group_mac(),
                              .source = Ipv6Address::any(),
                              .destination = kNear.solicited_node()},
                             check));
  run();
  ASSERT_EQ(left_.ipv6().size(), 1U);
  const Packet& packet = *left_.ipv6()[0]->packet;
  EXPECT_EQ(ip_of(packet).destination(), IpAddress(Ipv6Address::all_nodes()));
  const auto answer = NeighbourMessage::parse(icmpv6_of(packet));
  EXPECT_EQ(answer->target, kNear);
  EXPECT_FALSE(answer->solicited);
  EXPECT_TRUE(answer->router);
}

TEST_F(Ipv6StackTest, a_neighbour_message_that_passed_a_router_is_malformed) {
  const NeighbourMessage question{.advertisement = false, .target = kNear, .mac = left_.mac};
  left_.send(neighbour_frame(ends(kNear), question, 254));
  run();
  EXPECT_TRUE(left_.ipv6().empty());
  EXPECT_EQ(router_.dropped().of(DropReason::malformed), 1U);
}

TEST_F(Ipv6StackTest, groups_of_others_are_not_for_it_and_fragments_for_it_are_unsupported) {
  Ends6 to_group = ends(Ipv6Address::parse("ff02::1:ff12:3456"));
  to_group.destination_mac = to_group.destination.group_mac();
  left_.send(ping6_frame(to_group, 1, {}));
  run();
  EXPECT_EQ(router_.dropped().of(DropReason::not_for_me), 1U);
  left_.send(ipv6_frame(ends(kNear), 44, Bytes{ip_protocol::kUdp, 0, 0, 1, 0, 0, 0, 1, 0, 0}));
  run();
  EXPECT_EQ(router_.dropped().of(DropReason::unsupported), 1U);
  EXPECT_TRUE(left_.ipv6().empty());
}

TEST_F(Ipv6StackTest, nobody_and_an_ipv4_address_in_disguise_send_no_transport) {
  std::uint64_t malformed = 0;
  for (const char* source : {"::", "::1", "ff02::1", "::ffff:10.0.0.1"}) {
    Ends6 from = ends(kNear);
    from.source = Ipv6Address::parse(source);
    left_.send(udp6_frame(from, 1'000, 2'000, pattern(10)));
    run();
    EXPECT_EQ(router_.dropped().of(DropReason::malformed), ++malformed) << source;
  }
  EXPECT_TRUE(left_.ipv6().empty());
}

TEST_F(Ipv6StackTest, an_unknown_protocol_is_named_by_its_place) {
  introduce_both();
  left_.send(ipv6_frame(ends(kNear), 0, Bytes{200, 0, 1, 4, 0, 0, 0, 0}));
  run();
  ASSERT_EQ(left_.ipv6().size(), 1U);
  const Icmpv6Header error = icmpv6_of(*left_.ipv6()[0]->packet);
  EXPECT_EQ(error.type(), Icmpv6Type::parameter_problem);
  EXPECT_EQ(error.code(), 1);
  EXPECT_EQ(error.rest(), 40U);
}

TEST_F(Ipv6StackTest, routes_lead_by_other_routers) {
  introduce_both();
  router_.add_route(Ipv6Prefix::parse("::/0"), kRight, far_);
  left_.send(ping6_frame(ends(Ipv6Address::parse("2001:db8:9::1")), 1, {}));
  run();
  ASSERT_EQ(right_.ipv6().size(), 1U);
  EXPECT_EQ(EthernetHeader::parse(right_.ipv6()[0]->packet->bytes())->destination(), right_.mac);
  EXPECT_THROW(router_.add_route(Ipv6Prefix::parse("::/0"), kLeft, near_), ConfigError);
}

TEST_F(Ipv6StackTest, an_interface_without_an_address_has_no_ipv6) {
  Interface& bare = router_.add_interface({.name = "r1-eth3", .mac = MacAddress::of(0x02'0000'0000'0c)});
  EXPECT_THROW(router_.add_route(Ipv6Prefix::parse("::/0"), std::nullopt, bare), ConfigError);
  EXPECT_THROW(router_.add_interface(config("r1-eth4", "02:00:00:00:00:0d", "2001:db8:3::1/64", 1'279)),
               ConfigError);
  EXPECT_THROW(router_.add_interface(config("r1-eth5", "02:00:00:00:00:0e", "2001:db8:1::ff/48", 1'500)),
               ConfigError);
}

// A train of three TCP segments, as a portal gives it: the checksum is partial.
TEST_F(Ipv6StackTest, a_train_stays_whole_and_its_mtu_is_that_of_a_segment) {
  introduce_both();
  constexpr std::size_t kHeaders = EthernetHeader::kSize + Ipv6Header::kSize + TcpHeader::kSize;
  for (const std::uint16_t mss : {std::uint16_t{1'340}, std::uint16_t{1'341}}) {
    Bytes segment(TcpHeader::kSize + 3U * mss);
    write_tcp(segment, {1'000, 80, 1, 1, tcp_flag::kAck, 500});
    PacketPtr train = pool_.copy_of(ipv6_frame(ends(), ip_protocol::kTcp, segment));
    train->segments = 3;
    train->segment_payload = mss;
    train->header_size = kHeaders;
    train->train = TrainKind::tcp_ipv6;
    train->checksum_partial = true;
    train->checksum_start = EthernetHeader::kSize + Ipv6Header::kSize;
    train->checksum_offset = TcpHeader::kChecksumOffset;
    left_.send(std::move(train));
    run();
  }
  ASSERT_EQ(right_.ipv6().size(), 1U);
  EXPECT_EQ(right_.ipv6()[0]->packet->segments, 3);
  EXPECT_EQ(router_.dropped().of(DropReason::too_big), 3U);
  ASSERT_EQ(left_.ipv6().size(), 1U);
  EXPECT_EQ(icmpv6_of(*left_.ipv6()[0]->packet).type(), Icmpv6Type::packet_too_big);
}

}  // namespace
}  // namespace simcore::testing
