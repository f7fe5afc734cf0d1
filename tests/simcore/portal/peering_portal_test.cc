// SPDX-License-Identifier: MIT
#include "tests/simcore/packet/frames.h"
#include "tests/simcore/portal/peering_pair.h"

#include <algorithm>
#include <cstring>
#include <random>

namespace simcore {
namespace {

using peering::BatchPolicy;
using peering::Compression;
using testing::free_endpoint;
using testing::joined;
using testing::kBuffer;
using testing::kToken;
using testing::PeeringPortalTest;
using testing::readable;
using testing::Recorder;

// A TCP segment over IPv4 with 54 bytes of headers.
std::vector<std::uint8_t> frame_of_train(std::size_t payload) {
  const testing::Ends ends;
  return testing::tcp_frame(ends, testing::ipv4_fields(ends, ip_protocol::kTcp),
                            {1, 2, 3, 4, tcp_flag::kAck, 5}, testing::pattern(payload));
}

TEST_F(PeeringPortalTest, the_difference_of_the_clocks_is_found) {
  start();
  synchronize();
  EXPECT_EQ(a->portal.counters().clock_offset, Duration::seconds(5));
  EXPECT_EQ(b->portal.counters().clock_offset, Duration::seconds(-5));
  EXPECT_EQ(a->portal.counters().least_round_trip, Duration::zero());
}

TEST_F(PeeringPortalTest, a_packet_is_released_at_departure_plus_delay_whatever_the_transit_took) {
  start();
  synchronize();
  std::vector<SimTime> due;
  for (const Duration transit : {Duration::zero(), Duration::us(137), Duration::ms(3), Duration::us(9'999)}) {
    const SimTime departure = a->simulation.now();
    due.push_back(departure + Duration::seconds(5) + Duration::ms(10));
    a->send(1'000);
    hand_over();
    clock = clock + transit;  // it lies in b's socket meanwhile
    b->turn();
    pass(Duration::ms(11) - transit);
  }
  EXPECT_EQ(b->sink.instants, due);
  EXPECT_EQ(b->portal.counters().late_packets, 0u);
  EXPECT_EQ(b->portal.transit().count(), 4u);
  EXPECT_EQ(b->portal.transit().max(), Duration::us(9'999));
  for (std::size_t i = 0; i < due.size(); ++i) EXPECT_EQ(b->sink.packets[i]->first_arrival, due[i]);
}

TEST_F(PeeringPortalTest, a_packet_that_comes_after_its_release_is_released_at_once_and_counted) {
  start();
  synchronize();
  a->send(1'000);
  hand_over();
  clock = clock + Duration::ms(12);
  b->turn();
  ASSERT_EQ(b->sink.instants.size(), 1u);
  EXPECT_EQ(b->sink.instants[0], clock + Duration::seconds(5));
  EXPECT_EQ(b->channel.counters().late_packets, 1u);
  EXPECT_EQ(b->channel.lateness().max(), Duration::ms(2));
}

TEST_F(PeeringPortalTest, another_delay_holds_for_what_departs_from_then_on_and_nothing_overtakes) {
  start();
  synchronize();
  const SimTime first = a->simulation.now();
  a->send(1'000);
  hand_over();
  clock = clock + Duration::ms(1);  // it lies in b's socket meanwhile
  b->simulation.run_until(b->wall_now());
  b->channel.change_delay(Duration::ms(30));
  pass(Duration::ms(15));
  const SimTime second = a->simulation.now();
  a->send(1'000);
  pass(Duration::ms(5));
  b->channel.change_delay(Duration::ms(1));
  a->send(1'000);
  pass(Duration::ms(40));
  const Duration apart = Duration::seconds(5);
  EXPECT_EQ(b->sink.instants,
            (std::vector<SimTime>{first + apart + Duration::ms(10), second + apart + Duration::ms(30),
                                  second + apart + Duration::ms(30)}));
  EXPECT_EQ(b->channel.counters().late_packets, 0u);
}

TEST_F(PeeringPortalTest, packets_wait_until_both_clocks_are_known) {
  start();
  a->send(1'000);
  a->portal.flush();
  EXPECT_FALSE(a->portal.synchronized());
  EXPECT_EQ(a->portal.counters().queued_packets, 1u);
  EXPECT_EQ(a->portal.counters().sent.sent_batches, 0u);
  synchronize();
  pass(Duration::ms(20));
  EXPECT_EQ(b->sink.packets.size(), 1u);
  EXPECT_EQ(a->portal.counters().queued_packets, 0u);
}

TEST_F(PeeringPortalTest, what_waits_is_bounded) {
  start();
  constexpr std::uint64_t kOffered =
      10'000;  // of 1032 bytes a record, 60 in a batch of 61,952 bytes, 64 batches
  for (std::uint64_t i = 0; i < kOffered; ++i) a->send(1'000);
  const PeeringPortal::Counters counters = a->portal.counters();
  EXPECT_EQ(counters.queued_packets, 60u * 64u);
  EXPECT_EQ(counters.sent.dropped.of(DropReason::portal_backlog), kOffered - 60u * 64u);
  EXPECT_EQ(counters.sent.accepted_packets, kOffered);
}

TEST_F(PeeringPortalTest, a_batch_that_has_to_wait_is_filled_turn_after_turn) {
  start();
  for (int turn = 0; turn < 1'000; ++turn) {  // 132 bytes each: 3 batches, not 1000
    a->send(100);
    a->portal.flush();
  }
  EXPECT_EQ(a->portal.counters().queued_packets, 1'000u);
  synchronize();
  pass(Duration::ms(20));
  EXPECT_EQ(b->sink.packets.size(), 1'000u);
  EXPECT_EQ(a->portal.counters().sent.sent_batches, 3u);
}

TEST_F(PeeringPortalTest, departures_further_apart_than_32_bits_of_nanoseconds_are_kept) {
  a.emplace(clock, Duration::zero(), joined(a_address, b_address));
  a->send(100);
  pass(Duration::seconds(6), Duration::ms(10));
  a->send(100);
  b.emplace(clock, Duration::seconds(5), joined(b_address, a_address), Duration::ms(500));
  synchronize();
  pass(Duration::seconds(1), Duration::ms(10));
  ASSERT_EQ(b->sink.instants.size(), 2u);
  EXPECT_EQ(b->sink.instants[1],
            SimTime::at_ns(11'500'000'000));  // departed at 6 s here, 11 s there; 0.5 s on its way
  EXPECT_EQ(b->channel.counters().late_packets, 1u);
  EXPECT_GE(b->channel.lateness().max(), Duration::ms(5'500));  // departed at 0 s
}

TEST_F(PeeringPortalTest, a_train_of_64_kilobytes_crosses_with_all_that_it_is) {
  start();
  synchronize();
  PacketPtr train = a->pool.copy_of(frame_of_train(45 * 1'448));
  train->first_arrival = a->simulation.now();
  train->last_arrival = a->simulation.now() + Duration::us(50);
  train->segments = 45;
  train->segment_payload = 1'448;
  train->header_size = 54;
  train->train = TrainKind::tcp_ipv4;
  train->checksum_partial = true;
  train->checksum_start = 34;
  train->checksum_offset = 16;
  const std::vector<std::uint8_t> bytes(train->bytes().begin(), train->bytes().end());
  const SimTime release = train->first_arrival + Duration::seconds(5) + Duration::ms(10);
  a->channel.accept(std::move(train));
  pass(Duration::ms(20));
  ASSERT_EQ(b->sink.packets.size(), 1u);
  const Packet& got = *b->sink.packets[0];
  EXPECT_TRUE(std::equal(got.bytes().begin(), got.bytes().end(), bytes.begin(), bytes.end()));
  EXPECT_EQ(got.segments, 45);
  EXPECT_EQ(got.train, TrainKind::tcp_ipv4);
  EXPECT_TRUE(got.checksum_partial);
  EXPECT_EQ(got.first_arrival, release);
  EXPECT_EQ(got.last_arrival, release + Duration::us(50));
  EXPECT_EQ(a->portal.counters().sent.sent_datagrams, 47u);  // (32 + 65,214) bytes in pieces of 1472 - 64
}

// Nothing on the way breaks such a train here: it stands for one that was damaged there.
TEST_F(PeeringPortalTest, a_train_that_its_frame_contradicts_is_dropped_whole_and_the_rest_delivered) {
  start();
  synchronize();
  a->send(1'000, 1);
  PacketPtr train = a->pool.copy_of(frame_of_train(3 * 1'000));
  train->bytes()[23] = 99;  // the protocol that IPv4 says it carries
  train->first_arrival = train->last_arrival = a->simulation.now();
  train->segments = 3;
  train->segment_payload = 1'000;
  train->header_size = 54;
  train->train = TrainKind::tcp_ipv4;
  train->checksum_partial = true;
  train->checksum_start = 34;
  train->checksum_offset = 16;
  a->channel.accept(std::move(train));
  a->send(1'000, 2);
  pass(Duration::ms(20));
  ASSERT_EQ(b->sink.packets.size(), 2u);
  EXPECT_EQ(b->sink.packets[1]->bytes()[0], 2);
  const PeeringPortal::Counters counters = b->portal.counters();
  EXPECT_EQ(counters.dropped_received.of(DropReason::malformed), 3u);
  EXPECT_EQ(counters.received_packets, 5u);
  EXPECT_EQ(counters.received_frames, 2u);
  EXPECT_EQ(b->pool.in_use(), 2u);
}

TEST_F(PeeringPortalTest, packets_of_all_sizes_keep_their_order_and_content) {
  start();
  synchronize();
  std::mt19937 random(5);
  std::vector<std::size_t> sizes;
  for (int i = 0; i < 2'000; ++i) {
    sizes.push_back(random() % 10 == 0 ? 1 + random() % 60'000 : 1 + random() % 1'500);
    a->send(sizes.back(), i % 256);
    if (random() % 20 == 0) pass(Duration::us(100), Duration::us(100));
  }
  pass(Duration::ms(20));
  ASSERT_EQ(b->sink.packets.size(), sizes.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    ASSERT_EQ(b->sink.packets[i]->size(), sizes[i]) << i;
    EXPECT_EQ(b->sink.packets[i]->bytes().front(), i % 256);
    EXPECT_EQ(b->sink.packets[i]->bytes().back(), i % 256);
  }
}

TEST_F(PeeringPortalTest, counters_balance) {
  start();
  synchronize();
  for (int i = 0; i < 1'000; ++i) a->send(500);
  pass(Duration::ms(5));
  const PeeringPortal::Counters sent = a->portal.counters();
  const PeeringPortal::Counters received = b->portal.counters();
  EXPECT_EQ(sent.sent.accepted_packets, 1'000u);
  EXPECT_EQ(sent.sent.sent_packets, 1'000u);
  EXPECT_EQ(sent.sent.sent_bytes, 500'000u);
  EXPECT_EQ(received.received_packets, 1'000u);
  EXPECT_EQ(received.received_bytes, 500'000u);
  EXPECT_EQ(received.in_flight, 1'000u);
  EXPECT_EQ(received.lost_packets, 0u);
  EXPECT_EQ(received.received_batches, sent.sent.sent_batches);
  pass(Duration::ms(10));
  EXPECT_EQ(b->channel.counters().delivered_packets, 1'000u);
  EXPECT_EQ(b->portal.counters().in_flight, 0u);
  EXPECT_EQ(b->portal.counters().kernel_drops, 0u);
}

TEST_F(PeeringPortalTest, a_full_batch_takes_one_system_call) {
  start();
  synchronize();
  const std::uint64_t before = a->portal.counters().syscalls;
  for (int i = 0; i < 60; ++i) a->send(1'000);
  hand_over();
  EXPECT_EQ(a->portal.counters().sent.sent_datagrams, 44u);  // 61,920 bytes in pieces of 1408
  EXPECT_EQ(a->portal.counters().syscalls - before, 1u);
}

TEST_F(PeeringPortalTest, a_kernel_that_does_not_cut_messages_gets_datagrams) {
  start([](PeeringPortal::Config& config) { config.kernel_cuts = false; });
  synchronize();
  const std::uint64_t before = a->portal.counters().syscalls;
  for (int i = 0; i < 60; ++i) a->send(1'000, i);
  hand_over();
  EXPECT_EQ(a->portal.counters().sent.sent_datagrams, 44u);
  EXPECT_EQ(a->portal.counters().syscalls - before, 2u);  // 32 datagrams and 12
  pass(Duration::ms(20));
  ASSERT_EQ(b->sink.packets.size(), 60u);
  for (std::size_t i = 0; i < 60; ++i) EXPECT_EQ(b->sink.packets[i]->bytes().back(), i);
}

TEST_F(PeeringPortalTest, time_policy_sends_when_the_wait_is_over) {
  start([](PeeringPortal::Config& config) {
    config.options.batch.flush = BatchPolicy::Flush::time;
    config.options.batch.longest_wait = Duration::ms(2);
  });
  synchronize();
  a->send(100);
  pass(Duration::us(1'900), Duration::us(100));
  EXPECT_EQ(a->portal.counters().sent.sent_batches, 0u);
  pass(Duration::us(100), Duration::us(100));
  EXPECT_EQ(a->portal.counters().sent.sent_batches, 1u);
  EXPECT_EQ(b->portal.transit().max(), Duration::ms(2));
}

TEST_F(PeeringPortalTest, size_policy_sends_when_the_size_is_reached_or_the_wait_is_over) {
  start([](PeeringPortal::Config& config) {
    config.options.batch.flush = BatchPolicy::Flush::size;
    config.options.batch.size = ByteCount::bytes(1'000);
    config.options.batch.longest_wait = Duration::ms(4);
  });
  synchronize();
  for (int i = 0; i < 7; ++i) a->send(100);  // 924 bytes
  pass(Duration::ms(1));
  EXPECT_EQ(a->portal.counters().sent.sent_batches, 0u);
  a->send(100);
  EXPECT_EQ(a->portal.counters().sent.sent_batches, 1u);
  a->send(100);
  pass(Duration::ms(4));
  EXPECT_EQ(a->portal.counters().sent.sent_batches, 2u);
}

TEST_F(PeeringPortalTest, a_wait_that_ended_before_the_peer_came_is_made_up_for) {
  start([](PeeringPortal::Config& config) { config.options.batch.flush = BatchPolicy::Flush::time; });
  a->send(100);
  synchronize();
  pass(Duration::ms(20));
  EXPECT_EQ(b->sink.packets.size(), 1u);
}

TEST_F(PeeringPortalTest, compressed_batches_arrive_unchanged) {
  start([](PeeringPortal::Config& config) { config.options.compression = Compression::on; });
  synchronize();
  for (int i = 0; i < 300; ++i) a->send(1'000, i % 256);
  pass(Duration::ms(20));
  ASSERT_EQ(b->sink.packets.size(), 300u);
  for (std::size_t i = 0; i < 300; ++i) EXPECT_EQ(b->sink.packets[i]->bytes()[999], i % 256);
  const PeeringPortal::Counters counters = a->portal.counters();
  EXPECT_EQ(counters.compressed_raw_bytes, 300u * 1'032u);
  EXPECT_LT(counters.compressed_carried_bytes, counters.compressed_raw_bytes / 10);
}

TEST_F(PeeringPortalTest, datagrams_of_another_run_are_foreign) {
  std::uint64_t token = kToken;
  start([&token](PeeringPortal::Config& config) { config.token = token++; });
  pass(Duration::ms(100));
  EXPECT_FALSE(a->portal.synchronized());
  EXPECT_GE(a->portal.counters().dropped_datagrams.of(DropReason::foreign), 10u);
  EXPECT_TRUE(a->portal.counters().peer_silent);
}

TEST_F(PeeringPortalTest, a_packet_for_a_channel_that_is_not_there_is_counted) {
  start();
  Recorder sink(a->simulation);
  PeeringChannel& only_here = a->portal.channel(7, Duration::zero());
  only_here.attach(sink);
  synchronize();
  PacketPtr packet = a->pool.make(100);
  std::memset(packet->bytes().data(), 0, 100);
  packet->first_arrival = packet->last_arrival = a->simulation.now();
  only_here.accept(std::move(packet));
  pass(Duration::ms(1));
  EXPECT_EQ(b->portal.counters().dropped_received.of(DropReason::no_listener), 1u);
}

TEST_F(PeeringPortalTest, a_peer_that_has_not_started_does_no_harm) {
  a.emplace(clock, Duration::zero(), joined(a_address, b_address));
  pass(Duration::ms(100));
  EXPECT_GE(a->portal.counters().unreachable, 1u);
  EXPECT_TRUE(a->portal.counters().peer_silent);
  EXPECT_FALSE(a->portal.counters().last_heard);
  b.emplace(clock, Duration::seconds(5), joined(b_address, a_address));
  synchronize();
  a->send(100);
  pass(Duration::ms(20));
  EXPECT_EQ(b->sink.packets.size(), 1u);
}

TEST_F(PeeringPortalTest, a_peer_that_falls_silent_is_reported_and_blocks_nothing) {
  start();
  synchronize();
  EXPECT_FALSE(a->portal.counters().peer_silent);
  b.reset();
  const SimTime gone = clock;
  pass(Duration::ms(1'500));
  for (int i = 0; i < 1'000; ++i) a->send(1'000);
  EXPECT_FALSE(a->portal.flush().left);
  const PeeringPortal::Counters counters = a->portal.counters();
  EXPECT_TRUE(counters.peer_silent);
  EXPECT_LE(*counters.last_heard, gone);
  EXPECT_EQ(counters.queued_packets, 0u);
  EXPECT_EQ(counters.sent.accepted_packets, counters.sent.sent_packets + counters.sent.dropped.total());
}

TEST_F(PeeringPortalTest, a_second_channel_of_the_same_number_is_refused) {
  start();
  EXPECT_THROW(a->portal.channel(0, Duration::zero()), ConfigError);
  EXPECT_THROW(a->portal.channel(1, Duration::ns(-1)), ConfigError);
}

TEST_F(PeeringPortalTest, a_port_that_is_taken_is_named) {
  start();
  try {
    PeeringPortal second(a->simulation, a->pool, a->wall_now, joined(a_address, b_address));
    FAIL();
  } catch (const EnvironmentError& error) {
    EXPECT_NE(std::string(error.what()).find(a_address.text()), std::string::npos);
  }
}

TEST_F(PeeringPortalTest, a_datagram_size_that_cannot_be_is_refused) {
  PeeringPortal::Config config = joined(a_address, b_address);
  config.options.datagram_size = 100;
  PacketPool pool;
  Simulation simulation(1);
  EXPECT_THROW(PeeringPortal(
                   simulation, pool, [] { return SimTime::zero(); }, config),
               ConfigError);
}

}  // namespace
}  // namespace simcore
