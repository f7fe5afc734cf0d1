// SPDX-License-Identifier: MIT
//
//   h 10.0.0.2 ---1 ms--- peer 10.0.0.1
#include "simcore/stack/host.h"

#include <gtest/gtest.h>

#include "simcore/units/error.h"
#include "tests/simcore/stack/station.h"

namespace simcore {
namespace {

using testing::Bytes;
using testing::Cable;
using testing::Ends;
using testing::icmp_of;
using testing::ipv4_of;
using testing::pattern;
using testing::Station;

class Inbox final : public UdpListener {
 public:
  void receive(PacketPtr packet, const IpHeader& datagram, const UdpHeader& header,
               Interface& /*arrival*/) override {
    senders.push_back(datagram.source());
    payloads.emplace_back(header.payload().begin(), header.payload().end());
    packets.push_back(std::move(packet));
  }

  std::vector<IpAddress> senders;
  std::vector<Bytes> payloads;
  std::vector<PacketPtr> packets;
};

class Counter final : public ProtocolHandler {
 public:
  void receive(PacketPtr /*packet*/, const IpHeader& header, Interface& /*arrival*/) override {
    bytes += header.payload_length();
  }

  std::size_t bytes = 0;
};

class HostTest : public ::testing::Test {
 protected:
  HostTest() {
    peer_.ask_for(Ipv4Address::parse("10.0.0.2"));
    run_ms(10);
    peer_.got.clear();
  }

