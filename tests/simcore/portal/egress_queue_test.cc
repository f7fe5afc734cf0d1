// SPDX-License-Identifier: MIT
#include "simcore/portal/egress_queue.h"

#include <gtest/gtest.h>

#include "simcore/packet/packet_pool.h"

namespace simcore {
namespace {

class EgressQueueTest : public testing::Test {
 protected:
  PacketPtr train(std::uint16_t segments, std::int64_t last_arrival_ns) {
    PacketPtr packet = pool_.make(64);
    packet->segments = segments;
    packet->first_arrival = simulation_.now();
    packet->last_arrival = SimTime::at_ns(last_arrival_ns);
    return packet;
  }

  bool push(PacketPtr packet) { return queue_.push(packet); }

  PacketPool pool_;
  Simulation simulation_{1};
  EgressQueue queue_{simulation_, 10};
};

TEST_F(EgressQueueTest, what_has_arrived_whole_is_ready_at_once) {
  EXPECT_TRUE(push(train(1, 0)));
  EXPECT_EQ(queue_.ready(), 1u);
  EXPECT_EQ(simulation_.pending_events(), 0u);
}

TEST_F(EgressQueueTest, a_train_is_ready_when_its_last_segment_has_arrived) {
  push(train(5, 100));
  simulation_.run_until(SimTime::at_ns(99));
  EXPECT_EQ(queue_.ready(), 0u);
  simulation_.run_until(SimTime::at_ns(100));
  EXPECT_EQ(queue_.ready(), 1u);
}

TEST_F(EgressQueueTest, nothing_overtakes_an_incomplete_train) {
  push(train(5, 100));
  push(train(1, 0));
  push(train(2, 150));
  EXPECT_EQ(queue_.ready(), 0u);
  EXPECT_EQ(simulation_.pending_events(), 1u);
  simulation_.run_until(SimTime::at_ns(100));
  ASSERT_EQ(queue_.ready(), 2u);
  EXPECT_EQ(queue_.ready(0).segments, 5);
  EXPECT_EQ(queue_.ready(1).segments, 1);
  simulation_.run_until(SimTime::at_ns(150));
  EXPECT_EQ(queue_.ready(), 3u);
}

TEST_F(EgressQueueTest, holds_no_more_segments_than_its_limit) {
  EXPECT_TRUE(push(train(4, 100)));
  EXPECT_TRUE(push(train(6, 100)));
  PacketPtr refused = train(1, 100);
  EXPECT_FALSE(queue_.push(refused));
  EXPECT_TRUE(refused) << "what is refused stays the caller's";
  simulation_.run_until(SimTime::at_ns(100));
  EXPECT_EQ(queue_.segments(), 10u);
  queue_.pop();
  EXPECT_EQ(queue_.segments(), 6u);
  EXPECT_TRUE(queue_.push(refused));
}

}  // namespace
}  // namespace simcore
