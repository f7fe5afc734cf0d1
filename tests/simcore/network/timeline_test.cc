// SPDX-License-Identifier: MIT
//
//   source 10.0.0.1 ---- path, 2 ms, 1000 packets/s of 1 ms each ---- sink 10.0.0.2
#include "simcore/network/timeline.h"

#include <gtest/gtest.h>

#include "simcore/network/snapshot_reader.h"
#include "simcore/units/error.h"

namespace simcore {
namespace {

constexpr std::int64_t kMs = 1'000'000;

Link::Config path(Duration delay) { return {.rate = std::nullopt, .propagation_delay = delay}; }

class TimelineTest : public testing::Test {
 protected:
  TimelineTest() {
    for (const int number : {1, 2}) {
      const std::string name = "h" + std::to_string(number);
      network_.add_node(NodeKind::host, name);
      network_.add_interface(name,
                             {name + "-eth0", MacAddress::parse("02:00:00:00:00:0" + std::to_string(number)),
                              Ipv4InterfaceAddress::parse("10.0.0." + std::to_string(number) + "/24")});
    }
    const Links::End first = network_.end("h1-eth0", "test");
    network_.add_link("path", first, network_.end("h2-eth0", "test"), path(Duration::ms(2)),
                      path(Duration::ms(2)));
    network_.begin("test", 0);
  }

  void add(const std::string& name, std::vector<Timeline::Entry> entries) {
    timeline_.add(std::make_unique<Timeline::Line>(name, std::move(entries)));
  }
  static Timeline::Entry status(std::int64_t at_ns, bool up, const std::string& link = "path") {
    return {SimTime::at_ns(at_ns), Timeline::LinkStatus{link, up}, ""};
  }
  static Timeline::Entry delay(std::int64_t at_ns, Duration delay) {
    return {SimTime::at_ns(at_ns), Timeline::LinkChange{"path", LinkModel(path(delay)), std::nullopt}, ""};
  }
  void until(std::int64_t ns) { network_.simulation().run_until(SimTime::at_ns(ns)); }
  SnapshotRow there() {
    Snapshot snapshot;
    read_all(network_, snapshot);
    return snapshot.links.at(0);
  }
  std::int64_t figure(std::string_view name) {
    for (const auto& [each, value] : there().figures) {
      if (each == name) return value;
    }
    ADD_FAILURE() << name;
    return -1;
  }
  // One frame of 60 bytes into the link from h1.
  void send() {
    PacketPtr packet = network_.pool().make(60);
    packet->first_arrival = packet->last_arrival = network_.simulation().now();
    network_.nodes().interface("h1-eth0", "test").send(std::move(packet));
  }

