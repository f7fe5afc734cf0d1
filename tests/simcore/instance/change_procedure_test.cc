// SPDX-License-Identifier: MIT
//
// What a change refuses, and that a running instance is then as it was:   h1 10.0.0.1 ---- path ---- h2 10.0.0.2
#include "simcore/instance/change_procedure.h"

#include <gtest/gtest.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "simcore/sys/network_device.h"
#include "simcore/sys/stream_socket.h"
#include "simcore/units/error.h"
#include "tests/simcore/sys/network_namespace.h"
#include "tests/simcore/sys/stream_peer.h"

namespace simcore {
namespace {

LinkModel path() { return LinkModel(Link::Config{.propagation_delay = Duration::ms(1)}); }

Interface::Config host_port(const std::string& name, std::uint64_t number) {
  return {name, MacAddress::of(0x0200'0000'0000 + number),
          Ipv4InterfaceAddress::parse("10.0.0." + std::to_string(number) + "/24")};
}
Interface::Config switch_port(const std::string& name, std::uint16_t number = 0) {
  Interface::Config config;
  config.name = name;
  config.number = number;
  return config;
}

// Of this computer, and of no other process of these tests.
PeeringPortal::Config peer(const std::string& name) {
  static int port = 45'000;
  PeeringPortal::Config config;
  config.name = name;
  const std::string address =
      UdpEndpoint{(127U << 24) + 1 + static_cast<std::uint32_t>(::getpid()), 0}.text();
  const std::string host = address.substr(0, address.find(':') + 1);
  config.local = host + std::to_string(++port);
  config.remote = host + std::to_string(++port);
  return config;
}

OpenFlowSetup openflow(const std::vector<std::string>& listens) {
  OpenFlowSetup setup;
  setup.dpid = "0000000000000001";
  setup.listens = listens;
  return setup;
}

std::int64_t figure(const SnapshotRow& row, std::string_view name) {
  const auto found = std::ranges::find(row.figures, name, [](const auto& each) { return each.first; });
  EXPECT_NE(found, row.figures.end()) << name;
  return found->second;
}

// What is there, by names.
std::vector<std::string> elements(Instance& instance) {
  const Snapshot snapshot = instance.snapshot();
  std::vector<std::string> names;
  for (const auto* const rows :
       {&snapshot.nodes, &snapshot.interfaces, &snapshot.links, &snapshot.portals, &snapshot.peers}) {
    for (const SnapshotRow& row : *rows) names.push_back(row.name);
    names.emplace_back("|");
  }
  EXPECT_TRUE(snapshot.removed.empty());
  return names;
}

// The instance that runs, whose change is refused with an error that begins so; all is as before then.
void expect_refused(Instance& instance, const InstanceChange& change, const std::string& error) {
  const std::vector<std::string> before = elements(instance);
  try {
    instance.change(change);
    ADD_FAILURE() << "not refused: " << error;
  } catch (const ConfigError& refused) {
    EXPECT_EQ(std::string(refused.what()).substr(0, error.size()), error) << refused.what();
  }
  EXPECT_EQ(elements(instance), before);
}

void add_hosts(Instance& instance) {
  for (const std::uint64_t number : {1U, 2U}) {
    const std::string name = "h" + std::to_string(number);
    instance.network().add_node(NodeKind::host, name);
    instance.network().add_interface(name, host_port(name + "-eth0", number));
  }
  instance.add_link("path", InterfaceEnd{"h1-eth0"}, InterfaceEnd{"h2-eth0"}, path(), path());
}

class ChangeProcedureTest : public ::testing::Test {
 protected:
  ChangeProcedureTest() {
    add_hosts(instance);
    running = std::thread([this] { instance.run(); });
  }
  ~ChangeProcedureTest() override {
    instance.stop();
    running.join();
  }
  // Two switches that nothing joins yet.
  static InstanceChange with_switches() {
    InstanceChange change;
    for (const std::string name : {"s1", "s2"}) {
      change.add_node(NodeKind::learning_switch, name);
      change.add_interface(name, switch_port(name + "-eth1"));
    }
    return change;
  }

