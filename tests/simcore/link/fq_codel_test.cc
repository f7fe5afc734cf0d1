// SPDX-License-Identifier: MIT
#include "simcore/link/fq_codel.h"

#include <gtest/gtest.h>

#include <map>

#include "simcore/units/error.h"
#include "tests/simcore/link/traffic.h"

namespace simcore {
namespace {

class FqCodelTest : public testing::Test {
 protected:
  FqCodel make(const FqCodel::Config& config) { return {config, RandomStream(4, "fq")}; }

  void offer(FqCodel& queue, std::uint8_t flow, std::size_t size) {
    queue.enqueue(frame(pool, SimTime::zero(), size, flow), SimTime::zero(), ByteCount::zero());
  }

  PacketPool pool;
};

TEST_F(FqCodelTest, backloggedFlowsGetTheSameBytesWhateverTheirFrames) {
  FqCodel queue = make({});
  const std::map<std::uint8_t, std::size_t> sizes = {{1, 1'500}, {2, 300}, {3, 64}};
  for (const auto& [flow, size] : sizes) {
    for (std::size_t bytes = 0; bytes < 150'000; bytes += size) offer(queue, flow, size);
  }
  std::map<std::uint8_t, std::int64_t> sent;
  for (std::int64_t total = 0; total < 300'000;) {
    const PacketPtr packet = queue.dequeue(SimTime::zero());
    sent[packet->bytes()[29]] += packet->wire_size().count();
    total += packet->wire_size().count();
  }
  // Deficit round robin: two flows differ by less than a quantum and a frame each.
  for (const auto& [flow, bytes] : sent) EXPECT_NEAR(static_cast<double>(bytes), 100'000, 2 * 1'514 + 1'500);
}

TEST_F(FqCodelTest, aFlowThatSendsLittlePassesTheOthers) {
  FqCodel queue = make({});
  for (int i = 0; i < 50; ++i) offer(queue, 1, 1'500);
  queue.dequeue(SimTime::zero());
  queue.dequeue(SimTime::zero());  // flow 1 has used its first quantum
  offer(queue, 2, 100);
  EXPECT_EQ(queue.dequeue(SimTime::zero())->bytes()[29], 2);
  EXPECT_EQ(queue.dequeue(SimTime::zero())->bytes()[29], 1);
}

TEST_F(FqCodelTest, atTheLimitTheFattestFlowPays) {
  FqCodel queue = make({.limit = 100});
  for (int i = 0; i < 10; ++i) offer(queue, 2, 1'500);
  for (int i = 0; i < 91; ++i) offer(queue, 1, 1'500);
  // Half of the 91 frames of flow 1, from its front.
  EXPECT_EQ(queue.counters().dropped.of(DropReason::queue_full), 46U);
  EXPECT_EQ(queue.packets(), 55);
  std::map<std::uint8_t, int> sent;
  while (const PacketPtr packet = queue.dequeue(SimTime::zero())) ++sent[packet->bytes()[29]];
  EXPECT_EQ(sent[2], 10);
  EXPECT_EQ(sent[1], 45);
  EXPECT_EQ(queue.bytes(), ByteCount::zero());
}

TEST_F(FqCodelTest, codelActsOnEachFlowOnItsOwn) {
  FqCodel queue = make({});
  for (int i = 0; i < 300; ++i) offer(queue, 1, 1'500);
  SimTime now = SimTime::zero();
  for (int i = 1; i <= 250; ++i) {
    now = SimTime::at_ns(i * std::int64_t{1'000'000});
    queue.enqueue(frame(pool, now, 100, 2), now, ByteCount::zero());
    std::map<std::uint8_t, int> sent;
    for (int k = 0; k < 2; ++k) ++sent[queue.dequeue(now)->bytes()[29]];
    // Flow 1 came first, so it has the first turn.
    if (i > 2) {
      EXPECT_EQ(sent[2], 1) << now.count_ns();
    }
  }
  EXPECT_EQ(queue.counters().dropped.of(DropReason::aqm), 2U);  // of flow 1, at 105 and 205 ms
}

TEST_F(FqCodelTest, takesWhatIsNoIp) {
  FqCodel queue = make({.flows = 1});
  PacketPtr runt = pool.make(6);
  queue.enqueue(std::move(runt), SimTime::zero(), ByteCount::zero());
  EXPECT_TRUE(queue.dequeue(SimTime::zero()));
  EXPECT_FALSE(queue.dequeue(SimTime::zero()));
}

TEST_F(FqCodelTest, refusesWhatCannotBe) {
  EXPECT_THROW(make({.limit = 0}), ConfigError);
  EXPECT_THROW(make({.flows = 0}), ConfigError);
  EXPECT_THROW(make({.quantum = ByteCount::zero()}), ConfigError);
}

TEST_F(FqCodelTest, everythingThatWaitsIsSeen) {
  FqCodel queue = make({});
  for (std::uint8_t flow = 1; flow <= 5; ++flow) {
    for (int i = 0; i < flow; ++i) offer(queue, flow, 200);
  }
  queue.dequeue(SimTime::zero());
  std::map<std::uint8_t, int> seen;
  queue.look([&seen](const Packet& packet) { ++seen[packet.bytes()[29]]; });
  EXPECT_EQ(seen, (std::map<std::uint8_t, int>{{2, 2}, {3, 3}, {4, 4}, {5, 5}}));
}

}  // namespace
}  // namespace simcore
