// SPDX-License-Identifier: MIT
//
// A running instance grows and shrinks under traffic:   h1 10.0.0.1 ---- path ---- h2 10.0.0.2
#include "simcore/instance/instance_change.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <thread>

#include "simcore/instance/instance.h"
#include "simcore/units/error.h"

namespace simcore {
namespace {

LinkModel path() {
  return LinkModel(Link::Config{.rate = DataRate::mbps(100), .propagation_delay = Duration::ms(5)});
}

Interface::Config at(const std::string& name, std::uint64_t number) {
  return {name, MacAddress::of(0x0200'0000'0000 + number),
          Ipv4InterfaceAddress::parse("10.0." + std::to_string(number / 200) + "." +
                                      std::to_string(1 + number % 200) + "/24")};
}

class InstanceChangeTest : public testing::Test {
 protected:
  InstanceChangeTest() {
    SimulatedNetwork& network = instance_.network();
    for (const unsigned number : {0U, 1U}) {
      const std::string name = "h" + std::to_string(number + 1);
      network.add_node(NodeKind::host, name);
      network.add_interface(name, at(name + "-eth0", number));
    }
    network.add_application(
        "h2", ServiceApplication{.kind = ServiceApplication::Kind::udp_sink, .port = 9, .tcp = {}});
    network.add_application(
        "h1", UdpSource::Config{
                  .destination = IpAddress::parse("10.0.0.2"), .port = 9, .rate = DataRate::mbps(10)});
  }
  ~InstanceChangeTest() override {
    instance_.stop();
    if (running_.joinable()) running_.join();
  }
  void start() {
    instance_.add_link("path", InterfaceEnd{"h1-eth0"}, InterfaceEnd{"h2-eth0"}, path(), path());
    running_ = std::thread([this] { instance_.run(); });
  }

  static std::int64_t figure(const SnapshotRow& row, std::string_view name) {
    const auto found = std::ranges::find(row.figures, name, [](const auto& each) { return each.first; });
    EXPECT_NE(found, row.figures.end()) << name;
    return found->second;
  }
  std::int64_t received() {
    return figure(instance_.snapshot(SnapshotReader::Elements::none).applications.at(0),
                  "received_datagrams");
  }
  void await_received(std::int64_t more) {
    const std::int64_t before = received();
    while (received() < before + more) std::this_thread::yield();
  }

  // `nodes` switches, in pairs that are joined.
  static InstanceChange pairs(int nodes) {
    InstanceChange change;
    for (int i = 0; i < nodes; ++i) {
      const std::string name = "s" + std::to_string(i);
      change.add_node(NodeKind::learning_switch, name);
      Interface::Config config;
      config.name = name + "-eth1";
      change.add_interface(name, config);
      if (i % 2 == 0) continue;
      const std::string other = "s" + std::to_string(i - 1);
      change.add_link(name, InterfaceEnd{other + "-eth1"}, InterfaceEnd{name + "-eth1"}, path(), path());
    }
    return change;
  }
  static InstanceChange without_pairs(int nodes) {
    InstanceChange change;
    for (int i = 0; i < nodes; ++i) {
      change.removed_nodes.push_back("s" + std::to_string(i));
      if (i % 2 == 1) change.removed_links.push_back("s" + std::to_string(i));
    }
    return change;
  }

