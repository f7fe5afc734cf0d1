// SPDX-License-Identifier: MIT
//
// Two instances joined through memory: as in peering_portal_test.cc, but for the transport.
#include "simcore/portal/shared_transport.h"

#include <filesystem>

#include "tests/simcore/portal/peering_pair.h"

namespace simcore {
namespace {

constexpr std::int64_t kZeroOfA = 1'000'000'000'000;
constexpr std::int64_t kAhead = 5'000'000'000;  // of b's simulated time

class SharedTransportTest : public testing::PeeringPortalTest {
 protected:
  void SetUp() override {
    directory = std::filesystem::temp_directory_path() / ("shared-" + std::to_string(::getpid()));
    std::filesystem::create_directory(directory);
  }
  void TearDown() override {
    a.reset();
    b.reset();
    std::filesystem::remove_all(directory);
  }

  PeeringPortal::Config shared(const std::string& here, const std::string& there,
                               std::int64_t zero_ns) const {
    PeeringPortal::Config config;
    config.name = there;
    config.local = directory / here;
    config.remote = directory / there;
    config.token = testing::kToken;
    config.options.transport = PeeringOptions::Transport::shm;
    config.options.buffer = ByteCount::bytes(1 << 20);
    config.clock_zero_ns = [zero_ns] { return zero_ns; };
    return config;
  }

  void start_a() { a.emplace(clock, Duration::zero(), shared("a", "b", kZeroOfA), Duration::us(20)); }
  void start_b() {
    b.emplace(clock, Duration::ns(kAhead), shared("b", "a", kZeroOfA - kAhead), Duration::us(20));
  }
  void start_shared() {
    start_a();
    start_b();
    synchronize();
  }

  std::filesystem::path directory;
};

TEST_F(SharedTransportTest, the_clocks_are_known_exactly_from_one_message_each_way) {
  start_a();
  start_b();
  pass(Duration::ms(11));
  EXPECT_TRUE(a->portal.synchronized() && b->portal.synchronized());
  EXPECT_EQ(a->portal.counters().clock_offset, Duration::ns(kAhead));
  EXPECT_EQ(b->portal.counters().clock_offset, Duration::ns(-kAhead));
  EXPECT_EQ(a->portal.counters().asymmetry_bound, Duration::zero());
}

TEST_F(SharedTransportTest, a_packet_is_released_at_departure_plus_delay) {
  start_shared();
  const SimTime departure = a->simulation.now();
  a->send(1'000, 7);
  a->portal.flush();
  EXPECT_TRUE(testing::readable(b->portal.fd(), 0));
  clock = clock + Duration::us(15);
  b->turn();
  pass(Duration::us(10), Duration::us(5));
  ASSERT_EQ(b->sink.instants.size(), 1u);
  EXPECT_EQ(b->sink.instants[0], departure + Duration::ns(kAhead) + Duration::us(20));
  EXPECT_EQ(b->sink.packets[0]->bytes()[999], 7);
  EXPECT_EQ(b->portal.counters().late_packets, 0u);
  EXPECT_FALSE(testing::readable(b->portal.fd(), 0));
}

TEST_F(SharedTransportTest, what_is_gathered_at_the_receiver_is_released_as_exactly) {
  for (auto* const each : {&a, &b}) {
    const bool is_a = each == &a;
    PeeringPortal::Config config = is_a ? shared("a", "b", kZeroOfA) : shared("b", "a", kZeroOfA - kAhead);
    config.options.receive_wait = Duration::ms(2);
    each->emplace(clock, is_a ? Duration::zero() : Duration::ns(kAhead), config, Duration::ms(5));
  }
  synchronize();
  std::vector<SimTime> due;
  for (int i = 0; i < 100; ++i) {
    due.push_back(a->simulation.now() + Duration::ns(kAhead) + Duration::ms(5));
    a->send(100);
    pass(Duration::us(100), Duration::us(100));
  }
  pass(Duration::ms(20));
  EXPECT_EQ(b->sink.instants, due);
  EXPECT_EQ(b->portal.counters().late_packets, 0u);
}

TEST_F(SharedTransportTest, a_reader_that_is_awake_costs_the_writer_no_system_call) {
  start_shared();
  a->send(100);
  a->portal.flush();  // wakes b
  const std::uint64_t before = a->portal.counters().syscalls;
  for (int i = 0; i < 10; ++i) {
    a->send(100);
    a->portal.flush();
  }
  EXPECT_EQ(a->portal.counters().syscalls, before);
}

TEST_F(SharedTransportTest, many_times_the_rings_size_passes_unchanged_and_in_order) {
  start_shared();
  for (int i = 0; i < 4'000; ++i) {
    a->send(1 + static_cast<std::size_t>(i * 37) % 1'514, i % 251);
    if (i % 50 == 0) pass(Duration::us(50), Duration::us(50));
  }
  pass(Duration::ms(1));
  ASSERT_EQ(b->sink.packets.size(), 4'000u);
  for (std::size_t i = 0; i < 4'000; ++i) {
    ASSERT_EQ(b->sink.packets[i]->size(), 1 + i * 37 % 1'514);
    ASSERT_EQ(b->sink.packets[i]->bytes().back(), i % 251);
  }
  EXPECT_EQ(b->portal.counters().lost_packets, 0u);
}

TEST_F(SharedTransportTest, a_peer_that_does_not_read_blocks_nothing_and_what_it_missed_is_counted) {
  start_shared();
  b.reset();
  for (int i = 0; i < 20'000; ++i) a->send(1'000);  // far more than the ring and the backlog hold
  pass(Duration::ms(1'200));
  EXPECT_FALSE(a->portal.flush().left);
  const PeeringPortal::Counters counters = a->portal.counters();
  EXPECT_TRUE(counters.peer_silent);
  EXPECT_EQ(counters.sent.accepted_packets,
            counters.sent.sent_packets + counters.sent.dropped.total() + counters.queued_packets);
  EXPECT_GT(counters.sent.dropped.of(DropReason::portal_backlog), 0u);

  start_b();  // it returns, and nothing of what waited for the other one comes
  for (int i = 0; i < 100 && a->portal.counters().sessions < 2; ++i) pass(Duration::ms(5));
  synchronize();
  pass(Duration::ms(5));
  a->send(500, 3);
  pass(Duration::ms(1));
  ASSERT_EQ(b->sink.packets.size(), 1u);
  EXPECT_EQ(b->sink.packets[0]->bytes()[0], 3);
}

TEST(SharedRingTest, the_size_of_a_ring_that_exists_holds) {
  const std::string path = std::filesystem::temp_directory_path() / ("ring-" + std::to_string(::getpid()));
  const SharedRing reader(path, ByteCount::bytes(1 << 19), SharedRing::End::reader);
  EXPECT_THROW(SharedRing(path, ByteCount::bytes(1 << 20), SharedRing::End::writer), EnvironmentError);
  EXPECT_THROW(SharedRing(path, ByteCount::bytes(1'000), SharedRing::End::writer), ConfigError);
  std::filesystem::remove(path);
  std::filesystem::remove(path + ".wake");
}

}  // namespace
}  // namespace simcore
