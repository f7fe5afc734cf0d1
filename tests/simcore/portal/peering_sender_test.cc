// SPDX-License-Identifier: MIT
#include "simcore/portal/peering_sender.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <set>

#include "simcore/packet/packet_pool.h"

namespace simcore::peering {
namespace {

// Says where what it is given lies; full while the test says so.
class Places final : public Transport {
 public:
  int fd() const override { return -1; }
  std::size_t largest_datagram() const override { return 1'472; }
  std::size_t together(std::size_t) const override { return 64; }
  int send(std::span<const Datagram> datagrams) override {
    if (full) return -EAGAIN;
    for (const Datagram& datagram : datagrams) last.assign(datagram.body.begin(), datagram.body.end());
    seen.insert(datagrams[0].body.data());
    ++batches;
    return static_cast<int>(datagrams.size());
  }
  std::span<const Received> receive() override { return {}; }
  std::size_t waiting_bytes() const override { return 0; }
  Counters counters() const override { return {}; }

  bool full = false;
  int batches = 0;
  std::set<const std::uint8_t*> seen;
  std::vector<std::uint8_t> last;
};

class PeeringSenderTest : public testing::Test {
 protected:
  PeeringSenderTest() { sender.set_ready(true); }

  void append(std::uint8_t value) {
    const std::vector<std::uint8_t> frame(1'000, value);
    sender.append(0, *pool.copy_of(frame));
  }
  std::uint8_t last_value() const { return transport.last.back(); }

  PacketPool pool;
  Places transport;
  PeeringSender sender{transport, {}, [] { return SimTime::zero(); }};
};

TEST_F(PeeringSenderTest, batches_that_nothing_waits_behind_lie_in_the_same_memory) {
  for (std::uint8_t turn = 0; turn < 200; ++turn) {
    append(turn);
    sender.end_of_turn();
    EXPECT_EQ(last_value(), turn);
  }
  EXPECT_EQ(transport.batches, 200);
  EXPECT_EQ(transport.seen.size(), 1u);
}

TEST_F(PeeringSenderTest, what_waits_for_a_full_transport_goes_out_in_its_order) {
  append(1);
  transport.full = true;
  sender.end_of_turn();
  for (std::uint8_t value = 2; value < 102; ++value) append(value);  // 100 KB: more than a batch
  sender.end_of_turn();
  EXPECT_TRUE(sender.blocked());
  EXPECT_EQ(transport.batches, 0);

  transport.full = false;
  sender.end_of_turn();
  EXPECT_FALSE(sender.blocked());
  EXPECT_EQ(transport.batches, 3);
  EXPECT_EQ(last_value(), 101);
  EXPECT_EQ(sender.counters().sent_frames, 101u);
  EXPECT_EQ(sender.queued_packets(), 0u);

  append(200);
  sender.end_of_turn();
  EXPECT_EQ(last_value(), 200);
}

}  // namespace
}  // namespace simcore::peering
