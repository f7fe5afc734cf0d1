// SPDX-License-Identifier: MIT
//
// What the path between two instances may do to datagrams: lose, repeat, delay and reorder them, be away, and carry others'.
#include <algorithm>
#include <cstring>
#include <deque>
#include <random>

#include "tests/simcore/portal/peering_relay.h"

namespace simcore {
namespace {

using testing::Instance;
using testing::PeeringThroughRelayTest;

TEST_F(PeeringThroughRelayTest, one_lost_piece_loses_its_batch_and_is_counted_exactly) {
  start_relayed();
  for (int i = 0; i < 30; ++i) a->send(1'000, 1);
  std::vector<Datagram> first = flushed();
  for (int i = 0; i < 20; ++i) a->send(1'000, 2);
  std::vector<Datagram> second = flushed();
  ASSERT_EQ(first.size(), 22u);  // 30,960 bytes in pieces of 1408
  first.erase(first.begin() + 5);
  for (auto* batch : {&first, &second}) {
    for (Datagram& d : *batch) give(*to_b, std::move(d));
  }
  for (int i = 0; i < 20; ++i) relayed_ms();
  EXPECT_EQ(b->sink.packets.size(), 20u);
  EXPECT_EQ(b->portal.counters().lost_packets, 30u);
  EXPECT_EQ(b->portal.counters().received_packets, 20u);
  EXPECT_EQ(b->portal.counters().late_packets, 0u);  // the wait for the lost one ended in time
}

TEST_F(PeeringThroughRelayTest, a_batch_lost_at_the_end_is_known_from_the_next_synchronization) {
  start_relayed();
  for (int i = 0; i < 30; ++i) a->send(1'000);
  flushed();  // and nothing handed on
  for (int i = 0; i < 150; ++i) relayed_ms();
  EXPECT_EQ(b->portal.counters().lost_packets, 30u);
}

TEST_F(PeeringThroughRelayTest, the_first_packet_after_an_outage_is_on_time) {
  start_relayed();
  for (std::size_t batch = 0; batch < 10 * peering::Reassembly::kWindow; ++batch) {
    a->send(100);
    flushed();  // and nothing handed on
  }
  for (int i = 0; i < 250; ++i) relayed_ms();  // each end tells ten times a second what it has sent
  a->send(100, 7);
  const SimTime release = a->simulation.now() + Duration::seconds(5) + Duration::ms(10);
  for (int i = 0; i < 20; ++i) relayed_ms();
  ASSERT_EQ(b->sink.packets.size(), 1u);
  EXPECT_EQ(b->sink.instants[0], release);
  EXPECT_EQ(b->portal.counters().lost_packets, 10 * peering::Reassembly::kWindow);
}

TEST_F(PeeringThroughRelayTest, reordered_and_duplicated_datagrams_change_nothing_but_counters) {
  start_relayed();
  std::vector<Datagram> all;
  for (int batch = 0; batch < 5; ++batch) {
    for (int i = 0; i < 10; ++i) a->send(1'000, batch * 10 + i);
    for (Datagram& d : flushed()) all.push_back(std::move(d));
  }
  const SimTime release = a->simulation.now() + Duration::seconds(5) + Duration::ms(10);
  std::mt19937 random(2);
  all.push_back(all[3]);
  all.push_back(all[17]);
  std::shuffle(all.begin(), all.end(), random);
  for (Datagram& d : all) give(*to_b, std::move(d));
  for (int i = 0; i < 20; ++i) relayed_ms();
  ASSERT_EQ(b->sink.packets.size(), 50u);
  for (std::size_t i = 0; i < 50; ++i) {
    EXPECT_EQ(b->sink.packets[i]->bytes().front(), i);
    EXPECT_EQ(b->sink.instants[i], release);
  }
  EXPECT_EQ(b->portal.counters().dropped_datagrams.of(DropReason::duplicate), 2u);
  EXPECT_EQ(b->portal.counters().lost_packets, 0u);
}

TEST_F(PeeringThroughRelayTest, a_batch_that_comes_after_its_successors_were_due_is_dropped_not_reordered) {
  start_relayed();
  a->send(100, 1);
  std::vector<Datagram> first = flushed();
  a->send(100, 2);
  for (Datagram& d : flushed()) give(*to_b, std::move(d));
  for (int i = 0; i < 15; ++i) relayed_ms();
  ASSERT_EQ(b->sink.packets.size(), 1u);
  give(*to_b, first[0]);
  relayed_ms();
  EXPECT_EQ(b->sink.packets.size(), 1u);
  EXPECT_EQ(b->portal.counters().dropped_datagrams.of(DropReason::late_datagram), 1u);
  EXPECT_EQ(b->portal.counters().lost_packets, 1u);
}

TEST_F(PeeringThroughRelayTest, a_header_that_announces_too_much_does_no_lasting_harm) {
  start_relayed();
  a->send(1'000);
  Datagram datagram = flushed().at(0);
  peering::PieceHeader header;
  std::memcpy(&header, datagram.data(), sizeof header);
  header.segments = 3'000'000'000;
  std::memcpy(datagram.data(), &header, sizeof header);
  give(*to_b, std::move(datagram));
  for (int i = 0; i < 150; ++i) relayed_ms();  // a tells what it has sent every 100 ms
  EXPECT_EQ(b->sink.packets.size(), 1u);
  const PeeringPortal::Counters counters = b->portal.counters();
  EXPECT_EQ(counters.received_packets, 1u);
  EXPECT_EQ(counters.lost_packets, 0u);
  EXPECT_EQ(counters.dropped_datagrams.of(DropReason::malformed), 1u);
  EXPECT_EQ(counters.dropped_received.of(DropReason::malformed), 0u);
}

TEST_F(PeeringThroughRelayTest, random_datagrams_from_the_peers_address_do_no_harm) {
  start_relayed();
  a->send(1'000, 9);
  const Datagram good = flushed().at(0);
  // Others with --gtest_shuffle, and again with each --gtest_repeat.
  std::mt19937 random(4 + static_cast<std::uint32_t>(::testing::UnitTest::GetInstance()->random_seed()));
  std::uint64_t given = 0;
  for (int round = 0; round < 3'000; ++round) {
    Datagram bytes = good;
    if (round % 2 == 0) {
      bytes.assign(1 + random() % 1'400, 0);
      for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
    } else {
      // The header, a record's fields, but not the magic, the token and the session: those would only make it foreign.
      std::size_t at = 4 + random() % 92;
      if (at >= 8 && at < 24) at += 16;
      bytes[at] = static_cast<std::uint8_t>(random());
    }
    give(*to_b, bytes);
    ++given;
    if (round % 50 == 0) b->turn();
  }
  // What a tells of itself puts the window back; what was forged may have to leave before.
  const auto came = [&] { return !b->sink.packets.empty() && b->sink.packets.back()->bytes().front() == 10; };
  for (int i = 0; i < 1'000 && !came(); ++i) {
    a->send(1'000, 10);
    relayed_ms();
  }
  EXPECT_TRUE(came());
  for (int i = 0; i < 150; ++i) relayed_ms();  // until a has told what it has sent
  const PeeringPortal::Counters counters = b->portal.counters();
  EXPECT_GE(counters.dropped_datagrams.of(DropReason::malformed), given / 2);
  const std::uint64_t sent = a->portal.counters().sent.sent_packets;
  EXPECT_LE(counters.received_packets, sent + given);  // one frame in each that was made of a good one
  EXPECT_LE(counters.lost_packets, sent);
}

// Loses, repeats and holds back a twentieth each of what passes; holds back for 1 to 5 ms.
class BadPath {
 public:
  using Datagram = std::vector<std::uint8_t>;

  explicit BadPath(std::uint32_t seed) : random_(seed) {}

  void put(Datagram datagram, SimTime now) {
    if (away || (!good && one_in_20())) return;
    const SimTime due =
        now + (!good && one_in_20() ? Duration::ms(1 + static_cast<int>(random_() % 5)) : Duration::zero());
    if (!good && one_in_20()) held_.push_back({due, datagram});
    held_.push_back({due, std::move(datagram)});
  }

  std::vector<Datagram> take(SimTime now) {
    std::vector<Datagram> due;
    std::erase_if(held_, [&](auto& held) {
      if (held.first > now) return false;
      due.push_back(std::move(held.second));
      return true;
    });
    return due;
  }

  bool away = false;
  bool good = false;

 private:
  bool one_in_20() { return random_() % 20 == 0; }

  std::mt19937 random_;
  std::vector<std::pair<SimTime, Datagram>> held_;
};

class PeeringOverBadPathTest : public PeeringThroughRelayTest,
                               public ::testing::WithParamInterface<std::uint32_t> {
 protected:
  // So many milliseconds, in each of which either end sends a packet with the next number.
  void exchange(int milliseconds, bool sending = true) {
    for (int i = 0; i < milliseconds; ++i) {
      clock = clock + Duration::ms(1);
      a->turn();
      b->turn();
      if (sending) {
        ++sent;
        send_number(*a);
        send_number(*b);
      }
      for (int round = 0; round < 2; ++round) {
        a->turn();
        for (Datagram& datagram : take(*to_a)) there.put(std::move(datagram), clock);
        for (Datagram& datagram : there.take(clock)) give(*to_b, std::move(datagram));
        b->turn();
        for (Datagram& datagram : take(*to_b)) back.put(std::move(datagram), clock);
        for (Datagram& datagram : back.take(clock)) give(*to_a, std::move(datagram));
      }
      a->turn();
    }
  }

  void send_number(Instance& from) {
    PacketPtr packet = from.pool.make(200);
    ASSERT_TRUE(packet);
    std::memcpy(packet->bytes().data(), &sent, sizeof sent);
    packet->first_arrival = packet->last_arrival = from.simulation.now();
    from.channel.accept(std::move(packet));
  }

  static std::vector<std::uint32_t> numbers(const Instance& at) {
    std::vector<std::uint32_t> found;
    for (const PacketPtr& packet : at.sink.packets) {
      std::memcpy(&found.emplace_back(), packet->bytes().data(), sizeof(std::uint32_t));
    }
    return found;
  }

  BadPath there{2 * GetParam()};
  BadPath back{2 * GetParam() + 1};
  std::uint32_t sent = 0;
};

TEST_P(PeeringOverBadPathTest,
       what_comes_is_in_order_what_does_not_is_counted_and_after_two_seconds_away_it_is_soon_back) {
  start_relayed();
  exchange(1'000);
  there.away = back.away = true;
  exchange(2'000);
  there.away = back.away = false;
  const std::uint32_t returned = sent;
  exchange(2'000);
  there.good = back.good = true;
  exchange(500, false);  // until each knows what the other has sent

  for (const auto& [from, to] : {std::pair{&*a, &*b}, std::pair{&*b, &*a}}) {
    const std::vector<std::uint32_t> came = numbers(*to);
    EXPECT_TRUE(std::is_sorted(came.begin(), came.end(), std::less_equal{}));  // each once
    const PeeringPortal::Counters counted = to->portal.counters();
    EXPECT_EQ(from->portal.counters().sent.accepted_packets, sent);
    EXPECT_EQ(counted.received_packets, came.size());
    EXPECT_EQ(counted.received_packets + counted.lost_packets, sent);
    EXPECT_EQ(counted.pending_packets + counted.in_flight, 0u);
    const auto first_back = std::upper_bound(came.begin(), came.end(), returned);
    ASSERT_NE(first_back, came.end());
    EXPECT_LE(*first_back - returned, 1'000u);  // a number a millisecond
    // Of the rest a datagram in twenty is lost, and each has a batch of its own.
    EXPECT_GT(came.end() - first_back, 2'000 * 85 / 100 - (*first_back - returned));
  }
}

INSTANTIATE_TEST_SUITE_P(twenty_times, PeeringOverBadPathTest, ::testing::Range(1u, 21u));

}  // namespace
}  // namespace simcore
