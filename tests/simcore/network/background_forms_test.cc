// SPDX-License-Identifier: MIT
//
// Twenty TCP flows over a bottleneck, as packets and as a fluid:   h1 10.0.1.1 == 1 Gbit/s == r -- 50 Mbit/s, 10 ms -- h2 10.0.2.1
#include "simcore/network/background_forms.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "simcore/network/simulated_network.h"
#include "simcore/network/snapshot_reader.h"
#include "simcore/units/error.h"

namespace simcore {
namespace {

constexpr double kBottleneck = 50e6;  // bit/s

class BackgroundFormsTest : public testing::Test {
 protected:
  void make(std::int64_t flows = 20, TcpFluid::Congestion congestion = TcpFluid::Congestion::reno) {
    network_.add_node(NodeKind::host, "h1");
    network_.add_node(NodeKind::router, "r");
    network_.add_node(NodeKind::host, "h2");
    interface("h1", "h1-eth0", 1, "10.0.1.1/24");
    interface("r", "r-eth1", 2, "10.0.1.254/24");
    interface("r", "r-eth2", 3, "10.0.2.254/24");
    interface("h2", "h2-eth0", 4, "10.0.2.1/24");
    route("h1", "10.0.2.0/24", "10.0.1.254", "h1-eth0");
    route("h2", "10.0.1.0/24", "10.0.2.254", "h2-eth0");
    link("one", "h1-eth0", "r-eth1", 1'000, 1'000, Duration::us(100));
    link("two", "r-eth2", "h2-eth0", 50, 100, Duration::ms(10));
    network_.add_fluid("f", TcpBackground::Config{.flows = flows, .congestion = congestion},
                       {"h1-eth0", "r-eth2"}, {"h2-eth0", "r-eth1"},
                       SimulatedNetwork::PacketForm{.source = "h1",
                                                    .destination = "h2",
                                                    .address = IpAddress::parse("10.0.2.1"),
                                                    .port = 62'000,
                                                    .allowed = 0.02});
    network_.begin("test", 0);
  }
  void interface(const std::string& node, const std::string& name, unsigned number, const char* address) {
    network_.add_interface(
        node, {name, MacAddress::of(0x0200'0000'0000 + number), Ipv4InterfaceAddress::parse(address)});
  }
  void route(const std::string& node, const char* prefix, const char* via, const std::string& interface) {
    network_.add_route(node, parse_ip_prefix(prefix), IpAddress::parse(via), interface);
  }
  void link(const std::string& name, const std::string& a, const std::string& b, std::int64_t mbps,
            std::int64_t packets, Duration delay) {
    const LinkModel model(
        Link::Config{.rate = DataRate::mbps(mbps), .propagation_delay = delay, .queue_packets = packets});
    network_.add_link(name, network_.end(a, "test"), network_.end(b, "test"), model, model);
  }
  void run(Duration time) { network_.simulation().run_until(network_.simulation().now() + time); }
  BackgroundForms::Figures figures() const { return network_.forms().figures(0); }
  // What crosses the bottleneck, packets and fluid together.
  std::int64_t carried() {
    ModelledLink& two = network_.links().leaving("r-eth2", "read");
    return two.counters().delivered_bytes + two.background()->served_bytes;
  }
  double use_in(Duration time) {
    const std::int64_t before = carried();
    run(time);
    return static_cast<double>(carried() - before) * 8 / time.in_seconds() / kBottleneck;
  }