  SimulatedNetwork network_{1};
  Timeline timeline_{network_};
};

TEST_F(TimelineTest, changes_happen_at_exactly_their_instants_in_the_order_of_their_instants) {
  add("t", {delay(7 * kMs + 1, Duration::ms(9)), delay(5 * kMs + 3, Duration::ms(4))});
  EXPECT_EQ(timeline_.pending(), 2U);
  until(20 * kMs);
  const std::vector<Timeline::Fired> fired = timeline_.fired(0, 10);
  ASSERT_EQ(fired.size(), 2U);
  EXPECT_EQ(fired[0].entry, 1U);
  EXPECT_EQ(fired[0].at, SimTime::at_ns(5 * kMs + 3));
  EXPECT_EQ(fired[0].fired, fired[0].at);  // there is no wall clock
  EXPECT_EQ(fired[1].entry, 0U);
  EXPECT_EQ(fired[1].at, SimTime::at_ns(7 * kMs + 1));
  EXPECT_EQ(timeline_.pending(), 0U);
  EXPECT_EQ(timeline_.fired(1, 10).size(), 1U);
  EXPECT_TRUE(timeline_.fired(2, 10).empty());
}

TEST_F(TimelineTest, what_leaves_after_a_change_has_the_new_delay_and_overtakes_nothing) {
  until(kMs);
  const std::int64_t before = figure("delivered_packets");
  add("t", {delay(2 * kMs, Duration::ms(10))});
  until(2 * kMs - 1);
  send();  // arrives at 4 ms - 1
  until(2 * kMs);
  send();  // at 12 ms
  until(4 * kMs);
  EXPECT_EQ(figure("delivered_packets") - before, 1 + 1);  // the announcement of h1, too
  until(12 * kMs - 1);
  EXPECT_EQ(figure("delivered_packets") - before, 2);
  until(12 * kMs);
  EXPECT_EQ(figure("delivered_packets") - before, 3);
}

TEST_F(TimelineTest, a_link_that_is_down_drops_what_is_offered_and_what_would_arrive) {
  until(10 * kMs);
  const std::int64_t before = figure("delivered_packets");
  add("t", {status(20 * kMs, false), status(30 * kMs, true)});
  until(19 * kMs);
  send();  // would arrive at 21 ms
  until(25 * kMs);
  send();
  EXPECT_EQ(there().dropped.of(DropReason::link_down), 2U);
  EXPECT_EQ(figure("in_flight"), 0);
  until(29 * kMs);
  send();
  until(30 * kMs);
  send();
  until(40 * kMs);
  EXPECT_EQ(there().dropped.of(DropReason::link_down), 3U);
  EXPECT_EQ(figure("delivered_packets") - before, 1);
  EXPECT_EQ(figure("accepted_packets"), figure("delivered_packets") + 3);
  EXPECT_EQ(network_.pool().in_use(), 0U);
}

TEST_F(TimelineTest, routes_change_at_their_instant) {
  const RouteConfig way{IpPrefix(Ipv4Prefix::parse("10.9.0.0/16")), IpAddress::parse("10.0.0.2"), "h1-eth0"};
  add("t", {{SimTime::at_ns(5 * kMs), Timeline::RoutesChange{{{"h1", {way}}}}, ""},
            {SimTime::at_ns(6 * kMs), Timeline::RoutesChange{{{"h1", {}}}}, ""}});
  const IpAddress far = IpAddress::parse("10.9.1.1");
  const Host& host = network_.nodes().host("h1", "test");
  until(5 * kMs - 1);
  EXPECT_FALSE(host.source_for(far));
  until(5 * kMs);
  EXPECT_EQ(host.source_for(far)->to_string(), "10.0.0.1");
  until(6 * kMs);
  EXPECT_FALSE(host.source_for(far));
  EXPECT_TRUE(host.source_for(IpAddress::parse("10.0.0.9")));  // on its link
}

TEST_F(TimelineTest, what_is_cancelled_does_not_happen_and_its_name_is_free) {
  add("one", {status(5 * kMs, false), status(15 * kMs, true)});
  add("other", {status(20 * kMs, true)});
  EXPECT_THROW(add("one", {status(30 * kMs, false)}), ConfigError);
  until(10 * kMs);
  EXPECT_EQ(timeline_.cancel("one")->left(), 1U);
  EXPECT_THROW(timeline_.cancel("one"), ConfigError);
  add("one", {status(25 * kMs, false)});
  until(40 * kMs);
  const std::vector<Timeline::Fired> fired = timeline_.fired(0, 10);
  ASSERT_EQ(fired.size(), 3U);
  EXPECT_EQ(fired[1].timeline, "other");
  EXPECT_EQ(fired[2].at, SimTime::at_ns(25 * kMs));
}

TEST_F(TimelineTest, the_past_and_too_many_are_refused_and_nothing_is_scheduled) {
  until(10 * kMs);
  EXPECT_THROW(add("t", {status(20 * kMs, true), status(10 * kMs - 1, false)}), ConfigError);
  EXPECT_THROW(add("t", {}), ConfigError);
  EXPECT_THROW(add("t", std::vector(Timeline::kMostPending + 1, status(20 * kMs, true))), ConfigError);
  EXPECT_EQ(timeline_.pending(), 0U);
  add("t", std::vector(Timeline::kMostPending, status(10 * kMs, true)));  // now is not the past
  until(11 * kMs);
  EXPECT_EQ(timeline_.fired(0, 2 * Timeline::kMostPending).size(), Timeline::kMostPending);
}

TEST_F(TimelineTest, what_cannot_be_made_is_refused_before_and_logged_when_it_comes_to_that) {
  EXPECT_THROW(timeline_.check(status(kMs, true, "nowhere")), ConfigError);
  LinkModel slow(path(Duration::ms(1)));
  slow.link.queue_packets = 0;
  EXPECT_THROW(timeline_.check({SimTime::at_ns(kMs), Timeline::LinkChange{"path", slow, std::nullopt}, ""}),
               ConfigError);
  EXPECT_THROW(timeline_.check({SimTime::at_ns(kMs), Timeline::RoutesChange{{{"h9", {}}}}, ""}), ConfigError);
  timeline_.check(status(kMs, true));
  add("t", {status(kMs, true), status(2 * kMs, true)});
  until(kMs);
  network_.remove_link("path");
  until(3 * kMs);
  const std::vector<Timeline::Fired> fired = timeline_.fired(0, 10);
  EXPECT_EQ(fired.at(0).error, "");
  EXPECT_EQ(fired.at(1).error, "set link path up: there is no such link");
}

}  // namespace
}  // namespace simcore