  Instance instance{Instance::Config()};
  std::thread running;
};

TEST_F(ChangeProcedureTest, what_is_not_there_cannot_be_removed) {
  InstanceChange change;
  change.removed_links = {"nolink"};
  expect_refused(instance, change, "remove link nolink");
  change = {};
  change.removed_nodes = {"nobody"};
  expect_refused(instance, change, "remove node nobody");
  change = {};
  change.removed_interfaces = {"h9-eth0"};
  expect_refused(instance, change, "remove interface h9-eth0");
  change = {};
  change.removed_portals = {"noportal"};
  expect_refused(instance, change, "remove portal noportal: there is none");
  change = {};
  change.removed_peers = {"nopeer"};
  expect_refused(instance, change, "remove peer nopeer: there is none");
}

TEST_F(ChangeProcedureTest, what_is_removed_is_named_once) {
  InstanceChange change;
  change.removed_links = {"path", "path"};
  expect_refused(instance, change, "remove link path: it is named twice");
  change.removed_links = {"path"};
  change.removed_nodes = {"h1", "h1"};
  expect_refused(instance, change, "remove node h1: it is named twice");
  change.removed_nodes = {"h1"};
  change.removed_interfaces = {"h1-eth0"};  // it goes with its node
  expect_refused(instance, change, "remove interface h1-eth0: it is named twice");
}

TEST_F(ChangeProcedureTest, what_a_link_joins_goes_only_together_with_the_link) {
  InstanceChange change;
  change.removed_nodes = {"h1"};
  expect_refused(instance, change, "remove node h1: a link joins its interface h1-eth0");
  change = {};
  change.removed_interfaces = {"h1-eth0"};
  expect_refused(instance, change, "remove interface h1-eth0: a link joins");
  change.removed_links = {"path"};
  change.removed_nodes = {"h2"};
  instance.change(change);
  const Snapshot after = instance.snapshot();
  EXPECT_EQ(after.nodes.size(), 1U);
  EXPECT_TRUE(after.interfaces.empty());
  EXPECT_TRUE(after.links.empty());
}

TEST_F(ChangeProcedureTest, a_new_link_needs_two_ends_that_are_free_then) {
  InstanceChange change = with_switches();
  change.add_link("l", InterfaceEnd{"s1-eth1"}, InterfaceEnd{"h1-eth0"}, path(), path());
  expect_refused(instance, change, "add link l: a link joins its interface h1-eth0");
  change.links[0].b = InterfaceEnd{"s1-eth1"};
  expect_refused(instance, change, "add link l: s1-eth1 is joined twice");
  change.links[0].b = InterfaceEnd{"s9-eth1"};
  expect_refused(instance, change, "add link l");
  change.links[0].b = PortalEnd{"noportal"};
  expect_refused(instance, change, "add link l: there is no portal noportal");
  change.links[0].b = ChannelEnd{"nopeer", 0};
  expect_refused(instance, change, "add link l: there is no peer nopeer");
  change.removed_links = {"path"};
  change.removed_nodes = {"h1"};
  change.links[0].b = InterfaceEnd{"h1-eth0"};
  expect_refused(instance, change, "add link l: h1-eth0 is removed by this change");
  change.removed_nodes.clear();
  change.add_link("m", InterfaceEnd{"s2-eth1"}, InterfaceEnd{"h2-eth0"}, path(), path());
  instance.change(change);  // free, as the old link goes in the same change
  EXPECT_EQ(instance.snapshot().links.size(), 4U);
}

TEST_F(ChangeProcedureTest, names_are_free_for_the_next_change_only) {
  InstanceChange change;
  change.removed_links = {"path"};
  change.add_link("path", InterfaceEnd{"h1-eth0"}, InterfaceEnd{"h2-eth0"}, path(), path());
  expect_refused(instance, change, "add link path");
  change.links[0].name = "other";
  instance.change(change);
  change.removed_links = {"other"};
  change.links[0].name = "path";
  instance.change(change);
  EXPECT_EQ(instance.snapshot().links.at(0).name.substr(0, 4), "path");
}

TEST_F(ChangeProcedureTest, a_removed_node_gets_no_interface_and_no_routes) {
  InstanceChange change;
  change.removed_links = {"path"};
  change.removed_nodes = {"h2"};
  change.removed_interfaces = {"h1-eth0"};
  change.add_interface("h2", host_port("h2-eth1", 7));
  expect_refused(instance, change, "add interface h2-eth1: h2 is removed");
  change.interfaces.clear();
  change.replace_routes("h2");
  expect_refused(instance, change, "set the routes of h2: it is removed");
  change.routes.clear();
  change.add_route("h1", Ipv4Prefix::parse("10.1.0.0/16"), IpAddress::parse("10.0.0.2"), "h1-eth0");
  expect_refused(instance, change, "set the routes of h1: h1-eth0 is removed");
  change.routes.clear();
  change.replace_routes("h9");
  expect_refused(instance, change, "set the routes of h9");
}

TEST_F(ChangeProcedureTest, what_fails_last_takes_back_all_that_was_prepared_before_it) {
  InstanceChange change = with_switches();
  change.add_peer(peer("m2"));
  change.add_link("l", InterfaceEnd{"s1-eth1"}, ChannelEnd{"m2", 0}, path(), path());
  change.add_link("m", InterfaceEnd{"s2-eth1"}, ChannelEnd{"m2", 1}, path(), path());
  change.add_route("h1", Ipv4Prefix::parse("10.1.0.0/16"), IpAddress::parse("10.9.0.2"), "nowhere");
  expect_refused(instance, change, "set the routes of h1");
  change.routes.clear();
  change.links[1].a_to_b.duplicate = 2;  // no probability
  expect_refused(instance, change, "");
  change.links[1].a_to_b.duplicate = 0;
  change.add_node(NodeKind::host, "h1");  // taken
  expect_refused(instance, change, "");
  change.nodes.pop_back();
  instance.change(change);  // every name and channel is free
  EXPECT_EQ(instance.snapshot().peers.size(), 1U);
}

TEST_F(ChangeProcedureTest, a_channel_has_one_link_and_its_peer_stays_as_long) {
  InstanceChange change = with_switches();
  change.add_peer(peer("m2"));
  change.add_link("l", InterfaceEnd{"s1-eth1"}, ChannelEnd{"m2", 0}, path(), path());
  change.add_link("m", InterfaceEnd{"s2-eth1"}, ChannelEnd{"m2", 1}, path(), path());
  instance.change(change);

  change = {};
  change.add_interface("s1", switch_port("s1-eth2"));
  change.add_link("n", InterfaceEnd{"s1-eth2"}, ChannelEnd{"m2", 1}, path(), path());
  expect_refused(instance, change, "add link n: channel " + ChannelEnd{"m2", 1}.name() + " is in use");
  change.links[0].b = ChannelEnd{"m2", 2};
  change.removed_links = {"l", "m"};
  change.removed_peers = {"m2"};
  expect_refused(instance, change, "add link n: peer m2 is removed by this change");
  change.removed_peers.clear();
  instance.change(change);
  change = {};
  change.removed_peers = {"m2"};
  EXPECT_THROW(instance.change(change), ConfigError);  // a link leads there
  change.removed_links = {"n"};
  instance.change(change);
  EXPECT_TRUE(instance.snapshot().peers.empty());
}

TEST_F(ChangeProcedureTest, an_openflow_switch_takes_managers_from_its_beginning_to_its_end) {
  const std::string file = testing::free_path();
  const StreamAddress address = StreamAddress::parse("unix:" + file);
  InstanceChange change;
  change.add_openflow_switch("s1", openflow({"unix:" + file}));
  change.add_interface("s1", switch_port("s1-eth1", 1));
  change.add_node(NodeKind::learning_switch, "s2");
  change.add_interface("s2", switch_port("s2-eth1"));
  change.add_link("l", InterfaceEnd{"s1-eth1"}, InterfaceEnd{"s2-eth1"}, path(), path());
  change.links[0].b_to_a.duplicate = 2;  // no probability
  expect_refused(instance, change, "");
  EXPECT_FALSE(std::filesystem::exists(file));  // it listened, and does so no more
  change.links[0].b_to_a.duplicate = 0;
  instance.change(change);

  auto manager = StreamSocket::connect(address);
  ASSERT_TRUE(manager);
  std::array<std::uint8_t, 64> said{};
  std::ptrdiff_t count = 0;
  EXPECT_TRUE(testing::comes_true([&] { return (count = manager->read(said)) != 0; }, [] {}));
  EXPECT_EQ(count, 16);
  EXPECT_EQ(said[1], 0);  // OFPT_HELLO

  change = {};
  change.removed_links = {"l"};
  change.removed_nodes = {"s1", "s2"};
  instance.change(change);
  EXPECT_TRUE(testing::comes_true([&] { return manager->read(said) < 0; }, [] {}));
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(ChangeProcedureTest, an_openflow_switch_whose_address_is_taken_does_not_come) {
  const std::string address = testing::free_tcp_address();
  const std::vector<std::string> before = elements(instance);
  InstanceChange change;
  change.add_openflow_switch("s1", openflow({address}));
  {
    const StreamListener other(StreamAddress::parse(address));
    EXPECT_THROW(instance.change(change), EnvironmentError);
  }
  EXPECT_EQ(elements(instance), before);
  instance.change(change);
  EXPECT_EQ(instance.snapshot().nodes.size(), 3U);
}

// Portals at real devices:   p0 === p1, q0 === q1, of which p1 and q1 are neighbours'
class ChangedPortalsTest : public NetworkNamespaceTest {
 protected:
  void SetUp() override {
    NetworkNamespaceTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    make_veth("p0", "p1");
    make_veth("q0", "q1");
    add_hosts(instance);
    running = std::thread([this] { instance.run(); });
  }
  ~ChangedPortalsTest() override {
    if (!running.joinable()) return;
    instance.stop();
    running.join();
    instance.close();
  }
  static EmulationPortal::Config at(const std::string& device) {
    EmulationPortal::Config config;
    config.name = "at-" + device;
    config.device = device;
    return config;
  }
  // p0 is joined to a new switch, which has another port.
  static InstanceChange with_portal() {
    InstanceChange change;
    change.add_node(NodeKind::learning_switch, "s1");
    change.add_interface("s1", switch_port("s1-eth1"));
    change.add_emulation_portal("packet", at("p0"));
    change.add_link("l", PortalEnd{"at-p0"}, InterfaceEnd{"s1-eth1"}, path(), path());
    return change;
  }

  Instance instance{Instance::Config()};
  std::thread running;
};

TEST_F(ChangedPortalsTest, a_portal_comes_with_its_link_and_goes_with_it) {
  instance.change(with_portal());
  ASSERT_EQ(instance.snapshot().portals.size(), 1U);
  InstanceChange change;
  change.removed_portals = {"at-p0"};
  expect_refused(instance, change, "remove portal at-p0: a link joins it");
  change.removed_portals.clear();
  change.removed_links = {"l"};
  expect_refused(instance, change, "change instance : portal at-p0 would have no link");
  change.removed_portals = {"at-p0"};
  change.removed_nodes = {"s1"};
  instance.change(change);
  const Snapshot after = instance.snapshot();
  EXPECT_TRUE(after.portals.empty());
  EXPECT_EQ(figure(*std::ranges::find(after.removed, "portals", &SnapshotRow::name), "removed"), 1);
  instance.change(with_portal());  // the name and the device are free
  EXPECT_EQ(instance.snapshot().portals.size(), 1U);
}

TEST_F(ChangedPortalsTest, a_portal_that_no_link_joins_or_that_has_no_device_does_not_come) {
  InstanceChange change = with_portal();
  change.add_emulation_portal("packet", at("q0"));
  expect_refused(instance, change, "add portal at-q0: no link of this change joins it");
  change.portals[1].config.device = "nodevice";
  const std::vector<std::string> before = elements(instance);
  EXPECT_THROW(instance.change(change), EnvironmentError);
  EXPECT_EQ(elements(instance), before);
  change.portals.pop_back();
  instance.change(change);
}

TEST_F(ChangedPortalsTest, what_fails_behind_a_portal_takes_it_back) {
  InstanceChange change = with_portal();
  change.links[0].b_to_a.duplicate = 2;  // no probability
  expect_refused(instance, change, "");
  change = with_portal();
  change.add_emulation_portal("packet", at("q0"));
  change.portals[1].config.name = "at-p0";  // twice
  expect_refused(instance, change, "");
  instance.change(with_portal());
  EXPECT_EQ(instance.snapshot().portals.size(), 1U);
}

TEST_F(ChangedPortalsTest, a_portal_gets_another_link_in_one_change) {
  instance.change(with_portal());
  InstanceChange change;
  change.add_interface("s1", switch_port("s1-eth2"));
  change.add_link("m", InterfaceEnd{"s1-eth2"}, PortalEnd{"at-p0"}, path(), path());
  expect_refused(instance, change, "add link m: at-p0 is joined to another link");
  change.removed_links = {"l"};
  change.removed_portals = {"at-p0"};
  expect_refused(instance, change, "add link m: at-p0 is removed by this change");
  change.removed_portals.clear();
  change.add_link("n", InterfaceEnd{"s1-eth1"}, PortalEnd{"at-p0"}, path(), path());
  expect_refused(instance, change, "add link n: at-p0 is joined twice");
  change.links.pop_back();
  change.removed_interfaces = {"s1-eth1"};
  instance.change(change);
  const Snapshot after = instance.snapshot();
  EXPECT_EQ(after.portals.size(), 1U);
  // Frames cross the new link: what the neighbour's end sends is captured and accepted.
  ip("addr add 10.7.0.1/24 dev p1");
  ip("neigh add 10.7.0.2 lladdr 02:00:00:00:00:99 dev p1");
  EXPECT_EQ(std::system("ping -c 1 -W 0.01 10.7.0.2 > /dev/null; true"),
            0);  // one frame, which nobody answers
  EXPECT_TRUE(testing::comes_true(
      [this] {
        const Snapshot now = instance.snapshot();
        return std::ranges::any_of(now.links, [](const SnapshotRow& row) {
          return row.name.starts_with("m") && figure(row, "accepted_packets") == 1;
        });
      },
      [] {}));
}

// p0 is joined to the learning switch s1, q0 to the OpenFlow switch w, whose link to it is "watched". Both s1 and the
// OpenFlow switch v have a free port. A portal that an OpenFlow switch joins has its device down while its link is down.
class FollowedCarriersTest : public ChangedPortalsTest {
 protected:
  void SetUp() override {
    ChangedPortalsTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    InstanceChange change = with_portal();
    change.add_interface("s1", switch_port("s1-eth2"));
    change.add_openflow_switch("v", openflow({}));
    for (const std::uint16_t number : {std::uint16_t{1}, std::uint16_t{2}})
      change.add_interface("v", switch_port("v-eth" + std::to_string(number), number));
    change.add_openflow_switch("w", openflow({}));
    change.add_interface("w", switch_port("w-eth1", 1));
    change.add_emulation_portal("packet", at("q0"));
    change.add_link("watched", PortalEnd{"at-q0"}, InterfaceEnd{"w-eth1"}, path(), path());
    instance.change(change);
  }
  // p0 leaves its link for another one.
  static InstanceChange moved(const std::string& from, const std::string& to, const std::string& interface) {
    InstanceChange change;
    change.removed_links = {from};
    change.add_link(to, PortalEnd{"at-p0"}, InterfaceEnd{interface}, path(), path());
    return change;
  }
  static bool is_up(const std::string& device) {
    ifreq request{};
    device.copy(request.ifr_name, IFNAMSIZ - 1);
    EXPECT_EQ(::ioctl(open_control_socket().get(), SIOCGIFFLAGS, &request), 0);
    return (request.ifr_flags & IFF_UP) != 0;
  }
  static bool becomes(const std::string& device, bool up) {
    return testing::comes_true([&] { return is_up(device) == up; }, [] {});
  }
  // Whether the device of p0 follows the link. Devices are set in the order of their names, so what happens to q0 comes
  // after what happens to p0.
  bool follows(const std::string& link) {
    instance.set_link_up(link, false, "");
    instance.set_link_up("watched", false, "");
    EXPECT_TRUE(becomes("q0", false));
    const bool followed = !is_up("p0");
    instance.set_link_up(link, true, "");
    instance.set_link_up("watched", true, "");
    EXPECT_TRUE(becomes("q0", true));
    EXPECT_TRUE(becomes("p0", true));
    return followed;
  }
};

TEST_F(FollowedCarriersTest, a_portal_that_moves_is_followed_as_its_new_node_asks) {
  EXPECT_FALSE(follows("l"));
  instance.change(moved("l", "m", "v-eth1"));
  EXPECT_TRUE(follows("m"));
  instance.change(moved("m", "n", "v-eth2"));
  EXPECT_TRUE(follows("n"));
  instance.change(moved("n", "o", "s1-eth1"));
  EXPECT_FALSE(follows("o"));
}

TEST_F(FollowedCarriersTest, a_change_that_is_refused_follows_no_carrier_and_forgets_none) {
  InstanceChange change = moved("l", "m", "v-eth1");
  change.add_route("h1", Ipv4Prefix::parse("10.1.0.0/16"), IpAddress::parse("10.9.0.2"), "nowhere");
  expect_refused(instance, change, "set the routes of h1");
  EXPECT_FALSE(follows("l"));
  instance.change(moved("l", "m", "v-eth1"));
  for (const char* const free : {"s1-eth1", "v-eth2"}) {
    change = moved("m", "n", free);
    change.add_route("h1", Ipv4Prefix::parse("10.1.0.0/16"), IpAddress::parse("10.9.0.2"), "nowhere");
    instance.set_link_up("m", false, "");
    EXPECT_TRUE(becomes("p0", false));
    EXPECT_THROW(instance.change(change), ConfigError);
    instance.set_link_up("m", true, "");
    EXPECT_TRUE(becomes("p0", true));  // it is remembered that it was set down
    EXPECT_TRUE(follows("m"));
  }
}

TEST_F(FollowedCarriersTest, a_device_that_was_down_with_its_link_is_up_with_the_next_one) {
  instance.change(moved("l", "m", "v-eth1"));
  instance.set_link_up("m", false, "");
  EXPECT_TRUE(becomes("p0", false));
  instance.change(moved("m", "n", "v-eth2"));
  EXPECT_TRUE(becomes("p0", true));
  instance.set_link_up("n", false, "");
  EXPECT_TRUE(becomes("p0", false));
  instance.change(moved("n", "o", "s1-eth1"));
  EXPECT_TRUE(becomes("p0", true));
}

TEST_F(FollowedCarriersTest, a_neighbour_without_a_carrier_closes_the_link_to_an_openflow_switch_alone) {
  instance.change(moved("l", "m", "v-eth1"));
  const auto down = [this](const std::string& link) {
    return std::ranges::any_of(instance.snapshot().links, [&link](const SnapshotRow& row) {
      return row.name.starts_with(link + ":") &&
             std::ranges::any_of(row.labels, [](const auto& label) { return label.first == "status"; });
    });
  };
  take_down("p1");
  EXPECT_TRUE(testing::comes_true([&] { return down("m"); }, [] {}));
  instance.change(moved("m", "n", "s1-eth1"));
  EXPECT_FALSE(down("n"));
}

}  // namespace
}  // namespace simcore
