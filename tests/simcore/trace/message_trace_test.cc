// SPDX-License-Identifier: MIT
#include "simcore/trace/message_trace.h"

#include <gtest/gtest.h>

#include "simcore/packet/packet_pool.h"

namespace simcore {
namespace {

class MessageTraceTest : public testing::Test {
 protected:
  struct Last final : PacketSink {
    void accept(PacketPtr packet) override { sizes.push_back(packet->size()); }
    std::vector<std::size_t> sizes;
  };

  PacketPtr packet(std::size_t size) {
    PacketPtr made = pool.make(size);
    std::uint8_t value = 0;
    for (std::uint8_t& byte : made->bytes()) byte = value++;
    return made;
  }

  Simulation sim{1};
  PacketPool pool;
  Last last;
  MessageTrace trace{sim, 4};
};

TEST_F(MessageTraceTest, passes_packets_on_and_keeps_when_and_where_they_came_and_how_they_begin) {
  PacketSink& sent = trace.tap("a-eth1", last, FrameDirection::outbound);
  sim.run_until(SimTime::at_ns(70));
  sent.accept(packet(1'000));
  sent.accept(packet(60));
  EXPECT_EQ(last.sizes, (std::vector<std::size_t>{1'000, 60}));
  const auto messages = trace.latest(0, 10);
  ASSERT_EQ(messages.size(), 2U);
  EXPECT_EQ(messages[0].at, SimTime::at_ns(70));
  EXPECT_EQ(*messages[0].place, "a-eth1");
  EXPECT_EQ(messages[0].direction, FrameDirection::outbound);
  EXPECT_EQ(messages[0].packet.wire_bytes, 1'000);
  EXPECT_EQ(messages[0].packet.bytes().size(), PacketView::kMostBytes);
  EXPECT_EQ(messages[0].packet.bytes()[79], 79);
  EXPECT_EQ(messages[1].packet.bytes().size(), 60U);
}

TEST_F(MessageTraceTest, the_oldest_give_way) {
  PacketSink& sent = trace.tap("a-eth1", last, FrameDirection::outbound);
  for (std::size_t size = 60; size < 70; ++size) sent.accept(packet(size));
  const auto kept = trace.latest(0, 10);
  ASSERT_EQ(kept.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(kept[i].number, 6 + i);
    EXPECT_EQ(kept[i].packet.wire_bytes, static_cast<std::int64_t>(66 + i));
  }
  EXPECT_EQ(trace.latest(9, 10).size(), 1U);
  EXPECT_EQ(trace.latest(0, 2).front().number, 8U);
  EXPECT_TRUE(trace.latest(10, 10).empty());
}

TEST_F(MessageTraceTest, only_places_that_are_followed_are_written_down) {
  PacketSink& one = trace.tap("a-eth1", last, FrameDirection::outbound);
  PacketSink& other = trace.tap("b-eth1", last, FrameDirection::inbound);
  trace.follow({"b-eth1"});
  one.accept(packet(60));
  other.accept(packet(61));
  ASSERT_EQ(trace.latest(0, 10).size(), 1U);
  EXPECT_EQ(*trace.latest(0, 10)[0].place, "b-eth1");
  trace.follow({});
  one.accept(packet(60));
  EXPECT_EQ(trace.written(), 2U);
  EXPECT_EQ(last.sizes.size(), 3U);
}

}  // namespace
}  // namespace simcore
