// SPDX-License-Identifier: MIT
//
//   server 10.0.0.1 ---- path, 30 ms each way ---- client 10.0.0.2
#include "simcore/instance/offline.h"

#include <gtest/gtest.h>

#include <thread>

#include "simcore/units/error.h"

namespace simcore {
namespace {

void add_hosts(OfflineSimulation& simulation) {
  simulation.network().add_node(NodeKind::host, "server");
  simulation.network().add_node(NodeKind::host, "client");
  simulation.network().add_interface("server", {"server-eth0", MacAddress::parse("02:00:00:00:00:01"),
                                                Ipv4InterfaceAddress::parse("10.0.0.1/24")});
  simulation.network().add_interface("client", {"client-eth0", MacAddress::parse("02:00:00:00:00:02"),
                                                Ipv4InterfaceAddress::parse("10.0.0.2/24")});
}

LinkModel direction(double loss = 0) {
  LinkModel result({.rate = DataRate::mbps(1000), .propagation_delay = Duration::ms(30)});
  if (loss > 0) result.loss = independent_loss(loss);
  return result;
}

Transfer::Config fetch(std::int64_t bytes, Duration sample_every = Duration::zero()) {
  Transfer::Config config{.name = "fetch",
                          .server_address = Ipv4Address::any(),
                          .port = 0,
                          .bytes = bytes,
                          .server = TcpOptions::reno_2004(),
                          .client = TcpOptions::reno_2004(),
                          .sample_every = sample_every};
  return config;
}

Transfer::Outcome run_lossy(std::uint64_t seed, double loss) {
  OfflineSimulation simulation(seed);
  add_hosts(simulation);
  simulation.add_link("path", "server-eth0", "client-eth0", direction(loss), direction());
  simulation.add_transfer("server", "client", fetch(1'000'000));
  EXPECT_TRUE(simulation.run_until_finished(Duration::seconds(3'000)));
  return simulation.transfer("fetch").outcome();
}

TEST(OfflineSimulationTest, a_fetch_takes_the_round_trips_of_slow_start) {
  OfflineSimulation simulation(1);
  add_hosts(simulation);
  simulation.add_link("path", "server-eth0", "client-eth0", direction(), direction());
  // 1 + 2 + 4 segments: the addresses (an ARP exchange), SYN, and three round trips of data.
  simulation.add_transfer("server", "client", fetch(7 * 1460));
  ASSERT_TRUE(simulation.run_until_finished(Duration::seconds(10)));
  const Transfer::Outcome outcome = simulation.transfer("fetch").outcome();
  EXPECT_TRUE(outcome.client.finished);
  EXPECT_EQ(outcome.client.received, 7 * 1460);
  EXPECT_EQ(outcome.sender.segments_sent, 7U);
  const Duration took = outcome.client.finished_at - outcome.client.started;
  EXPECT_GT(took, Duration::ms(4 * 60));
  EXPECT_LT(took, Duration::ms(5 * 60 + 1));
}

TEST(OfflineSimulationTest, the_window_over_the_round_trip_bounds_the_throughput) {
  OfflineSimulation simulation(1);
  add_hosts(simulation);
  simulation.add_link("path", "server-eth0", "client-eth0", direction(), direction());
  simulation.add_transfer("server", "client", fetch(Transfer::kForever, Duration::ms(10)));
  simulation.run_for(Duration::seconds(2));
  const std::int64_t begun = simulation.transfer("fetch").received();
  simulation.run_for(Duration::ms(6'000));
  // 65,535 bytes hold 44 full segments, and each round trip of 60 ms carries them once: 100 times in 6 s.
  const double windows = static_cast<double>(simulation.transfer("fetch").received() - begun) / (44 * 1460);
  EXPECT_NEAR(windows, 100, 1.01);
  EXPECT_GT(simulation.transfer("fetch").samples().rows(), 700U);
}

TEST(OfflineSimulationTest, what_is_lost_is_counted_and_sent_again) {
  OfflineSimulation simulation(1);
  add_hosts(simulation);
  simulation.add_link("path", "server-eth0", "client-eth0", direction(0.02), direction());
  simulation.add_transfer("server", "client", fetch(1'000'000));
  ASSERT_TRUE(simulation.run_until_finished(Duration::seconds(3'000)));
  const Transfer::Outcome outcome = simulation.transfer("fetch").outcome();
  const std::uint64_t lost = simulation.snapshot().links.front().dropped.of(DropReason::impaired);
  EXPECT_EQ(outcome.client.received, 1'000'000);
  EXPECT_GT(lost, 0U);
  EXPECT_LE(lost, outcome.sender.retransmitted_segments + 2);  // and perhaps a SYN or an ARP reply
}

TEST(OfflineSimulationTest, the_same_seed_gives_the_same_run_and_another_another) {
  const Transfer::Outcome one = run_lossy(7, 0.01);
  const Transfer::Outcome again = run_lossy(7, 0.01);
  const Transfer::Outcome other = run_lossy(8, 0.01);
  EXPECT_EQ(one.client.finished_at, again.client.finished_at);
  EXPECT_NE(one.client.finished_at, other.client.finished_at);
}

TEST(OfflineSimulationTest, several_run_in_threads_without_touching_each_other) {
  const Transfer::Outcome alone = run_lossy(3, 0.01);
  std::vector<Transfer::Outcome> together(4);
  {
    std::vector<std::jthread> threads;
    for (Transfer::Outcome& each : together) threads.emplace_back([&each] { each = run_lossy(3, 0.01); });
  }
  for (const Transfer::Outcome& each : together) EXPECT_EQ(each.client.finished_at, alone.client.finished_at);
}

TEST(OfflineSimulationTest, a_limit_ends_a_run_that_cannot_finish) {
  OfflineSimulation simulation(1);
  add_hosts(simulation);
  simulation.add_link("path", "server-eth0", "client-eth0", direction(1), direction());
  simulation.add_transfer("server", "client", fetch(1'000'000));
  EXPECT_FALSE(simulation.run_until_finished(Duration::seconds(5)));
  EXPECT_EQ(simulation.transfer("fetch").received(), 0);
  EXPECT_LE(simulation.now(), SimTime::zero() + Duration::seconds(5));
}

TEST(OfflineSimulationTest, a_trace_shows_the_connection_as_the_server_sees_it) {
  OfflineSimulation simulation(1);
  add_hosts(simulation);
  simulation.network().add_trace("server-eth0");
  simulation.add_link("path", "server-eth0", "client-eth0", direction(), direction());
  simulation.add_transfer("server", "client", fetch(1'000));
  ASSERT_TRUE(simulation.run_until_finished(Duration::seconds(5)));
  const std::string& trace = simulation.trace("server-eth0");
  EXPECT_NE(trace.find(" S "), std::string::npos);
  EXPECT_NE(trace.find("(1000) ack"), std::string::npos) << trace;
}

TEST(OfflineSimulationTest, a_client_without_a_route_is_an_error) {
  OfflineSimulation simulation(1);
  simulation.network().add_node(NodeKind::host, "server");
  simulation.network().add_node(NodeKind::host, "client");
  simulation.network().add_interface("server", {"server-eth0", MacAddress::parse("02:00:00:00:00:01"),
                                                Ipv4InterfaceAddress::parse("10.0.1.1/24")});
  simulation.network().add_interface("client", {"client-eth0", MacAddress::parse("02:00:00:00:00:02"),
                                                Ipv4InterfaceAddress::parse("10.0.2.2/24")});
  simulation.add_link("path", "server-eth0", "client-eth0", direction(), direction());
  simulation.add_transfer("server", "client", fetch(1'000));
  EXPECT_THROW(simulation.run_for(Duration::seconds(1)), ConfigError);
}

TEST(OfflineSimulationTest, what_does_not_fit_together_is_refused) {
  OfflineSimulation simulation(1);
  add_hosts(simulation);
  EXPECT_THROW(simulation.network().add_node(NodeKind::host, "server"), ConfigError);
  EXPECT_THROW(simulation.run_for(Duration::seconds(1)), ConfigError);  // no link joins the interfaces
  EXPECT_THROW(simulation.network().add_trace("nowhere-eth0"), ConfigError);
  simulation.add_link("path", "server-eth0", "client-eth0", direction(), direction());
  EXPECT_THROW(simulation.add_link("more", "server-eth0", "client-eth0", direction(), direction()),
               ConfigError);
  EXPECT_THROW(simulation.add_transfer("server", "nobody", fetch(1)), ConfigError);
  EXPECT_THROW(simulation.transfer("none"), ConfigError);
  EXPECT_THROW(simulation.trace("server-eth0"), ConfigError);
  Transfer::Config nothing = fetch(0);
  nothing.name = "nothing";
  EXPECT_THROW(simulation.add_transfer("server", "client", nothing), ConfigError);
}

TEST(OfflineSimulationTest, a_timeline_changes_a_path_at_its_instant) {
  OfflineSimulation simulation(1);
  add_hosts(simulation);
  simulation.add_link("path", "server-eth0", "client-eth0", direction(), direction());
  simulation.add_transfer("server", "client", fetch(100'000'000));
  simulation.schedule("cut", {{SimTime::at_ns(1'000'000'000), Timeline::LinkStatus{"path", false}, ""}});
  simulation.run_for(Duration::seconds(1));
  const std::int64_t received = simulation.transfer("fetch").received();
  simulation.run_for(Duration::seconds(5));
  EXPECT_EQ(simulation.transfer("fetch").received(), received);
  EXPECT_EQ(simulation.fired(0).size(), 1U);
  EXPECT_THROW(simulation.schedule("late", {{SimTime::zero(), Timeline::LinkStatus{"path", true}, ""}}),
               ConfigError);
  EXPECT_THROW(simulation.cancel("cut"), ConfigError);
}

}  // namespace
}  // namespace simcore
