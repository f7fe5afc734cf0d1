// SPDX-License-Identifier: MIT
//
//   server 10.0.0.1 ---- path, 10 Mbit/s, 5 ms each way ---- client 10.0.0.2
//
// The client's window of 65,535 bytes is above the 12,500 bytes that the path holds, so that the link's rate is that of the
// transfers, and what waits before it is constant.
#include "simcore/traffic/fast_forward.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>

#include "simcore/network/link_model.h"
#include "simcore/network/simulated_network.h"
#include "simcore/units/error.h"

namespace simcore {
namespace {

constexpr std::int64_t kMegabyte = 1'000'000;

class FastForwardTest : public testing::Test {
 protected:
  struct Path {
    explicit Path(double loss = 0) {
      for (const auto& [name, number] : {std::pair{"server", "1"}, {"client", "2"}}) {
        network.add_node(NodeKind::host, name);
        network.add_interface(
            name, {std::string(name) + "-eth0", MacAddress::parse(std::string("02:00:00:00:00:0") + number),
                   Ipv4InterfaceAddress::parse(std::string("10.0.0.") + number + "/24")});
      }
      LinkModel lossy({.rate = DataRate::mbps(10), .propagation_delay = Duration::ms(5)});
      const LinkModel clean = lossy;
      if (loss > 0) lossy.loss = independent_loss(loss);
      network.add_link("path", network.end("server-eth0", "join"), network.end("client-eth0", "join"), lossy,
                       clean);
    }

    std::size_t add(std::int64_t bytes, SimTime start, std::optional<std::size_t> after = std::nullopt) {
      const auto port = static_cast<std::uint16_t>(5001 + ends.servers().size());
      ends.add_server("server", {.port = port, .bytes = bytes, .tcp = TcpOptions::reno_2004()});
      return ends.add_client("client",
                             {.name = std::to_string(port),
                              .server_address = Ipv4Address::parse("10.0.0.1"),
                              .port = port,
                              .bytes = bytes,
                              .start = start,
                              .tcp = TcpOptions::reno_2004()},
                             after);
    }

