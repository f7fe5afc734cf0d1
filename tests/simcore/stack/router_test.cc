// SPDX-License-Identifier: MIT
//
//   west 10.0.0.1 ---2 ms--- r 10.0.0.254 | r 10.0.1.254 ---3 ms--- east 10.0.1.2
#include "simcore/stack/router.h"

#include <gtest/gtest.h>

#include <functional>

#include "simcore/packet/train.h"
#include "simcore/packet/virtio_net_fields.h"
#include "simcore/units/error.h"
#include "tests/simcore/stack/station.h"

namespace simcore {
namespace {

using testing::Bytes;
using testing::bytes_of;
using testing::Cable;
using testing::Ends;
using testing::icmp_of;
using testing::ipv4_of;
using testing::pattern;
using testing::Station;

Interface::Config interface(const char* name, const char* mac, const char* address,
                            std::uint16_t mtu = 1'500) {
  return {name, MacAddress::parse(mac), Ipv4InterfaceAddress::parse(address), mtu};
}

// Makes the checksum of whatever IPv4 header is there correct, so that more than that is looked at.
void correct_header(Bytes& frame) {
  if (frame.size() < 34) return;
  const std::size_t size = std::min<std::size_t>(std::size_t{4} * (frame[14] & 0xfU), frame.size() - 14);
  store_be16(frame.data() + 24, 0);
  ChecksumSum sum;
  sum.add(std::span(frame).subspan(14, size));
  store_be16(frame.data() + 24, sum.checksum());
}

class RouterTest : public ::testing::Test {
 protected:
  RouterTest() {
    router_.add_route(Ipv4Prefix::parse("10.9.0.0/16"), Ipv4Address::parse("10.0.1.2"), eastern_);
  }

  // From west to `destination`, through the router.
  Ends ends_to(const char* destination) const {
    return {west_.mac, western_.mac(), west_.address, Ipv4Address::parse(destination)};
  }
  Bytes udp_to(const char* destination, std::size_t payload, bool dont_fragment = false) const {
    const Ends ends = ends_to(destination);
    Ipv4Fields fields = testing::ipv4_fields(ends, ip_protocol::kUdp);
    fields.dont_fragment = dont_fragment;
    return testing::udp_frame(ends, fields, 1'000, 33'434, pattern(payload));
  }
  void run_ms(std::int64_t ms) { simulation_.run_until(simulation_.now() + Duration::ms(ms)); }

  // Both stations become known to the router, and what that took is forgotten.
  void introduce() {
    west_.ask_for(Ipv4Address::parse("10.0.0.254"));
    east_.ask_for(Ipv4Address::parse("10.0.1.254"));
    run_ms(10);
    west_.got.clear();
    east_.got.clear();
  }

  // What the router answered to west: one ICMP error, of that type and code.
  void expect_error(IcmpType type, int code) {
    ASSERT_EQ(west_.got.size(), 1U);
    const Packet& packet = *west_.got[0].packet;
    EXPECT_EQ(ipv4_of(packet).source().to_string(), "10.0.0.254");
    EXPECT_EQ(ipv4_of(packet).destination(), west_.address);
    EXPECT_TRUE(ipv4_of(packet).checksum_correct());
    EXPECT_EQ(icmp_of(packet).type(), type);
    EXPECT_EQ(icmp_of(packet).code(), code);
    EXPECT_TRUE(icmp_of(packet).checksum_correct());
  }

