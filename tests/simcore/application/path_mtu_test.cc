// SPDX-License-Identifier: MIT
//
//   client, MTU 1500 ---- r1, MTU 1500 and 1000 ---- server, MTU 1500
#include <gtest/gtest.h>

#include "simcore/application/tcp_services.h"
#include "simcore/stack/host.h"
#include "simcore/stack/router.h"
#include "simcore/tcpip/icmp_error.h"
#include "tests/simcore/stack/station.h"

namespace simcore {
namespace {

class PathMtuTest : public ::testing::Test {
 protected:
  static Link::Config link() {
    Link::Config config;
    config.rate = DataRate::mbps(100);
    config.propagation_delay = Duration::ms(1);
    return config;
  }
  Interface& add(DualStack& node, const char* name, const char* mac, const char* address, std::uint16_t mtu) {
    return node.add_interface({name, MacAddress::parse(mac), Ipv4InterfaceAddress::parse(address), mtu});
  }
  PathMtuTest() {
    client_eth0_.attach(client_r1_);
    r1_eth1_.attach(r1_client_);
    r1_eth2_.attach(r1_server_);
    server_eth0_.attach(server_r1_);
    client_.add_route(Ipv4Prefix::parse("10.2.0.0/24"), Ipv4Address::parse("10.1.0.254"), client_eth0_);
    server_.add_route(Ipv4Prefix::parse("10.1.0.0/24"), Ipv4Address::parse("10.2.0.254"), server_eth0_);
  }

  Simulation simulation_{1};
  PacketPool pool_;
  Host client_{simulation_, pool_, "client"};
  Router r1_{simulation_, pool_, "r1"};
  Host server_{simulation_, pool_, "server"};
  Interface& client_eth0_ = add(client_, "client-eth0", "02:00:00:00:00:01", "10.1.0.1/24", 1'500);
  Interface& r1_eth1_ = add(r1_, "r1-eth1", "02:00:00:00:00:02", "10.1.0.254/24", 1'500);
  Interface& r1_eth2_ = add(r1_, "r1-eth2", "02:00:00:00:00:03", "10.2.0.254/24", 1'000);
  Interface& server_eth0_ = add(server_, "server-eth0", "02:00:00:00:00:04", "10.2.0.1/24", 1'500);
  Link client_r1_{simulation_, pool_, "client-r1", link(), r1_eth1_};
  Link r1_client_{simulation_, pool_, "r1-client", link(), client_eth0_};
  Link r1_server_{simulation_, pool_, "r1-server", link(), server_eth0_};
  Link server_r1_{simulation_, pool_, "server-r1", link(), r1_eth2_};
  TcpSockets at_client_{simulation_, client_};
  TcpSockets at_server_{simulation_, server_};
};

TEST_F(PathMtuTest, tcp_sends_shorter_segments_when_a_router_says_so) {
  for (const std::uint16_t train : {std::uint16_t{1}, std::uint16_t{44}}) {
    TcpOptions options = TcpOptions::linux_like();
    options.longest_train = train;
    const auto port = static_cast<std::uint16_t>(1'000 + train);
    TcpDiscard discard;
    at_server_.listen(port, discard, options);
    TcpBulkSender sender(1'000'000);
    ASSERT_NE(at_client_.connect(Ipv4Address::parse("10.2.0.1"), port, sender, options), nullptr);
    simulation_.run_until(simulation_.now() + Duration::seconds(90));
    EXPECT_EQ(discard.received(), 1'000'000);
    EXPECT_EQ(sender.error(), TcpError::none);
  }
  // The first window only: 10 segments of each connection.
  EXPECT_GE(r1_.dropped().of(DropReason::too_big), 2U);
  EXPECT_LE(r1_.dropped().of(DropReason::too_big), 20U);
}

// RFC 1191 section 6.3: ten minutes, as Linux's mtu_expires.
TEST_F(PathMtuTest, a_second_connection_knows_the_path_for_ten_minutes) {
  TcpDiscard discard;
  at_server_.listen(9, discard, TcpOptions::linux_like());
  const auto too_big_of_another = [&] {
    const std::uint64_t before = r1_.dropped().of(DropReason::too_big);
    TcpBulkSender sender(100'000);
    EXPECT_NE(at_client_.connect(Ipv4Address::parse("10.2.0.1"), 9, sender, TcpOptions::linux_like()),
              nullptr);
    simulation_.run_until(simulation_.now() + Duration::seconds(90));
    EXPECT_EQ(sender.error(), TcpError::none);
    return r1_.dropped().of(DropReason::too_big) - before;
  };
  EXPECT_GE(too_big_of_another(), 1U);
  EXPECT_EQ(too_big_of_another(), 0U);
  simulation_.run_until(SimTime::zero() + Duration::seconds(595));
  EXPECT_EQ(too_big_of_another(), 0U);
  EXPECT_GE(too_big_of_another(), 1U);
  EXPECT_EQ(discard.received(), 400'000);
}

TEST_F(PathMtuTest, a_segment_is_at_most_what_the_own_interface_takes) {
  TcpDiscard discard;
  at_client_.listen(9, discard, TcpOptions::rfc());
  Host narrow(simulation_, pool_, "narrow");
  Interface& eth0 = add(narrow, "narrow-eth0", "02:00:00:00:00:05", "10.1.0.2/24", 600);
  Link forth(simulation_, pool_, "forth", link(), client_eth0_);
  Link back(simulation_, pool_, "back", link(), eth0);
  eth0.attach(forth);
  client_eth0_.attach(back);
  TcpSockets sockets(simulation_, narrow);
  TcpBulkSender sender(100'000);
  ASSERT_NE(sockets.connect(Ipv4Address::parse("10.1.0.1"), 9, sender, TcpOptions::rfc()), nullptr);
  simulation_.run_until(SimTime::zero() + Duration::seconds(90));
  EXPECT_EQ(discard.received(), 100'000);
  EXPECT_EQ(narrow.dropped().total(), 0U);
}

}  // namespace
}  // namespace simcore