    // With an error above 0 time is left out.
    void run(double error, Duration piece = Duration::seconds(1'000)) {
      const SimTime end = SimTime::zero() + Duration::seconds(1'000);
      network.begin("run", 0);
      if (error == 0) return standstill.run_until(network.simulation(), end);
      forward = std::make_unique<FastForward>(network.simulation(), ends, error, end);
      while (forward->now() < end) forward->run_for(std::min(piece, end - forward->now()), standstill);
    }

    TransferClient::Outcome outcome(std::size_t place) const { return ends.clients()[place]->outcome(); }
    double took_s(std::size_t place) const {
      return (outcome(place).finished_at - outcome(place).started).in_seconds();
    }

    SimulatedNetwork network{1};
    TransferEnds ends{network};
    Standstill standstill;
    std::unique_ptr<FastForward> forward;
  };
};

TEST_F(FastForwardTest, a_steady_transfer_takes_as_long_as_packet_by_packet) {
  Path packets;
  Path forwarded;
  for (Path* const path : {&packets, &forwarded}) path->add(100 * kMegabyte, SimTime::zero());
  packets.run(0);
  forwarded.run(0.01);
  ASSERT_TRUE(forwarded.outcome(0).finished);
  EXPECT_EQ(forwarded.outcome(0).received, 100 * kMegabyte);
  EXPECT_NEAR(forwarded.took_s(0), packets.took_s(0), packets.took_s(0) * 0.001);
  EXPECT_GT(forwarded.forward->outcome().skips, 0U);
  EXPECT_LT(forwarded.network.simulation().events_fired() * 10, packets.network.simulation().events_fired());
  EXPECT_LE(std::abs(forwarded.took_s(0) - packets.took_s(0)),
            forwarded.forward->bound(0).in_seconds() + 1e-3);
}

TEST_F(FastForwardTest, what_was_left_out_and_what_was_simulated_is_what_passed_and_came) {
  Path path;
  path.add(100 * kMegabyte, SimTime::zero());
  path.run(0.01);
  const FastForward::Outcome& outcome = path.forward->outcome();
  EXPECT_EQ(path.forward->now(), SimTime::zero() + Duration::seconds(1'000));
  EXPECT_EQ(path.network.simulation().now() + outcome.left_out, path.forward->now());
  EXPECT_EQ(outcome.forwarded_bytes, path.outcome(0).forwarded);
  EXPECT_LT(outcome.forwarded_bytes, 100 * kMegabyte);
  // 10 Mbit/s, of which 1460 of 1514 bytes are payload.
  const double rate = 10e6 / 8 * 1460 / 1514;
  EXPECT_NEAR(static_cast<double>(outcome.forwarded_bytes), rate * outcome.left_out.in_seconds(),
              0.005 * static_cast<double>(outcome.forwarded_bytes));
}

TEST_F(FastForwardTest, a_start_is_told_at_its_instant_and_changes_the_rates) {
  Path packets;
  Path forwarded;
  const SimTime start = SimTime::zero() + Duration::seconds(40);
  for (Path* const path : {&packets, &forwarded}) {
    path->add(100 * kMegabyte, SimTime::zero());
    path->add(10 * kMegabyte, start);
    path->run(path == &packets ? 0 : 0.01);
  }
  EXPECT_EQ(forwarded.outcome(1).started, start);
  EXPECT_GE(forwarded.forward->outcome().skips, 2U);
  for (const std::size_t place : {0, 1}) {
    EXPECT_NEAR(forwarded.took_s(place), packets.took_s(place), packets.took_s(place) * 0.01) << place;
  }
}

TEST_F(FastForwardTest, one_that_follows_begins_when_the_other_has_its_bytes) {
  Path packets;
  Path forwarded;
  for (Path* const path : {&packets, &forwarded}) {
    const std::size_t first = path->add(50 * kMegabyte, SimTime::zero());
    path->add(50 * kMegabyte, SimTime::never(), first);
    path->run(path == &packets ? 0 : 0.01);
    EXPECT_EQ(path->outcome(1).started, path->outcome(0).finished_at);
    EXPECT_TRUE(path->outcome(1).finished);
  }
  EXPECT_NEAR(forwarded.took_s(1), packets.took_s(1), packets.took_s(1) * 0.01);
}

TEST_F(FastForwardTest, pieces_change_nothing) {
  Path at_once;
  Path in_pieces;
  for (Path* const path : {&at_once, &in_pieces}) {
    path->add(100 * kMegabyte, SimTime::zero());
    path->add(10 * kMegabyte, SimTime::zero() + Duration::seconds(40));
  }
  at_once.run(0.01);
  in_pieces.run(0.01, Duration::us(12'347));
  EXPECT_EQ(at_once.outcome(0).finished_at, in_pieces.outcome(0).finished_at);
  EXPECT_EQ(at_once.outcome(1).finished_at, in_pieces.outcome(1).finished_at);
  EXPECT_EQ(at_once.forward->outcome().left_out, in_pieces.forward->outcome().left_out);
  EXPECT_EQ(at_once.network.simulation().events_fired(), in_pieces.network.simulation().events_fired());
}

TEST_F(FastForwardTest, nothing_is_left_out_of_a_transfer_whose_losses_are_irregular) {
  Path packets(0.02);
  Path forwarded(0.02);
  for (Path* const path : {&packets, &forwarded}) {
    path->add(5 * kMegabyte, SimTime::zero());
    path->run(path == &packets ? 0 : 0.01);
  }
  EXPECT_EQ(forwarded.forward->outcome().skips, 0U);
  EXPECT_EQ(forwarded.outcome(0).finished_at, packets.outcome(0).finished_at);
  EXPECT_EQ(forwarded.network.simulation().events_fired(), packets.network.simulation().events_fired());
}

TEST_F(FastForwardTest, one_whose_server_gave_up_keeps_the_others_packet_by_packet) {
  Path path;
  TcpOptions impatient = TcpOptions::reno_2004();
  impatient.data_retries = 3;
  path.ends.add_server("server", {.port = 5001, .bytes = 100 * kMegabyte, .tcp = impatient});
  path.ends.add_client("client", {.name = "cut off",
                                  .server_address = Ipv4Address::parse("10.0.0.1"),
                                  .port = 5001,
                                  .bytes = 100 * kMegabyte,
                                  .tcp = TcpOptions::reno_2004()});
  path.network.begin("run", 0);
  const SimTime end = SimTime::zero() + Duration::seconds(40);
  FastForward forward(path.network.simulation(), path.ends, 0.01, end);
  forward.run_for(Duration::seconds(1), path.standstill);
  LinkModel cut({.rate = DataRate::mbps(10), .propagation_delay = Duration::ms(5)});
  cut.loss = independent_loss(1.0);
  path.network.change_link("path", cut, cut);
  // Its client waits for bytes for ever, and is not told that the connection is gone.
  forward.run_for(end - forward.now(), path.standstill);
  EXPECT_EQ(path.ends.servers()[0]->sender(), nullptr);
  EXPECT_EQ(path.outcome(0).error, TcpError::none);
  EXPECT_EQ(forward.outcome().skips, 0U);
}

TEST_F(FastForwardTest, what_makes_no_sense_is_refused) {
  Path path;
  path.add(kMegabyte, SimTime::zero());
  const SimTime end = SimTime::zero() + Duration::seconds(1);
  for (const double error : {0.0, 0.00009, 0.21, std::nan("")}) {
    EXPECT_THROW(FastForward(path.network.simulation(), path.ends, error, end), ConfigError) << error;
  }
  path.ends.add_server("server", {.port = 80, .bytes = 1, .tcp = {}});
  EXPECT_THROW(FastForward(path.network.simulation(), path.ends, 0.01, end), ConfigError);
}

TEST_F(FastForwardTest, one_cannot_follow_what_is_not_there) {
  Path path;
  EXPECT_THROW(path.add(kMegabyte, SimTime::never(), 0), ConfigError);
}

}  // namespace
}  // namespace simcore
