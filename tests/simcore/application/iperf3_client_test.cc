// SPDX-License-Identifier: MIT
//
// The simulated client with the simulated server; tests/system/clients_test.py has a real server.
#include "simcore/application/iperf3_client.h"

#include <gtest/gtest.h>

#include "simcore/application/iperf3_server.h"
#include "simcore/application/tcp_services.h"
#include "simcore/units/error.h"
#include "tests/simcore/stack/host_pair.h"

namespace simcore {
namespace {

class Iperf3ClientTest : public testing::HostPair {
 protected:
  Iperf3ClientTest() {
    server_tcp_.listen(5'201, iperf3_, TcpOptions::linux_like());
    server_.udp().bind(5'201, iperf3_);
  }
  Iperf3Client::Config to_server(bool udp = false) const {
    Iperf3Client::Config config{.destination = at_server_, .udp = udp, .time = Duration::seconds(2)};
    if (udp) config.rate = DataRate::mbps(10);
    return config;
  }
  Iperf3Client make(const Iperf3Client::Config& config) {
    return Iperf3Client(simulation_, client_, client_tcp_, "c", config);
  }

  Iperf3Server iperf3_{simulation_, server_};
  TcpSockets server_tcp_{simulation_, server_};
  TcpSockets client_tcp_{simulation_, client_};
};

TEST_F(Iperf3ClientTest, tcp_fills_the_link_and_both_ends_agree) {
  for (const bool reverse : {false, true}) {
    Iperf3Client::Config config = to_server();
    config.reverse = reverse;
    config.streams = 2;
    config.start = simulation_.now();
    Iperf3Client client = make(config);
    run(Duration::seconds(80));
    ASSERT_TRUE(client.finished());
    // 1,448 of the 1,514 bytes of a frame of 100 Mbit/s for 2 s, less what slow start and the last round trip take.
    const double most = 2 * 100e6 / 8 * 1'448 / 1'514;
    EXPECT_GT(static_cast<double>(client.results().received_bytes), 0.8 * most);
    // The server counts until it hears of the end, which comes behind what the link's queue holds: 1,000 packets.
    EXPECT_LE(static_cast<double>(client.results().received_bytes), most + 1'000 * 1'448);
    EXPECT_GE(client.results().sent_bytes, client.results().received_bytes);
    EXPECT_EQ(client.results().lasted, Duration::seconds(2));
  }
  EXPECT_EQ(iperf3_.counters().tests, 2);
  EXPECT_EQ(iperf3_.counters().failed_tests, 0);
  EXPECT_EQ(client_tcp_.connections(), 0U);
  EXPECT_EQ(server_tcp_.connections(), 0U);
}

TEST_F(Iperf3ClientTest, udp_keeps_its_rate_and_counts_what_is_lost) {
  for (const bool reverse : {false, true}) {
    Iperf3Client::Config config = to_server(true);
    config.reverse = reverse;
    config.streams = 3;
    config.start = simulation_.now();
    Iperf3Client client = make(config);
    run(Duration::seconds(80));
    ASSERT_TRUE(client.finished());
    // 10 Mbit/s in datagrams of 1,460 bytes for 2 s, of three streams.
    EXPECT_NEAR(static_cast<double>(client.results().datagrams), 3 * 2 * 10e6 / 8 / 1'460, 30);
    EXPECT_EQ(client.results().lost_datagrams, 0);
    EXPECT_NEAR(static_cast<double>(client.results().received_bytes), 3 * 2 * 10e6 / 8, 60'000);
  }
  EXPECT_EQ(iperf3_.counters().tests, 2);
}

TEST_F(Iperf3ClientTest, a_rate_holds_tcp_back) {
  Iperf3Client::Config config = to_server();
  config.rate = DataRate::mbps(8);
  Iperf3Client client = make(config);
  run(Duration::seconds(80));
  ASSERT_TRUE(client.finished());
  EXPECT_NEAR(static_cast<double>(client.results().received_bytes), 2e6, 0.15e6);
}

TEST_F(Iperf3ClientTest, a_second_client_is_turned_away) {
  Iperf3Client first = make(to_server());
  Iperf3Client::Config config = to_server();
  config.start = simulation_.now() + Duration::seconds(1);
  Iperf3Client second(simulation_, client_, client_tcp_, "second", config);
  run(Duration::seconds(80));
  EXPECT_TRUE(first.finished());
  EXPECT_TRUE(second.failed());
}

TEST_F(Iperf3ClientTest, a_server_that_is_not_there_or_says_nothing_fails_the_test) {
  TcpDiscard discard;
  server_tcp_.listen(9, discard, TcpOptions::linux_like());
  Iperf3Client::Config config = to_server();
  config.port = 1;
  Iperf3Client refused = make(config);
  config.port = 9;
  Iperf3Client ignored(simulation_, client_, client_tcp_, "ignored", config);
  run(Duration::seconds(1));
  EXPECT_TRUE(refused.failed());
  EXPECT_FALSE(ignored.failed());
  run(Duration::seconds(120));
  EXPECT_TRUE(ignored.failed());
  EXPECT_EQ(client_tcp_.connections(), 0U);
}

TEST_F(Iperf3ClientTest, values_out_of_range_are_refused) {
  const auto refuse = [this](auto change) {
    Iperf3Client::Config config = to_server();
    change(config);
    EXPECT_THROW(make(config), ConfigError);
  };
  refuse([](auto& config) { config.udp = true; });
  refuse([](auto& config) { config.streams = 129; });
  refuse([](auto& config) { config.time = Duration::ms(1'500); });
  refuse([](auto& config) { config.block = (1 << 20) + 1; });
}

}  // namespace
}  // namespace simcore