  Instance instance_{Instance::Config()};
  std::thread running_;
};

TEST_F(InstanceChangeTest, a_hundred_changes_under_traffic_disturb_nobody_and_leave_nothing_behind) {
  start();
  await_received(10);
  const std::uint64_t pool = [&] {
    instance_.change(pairs(10));
    instance_.change(without_pairs(10));
    return static_cast<std::uint64_t>(figure(instance_.snapshot().pool, "reserved_bytes"));
  }();
  for (int i = 0; i < 50; ++i) {
    instance_.change(pairs(10));
    instance_.change(without_pairs(10));
  }
  await_received(10);
  const Snapshot after = instance_.snapshot();
  EXPECT_EQ(after.nodes.size(), 2U);
  EXPECT_EQ(after.links.size(), 2U);
  EXPECT_EQ(after.interfaces.size(), 2U);
  EXPECT_EQ(figure(after.applications.at(0), "missing"), 0);
  EXPECT_EQ(static_cast<std::uint64_t>(figure(after.pool, "reserved_bytes")), pool);
  ASSERT_EQ(after.removed.size(), 3U);
  EXPECT_EQ(figure(*std::ranges::find(after.removed, "nodes", &SnapshotRow::name), "removed"), 51 * 10);
}

TEST_F(InstanceChangeTest, a_big_change_is_made_in_pieces_between_which_the_loop_turns) {
  start();
  const auto turns = [this] {
    return figure(*instance_.snapshot(SnapshotReader::Elements::none).loop, "turns");
  };
  const std::int64_t before = turns();
  instance_.change(pairs(5'000));
  EXPECT_GE(turns() - before, 3);  // 12,500 elements take more than 1.2 ms
  EXPECT_EQ(instance_.snapshot().nodes.size(), 5'002U);
  instance_.change(without_pairs(5'000));
  EXPECT_EQ(instance_.snapshot().nodes.size(), 2U);
}

TEST_F(InstanceChangeTest, a_link_is_replaced_and_what_was_on_it_is_counted) {
  start();
  await_received(10);
  for (const std::string name : {"other", "path"}) {
    InstanceChange change;
    change.removed_links.push_back(name == "other" ? "path" : "other");
    change.add_link(name, InterfaceEnd{"h1-eth0"}, InterfaceEnd{"h2-eth0"}, path(), path());
    instance_.change(change);
    await_received(10);
  }
  const Snapshot after = instance_.snapshot();
  const SnapshotRow& links = after.removed.at(0);
  EXPECT_EQ(figure(links, "removed"), 4);
  EXPECT_EQ(figure(links, "accepted_packets"),
            figure(links, "delivered_packets") + static_cast<std::int64_t>(links.dropped.total()));
  EXPECT_EQ(figure(after.applications.at(0), "missing"),
            static_cast<std::int64_t>(links.dropped.of(DropReason::removed)));
}

TEST_F(InstanceChangeTest, what_fails_in_the_middle_is_undone) {
  start();
  InstanceChange change = pairs(4);
  change.add_interface("s0", at("h1-eth0", 7));  // taken
  EXPECT_THROW(instance_.change(change), ConfigError);
  EXPECT_EQ(instance_.snapshot().nodes.size(), 2U);
  EXPECT_EQ(instance_.snapshot().interfaces.size(), 2U);
  change.interfaces.pop_back();
  change.add_link("bad", InterfaceEnd{"h3-eth0"}, InterfaceEnd{"h4-eth0"}, path(), path());
  for (const unsigned number : {3U, 4U}) {
    const std::string name = "h" + std::to_string(number);
    change.add_node(NodeKind::host, name);
    change.add_interface(name, at(name + "-eth0", number));
  }
  change.links.back().b_to_a.duplicate = 2;  // no probability
  EXPECT_THROW(instance_.change(change), ConfigError);
  EXPECT_TRUE(instance_.snapshot().removed.empty());
  change.links.back().b_to_a.duplicate = 0;
  change.add_application(
      "h1", ServiceApplication{.kind = ServiceApplication::Kind::udp_echo, .port = 7, .tcp = {}});
  EXPECT_THROW(instance_.change(change), ConfigError);
  change.applications.clear();
  instance_.change(change);
  EXPECT_EQ(instance_.snapshot().nodes.size(), 8U);
}

// Another instance, which has sent h3's host packets since it began:   h4 10.0.0.4 ==== cut ==== h3 10.0.0.3
class Other {
 public:
  Other(const PeeringPortal::Config& peer, const LinkModel& path) {
    instance_.network().add_node(NodeKind::host, "h4");
    instance_.network().add_interface("h4", at("h4-eth0", 3));
    instance_.network().add_application(
        "h4", UdpSource::Config{
                  .destination = IpAddress::parse("10.0.0.3"), .port = 9, .rate = DataRate::mbps(10)});
    instance_.add_peer(peer);
    instance_.add_link("cut", InterfaceEnd{"h4-eth0"}, ChannelEnd{peer.name, 0}, path, path);
    running_ = std::thread([this] { instance_.run(); });
  }
  ~Other() {
    instance_.stop();
    running_.join();
  }

 private:
  Instance instance_{Instance::Config()};
  std::thread running_;
};

PeeringPortal::Config peer_of(const std::string& name, int here, int there) {
  const std::string address =
      UdpEndpoint{(127u << 24) + 1 + static_cast<std::uint32_t>(::getpid()), 0}.text();
  const std::string host = address.substr(0, address.find(':') + 1);
  PeeringPortal::Config config;
  config.name = name;
  config.local = host + std::to_string(here);
  config.remote = host + std::to_string(there);
  return config;
}

InstanceChange with_other() {
  InstanceChange change;
  change.add_peer(peer_of("other", 46'000, 46'002));
  change.add_node(NodeKind::host, "h3");
  change.add_interface("h3", at("h3-eth0", 2));
  change.add_application(
      "h3", ServiceApplication{.kind = ServiceApplication::Kind::udp_sink, .port = 9, .tcp = {}});
  change.add_link("cut", InterfaceEnd{"h3-eth0"}, ChannelEnd{"other", 0}, path(), path());
  return change;
}

TEST_F(InstanceChangeTest, a_peer_joins_late_and_leaves_under_traffic_and_may_come_again) {
  start();
  await_received(10);
  for (int time = 1; time <= 2; ++time) {
    const Other other(peer_of("main", 46'002, 46'000), path());
    instance_.change(with_other());
    const auto got = [this] {
      return figure(instance_.snapshot(SnapshotReader::Elements::none).applications.back(),
                    "received_datagrams");
    };
    while (got() < 10) std::this_thread::yield();

    InstanceChange leave;
    leave.removed_peers.emplace_back("other");
    EXPECT_THROW(instance_.change(leave), ConfigError);  // a link leads there
    EXPECT_EQ(instance_.snapshot().peers.size(), 1U);
    leave.removed_links.emplace_back("cut");
    leave.removed_nodes.emplace_back("h3");
    instance_.change(leave);
    const Snapshot after = instance_.snapshot();
    EXPECT_TRUE(after.peers.empty());
    const SnapshotRow& gone = *std::ranges::find(after.removed, "peers", &SnapshotRow::name);
    EXPECT_EQ(figure(gone, "removed"), time);
    EXPECT_GE(figure(gone, "received_packets"), 10 * time);
    EXPECT_EQ(figure(gone, "lost_packets"), 0);
  }
  await_received(10);
  EXPECT_EQ(figure(instance_.snapshot().applications.at(0), "missing"), 0);
}

TEST_F(InstanceChangeTest, a_peer_that_cannot_be_had_changes_nothing) {
  start();
  InstanceChange change = with_other();
  change.peers[0].local = "192.0.2.1:46000";  // which is no address of this computer
  EXPECT_THROW(instance_.change(change), EnvironmentError);
  change = with_other();
  change.links[0].b = ChannelEnd{"nobody", 0};
  EXPECT_THROW(instance_.change(change), ConfigError);
  change = with_other();
  change.add_interface("h3", at("h1-eth0", 7));  // taken: the peer is there already
  EXPECT_THROW(instance_.change(change), ConfigError);
  EXPECT_TRUE(instance_.snapshot().peers.empty());
  EXPECT_EQ(instance_.snapshot().nodes.size(), 2U);
  instance_.change(with_other());
  EXPECT_EQ(instance_.snapshot().peers.size(), 1U);
}

TEST_F(InstanceChangeTest, a_recorded_instance_changes_only_what_a_replay_can_change) {
  const std::string file =
      testing::TempDir() + "instance_change_test." + std::to_string(::getpid()) + ".pcapng";
  instance_.add_record(file, "plan");
  start();
  EXPECT_THROW(instance_.change(pairs(2)), ConfigError);
  InstanceChange routes;
  routes.replace_routes("h1");
  instance_.change(routes, "routes");
  instance_.set_link_up("path", false, "down");
  const Snapshot after = instance_.snapshot();
  EXPECT_EQ(figure(*after.record, "recorded_changes"), 2);
  std::filesystem::remove(file);
}

TEST_F(InstanceChangeTest, a_timeline_fires_on_the_clock_and_says_when) {
  start();
  await_received(1);
  const std::int64_t start_ns = instance_.wall_now().count_ns() + 300'000'000;
  std::vector<Timeline::Entry> entries;
  for (int i = 0; i < 100; ++i) {
    const LinkModel model(Link::Config{.propagation_delay = Duration::us(100 + i)});
    entries.push_back(
        {SimTime::at_ns(start_ns + i * 50'000), Timeline::LinkChange{"path", model, std::nullopt}, ""});
  }
  entries.push_back({SimTime::at_ns(start_ns + 60'000'000'000), Timeline::LinkStatus{"path", false}, ""});
  instance_.schedule("t", entries);
  EXPECT_THROW(instance_.schedule("u", {{SimTime::zero(), Timeline::LinkStatus{"path", false}, ""}}),
               ConfigError);
  while (instance_.fired(0).size() < 100) std::this_thread::yield();
  for (const Timeline::Fired& each : instance_.fired(0)) {
    EXPECT_EQ(each.at.count_ns(), start_ns + static_cast<std::int64_t>(each.entry) * 50'000);
    EXPECT_GE(each.fired, each.at);
    EXPECT_EQ(each.error, "");
  }
  EXPECT_EQ(instance_.cancel("t"), 1U);
  EXPECT_EQ(figure(instance_.snapshot().applications.at(0), "missing"), 0);
}

}  // namespace
}  // namespace simcore