  Ends ends(const char* destination = "10.0.0.2") const {
    return {peer_.mac, interface_.mac(), peer_.address, Ipv4Address::parse(destination)};
  }
  Bytes udp(std::uint16_t port, const Ends& to) const {
    return testing::udp_frame(to, testing::ipv4_fields(to, ip_protocol::kUdp), 1'000, port, pattern(10));
  }
  Bytes tcp(std::uint8_t flags, const Ends& to) const {
    return testing::tcp_frame(to, testing::ipv4_fields(to, ip_protocol::kTcp), {1'000, 80, 5, 6, flags, 7},
                              {});
  }
  void run_ms(std::int64_t ms) { simulation_.run_until(simulation_.now() + Duration::ms(ms)); }

  Simulation simulation_{1};
  PacketPool pool_;
  Host host_{simulation_, pool_, "h"};
  Interface& interface_ = host_.add_interface(
      {"h-eth0", MacAddress::parse("02:00:00:00:00:02"), Ipv4InterfaceAddress::parse("10.0.0.2/24")});
  Station peer_{simulation_, pool_, "02:00:00:00:00:01", "10.0.0.1"};
  Cable cable_{simulation_, pool_, interface_, peer_, Duration::ms(1)};
};

TEST_F(HostTest, answers_a_ping_within_two_delays) {
  const SimTime start = simulation_.now();
  peer_.send(testing::ping_frame(ends(), 4, pattern(56)));
  run_ms(10);
  ASSERT_EQ(peer_.got.size(), 1U);
  EXPECT_EQ(peer_.got[0].time, start + Duration::ms(2));
  EXPECT_EQ(icmp_of(*peer_.got[0].packet).type(), IcmpType::echo_reply);
}

TEST_F(HostTest, forwards_nothing) {
  peer_.send(testing::ping_frame(ends("10.0.0.3"), 4, pattern(56)));
  peer_.send(testing::ping_frame(ends("10.7.0.3"), 4, pattern(56)));
  run_ms(4'000);
  EXPECT_TRUE(peer_.got.empty());
  EXPECT_EQ(host_.dropped().of(DropReason::not_for_me), 2U);
}

TEST_F(HostTest, a_closed_udp_port_is_unreachable_but_not_for_broadcasts) {
  peer_.send(udp(9, ends()));
  run_ms(10);
  ASSERT_EQ(peer_.got.size(), 1U);
  EXPECT_EQ(icmp_of(*peer_.got[0].packet).type(), IcmpType::destination_unreachable);
  EXPECT_EQ(icmp_of(*peer_.got[0].packet).code(), 3);
  peer_.send(udp(9, ends("10.0.0.255")));
  run_ms(10);
  EXPECT_EQ(peer_.got.size(), 1U);
  EXPECT_EQ(host_.dropped().of(DropReason::no_listener), 2U);
}

TEST_F(HostTest, an_open_udp_port_gets_its_datagrams_without_padding) {
  Inbox inbox;
  host_.udp().bind(9, inbox);
  Bytes frame = udp(9, ends());
  frame.resize(60, 0xee);
  peer_.send(frame);
  peer_.send(udp(9, ends("255.255.255.255")));
  run_ms(10);
  ASSERT_EQ(inbox.payloads.size(), 2U);
  EXPECT_EQ(inbox.payloads[0], pattern(10));
  EXPECT_EQ(inbox.senders[0], peer_.address);
  EXPECT_EQ(inbox.packets[0]->size(), 14U + 20 + 8 + 10);
  EXPECT_THROW(host_.udp().bind(9, inbox), ConfigError);
  host_.udp().unbind(9);
  peer_.send(udp(9, ends()));
  run_ms(10);
  EXPECT_EQ(inbox.payloads.size(), 2U);
}

TEST_F(HostTest, a_datagram_with_a_wrong_checksum_is_dropped_and_one_without_any_is_not) {
  Inbox inbox;
  host_.udp().bind(9, inbox);
  Bytes frame = udp(9, ends());
  frame.back() ^= 1;
  peer_.send(frame);
  run_ms(10);
  EXPECT_TRUE(inbox.packets.empty());
  EXPECT_EQ(host_.dropped().of(DropReason::malformed), 1U);
  store_be16(frame.data() + 40, 0);
  peer_.send(frame);
  run_ms(10);
  EXPECT_EQ(inbox.packets.size(), 1U);
}

TEST_F(HostTest, a_closed_tcp_port_resets_but_answers_no_reset) {
  peer_.send(tcp(tcp_flag::kSyn, ends()));
  run_ms(10);
  ASSERT_EQ(peer_.got.size(), 1U);
  const Ipv4Header reply = ipv4_of(*peer_.got[0].packet);
  EXPECT_TRUE(reply.transport_checksum_correct());
  const auto reset = TcpHeader::parse(reply.payload());
  EXPECT_EQ(reset->flags(), tcp_flag::kRst | tcp_flag::kAck);
  EXPECT_EQ(reset->acknowledgement(), 6U);
  peer_.send(tcp(tcp_flag::kRst, ends()));
  peer_.send(tcp(tcp_flag::kSyn, ends("10.0.0.255")));
  run_ms(10);
  EXPECT_EQ(peer_.got.size(), 1U);
}

TEST_F(HostTest, a_protocol_can_be_added_or_taken_over) {
  Counter counter;
  host_.set_handler(99, counter);
  host_.set_handler(ip_protocol::kTcp, counter);
  peer_.send(testing::ipv4_frame(ends(), testing::ipv4_fields(ends(), 99), pattern(33)));
  peer_.send(tcp(tcp_flag::kSyn, ends()));
  run_ms(10);
  EXPECT_EQ(counter.bytes, 33U + 20U);
  EXPECT_TRUE(peer_.got.empty());
}

TEST_F(HostTest, what_it_sends_waits_for_arp_and_goes_by_its_routes) {
  host_.add_route(Ipv4Prefix::parse("0.0.0.0/0"), Ipv4Address::parse("10.0.0.7"), interface_);
  EXPECT_EQ(host_.source_for(Ipv4Address::parse("172.16.0.1")), Ipv4Address::parse("10.0.0.2"));
  const Ends out{MacAddress::zero(), MacAddress::zero(), Ipv4Address::parse("10.0.0.2"),
                 Ipv4Address::parse("172.16.0.1")};
  host_.send(pool_.copy_of(testing::ping_frame(out, 1, {})));
  run_ms(2);
  ASSERT_EQ(peer_.arp().size(), 1U);
  EXPECT_EQ(peer_.arp()[0].target_address.to_string(), "10.0.0.7");
}

TEST_F(HostTest, what_it_cannot_send_is_counted) {
  const Ends nowhere{MacAddress::zero(), MacAddress::zero(), Ipv4Address::parse("10.0.0.2"),
                     Ipv4Address::parse("172.16.0.1")};
  host_.send(pool_.copy_of(testing::ping_frame(nowhere, 1, {})));
  EXPECT_EQ(host_.dropped().of(DropReason::no_route), 1U);
  Ends there = nowhere;
  there.destination = peer_.address;
  Bytes long_ping = testing::ping_frame(there, 1, pattern(1'500));
  long_ping[20] = 0x40;  // do not fragment
  host_.send(pool_.copy_of(long_ping));
  EXPECT_EQ(host_.dropped().of(DropReason::too_big), 1U);
}

TEST(HostAlone, without_a_link_drops_what_it_would_send) {
  Simulation simulation(1);
  PacketPool pool;
  Host host(simulation, pool, "h");
  host.add_interface({"h-eth0", MacAddress::of(2), Ipv4InterfaceAddress::parse("10.0.0.2/24")});
  host.announce();
  EXPECT_EQ(host.dropped().of(DropReason::no_port), 1U);
  EXPECT_EQ(pool.in_use(), 0U);
}

}  // namespace
}  // namespace simcore
