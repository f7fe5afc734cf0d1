// SPDX-License-Identifier: MIT
//
// Elements are taken out of a network that carries packets:   h1 10.0.1.1 ---- one ---- r ---- two ---- h2 10.0.2.1
#include <gtest/gtest.h>

#include <algorithm>

#include "simcore/network/simulated_network.h"
#include "simcore/network/snapshot_reader.h"
#include "simcore/units/error.h"

namespace simcore {
namespace {

constexpr std::int64_t kMs = 1'000'000;

class RemovalTest : public testing::Test {
 protected:
  RemovalTest() {
    network_.add_node(NodeKind::host, "h1");
    network_.add_node(NodeKind::router, "r", Processor::Config{.delay = Duration::us(10)});
    network_.add_node(NodeKind::host, "h2");
    interface("h1", "h1-eth0", 1, "10.0.1.1/24");
    interface("r", "r-eth1", 2, "10.0.1.254/24");
    interface("r", "r-eth2", 3, "10.0.2.254/24");
    interface("h2", "h2-eth0", 4, "10.0.2.1/24");
    route("h1", "10.0.2.0/24", "10.0.1.254", "h1-eth0");
    route("h2", "10.0.1.0/24", "10.0.2.254", "h2-eth0");
    network_.add_application(
        "h2", ServiceApplication{.kind = ServiceApplication::Kind::udp_sink, .port = 9, .tcp = {}});
    network_.add_application(
        "h1", UdpSource::Config{
                  .destination = IpAddress::parse("10.0.2.1"), .port = 9, .rate = DataRate::mbps(10)});
    link("one", "h1-eth0", "r-eth1");
    link("two", "r-eth2", "h2-eth0");
    network_.begin("test", 0);
  }

  void interface(const std::string& node, const std::string& name, unsigned number, const char* address) {
    network_.add_interface(
        node, {name, MacAddress::of(0x0200'0000'0000 + number), Ipv4InterfaceAddress::parse(address)});
  }
  void route(const std::string& node, const char* prefix, const char* via, const std::string& interface) {
    network_.add_route(node, parse_ip_prefix(prefix), IpAddress::parse(via), interface);
  }
  void link(const std::string& name, const std::string& a, const std::string& b) {
    const LinkModel model(Link::Config{.rate = DataRate::mbps(100), .propagation_delay = Duration::ms(20)});
    network_.add_link(name, network_.end(a, "test"), network_.end(b, "test"), model, model);
  }
  void until(std::int64_t ns) { network_.simulation().run_until(SimTime::at_ns(ns)); }
  Snapshot snapshot() const {
    Snapshot snapshot;
    read_all(network_, snapshot);
    return snapshot;
  }
  static std::int64_t figure(const SnapshotRow& row, std::string_view name) {
    const auto found = std::ranges::find(row.figures, name, [](const auto& each) { return each.first; });
    return found == row.figures.end() ? -1 : found->second;
  }
  const SnapshotRow* removed(const Snapshot& snapshot, std::string_view kind) const {
    const auto found = std::ranges::find(snapshot.removed, kind, &SnapshotRow::name);
    return found == snapshot.removed.end() ? nullptr : &*found;
  }
  std::int64_t received() const {
    const Snapshot all = snapshot();
    const auto sink =
        std::ranges::find_if(all.applications, [](const auto& row) { return row.name.starts_with("h2"); });
    return figure(*sink, "received_datagrams");
  }

