// SPDX-License-Identifier: MIT
//
// Two instances with other options than the defaults: the same packets arrive, at the same instants.
#include "simcore/portal/peering_options.h"

#include <algorithm>
#include <thread>

#include "simcore/packet/ethernet.h"
#include "tests/simcore/packet/frames.h"
#include "tests/simcore/portal/peering_pair.h"

namespace simcore {
namespace {

using Config = PeeringPortal::Config;

class PeeringOptionsTest : public testing::PeeringPortalTest {
 protected:
  // Connections over loopback are made in real time.
  void await_synchronized() {
    for (int i = 0; i < 500 && !(a->portal.synchronized() && b->portal.synchronized()); ++i) {
      pass(Duration::ms(5));
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    ASSERT_TRUE(a->portal.synchronized() && b->portal.synchronized());
  }

  // What a sends comes to b at departure + 10 ms; b's clock is 5 s ahead.
  void expect_exact_release() {
    std::vector<SimTime> due;
    for (int i = 0; i < 200; ++i) {
      due.push_back(a->simulation.now() + Duration::seconds(5) + Duration::ms(10));
      a->send(1'000, i);
      pass(Duration::us(100), Duration::us(100));
    }
    pass(Duration::ms(20));
    EXPECT_EQ(b->sink.instants, due);
    for (std::size_t i = 0; i < b->sink.packets.size(); ++i)
      EXPECT_EQ(b->sink.packets[i]->bytes().front(), i);
    EXPECT_EQ(b->portal.counters().late_packets, 0u);
    EXPECT_EQ(b->portal.counters().lost_packets, 0u);
  }
};

TEST_F(PeeringOptionsTest, tcp_carries_all_and_a_returning_end_is_connected_again) {
  const auto tcp = [](Config& config) { config.options.transport = PeeringOptions::Transport::tcp; };
  start(tcp);
  await_synchronized();
  expect_exact_release();
  b.reset();
  pass(Duration::ms(50));
  Config of_b = testing::joined(b_address, a_address);
  tcp(of_b);
  b.emplace(clock, Duration::seconds(5), of_b);
  const auto again = [this] { return a->portal.counters().sessions == 2 && a->portal.synchronized(); };
  for (int i = 0; i < 500 && !again(); ++i) {
    pass(Duration::ms(5));
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  await_synchronized();
  pass(Duration::ms(50));
  a->send(100);
  for (int i = 0; i < 100 && b->sink.packets.empty(); ++i) pass(Duration::ms(1));
  EXPECT_EQ(b->sink.packets.size(), 1u);
}

TEST_F(PeeringOptionsTest, sealed_datagrams_carry_all_in_batches_of_one_system_call) {
  start([](Config& config) { config.options.key = std::string(64, 'a'); });
  await_synchronized();
  expect_exact_release();
  const std::uint64_t before = a->portal.counters().syscalls;
  for (int i = 0; i < 50; ++i) a->send(1'000);
  a->portal.flush();
  EXPECT_EQ(a->portal.counters().syscalls - before, 1u);
}

TEST_F(PeeringOptionsTest, of_two_keys_neither_hears_the_other) {
  char digit = 'a';
  start([&digit](Config& config) { config.options.key = std::string(64, digit++); });
  pass(Duration::ms(200));
  EXPECT_FALSE(a->portal.synchronized() || b->portal.synchronized());
  EXPECT_TRUE(a->portal.counters().peer_silent);
  EXPECT_GE(a->portal.counters().dropped_datagrams.of(DropReason::forged), 10u);
}

TEST_F(PeeringOptionsTest, a_gathering_ends_with_the_time_or_with_the_size) {
  start([](Config& config) {
    config.options.receive_wait = Duration::ms(4);
    config.options.receive_size = ByteCount::bytes(20'000);
  });
  await_synchronized();
  while (testing::readable(b->portal.fd(), 0)) pass(Duration::ms(5));
  const std::uint64_t before = b->portal.counters().received_batches;
  a->send(100);
  a->portal.flush();
  b->turn();  // begins to gather
  clock = clock + Duration::ms(1);
  b->turn();
  EXPECT_EQ(b->portal.counters().received_batches, before);
  for (int i = 0; i < 50; ++i) a->send(1'000);
  a->portal.flush();
  b->turn();
  EXPECT_EQ(b->portal.counters().received_batches, before + 2);
}

TEST_F(PeeringOptionsTest, bulk_has_batches_of_its_own_and_both_are_released_exactly) {
  start([](Config& config) { config.options.bulk_filter = "less 500"; });
  await_synchronized();
  const SimTime due = a->simulation.now() + Duration::seconds(5) + Duration::ms(10);
  for (int i = 0; i < 20; ++i) a->send(i % 2 == 0 ? 100 : 1'000, i);
  a->portal.flush();
  pass(Duration::ms(20));
  EXPECT_EQ(a->portal.counters().bulk_sent_packets, 10u);
  EXPECT_EQ(a->portal.counters().sent.sent_batches, 2u);
  EXPECT_EQ(b->sink.instants, std::vector<SimTime>(20, due));
}

TEST_F(PeeringOptionsTest, a_size_that_the_way_carries_is_used_and_more_is_an_error) {
  Config config = testing::joined(a_address, b_address);
  PacketPool pool;
  Simulation simulation(1);
  const auto zero = [] { return SimTime::zero(); };
  config.options.datagram_size = 65'507;  // the MTU of loopback is 65,536
  EXPECT_NO_THROW(PeeringPortal(simulation, pool, zero, config));
  config.options.datagram_size = 70'000;
  EXPECT_THROW(PeeringPortal(simulation, pool, zero, config), ConfigError);
}

TEST(BulkTrafficTest, is_told_by_dscp_of_both_versions_of_ip_and_by_an_expression) {
  PacketPool pool;
  const testing::Ends ends;
  const auto frame = testing::tcp_frame(ends, testing::ipv4_fields(ends, ip_protocol::kTcp),
                                        {1, 5'001, 3, 4, tcp_flag::kAck, 5}, testing::pattern(10));
  const PacketPtr packet = pool.copy_of(frame);
  EXPECT_FALSE(peering::BulkTraffic({8}, "").has(*packet));
  EXPECT_TRUE(peering::BulkTraffic({}, "tcp port 5001").has(*packet));
  EXPECT_FALSE(peering::BulkTraffic({}, "udp").has(*packet));
  packet->bytes()[15] = 8 << 2 | 1;  // beside the bits of ECN
  EXPECT_TRUE(peering::BulkTraffic({8}, "").has(*packet));
  EXPECT_FALSE(peering::BulkTraffic({9}, "").has(*packet));
  packet->bytes()[12] = 0x86;
  packet->bytes()[13] = 0xdd;
  packet->bytes()[14] = 0x60 | 10 >> 2;
  packet->bytes()[15] = static_cast<std::uint8_t>((10 & 3) << 6);
  EXPECT_TRUE(peering::BulkTraffic({10}, "").has(*packet));
  EXPECT_THROW(peering::BulkTraffic({64}, ""), ConfigError);
  EXPECT_THROW(peering::BulkTraffic({}, "nonsense of"), ConfigError);
}

}  // namespace
}  // namespace simcore
