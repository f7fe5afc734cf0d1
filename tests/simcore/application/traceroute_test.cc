// SPDX-License-Identifier: MIT
//
//   client 10.1.0.1 --1 ms-- r1 --2 ms-- r2 --3 ms-- server 10.3.0.1
#include "simcore/application/traceroute.h"

#include <gtest/gtest.h>

#include "simcore/application/udp_services.h"
#include "simcore/stack/host.h"
#include "simcore/stack/router.h"
#include "simcore/units/error.h"
#include "tests/simcore/stack/station.h"

namespace simcore {
namespace {

using testing::Cable;

class TracerouteTest : public ::testing::Test {
 protected:
  Interface& add(DualStack& node, const char* name, const char* mac, const char* address) {
    return node.add_interface({name, MacAddress::parse(mac), Ipv4InterfaceAddress::parse(address)});
  }
  static Ipv4Address at(const char* address) { return Ipv4Address::parse(address); }
  TracerouteTest() {
    const Ipv4Prefix everywhere = Ipv4Prefix::parse("0.0.0.0/0");
    client_.add_route(everywhere, at("10.1.0.254"), client_eth0_);
    r1_.add_route(everywhere, at("10.2.0.2"), r1_eth2_);
    r2_.add_route(everywhere, at("10.2.0.1"), r2_eth1_);
    server_.add_route(everywhere, at("10.3.0.254"), server_eth0_);
  }
  void run(Duration time) { simulation_.run_until(simulation_.now() + time); }

  Simulation simulation_{1};
  PacketPool pool_;
  Host client_{simulation_, pool_, "client"};
  Router r1_{simulation_, pool_, "r1"};
  Router r2_{simulation_, pool_, "r2"};
  Host server_{simulation_, pool_, "server"};
  Interface& client_eth0_ = add(client_, "client-eth0", "02:00:00:00:00:01", "10.1.0.1/24");
  Interface& r1_eth1_ = add(r1_, "r1-eth1", "02:00:00:00:00:02", "10.1.0.254/24");
  Interface& r1_eth2_ = add(r1_, "r1-eth2", "02:00:00:00:00:03", "10.2.0.1/24");
  Interface& r2_eth1_ = add(r2_, "r2-eth1", "02:00:00:00:00:04", "10.2.0.2/24");
  Interface& r2_eth2_ = add(r2_, "r2-eth2", "02:00:00:00:00:05", "10.3.0.254/24");
  Interface& server_eth0_ = add(server_, "server-eth0", "02:00:00:00:00:06", "10.3.0.1/24");
  Cable first_{simulation_, pool_, client_eth0_, r1_eth1_, Duration::ms(1)};
  Cable second_{simulation_, pool_, r1_eth2_, r2_eth1_, Duration::ms(2)};
  Cable third_{simulation_, pool_, r2_eth2_, server_eth0_, Duration::ms(3)};
};

TEST_F(TracerouteTest, names_every_hop_and_times_it) {
  const Traceroute traceroute(simulation_, client_, {.destination = at("10.3.0.1")});
  run(Duration::seconds(5));
  EXPECT_TRUE(traceroute.finished());
  EXPECT_TRUE(traceroute.reached());
  ASSERT_EQ(traceroute.hops().size(), 3U);
  const char* const addresses[] = {"10.1.0.254", "10.2.0.2", "10.3.0.1"};
  const std::int64_t ways_ms[] = {2, 6, 12};
  for (std::size_t i = 0; i < 3; ++i) {
    const Traceroute::Hop& hop = traceroute.hops()[i];
    EXPECT_EQ(hop.address, at(addresses[i]));
    EXPECT_EQ(hop.answered, 3);
    EXPECT_EQ(hop.least, Duration::ms(ways_ms[i]));
  }
  EXPECT_EQ(client_.dropped().total(), 0U);
}

TEST_F(TracerouteTest, a_hop_that_says_nothing_is_waited_for) {
  // Nobody has 10.3.0.9: r2 says so when ARP has given up, after 3 s.
  const Traceroute traceroute(
      simulation_, client_,
      {.destination = at("10.3.0.9"), .hops = 4, .probes = 2, .wait = Duration::seconds(1)});
  run(Duration::seconds(60));
  EXPECT_TRUE(traceroute.finished());
  EXPECT_FALSE(traceroute.reached());
  ASSERT_EQ(traceroute.hops().size(), 4U);
  EXPECT_EQ(traceroute.hops()[1].answered, 2);
  EXPECT_EQ(traceroute.hops()[2].answered, 0);
  EXPECT_FALSE(traceroute.hops()[2].address);
}

TEST_F(TracerouteTest, a_destination_that_listens_is_reached_too) {
  UdpEcho echo(server_);
  server_.udp().bind(33'434 + 2, echo);
  const Traceroute traceroute(simulation_, client_, {.destination = at("10.3.0.1"), .probes = 1});
  run(Duration::seconds(5));
  EXPECT_TRUE(traceroute.reached());
  EXPECT_EQ(traceroute.hops().size(), 3U);
  EXPECT_EQ(echo.answered(), 1);
}

TEST_F(TracerouteTest, two_do_not_take_each_others_answers) {
  const Traceroute near(simulation_, client_, {.destination = at("10.2.0.2")});
  const Traceroute far(simulation_, client_, {.destination = at("10.3.0.1")});
  run(Duration::seconds(5));
  EXPECT_EQ(near.hops().size(), 2U);
  EXPECT_EQ(far.hops().size(), 3U);
  EXPECT_TRUE(near.reached());
  EXPECT_TRUE(far.reached());
}

TEST_F(TracerouteTest, values_out_of_range_are_refused) {
  const Ipv4Address there = at("10.3.0.1");
  EXPECT_THROW(Traceroute(simulation_, client_, {.destination = there, .hops = 0}), ConfigError);
  EXPECT_THROW(Traceroute(simulation_, client_, {.destination = there, .probes = 0}), ConfigError);
  EXPECT_THROW(Traceroute(simulation_, client_, {.destination = there, .port = 65'500}), ConfigError);
  EXPECT_THROW(Traceroute(simulation_, client_, {.destination = there, .payload = 65'508}), ConfigError);
  EXPECT_THROW(Traceroute(simulation_, client_, {.destination = there, .wait = Duration::zero()}),
               ConfigError);
}

}  // namespace
}  // namespace simcore