  SimulatedNetwork network_{1};
};

TEST_F(RemovalTest, what_is_on_a_link_that_goes_is_dropped_and_its_counts_stay_in_the_totals) {
  until(500 * kMs);
  const std::uint64_t before = network_.pool().in_use();
  // 10 Mbit/s of 1,472 bytes: 849 packets/s, 17 of them on a wire of 20 ms.
  const std::int64_t got = received();
  network_.remove_link("two");
  const Snapshot after = snapshot();
  ASSERT_EQ(after.links.size(), 2U);
  const SnapshotRow* const links = removed(after, "links");
  ASSERT_NE(links, nullptr);
  EXPECT_EQ(figure(*links, "removed"), 2);  // directions
  EXPECT_EQ(links->dropped.of(DropReason::removed), 17U);
  EXPECT_EQ(figure(*links, "accepted_packets"), figure(*links, "delivered_packets") + 17);
  EXPECT_EQ(figure(*links, "in_flight"), -1);  // nothing is
  std::size_t rounds = 0;
  for (; network_.links().shed(4); ++rounds) continue;
  EXPECT_EQ(rounds, 5U);  // 4, 4, 4, 4 and one of 17; then the direction back
  EXPECT_EQ(network_.pool().in_use(), before - 17);
  until(1'000 * kMs);
  EXPECT_EQ(received(), got);
  // The router drops what it has no link for, and counts that.
  EXPECT_GT(network_.nodes().node("r", "test").dropped().of(DropReason::no_port), 400U);
}

TEST_F(RemovalTest, another_link_takes_the_place_and_the_name) {
  until(500 * kMs);
  network_.remove_link("two");
  EXPECT_THROW(network_.links().ends("two", "test"), ConfigError);
  const std::int64_t got = received();
  link("two", "r-eth2", "h2-eth0");
  until(1'000 * kMs);
  EXPECT_GT(received(), got + 400);
  EXPECT_EQ(snapshot().links.size(), 4U);
}

TEST_F(RemovalTest, an_interface_goes_with_its_address_and_routes_and_the_others_keep_theirs) {
  until(500 * kMs);
  network_.remove_link("one");
  network_.remove_interface("r-eth1");  // the first: r-eth2 takes its index
  const DualStack& router = network_.nodes().stack("r", "test");
  EXPECT_FALSE(router.owns(IpAddress::parse("10.0.1.254")));
  EXPECT_FALSE(router.source_for(IpAddress::parse("10.0.1.1")));
  EXPECT_EQ(router.source_for(IpAddress::parse("10.0.2.1"))->to_string(), "10.0.2.254");
  EXPECT_NE(removed(snapshot(), "interfaces"), nullptr);
  interface("r", "r-eth1", 9, "10.0.1.254/24");
  link("one", "h1-eth0", "r-eth1");
  network_.nodes().announce(network_.nodes().interface("r-eth1", "test"));
  const std::int64_t got = received();
  until(1'000 * kMs);
  EXPECT_GT(received(), got + 350);
}

TEST_F(RemovalTest, a_node_goes_with_what_it_holds_its_programs_and_its_names) {
  until(500 * kMs);
  const std::size_t events = network_.simulation().pending_events();
  network_.remove_link("one");
  network_.remove_node("h1");
  EXPECT_LT(network_.simulation().pending_events(), events);
  Snapshot after = snapshot();
  EXPECT_EQ(after.nodes.size(), 2U);
  EXPECT_EQ(after.interfaces.size(), 3U);
  EXPECT_EQ(after.applications.size(), 1U);
  EXPECT_EQ(figure(*removed(after, "nodes"), "removed"), 1);
  EXPECT_EQ(
      figure(*removed(after, "interfaces"), "out_packets"),
      figure(*removed(after, "links"), "accepted_packets") - figure(after.interfaces.at(0), "out_packets"));
  network_.add_node(NodeKind::learning_switch, "h1");
  interface("h1", "h1-eth0", 1, "10.0.1.1/24");
  link("one", "h1-eth0", "r-eth1");
  until(1'000 * kMs);
  while (network_.links().shed(1'000)) continue;
  EXPECT_EQ(network_.pool().in_use(), 0U);
}

TEST_F(RemovalTest, what_waits_for_a_neighbour_or_a_processor_is_counted_when_its_node_goes) {
  network_.remove_link("two");  // nobody answers ARP
  route("r", "10.0.3.0/24", "10.0.1.9", "r-eth1");
  until(500 * kMs);
  const Node& router = network_.nodes().node("r", "test");
  const std::uint64_t held = router.held_segments();
  EXPECT_GT(held, 0U);
  EXPECT_LE(held, 128U + 1U);  // of ArpResolver, and the one that the processor handles
  const DropCounters dropped = router.dropped();
  network_.remove_link("one");
  network_.remove_node("r");
  EXPECT_EQ(removed(snapshot(), "nodes")->dropped.total(), dropped.total() + held);
}

}  // namespace
}  // namespace simcore
