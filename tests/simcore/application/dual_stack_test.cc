// SPDX-License-Identifier: MIT
//
//   client 10.0.0.1, 2001:db8::1 ---- link, 100 Mbit/s, 5 ms ---- server 10.0.0.2, 2001:db8::2
#include "simcore/stack/dual_stack.h"

#include <gtest/gtest.h>

#include "simcore/application/ping.h"
#include "simcore/application/tcp_services.h"
#include "simcore/application/udp_services.h"
#include "simcore/application/udp_source.h"
#include "simcore/stack/router.h"
#include "tests/simcore/stack/host_pair.h"

namespace simcore::testing {
namespace {

class DualStackTest : public HostPair {
 protected:
  const IpAddress four_ = at_server_;
  const IpAddress six_ = IpAddress::parse("2001:db8::2");
};

TEST_F(DualStackTest, a_ping_takes_the_same_time_over_both) {
  Ping four(simulation_, client_, {.destination = four_, .count = 3});
  Ping six(simulation_, client_, {.destination = six_, .count = 3});
  Ping neighbour(simulation_, client_, {.destination = server_interface_.link_local(), .count = 3});
  run(Duration::seconds(4));
  for (const Ping* ping : {&four, &six, &neighbour}) {
    EXPECT_EQ(ping->received(), 3);
    EXPECT_GE(ping->least_rtt(), Duration::ms(10));
    EXPECT_LE(ping->least_rtt(), Duration::us(10'100));
  }
  EXPECT_EQ(client_.dropped().total() + server_.dropped().total(), 0U);
}

TEST_F(DualStackTest, one_tcp_listener_serves_clients_of_both) {
  TcpSockets client(simulation_, client_);
  TcpSockets server(simulation_, server_);
  TcpEcho echo;
  server.listen(7, echo, TcpOptions{});
  Conversation over_four("four");
  Conversation over_six("six");
  ASSERT_NE(client.connect(four_, 7, over_four, TcpOptions{}), nullptr);
  ASSERT_NE(client.connect(six_, 7, over_six, TcpOptions{}), nullptr);
  run(Duration::seconds(1));
  EXPECT_EQ(over_four.received, "four");
  EXPECT_EQ(over_six.received, "six");
  EXPECT_EQ(over_six.socket->ends().local, IpAddress::parse("2001:db8::1"));
}

TEST_F(DualStackTest, a_bulk_transfer_over_ipv6_fills_the_link_in_segments_of_1440_bytes) {
  TcpSockets client(simulation_, client_);
  TcpSockets server(simulation_, server_);
  TcpDiscard discard;
  server.listen(9, discard, TcpOptions::preset("linux"));
  TcpBulkSender sender(20'000'000);
  ASSERT_NE(client.connect(six_, 9, sender, TcpOptions::preset("linux")), nullptr);
  // 1,428 of a frame's 1,514 bytes are payload (12 are timestamps): 20 MB take 1.7 s at 100 Mbit/s.
  run(Duration::seconds(2));
  EXPECT_EQ(discard.received(), 20'000'000);
  EXPECT_GE(client_interface_.counters().out_bytes, 20'000'000ULL * 1'514 / 1'428);
  EXPECT_EQ(server_.dropped().total(), 0U);
}

TEST_F(DualStackTest, udp_goes_over_ipv6_and_is_counted) {
  UdpSink sink;
  server_.udp().bind(5'000, sink);
  UdpSource source(simulation_, client_, "source",
                   {.destination = six_, .port = 5'000, .rate = DataRate::mbps(1), .payload = 1'250});
  run(Duration::ms(994));
  // One datagram each 10 ms, from 0; the last one is on its way.
  EXPECT_EQ(source.datagrams(), 100);
  EXPECT_EQ(sink.datagrams(), 99);
  EXPECT_EQ(sink.missing(), 0);
}

TEST_F(DualStackTest, a_closed_port_is_refused_over_both) {
  TcpSockets client(simulation_, client_);
  Conversation over_six("");
  ASSERT_NE(client.connect(six_, 81, over_six, TcpOptions{}), nullptr);
  UdpSource four(simulation_, client_, "four",
                 {.destination = four_, .port = 81, .rate = DataRate::mbps(1), .stop = SimTime::at_ns(1)});
  UdpSource six(simulation_, client_, "six",
                {.destination = six_,
                 .port = 81,
                 .rate = DataRate::mbps(1),
                 .payload = 1'452,
                 .stop = SimTime::at_ns(1)});
  run(Duration::seconds(1));
  EXPECT_TRUE(over_six.closed);
  EXPECT_EQ(over_six.error, TcpError::refused);
  EXPECT_EQ(server_.dropped().of(DropReason::no_listener), 3U);
  EXPECT_EQ(client_.dropped().of(DropReason::no_listener), 2U);  // nobody here listens for "port unreachable"
}

TEST_F(DualStackTest, without_a_route_of_the_family_nothing_leaves) {
  EXPECT_TRUE(client_.source_for(six_));
  EXPECT_FALSE(client_.source_for(IpAddress::parse("2001:db8:1::1")));
  Ping ping(simulation_, client_, {.destination = IpAddress::parse("2001:db8:1::1"), .count = 1});
  run(Duration::seconds(1));
  EXPECT_EQ(client_.dropped().of(DropReason::no_route), 1U);
}

// A router between them has a smaller MTU on the server's side: 1400 bytes.
TEST(DualStack, tcp_over_ipv6_learns_the_mtu_of_its_path) {
  Simulation simulation(1);
  PacketPool pool;
  Host client(simulation, pool, "client");
  Host server(simulation, pool, "server");
  Router router(simulation, pool, "router");
  const auto add = [](DualStack& node, const char* name, std::uint64_t mac, const char* address,
                      std::uint16_t mtu) -> Interface& {
    return node.add_interface({.name = name,
                               .mac = MacAddress::of(mac),
                               .mtu = mtu,
                               .address6 = Ipv6InterfaceAddress::parse(address)});
  };
  Interface& at_client = add(client, "c", 0x02'0000'0000'01, "2001:db8:1::1/64", 1'500);
  Interface& near = add(router, "n", 0x02'0000'0000'02, "2001:db8:1::ff/64", 1'500);
  Interface& far = add(router, "f", 0x02'0000'0000'03, "2001:db8:2::ff/64", 1'400);
  Interface& at_server = add(server, "s", 0x02'0000'0000'04, "2001:db8:2::1/64", 1'500);
  client.add_route(Ipv6Prefix::parse("::/0"), near.address6()->address(), at_client);
  server.add_route(Ipv6Prefix::parse("::/0"), far.address6()->address(), at_server);
  Link::Config config;
  config.rate = DataRate::mbps(100);
  Link to_near(simulation, pool, "1", config, near);
  Link to_client(simulation, pool, "2", config, at_client);
  Link to_server(simulation, pool, "3", config, at_server);
  Link to_far(simulation, pool, "4", config, far);
  at_client.attach(to_near);
  near.attach(to_client);
  far.attach(to_server);
  at_server.attach(to_far);

  TcpSockets from(simulation, client);
  TcpSockets to(simulation, server);
  TcpDiscard discard;
  to.listen(9, discard, TcpOptions{});
  TcpBulkSender sender(1'000'000);
  TcpSocket* const socket =
      from.connect(server.interfaces()[0]->address6()->address(), 9, sender, TcpOptions{});
  ASSERT_NE(socket, nullptr);
  simulation.run_until(SimTime::zero() + Duration::seconds(5));
  EXPECT_EQ(discard.received(), 1'000'000);
  EXPECT_GE(router.dropped().of(DropReason::too_big), 1U);
}

}  // namespace
}  // namespace simcore::testing
