// SPDX-License-Identifier: MIT
//
// A simulation in virtual time, gone through event by event.
//
//   a 10.0.0.1 ---- path: 10 Mbit/s, 5 ms each way ---- b 10.0.0.2: a sends to b's port 9 without end
#include <gtest/gtest.h>

#include <string>

#include "simcore/instance/offline.h"
#include "simcore/units/error.h"

namespace simcore {
namespace {

constexpr std::uint64_t kManyEvents = 1'000'000;
constexpr const char* kThere = "path:a-eth1>b-eth1";
using Condition = FigureCondition;

class SteppingTest : public testing::Test {
 protected:
  static void build(OfflineSimulation& simulation) {
    SimulatedNetwork& network = simulation.network();
    network.hash_trace();
    network.keep_messages(16);
    for (const auto& [name, number] : {std::pair{"a", "1"}, {"b", "2"}}) {
      network.add_node(NodeKind::host, name);
      network.add_interface(
          name, {std::string(name) + "-eth1", MacAddress::parse(std::string("02:00:00:00:00:0") + number),
                 Ipv4InterfaceAddress::parse(std::string("10.0.0.") + number + "/24")});
    }
    const LinkModel direction({.rate = DataRate::mbps(10), .propagation_delay = Duration::ms(5)});
    simulation.add_link("path", "a-eth1", "b-eth1", direction, direction);
    network.add_application("b", ServiceApplication{ServiceApplication::Kind::tcp_discard, 9, {}});
    BulkApplication bulk{.destination = IpAddress::parse("10.0.0.2"), .port = 9, .tcp = {}};
    network.add_application("a", bulk);
  }

  SteppingTest() { build(simulation); }

  Condition until(Condition::Section section, const std::string& element, const std::string& figure,
                  Condition::Comparison is, Condition::Value value = std::int64_t{0}) {
    return {simulation.network(), {section, element, figure, is, std::move(value)}};
  }

  OfflineSimulation simulation{1};
  const SimTime end = SimTime::zero() + Duration::ms(400);
};

TEST_F(SteppingTest, a_run_in_pieces_comes_to_the_same_as_at_once) {
  OfflineSimulation at_once(1);
  build(at_once);
  at_once.run_for(Duration::ms(400));

  const Condition never = until(Condition::Section::links, kThere, "dropped", Condition::Comparison::more,
                                std::int64_t{1'000'000});
  while (simulation.now() < end) {
    simulation.run(end, 1);
    simulation.network().simulation().next_events(10);
    for (std::size_t direction = 0; direction < 2; ++direction) {
      simulation.network().links().look(direction, 5);
    }
    simulation.run(std::min(end, simulation.now() + Duration::us(300)), kManyEvents, &never);
  }
  EXPECT_EQ(simulation.events(), at_once.events());
  const auto hashes = simulation.network().taps().hashes();
  const auto expected = at_once.network().taps().hashes();
  ASSERT_EQ(hashes.size(), expected.size());
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    EXPECT_EQ(hashes[i].sent, expected[i].sent);
    EXPECT_EQ(hashes[i].arrived, expected[i].arrived);
    EXPECT_GT(hashes[i].arrived.packets, 100U);
  }
}

TEST_F(SteppingTest, a_step_is_the_event_that_was_shown_first) {
  EXPECT_EQ(simulation.run(simulation.now(), 0), OfflineSimulation::Stop::events);  // it has begun
  for (int step = 0; step < 100; ++step) {
    const auto due = simulation.network().simulation().next_events(1);
    ASSERT_EQ(due.size(), 1U);
    const std::uint64_t before = simulation.events();
    EXPECT_EQ(simulation.run(end, 1), OfflineSimulation::Stop::events);
    EXPECT_EQ(simulation.events(), before + 1);
    EXPECT_EQ(simulation.now(), due[0].time);
  }
}

TEST_F(SteppingTest, events_say_what_they_are_and_where) {
  simulation.run(simulation.now(), 0);
  bool begins = false;
  for (const EventQueue::Due& due : simulation.network().simulation().next_events(10)) {
    begins = begins || (due.event->what() == "begins to send" && due.event->where() == "a");
  }
  EXPECT_TRUE(begins);
  simulation.run(SimTime::zero() + Duration::ms(6), kManyEvents);
  bool timer = false;
  for (const EventQueue::Due& due : simulation.network().simulation().next_events(100)) {
    timer = timer || (due.event->what() == "the TCP timer" && due.event->where().starts_with("a:10.0.0.1:"));
  }
  EXPECT_TRUE(timer);
}

TEST_F(SteppingTest, it_stops_after_the_event_by_which_a_condition_holds) {
  const Condition full = until(Condition::Section::links, kThere, "queue_packets",
                               Condition::Comparison::at_least, std::int64_t{4});
  EXPECT_FALSE(full.holds());
  EXPECT_EQ(simulation.run(end, kManyEvents, &full), OfflineSimulation::Stop::condition);
  EXPECT_LT(simulation.now(), end);
  EXPECT_TRUE(full.holds());
  const auto contents = simulation.network().links().look("path", 100);
  EXPECT_GE(contents[0].view.waiting, 4U);
}

TEST_F(SteppingTest, a_state_and_a_change_are_conditions_too) {
  const Condition appears =
      until(Condition::Section::interfaces, "b-eth1", "in_packets", Condition::Comparison::changes);
  EXPECT_EQ(simulation.run(end, kManyEvents, &appears), OfflineSimulation::Stop::condition);
  EXPECT_GE(simulation.now(), SimTime::zero() + Duration::ms(5));
  EXPECT_LT(simulation.now(), SimTime::zero() + Duration::ms(6));

  Snapshot snapshot;
  simulation.network().nodes().read_connections_into(snapshot, 1);
  ASSERT_EQ(snapshot.connections.size(), 1U);
  const Condition established = until(Condition::Section::connections, snapshot.connections[0].name, "state",
                                      Condition::Comparison::equal, "ESTABLISHED");
  EXPECT_EQ(simulation.run(end, kManyEvents, &established), OfflineSimulation::Stop::condition);
  // ARP or not, a SYN went and its answer came: a round trip.
  EXPECT_GE(simulation.now(), SimTime::zero() + Duration::ms(10));
}

TEST_F(SteppingTest, conditions_that_make_no_sense_are_refused) {
  const auto refused = [this](Condition::Section section, const std::string& element,
                              const std::string& figure, Condition::Comparison is,
                              const Condition::Value& value) {
    EXPECT_THROW(until(section, element, figure, is, value), ConfigError) << element << ' ' << figure;
  };
  const Condition::Value one = std::int64_t{1};
  refused(Condition::Section::links, "path", "queue_packets", Condition::Comparison::more, one);
  refused(Condition::Section::links, kThere, "queue", Condition::Comparison::more, one);
  refused(Condition::Section::links, kThere, "queue_packets", Condition::Comparison::equal, "full");
  refused(Condition::Section::nodes, "c", "dropped", Condition::Comparison::more, one);
  refused(Condition::Section::connections, "c:10.0.0.1:1>10.0.0.2:9", "state", Condition::Comparison::equal,
          "ESTABLISHED");
  refused(Condition::Section::connections, "a:10.0.0.1:1>10.0.0.2:9", "state", Condition::Comparison::more,
          "ESTABLISHED");
  simulation.run_for(Duration::ms(2));
  EXPECT_THROW(simulation.run(SimTime::zero() + Duration::ms(1), 1), ConfigError);
}

}  // namespace
}  // namespace simcore