  SimulatedNetwork network_{1};
};

TEST_F(BackgroundFormsTest, a_class_begins_as_packets_and_its_fluid_costs_nothing) {
  make();
  run(Duration::seconds(5));
  EXPECT_EQ(figures().form, FlowForm::packets);
  EXPECT_EQ(network_.fluids().counters(0).offered_bytes, 0);
  EXPECT_GT(use_in(Duration::seconds(5)), 0.97);
}

// In the round trips around a change, both ways.
class ChangesOfFormTest : public BackgroundFormsTest,
                          public testing::WithParamInterface<TcpFluid::Congestion> {};

TEST_P(ChangesOfFormTest, the_bottleneck_stays_full) {
  make(20, GetParam());
  run(Duration::seconds(5));
  network_.set_form("f", FlowForm::fluid);
  EXPECT_GT(use_in(Duration::ms(200)), 0.9);  // half a round trip may be missing
  EXPECT_GT(use_in(Duration::seconds(5)), 0.97);
  network_.set_form("f", FlowForm::packets);
  EXPECT_GT(use_in(Duration::ms(200)), 0.9);  // half a round trip may be missing
  EXPECT_GT(use_in(Duration::seconds(5)), 0.97);
  EXPECT_EQ(figures().changes, 2);
  EXPECT_EQ(figures().as_fluid, Duration::ms(5'200));
}

INSTANTIATE_TEST_SUITE_P(Congestion, ChangesOfFormTest,
                         testing::Values(TcpFluid::Congestion::reno, TcpFluid::Congestion::cubic));

TEST_F(BackgroundFormsTest, who_rests_sends_nothing_when_its_packets_are_through) {
  make();
  run(Duration::seconds(5));
  network_.set_form("f", FlowForm::fluid);
  run(Duration::seconds(2));
  const std::int64_t sent = figures().segments_sent;
  const std::int64_t acknowledged = figures().acknowledged_bytes;
  run(Duration::seconds(5));
  EXPECT_EQ(figures().segments_sent, sent);
  EXPECT_EQ(figures().acknowledged_bytes, acknowledged);
  network_.set_form("f", FlowForm::packets);
  run(Duration::seconds(2));
  const std::uint64_t events = network_.simulation().events_fired();
  const std::int64_t offered = network_.fluids().counters(0).offered_bytes;
  run(Duration::seconds(1));
  EXPECT_EQ(network_.fluids().counters(0).offered_bytes, offered);
  EXPECT_LE(network_.fluids().counters(0).under_way_bytes, 1);  // less than a bit
  EXPECT_GT(network_.simulation().events_fired(), events);      // packets
}

// What the fluid lost before it rested is known to the window that it goes on with.
TEST_F(BackgroundFormsTest, who_goes_on_learns_of_no_losses_of_before) {
  make();
  network_.set_form("f", FlowForm::fluid);
  run(Duration::seconds(10));
  ASSERT_GT(network_.fluids().counters(0).lost_bytes, 0);
  network_.set_form("f", FlowForm::packets);
  run(Duration::seconds(1));
  network_.set_form("f", FlowForm::fluid);
  const double window = network_.fluids().window(0);
  run(Duration::ms(20));  // less than a round trip, 20.2 ms
  EXPECT_GE(network_.fluids().window(0), window);
}

TEST_F(BackgroundFormsTest, a_window_comes_along) {
  make();
  run(Duration::seconds(10));
  network_.set_form("f", FlowForm::fluid);
  const double window = network_.fluids().window(0);
  // What 20 flows have in flight: what the path and its queue hold, 10.1 ms there and back and 100 packets, at most.
  const double path = (50e6 / 8 * 0.0202 / 1'514 + 100) / 20;
  EXPECT_GT(window, path / 2);
  EXPECT_LT(window, path * 1.2);
}

TEST_F(BackgroundFormsTest, what_it_carries_in_both_forms_is_compared) {
  make();
  for (int i = 0; i < 50; ++i) {
    run(Duration::ms(100));
    network_.forms().look();
  }
  EXPECT_FALSE(network_.forms().difference(0));
  network_.set_form("f", FlowForm::fluid);
  for (int i = 0; i < 50; ++i) {
    run(Duration::ms(100));
    network_.forms().look();
  }
  // The bottleneck is full in both.
  const auto difference = network_.forms().difference(0);
  ASSERT_TRUE(difference);
  EXPECT_LT(std::abs(*difference), 0.02);
}

TEST_F(BackgroundFormsTest, a_host_that_goes_leaves_a_fluid) {
  make();
  run(Duration::seconds(1));
  network_.remove_link("one");
  network_.remove_interface("h1-eth0");
  network_.remove_node("h1");
  EXPECT_EQ(network_.forms().size(), 0U);
  EXPECT_THROW(network_.set_form("f", FlowForm::packets), ConfigError);
  run(Duration::seconds(1));
}

TEST_F(BackgroundFormsTest, only_tcp_has_packets) {
  make();
  EXPECT_THROW(
      network_.add_fluid(
          "g", BackgroundModel(), {"h1-eth0"}, {"r-eth1"},
          SimulatedNetwork::PacketForm{
              .source = "h1", .destination = "h2", .address = IpAddress::parse("10.0.2.1"), .port = 62'001}),
      ConfigError);
}

TEST_F(BackgroundFormsTest, a_snapshot_says_which_form_and_for_how_long) {
  make();
  run(Duration::seconds(1));
  network_.set_form("f", FlowForm::fluid);
  run(Duration::seconds(2));
  Snapshot snapshot;
  read_all(network_, snapshot);
  ASSERT_EQ(snapshot.fluids.size(), 1U);
  const auto figure = [&](std::string_view name) {
    for (const auto& [key, value] : snapshot.fluids[0].figures) {
      if (key == name) return value;
    }
    return std::int64_t{-1};
  };
  EXPECT_EQ(figure("is_fluid"), 1);
  EXPECT_EQ(figure("changes_of_form"), 1);
  EXPECT_EQ(figure("as_fluid_ns"), 2'000'000'000);
  EXPECT_EQ(figure("allowed_ppm"), 20'000);
}

}  // namespace
}  // namespace simcore
