// SPDX-License-Identifier: MIT
#include "simcore/link/class_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "simcore/options/option_table.h"
#include "simcore/units/error.h"
#include "tests/simcore/link/traffic.h"

namespace simcore {
namespace {

constexpr std::uint8_t kExpedited = 46;  // DSCP of EF: class selector 5
constexpr std::uint8_t kAssured = 10;    // of AF11: class selector 1
constexpr std::uint8_t kDefault = 0;

class ClassQueueTest : public testing::Test {
 protected:
  PacketPtr marked(std::uint8_t dscp, std::uint8_t name, std::size_t size = 1'000) {
    PacketPtr packet = frame(pool, SimTime::at_ns(++clock), size, name);
    packet->bytes()[15] = static_cast<std::uint8_t>(dscp << 2);
    return packet;
  }

  PacketPtr to_port(std::uint8_t port, std::uint8_t name) {
    PacketPtr packet = frame(pool, SimTime::at_ns(++clock), 1'000, name);
    packet->bytes()[37] = port;
    return packet;
  }

  void offer(QueueDiscipline& queue, PacketPtr packet) {
    queue.enqueue(std::move(packet), SimTime::at_ns(clock), ByteCount::zero());
  }

  std::vector<int> names(QueueDiscipline& queue, std::size_t most = 1'000) {
    std::vector<int> all;
    while (all.size() < most) {
      const PacketPtr packet = queue.dequeue(SimTime::at_ns(clock));
      if (!packet) break;
      all.push_back(packet->bytes()[29]);
    }
    return all;
  }

  PacketPool pool;
  std::int64_t clock = 0;
  const RandomStream random{4, "classes"};
};

TEST_F(ClassQueueTest, theFirstClassGoesFirstAndEachInItsOrder) {
  PriorityQueue queue({}, {}, random);
  offer(queue, marked(kDefault, 1));
  offer(queue, marked(kAssured, 2));
  offer(queue, marked(kExpedited, 3));
  offer(queue, marked(kDefault, 4));
  offer(queue, marked(kExpedited, 5));
  EXPECT_EQ(names(queue, 1), (std::vector<int>{3}));
  offer(queue, marked(kExpedited, 6));
  EXPECT_EQ(names(queue), (std::vector<int>{5, 6, 1, 2, 4}));
}

// Three bands share the eight class selectors: 7 6 5 | 4 3 2 | 1 0; eight have one each.
TEST_F(ClassQueueTest, bandsShareTheClassSelectors) {
  PriorityQueue three({}, {}, random);
  for (std::uint8_t selector = 0; selector < 8; ++selector)
    offer(three, marked(static_cast<std::uint8_t>(selector << 3), selector));
  EXPECT_EQ(names(three), (std::vector<int>{5, 6, 7, 2, 3, 4, 0, 1}));
  PriorityQueue eight({.bands = 8}, {}, random);
  for (std::uint8_t selector = 0; selector < 8; ++selector)
    offer(eight, marked(static_cast<std::uint8_t>(selector << 3), selector));
  EXPECT_EQ(names(eight), (std::vector<int>{7, 6, 5, 4, 3, 2, 1, 0}));
}

TEST_F(ClassQueueTest, whatIsNoIpPacketIsOfTheFirstClass) {
  PriorityQueue queue({}, {}, random);
  offer(queue, marked(kExpedited, 1));
  PacketPtr arp = marked(kDefault, 2);
  arp->bytes()[13] = 0x06;
  offer(queue, std::move(arp));
  EXPECT_EQ(queue.packets_of(0), 2);
}

TEST_F(ClassQueueTest, flowsAreToldByTheirPorts) {
  PriorityQueue queue({.by = ClassBy::flow, .ports = {80, 22}}, {}, random);
  offer(queue, to_port(7, 1));
  offer(queue, to_port(22, 2));
  offer(queue, to_port(80, 3));
  EXPECT_EQ(names(queue), (std::vector<int>{3, 2, 1}));
}

TEST_F(ClassQueueTest, aFullQueueDropsTheNewestOfTheLastClass) {
  PriorityQueue queue({}, {.packets = 3}, random);
  offer(queue, marked(kDefault, 1));
  offer(queue, marked(kAssured, 2));
  offer(queue, marked(kDefault, 3));
  offer(queue, marked(kExpedited, 4));  // takes the place of 3
  offer(queue, marked(kDefault, 5));    // finds nobody behind it
  EXPECT_EQ(queue.counters().dropped.of(DropReason::queue_full), 2U);
  EXPECT_EQ(queue.packets(), 3);
  EXPECT_EQ(queue.bytes(), ByteCount::bytes(3'000));
  EXPECT_EQ(names(queue), (std::vector<int>{4, 1, 2}));
}

TEST_F(ClassQueueTest, theBoundInBytesHoldsTheFrameOnTheWireToo) {
  PriorityQueue queue({}, {.bytes = ByteCount::bytes(3'000)}, random);
  const auto on_wire = ByteCount::bytes(1'000);
  for (std::uint8_t name = 1; name <= 3; ++name)
    queue.enqueue(marked(kDefault, name), SimTime::at_ns(clock), on_wire);
  EXPECT_EQ(names(queue), (std::vector<int>{1, 2}));
}

TEST_F(ClassQueueTest, backloggedClassesGetBytesInProportionToTheirWeights) {
  WeightedQueue queue({.weights = {4, 2, 1}}, {}, random);
  const std::map<std::uint8_t, std::size_t> sizes = {{kExpedited, 1'500}, {32, 300}, {kDefault, 64}};
  for (const auto& [dscp, size] : sizes) {
    for (int i = 0; i < 300; ++i) offer(queue, marked(dscp, dscp, size));
  }
  // As long as all wait: the default class has 300 * 64 bytes, twelve turns of 1,514 bytes.
  std::map<int, double> sent;
  for (double total = 0; total < 7 * 1'514 * 10;) {
    const PacketPtr packet = queue.dequeue(SimTime::at_ns(clock));
    const auto size = static_cast<double>(packet->wire_size().count());
    sent[packet->bytes()[29]] += size;
    total += size;
  }
  EXPECT_NEAR(sent[kExpedited], 4 * 15'140, 4 * 1'514 + 1'500);
  EXPECT_NEAR(sent[32], 2 * 15'140, 2 * 1'514 + 300);
  EXPECT_NEAR(sent[kDefault], 15'140, 1'514 + 64);
}

TEST_F(ClassQueueTest, aClassAloneHasTheWholeRate) {
  WeightedQueue queue({.weights = {1'000, 1}, .quantum = ByteCount::bytes(1)}, {}, random);
  for (std::uint8_t name = 1; name <= 5; ++name) offer(queue, marked(kDefault, name, 1'500));
  EXPECT_EQ(names(queue), (std::vector<int>{1, 2, 3, 4, 5}));
}

TEST_F(ClassQueueTest, flowsWithoutPortsAreSpreadOverTheClasses) {
  WeightedQueue queue({.by = ClassBy::flow, .weights = {1, 1, 1, 1, 1, 1, 1, 1}}, {}, random);
  for (int turn = 0; turn < 4; ++turn) {
    for (std::uint8_t flow = 1; flow <= 64; ++flow) offer(queue, marked(kDefault, flow));
  }
  // A flow is in one class, so of 64 flows in 8 classes none is empty but with a probability of 8 (7/8)^64 < 0.002.
  for (std::size_t each = 0; each < 8; ++each) EXPECT_GT(queue.packets_of(each), 0);
}

TEST_F(ClassQueueTest, aFullWeightedQueueDropsFromTheClassThatHoldsMoreThanItsShare) {
  WeightedQueue queue({.weights = {3, 1}}, {.packets = 4}, random);
  for (std::uint8_t name = 1; name <= 4; ++name) offer(queue, marked(kDefault, name));
  for (std::uint8_t name = 5; name <= 8; ++name) offer(queue, marked(kExpedited, name));
  EXPECT_EQ(queue.packets_of(0), 3);
  EXPECT_EQ(queue.packets_of(1), 1);
  EXPECT_EQ(queue.counters().dropped.of(DropReason::queue_full), 4U);
}

TEST_F(ClassQueueTest, handsOverAllInTheOrderInWhichItCame) {
  PriorityQueue before({}, {}, random);
  for (std::uint8_t name = 1; name <= 6; ++name)
    offer(before, marked(name % 2 == 0 ? kExpedited : kDefault, name));
  PriorityQueue after({.by = ClassBy::flow, .ports = {80}}, {}, random);
  after.replace(before);
  EXPECT_EQ(before.packets(), 0);
  EXPECT_EQ(before.bytes(), ByteCount::zero());
  EXPECT_EQ(names(after), (std::vector<int>{1, 2, 3, 4, 5, 6}));
}

TEST_F(ClassQueueTest, refusesWhatContradictsItself) {
  EXPECT_THROW(PriorityQueue({.by = ClassBy::flow}, {}, random), ConfigError);
  EXPECT_THROW(PriorityQueue({.ports = {80}}, {}, random), ConfigError);
  EXPECT_THROW(PriorityQueue({.by = ClassBy::flow, .bands = 3, .ports = {80}}, {}, random), ConfigError);
  EXPECT_THROW(WeightedQueue({.by = ClassBy::flow, .weights = {1, 2, 3}, .ports = {80}}, {}, random),
               ConfigError);
}

TEST_F(ClassQueueTest, peopleAskForItByItsName) {
  using Dict = OptionValue::Dict;
  const OptionFamily<QueueModel>& models = queue_models();
  const QueueModel asked =
      models.read(Dict{{"model", std::string("priority")}, {"bands", std::int64_t{2}}}, "aqm");
  EXPECT_EQ(asked, QueueModel(PriorityConfig{.bands = 2}));
  const OptionValue::List weights = {std::int64_t{5}, std::int64_t{1}};
  EXPECT_EQ(models.read(Dict{{"model", std::string("weighted")}, {"weights", weights}}, "aqm"),
            QueueModel(WeightedConfig{.weights = {5, 1}}));
  EXPECT_THROW(models.read(Dict{{"model", std::string("priority")}, {"bands", std::int64_t{9}}}, "aqm"),
               ConfigError);
}

}  // namespace
}  // namespace simcore