  Simulation simulation_{1};
  PacketPool pool_;
  Router router_{simulation_, pool_, "r"};
  Interface& western_ = router_.add_interface(interface("r-eth1", "02:00:00:00:01:01", "10.0.0.254/24"));
  Interface& eastern_ =
      router_.add_interface(interface("r-eth2", "02:00:00:00:01:02", "10.0.1.254/24", 1'000));
  Station west_{simulation_, pool_, "02:00:00:00:00:01", "10.0.0.1"};
  Station east_{simulation_, pool_, "02:00:00:00:00:02", "10.0.1.2"};
  Cable west_cable_{simulation_, pool_, west_, western_, Duration::ms(2)};
  Cable east_cable_{simulation_, pool_, eastern_, east_, Duration::ms(3)};
};

TEST_F(RouterTest, answers_arp_for_its_address_at_that_interface_only) {
  west_.ask_for(Ipv4Address::parse("10.0.1.254"));
  run_ms(10);
  EXPECT_TRUE(west_.got.empty());
  west_.ask_for(Ipv4Address::parse("10.0.0.254"));
  run_ms(10);
  const ArpMessage expected{ArpMessage::Operation::reply, western_.mac(), Ipv4Address::parse("10.0.0.254"),
                            west_.mac, west_.address};
  ASSERT_EQ(west_.arp().size(), 1U);
  EXPECT_EQ(west_.arp()[0], expected);
  EXPECT_EQ(EthernetHeader::parse(west_.got[0].packet->bytes())->destination(), west_.mac);
  EXPECT_EQ(west_.got[0].time, SimTime::zero() + Duration::ms(10 + 2 * 2));
}

TEST_F(RouterTest, forwards_with_new_mac_addresses_and_one_ttl_less_and_nothing_else_changed) {
  introduce();
  const SimTime start = simulation_.now();
  const Bytes sent = testing::ping_frame(ends_to("10.0.1.2"), 1, pattern(56), 64);
  west_.send(sent);
  run_ms(10);
  Ends behind = ends_to("10.0.1.2");
  behind.source_mac = eastern_.mac();
  behind.destination_mac = east_.mac;
  ASSERT_EQ(east_.got.size(), 1U);
  EXPECT_EQ(bytes_of(*east_.got[0].packet), testing::ping_frame(behind, 1, pattern(56), 63));
  EXPECT_EQ(east_.got[0].time, start + Duration::ms(2 + 3));
  EXPECT_EQ(router_.dropped().total(), 0U);
}

TEST_F(RouterTest, a_ping_and_its_reply_take_twice_the_delays_and_once_an_arp_exchange) {
  introduce();
  Ends to_east = ends_to("10.0.1.2");
  west_.send(testing::ping_frame(to_east, 1, pattern(56)));
  run_ms(5);
  ASSERT_EQ(east_.got.size(), 1U);
  Ends back{east_.mac, eastern_.mac(), east_.address, west_.address};
  east_.send(testing::ping_frame(back, 1, pattern(56)));
  run_ms(5);
  EXPECT_EQ(west_.ipv4().size(), 1U);
}

TEST_F(RouterTest, packets_wait_for_the_next_hop_to_answer_arp_and_then_leave_in_order) {
  const SimTime start = simulation_.now();
  for (std::uint16_t i = 1; i <= 3; ++i) west_.send(testing::ping_frame(ends_to("10.9.1.1"), i, {}));
  run_ms(6);
  ASSERT_EQ(east_.arp().size(), 1U) << "one request, for the next router";
  EXPECT_EQ(east_.arp()[0].target_address, east_.address);
  east_.got.clear();
  east_.answer(eastern_.mac(), Ipv4Address::parse("10.0.1.254"));
  run_ms(10);
  ASSERT_EQ(east_.ipv4().size(), 3U);
  for (std::uint16_t i = 0; i < 3; ++i) {
    const Station::Arrival& arrival = *east_.ipv4()[i];
    EXPECT_EQ(icmp_of(*arrival.packet).sequence(), i + 1);
    EXPECT_EQ(arrival.time, start + Duration::ms(6 + 3 + 3));
    EXPECT_EQ(arrival.packet->first_arrival, arrival.time);
  }
}

TEST_F(RouterTest, a_next_hop_that_stays_silent_is_host_unreachable_after_three_seconds) {
  introduce();
  west_.send(udp_to("10.0.1.77", 10));
  run_ms(3'000);
  EXPECT_EQ(east_.arp().size(), 3U);
  EXPECT_TRUE(west_.got.empty());
  run_ms(10);
  expect_error(IcmpType::destination_unreachable, 1);
  EXPECT_EQ(router_.dropped().of(DropReason::arp_failed), 1U);
  EXPECT_EQ(pool_.in_use(), east_.got.size() + west_.got.size());
}

TEST_F(RouterTest, answers_pings_to_each_of_its_addresses) {
  introduce();
  for (const char* address : {"10.0.0.254", "10.0.1.254"}) {
    const SimTime start = simulation_.now();
    west_.got.clear();
    west_.send(testing::ping_frame(ends_to(address), 3, pattern(56)));
    run_ms(10);
    ASSERT_EQ(west_.got.size(), 1U);
    const Packet& reply = *west_.got[0].packet;
    EXPECT_EQ(west_.got[0].time, start + Duration::ms(4));
    EXPECT_EQ(ipv4_of(reply).source().to_string(), address);
    EXPECT_EQ(icmp_of(reply).type(), IcmpType::echo_reply);
    EXPECT_EQ(icmp_of(reply).sequence(), 3);
    EXPECT_TRUE(icmp_of(reply).checksum_correct());
    EXPECT_EQ(Bytes(icmp_of(reply).body().begin(), icmp_of(reply).body().end()), pattern(56));
  }
}

TEST_F(RouterTest, a_ping_whose_checksum_is_still_partial_is_finished_and_answered) {
  introduce();
  Bytes frame = testing::ping_frame(ends_to("10.0.0.254"), 3, pattern(56));
  store_be16(frame.data() + 36, 0);  // ICMP has no pseudo-header: the partial sum is zero
  PacketPtr packet = pool_.copy_of(frame);
  VirtioNetFields fields;
  fields.needs_checksum = true;
  fields.checksum_start = 34;
  fields.checksum_offset = 2;
  ASSERT_TRUE(describe_frame(*packet, fields));
  west_.send(std::move(packet));
  run_ms(10);
  ASSERT_EQ(west_.got.size(), 1U);
  EXPECT_FALSE(west_.got[0].packet->checksum_partial);
  EXPECT_TRUE(icmp_of(*west_.got[0].packet).checksum_correct());
}

TEST_F(RouterTest, a_wrong_checksum_is_not_answered) {
  introduce();
  Bytes frame = testing::ping_frame(ends_to("10.0.0.254"), 3, pattern(56));
  frame.back() ^= 1;
  west_.send(frame);
  frame = testing::ping_frame(ends_to("10.0.1.2"), 3, pattern(56));
  frame[22] ^= 1;  // TTL, in the IPv4 header
  west_.send(frame);
  run_ms(10);
  EXPECT_TRUE(west_.got.empty());
  EXPECT_TRUE(east_.got.empty());
  EXPECT_EQ(router_.dropped().of(DropReason::malformed), 2U);
}

TEST_F(RouterTest, a_ttl_that_ends_here_is_time_exceeded) {
  introduce();
  for (const std::uint8_t ttl : {std::uint8_t{0}, std::uint8_t{1}}) {
    west_.got.clear();
    west_.send(testing::ping_frame(ends_to("10.0.1.2"), 1, pattern(56), ttl));
    run_ms(10);
    expect_error(IcmpType::time_exceeded, 0);
  }
  EXPECT_TRUE(east_.got.empty());
  EXPECT_EQ(router_.dropped().of(DropReason::ttl_expired), 2U);
}

TEST_F(RouterTest, a_ttl_of_one_is_enough_to_reach_the_router_itself) {
  introduce();
  west_.send(testing::ping_frame(ends_to("10.0.1.254"), 1, {}, 1));
  run_ms(10);
  ASSERT_EQ(west_.got.size(), 1U);
  EXPECT_EQ(icmp_of(*west_.got[0].packet).type(), IcmpType::echo_reply);
}

TEST_F(RouterTest, without_a_route_the_net_is_unreachable) {
  introduce();
  west_.send(udp_to("172.16.0.1", 10));
  run_ms(10);
  expect_error(IcmpType::destination_unreachable, 0);
  EXPECT_EQ(router_.dropped().of(DropReason::no_route), 1U);
}

TEST_F(RouterTest, its_closed_ports_and_unknown_protocols_are_unreachable) {
  introduce();
  west_.send(udp_to("10.0.1.254", 10));
  run_ms(10);
  expect_error(IcmpType::destination_unreachable, 3);
  west_.got.clear();
  const Ends ends = ends_to("10.0.1.254");
  west_.send(testing::ipv4_frame(ends, testing::ipv4_fields(ends, 99), pattern(10)));
  run_ms(10);
  expect_error(IcmpType::destination_unreachable, 2);
  EXPECT_EQ(router_.dropped().of(DropReason::no_listener), 2U);
}

TEST_F(RouterTest, too_big_for_the_way_out_needs_fragmentation) {
  introduce();
  west_.send(udp_to("10.0.1.2", 1'000 - 28, true));
  run_ms(10);
  EXPECT_EQ(east_.got.size(), 1U) << "exactly the MTU";
  west_.send(udp_to("10.0.1.2", 1'000 - 27, true));
  run_ms(10);
  expect_error(IcmpType::destination_unreachable, 4);
  EXPECT_EQ(icmp_of(*west_.got[0].packet).rest(), 1'000U);
  west_.got.clear();
  west_.send(udp_to("10.0.1.2", 1'000 - 27, false));
  run_ms(10);
  EXPECT_TRUE(west_.got.empty());
  ASSERT_EQ(east_.got.size(), 3U) << "in two fragments";
  EXPECT_EQ(ipv4_of(*east_.got[1].packet).total_length(), 996) << "a multiple of 8 and the header";
  EXPECT_EQ(ipv4_of(*east_.got[2].packet).fragment_offset(), 976);
  EXPECT_EQ(ipv4_of(*east_.got[2].packet).ttl(), 63);
  EXPECT_EQ(router_.dropped().of(DropReason::too_big), 1U);
}

TEST_F(RouterTest, a_train_is_forwarded_whole_and_its_segments_are_those_of_single_frames) {
  introduce();
  const Ends ends = ends_to("10.0.1.2");
  const Ends behind{eastern_.mac(), east_.mac, ends.source, ends.destination};
  const TcpFields tcp{40'000, 80, 7, 8, tcp_flag::kAck, 100};
  PacketPtr train = pool_.copy_of(
      testing::tcp_frame(ends, testing::ipv4_fields(ends, ip_protocol::kTcp), tcp, pattern(4'000)));
  testing::make_partial(*train, ends, ip_protocol::kTcp);
  VirtioNetFields fields;
  fields.needs_checksum = true;
  fields.checksum_start = 34;
  fields.checksum_offset = TcpHeader::kChecksumOffset;
  fields.train = TrainKind::tcp_ipv4;
  fields.gso_size = 960;  // 20 + 20 + 960 is the MTU
  ASSERT_TRUE(describe_frame(*train, fields));
  west_.send(std::move(train));
  run_ms(10);
  ASSERT_EQ(east_.got.size(), 1U);
  PacketPtr arrived = std::move(east_.got[0].packet);
  ASSERT_EQ(arrived->segments, 5);
  EXPECT_EQ(eastern_.counters().out_packets, 1U + 5U) << "the ARP reply, and every segment";
  const PacketPtr first = split_front(*arrived, 1, pool_);
  finish_checksum(*first);
  Ipv4Fields ipv4 = testing::ipv4_fields(ends, ip_protocol::kTcp);
  ipv4.ttl = 63;
  const Bytes payload = pattern(4'000);
  EXPECT_EQ(bytes_of(*first), testing::tcp_frame(behind, ipv4, tcp, std::span(payload).first(960)));
}

TEST_F(RouterTest, a_train_too_big_by_its_segments_draws_one_error) {
  introduce();
  const Ends ends = ends_to("10.0.1.2");
  Ipv4Fields ipv4 = testing::ipv4_fields(ends, ip_protocol::kTcp);
  ipv4.dont_fragment = true;
  PacketPtr train =
      pool_.copy_of(testing::tcp_frame(ends, ipv4, {1, 2, 3, 4, tcp_flag::kAck, 5}, pattern(4'000)));
  testing::make_partial(*train, ends, ip_protocol::kTcp);
  VirtioNetFields fields;
  fields.needs_checksum = true;
  fields.checksum_start = 34;
  fields.checksum_offset = TcpHeader::kChecksumOffset;
  fields.train = TrainKind::tcp_ipv4;
  fields.gso_size = 961;
  ASSERT_TRUE(describe_frame(*train, fields));
  west_.send(std::move(train));
  run_ms(10);
  expect_error(IcmpType::destination_unreachable, 4);
  EXPECT_EQ(router_.dropped().of(DropReason::too_big), 5U);
  const auto quoted = Ipv4Header::parse(icmp_of(*west_.got[0].packet).body(), 4'000);
  EXPECT_EQ(quoted->total_length(), 20 + 20 + 961);
}

TEST_F(RouterTest, a_train_that_may_be_fragmented_leaves_as_fragments_of_its_datagrams) {
  introduce();
  const Ends ends = ends_to("10.0.1.2");
  PacketPtr train = pool_.copy_of(
      testing::udp_frame(ends, testing::ipv4_fields(ends, ip_protocol::kUdp), 1, 2, pattern(3'000)));
  testing::make_partial(*train, ends, ip_protocol::kUdp);
  VirtioNetFields fields;
  fields.needs_checksum = true;
  fields.checksum_start = 34;
  fields.checksum_offset = UdpHeader::kChecksumOffset;
  fields.train = TrainKind::udp;
  fields.gso_size = 1'000;
  ASSERT_TRUE(describe_frame(*train, fields));
  west_.send(std::move(train));
  run_ms(10);
  // Three datagrams of 1,000 and 28 bytes, two fragments each: 976 of the 1,008 bytes, and 32.
  ASSERT_EQ(east_.got.size(), 6U);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(ipv4_of(*east_.got[i].packet).payload_length(), i % 2 == 0 ? 976 : 32);
    EXPECT_EQ(ipv4_of(*east_.got[i].packet).identification(), i / 2);
  }
}

TEST_F(RouterTest, frames_for_others_are_not_touched) {
  introduce();
  Ends ends = ends_to("10.0.1.2");
  ends.destination_mac = MacAddress::parse("02:00:00:00:00:77");
  west_.send(testing::ping_frame(ends, 1, {}));
  ends.destination_mac = MacAddress::broadcast();  // never forwarded, RFC 1812 5.3.4
  west_.send(testing::ping_frame(ends, 1, {}));
  run_ms(10);
  EXPECT_TRUE(east_.got.empty());
  EXPECT_EQ(router_.dropped().of(DropReason::not_for_me), 2U);
}

TEST_F(RouterTest, broadcasts_multicasts_and_other_protocols_are_not_forwarded) {
  introduce();
  for (const char* destination : {"10.0.0.255", "10.0.1.255", "255.255.255.255"}) {
    west_.send(testing::ping_frame(ends_to(destination), 1, {}));
  }
  west_.send(testing::ping_frame(ends_to("224.0.0.5"), 1, {}));
  Bytes tagged = testing::ping_frame(ends_to("10.0.1.2"), 1, {});
  tagged.insert(tagged.begin() + 12, {0x81, 0x00, 0x00, 0x05});
  west_.send(tagged);
  Bytes lldp = testing::ping_frame(ends_to("10.0.1.2"), 1, {});
  store_be16(lldp.data() + 12, static_cast<std::uint16_t>(EtherType::lldp));
  west_.send(lldp);
  run_ms(10);
  EXPECT_TRUE(east_.got.empty());
  EXPECT_TRUE(west_.got.empty());
  EXPECT_EQ(router_.dropped().of(DropReason::no_listener), 3U);
  EXPECT_EQ(router_.dropped().of(DropReason::unsupported), 3U);
}

TEST_F(RouterTest, errors_are_limited_to_a_burst_of_fifty) {
  introduce();
  for (int i = 0; i < 80; ++i) west_.send(udp_to("172.16.0.1", 10));
  run_ms(10);
  EXPECT_EQ(west_.got.size(), 50U);
  EXPECT_EQ(router_.dropped().of(DropReason::no_route), 80U);
}

TEST_F(RouterTest, announces_its_addresses) {
  router_.announce();
  run_ms(10);
  ASSERT_EQ(west_.arp().size(), 1U);
  EXPECT_EQ(west_.arp()[0].sender_address, west_.arp()[0].target_address);
  EXPECT_EQ(west_.arp()[0].sender_mac, western_.mac());
  EXPECT_EQ(east_.arp().size(), 1U);
}

TEST_F(RouterTest, counts_what_its_interfaces_carry) {
  introduce();
  const Bytes ping = testing::ping_frame(ends_to("10.0.1.2"), 1, pattern(56));
  west_.send(ping);
  run_ms(10);
  EXPECT_EQ(western_.counters().in_packets, 2U);
  EXPECT_EQ(western_.counters().in_bytes, 42U + ping.size());
  EXPECT_EQ(eastern_.counters().out_packets, 2U);
  EXPECT_EQ(eastern_.counters().out_bytes, 42U + ping.size());
}

TEST_F(RouterTest, no_bytes_whatever_bring_it_down) {
  introduce();
  const Bytes good = udp_to("10.0.1.2", 40);
  std::uint64_t state = 1;
  for (int round = 0; round < 20'000; ++round) {
    Bytes bad = good;
    for (int change = 0; change < 3; ++change) {
      state = state * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
      bad[(state >> 33) % bad.size()] = static_cast<std::uint8_t>(state >> 56);
    }
    western_.mac().write_to(bad.data());
    if (round % 2 == 0) bad.resize(1 + (state >> 20) % bad.size());
    if (round % 4 == 1) Ipv4Address::parse("10.0.1.254").write_to(bad.data() + 30);  // for the router itself
    correct_header(bad);
    PacketPtr packet = pool_.copy_of(bad);
    VirtioNetFields fields;
    fields.needs_checksum = round % 3 != 0;
    fields.checksum_start = static_cast<std::uint16_t>(round % 80);
    fields.checksum_offset = static_cast<std::uint16_t>(round % 17);
    fields.train = static_cast<TrainKind>(round % 5 == 0 ? 3 : 0);
    fields.gso_size = 9;
    if (describe_frame(*packet, fields)) west_.send(std::move(packet));
  }
  // ARP gives up on the damaged destinations, and then on the damaged senders that are told so; what was damaged into a
  // fragment is given up after 30 s, and its sender told.
  run_ms(40'000);
  EXPECT_FALSE(east_.got.empty());
  EXPECT_FALSE(west_.got.empty());
  EXPECT_GT(router_.dropped().of(DropReason::malformed), 0U);
  east_.got.clear();
  west_.got.clear();
  EXPECT_EQ(pool_.in_use(), 0U);
}

TEST(RouterConfig, mistakes_are_named) {
  Simulation simulation(1);
  PacketPool pool;
  Router router(simulation, pool, "r1");
  Router other(simulation, pool, "r2");
  Interface& first = router.add_interface(interface("r1-eth1", "02:00:00:00:00:01", "10.0.0.1/24"));
  Interface& foreign = other.add_interface(interface("r2-eth1", "02:00:00:00:00:02", "10.0.0.2/24"));
  Interface& unnumbered = router.add_interface({"r1-eth2", MacAddress::of(2), std::nullopt});
  const Ipv4Prefix prefix = Ipv4Prefix::parse("10.2.0.0/16");
  router.add_route(prefix, Ipv4Address::parse("10.0.0.9"), first);
  const auto error_of = [](const std::function<void()>& attempt) {
    try {
      attempt();
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const auto names = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_TRUE(
      names(error_of([&] { router.add_interface(interface("r1-eth1", "02:00:00:00:00:03", "10.3.0.1/24")); }),
            "r1-eth1"));
  EXPECT_TRUE(
      names(error_of([&] { router.add_interface(interface("a", "02:00:00:00:00:03", "10.0.0.1/24")); }),
            "10.0.0.1"));
  EXPECT_TRUE(
      names(error_of([&] { router.add_interface(interface("b", "02:00:00:00:00:03", "10.0.0.5/24")); }),
            "10.0.0.0/24"));
  EXPECT_TRUE(
      names(error_of([&] { router.add_interface(interface("c", "03:00:00:00:00:03", "10.4.0.1/24")); }),
            "03:00:00:00:00:03"));
  EXPECT_TRUE(names(
      error_of([&] { router.add_interface(interface("d", "02:00:00:00:00:03", "10.5.0.1/24", 67)); }), "67"));
  EXPECT_TRUE(names(error_of([&] { router.add_route(prefix, Ipv4Address::parse("10.0.0.8"), first); }),
                    "10.2.0.0/16"));
  EXPECT_TRUE(names(error_of([&] { router.add_route(prefix, std::nullopt, foreign); }), "r2"));
  EXPECT_TRUE(names(error_of([&] { router.add_route(prefix, std::nullopt, unnumbered); }), "r1-eth2"));
}

}  // namespace
}  // namespace simcore
