// SPDX-License-Identifier: MIT
//
//   client, MTU 1500 ---- r1, MTU 1500 and 600 ---- server, MTU 600      1 ms each
#include <gtest/gtest.h>

#include "simcore/application/ping.h"
#include "simcore/application/udp_source.h"
#include "simcore/stack/host.h"
#include "simcore/stack/router.h"
#include "tests/simcore/stack/station.h"

namespace simcore {
namespace {

using testing::Bytes;
using testing::Cable;
using testing::Ends;
using testing::pattern;
using testing::Station;

class FragmentationTest : public ::testing::Test {
 protected:
  Interface& add(DualStack& node, const char* name, const char* mac, const char* address, std::uint16_t mtu) {
    return node.add_interface({name, MacAddress::parse(mac), Ipv4InterfaceAddress::parse(address), mtu});
  }
  FragmentationTest() {
    client_.add_route(Ipv4Prefix::parse("10.2.0.0/24"), Ipv4Address::parse("10.1.0.254"), client_eth0_);
    server_.add_route(Ipv4Prefix::parse("10.1.0.0/24"), Ipv4Address::parse("10.2.0.254"), server_eth0_);
  }
  void run(Duration time) { simulation_.run_until(simulation_.now() + time); }

  Simulation simulation_{1};
  PacketPool pool_;
  Host client_{simulation_, pool_, "client"};
  Router r1_{simulation_, pool_, "r1"};
  Host server_{simulation_, pool_, "server"};
  Interface& client_eth0_ = add(client_, "client-eth0", "02:00:00:00:00:01", "10.1.0.1/24", 1'500);
  Interface& r1_eth1_ = add(r1_, "r1-eth1", "02:00:00:00:00:02", "10.1.0.254/24", 1'500);
  Interface& r1_eth2_ = add(r1_, "r1-eth2", "02:00:00:00:00:03", "10.2.0.254/24", 600);
  Interface& server_eth0_ = add(server_, "server-eth0", "02:00:00:00:00:04", "10.2.0.1/24", 600);
  Cable west_{simulation_, pool_, client_eth0_, r1_eth1_, Duration::ms(1)};
  Cable east_{simulation_, pool_, r1_eth2_, server_eth0_, Duration::ms(1)};
};

TEST_F(FragmentationTest, a_ping_of_4000_bytes_crosses_both_links_and_comes_back) {
  const Ping ping(simulation_, client_,
                  {.destination = Ipv4Address::parse("10.2.0.1"), .count = 3, .payload = 4'000});
  run(Duration::seconds(10));
  EXPECT_EQ(ping.received(), 3);
  for (const Node* node :
       {static_cast<Node*>(&client_), static_cast<Node*>(&r1_), static_cast<Node*>(&server_)}) {
    EXPECT_EQ(node->dropped().total(), 0U) << node->name();
  }
  // 4,008 bytes: 3 fragments of at most 1,480. The router makes 3, 3 and 2 of at most 576 of them; what comes back needs
  // 7, which pass as they are. An ARP exchange on each side, too.
  EXPECT_EQ(client_eth0_.counters().out_packets, 3U * 3 + 1);
  EXPECT_EQ(r1_eth2_.counters().out_packets, 3U * 8 + 1);
  EXPECT_EQ(server_eth0_.counters().out_packets, 3U * 7 + 1);
  EXPECT_EQ(r1_eth1_.counters().out_packets, 3U * 7 + 1);
}

TEST_F(FragmentationTest, datagrams_with_virtual_payload_arrive_whole) {
  // All know each other first: 135 fragments are more than may wait for an ARP reply.
  const Ping first(simulation_, client_, {.destination = Ipv4Address::parse("10.2.0.1"), .count = 1});
  run(Duration::seconds(1));
  ASSERT_EQ(first.received(), 1);
  UdpSink sink;
  server_.udp().bind(9, sink);
  const UdpSource source(simulation_, client_, "source",
                         {.destination = Ipv4Address::parse("10.2.0.1"),
                          .port = 9,
                          .rate = DataRate::mbps(10),
                          .payload = 65'507,
                          .start = simulation_.now(),
                          .stop = simulation_.now() + Duration::seconds(1)});
  run(Duration::seconds(2));
  EXPECT_GT(source.datagrams(), 10);
  EXPECT_EQ(sink.datagrams(), source.datagrams());
  EXPECT_EQ(sink.bytes(), source.bytes());
}

TEST_F(FragmentationTest, fragments_are_not_enough_when_one_is_lost) {
  Station peer(simulation_, pool_, "02:00:00:00:00:09", "10.1.0.9");
  Host lonely(simulation_, pool_, "lonely");
  Interface& eth0 = add(lonely, "lonely-eth0", "02:00:00:00:00:08", "10.1.0.8/24", 1'500);
  const Cable cable(simulation_, pool_, eth0, peer, Duration::ms(1));
  peer.ask_for(Ipv4Address::parse("10.1.0.8"));
  run(Duration::ms(10));
  peer.got.clear();
  const Ends ends{peer.mac, eth0.mac(), peer.address, Ipv4Address::parse("10.1.0.8")};
  Bytes ping = testing::ping_frame(ends, 1, pattern(792));
  set_ipv4_fragment(std::span(ping).subspan(14), 820, 0, true);
  peer.send(ping);
  run(Duration::seconds(29));
  EXPECT_TRUE(peer.got.empty());
  run(Duration::seconds(2));
  ASSERT_EQ(peer.got.size(), 1U);
  EXPECT_EQ(testing::icmp_of(*peer.got[0].packet).type(), IcmpType::time_exceeded);
  EXPECT_EQ(testing::icmp_of(*peer.got[0].packet).code(), 1);
  EXPECT_EQ(lonely.dropped().of(DropReason::reassembly_timeout), 1U);

  // Without the first fragment nobody is told: RFC 792.
  set_ipv4_fragment(std::span(ping).subspan(14), 820, 800, true);
  peer.send(ping);
  run(Duration::seconds(40));
  EXPECT_EQ(peer.got.size(), 1U);
  EXPECT_EQ(lonely.dropped().of(DropReason::reassembly_timeout), 2U);
}

TEST_F(FragmentationTest, what_overlaps_is_counted) {
  Station peer(simulation_, pool_, "02:00:00:00:00:09", "10.1.0.9");
  Host lonely(simulation_, pool_, "lonely");
  Interface& eth0 = add(lonely, "lonely-eth0", "02:00:00:00:00:08", "10.1.0.8/24", 1'500);
  const Cable cable(simulation_, pool_, eth0, peer, Duration::ms(1));
  const Ends ends{peer.mac, eth0.mac(), peer.address, Ipv4Address::parse("10.1.0.8")};
  Bytes ping = testing::ping_frame(ends, 1, pattern(792));
  for (const std::uint16_t offset : {std::uint16_t{0}, std::uint16_t{400}}) {
    set_ipv4_fragment(std::span(ping).subspan(14), 820, offset, true);
    peer.send(ping);
  }
  run(Duration::seconds(1));
  EXPECT_EQ(lonely.dropped().of(DropReason::reassembly_conflict), 2U);
  run(Duration::seconds(60));
  EXPECT_EQ(lonely.dropped().total(), 2U);
}

}  // namespace
}  // namespace simcore
