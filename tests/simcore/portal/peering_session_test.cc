// SPDX-License-Identifier: MIT
//
// Instances that return, and numbers that nobody sent.
#include <cstring>

#include "simcore/portal/peering_wire.h"
#include "tests/simcore/portal/peering_pair.h"

namespace simcore {
namespace {

using peering::DatagramKind;
using peering::PieceHeader;
using peering::SyncMessage;
using testing::joined;
using testing::kBuffer;
using testing::kToken;

constexpr std::uint64_t kSessionOfA = 11;

class PeeringSessionTest : public testing::PeeringPortalTest {
 protected:
  void start_with_session(std::uint64_t session) {
    PeeringPortal::Config config = joined(a_address, b_address);
    config.session = session;
    a.emplace(clock, Duration::zero(), config);
  }

  void send_batches(int count) {
    for (int i = 0; i < count; ++i) {
      a->send(100, i % 256);
      pass(Duration::us(100), Duration::us(100));
    }
  }

  // To b, from a's address, while a does not run.
  template <class Header>
  void forge(const Header& header, std::size_t payload = 0) {
    UdpSocket socket(a_address, b_address, kBuffer);
    std::vector<std::uint8_t> bytes(sizeof header + payload, 0);
    std::memcpy(bytes.data(), &header, sizeof header);
    const iovec part = {bytes.data(), bytes.size()};
    const UdpSocket::Message message = {std::span<const iovec>(&part, 1), 0};
    ASSERT_EQ(socket.send(std::span<const UdpSocket::Message>(&message, 1)), 1);
    b->turn();
  }
};

TEST_F(PeeringSessionTest, an_instance_that_returns_numbers_anew_and_is_not_taken_for_late) {
  start();
  synchronize();
  send_batches(500);
  pass(Duration::ms(20));
  ASSERT_EQ(b->sink.packets.size(), 500u);
  a.reset();
  pass(Duration::ms(300));
  a.emplace(clock, Duration::zero(), joined(a_address, b_address));
  const SimTime returned = clock;
  while (!a->portal.synchronized() || !b->portal.synchronized() || b->portal.counters().sessions < 2)
    pass(Duration::ms(1));
  EXPECT_LT(clock - returned, Duration::ms(200));
  send_batches(500);
  b->send(100);
  pass(Duration::ms(20));
  EXPECT_EQ(b->sink.packets.size(), 1'000u);
  EXPECT_EQ(a->sink.packets.size(), 1u);
  EXPECT_EQ(b->portal.counters().sessions, 2u);
  EXPECT_EQ(b->portal.counters().lost_packets, 0u);
  EXPECT_EQ(b->portal.counters().received_packets, 1'000u);
  EXPECT_EQ(b->portal.counters().dropped_datagrams.of(DropReason::late_datagram), 0u);
}

TEST_F(PeeringSessionTest,
       what_a_returned_instance_sends_first_arrives_in_every_phase_of_its_peers_requests) {
  start();
  synchronize();
  pass(Duration::seconds(1));  // until the requests come at their steady pace
  for (int phase_ms = 0; phase_ms < 100; phase_ms += 4) {
    a.reset();
    pass(Duration::ms(200 + phase_ms));
    a.emplace(clock, Duration::zero(), joined(a_address, b_address));
    const std::size_t before = b->sink.packets.size();
    a->send(100);
    pass(Duration::ms(200));
    EXPECT_EQ(b->sink.packets.size(), before + 1) << phase_ms;
  }
}

TEST_F(PeeringSessionTest,
       what_was_sent_to_an_instance_while_it_was_away_is_not_lost_by_the_one_that_returns) {
  start();
  synchronize();
  b.reset();
  send_batches(100);
  b.emplace(clock, Duration::seconds(7), joined(b_address, a_address));  // another clock, too
  synchronize();
  pass(Duration::ms(300));
  send_batches(50);
  pass(Duration::ms(20));
  EXPECT_EQ(b->sink.packets.size(), 50u);
  EXPECT_EQ(b->portal.counters().lost_packets, 0u);
  EXPECT_EQ(b->portal.counters().clock_offset, Duration::seconds(-7));
}

TEST_F(PeeringSessionTest, a_session_that_nobody_has_does_not_replace_the_one_that_talks) {
  start_with_session(kSessionOfA);
  b.emplace(clock, Duration::seconds(5), joined(b_address, a_address));
  synchronize();
  SyncMessage forged;
  forged.datagram = {peering::kMagic, DatagramKind::sync_request, 0, 0, kToken, 0xffff'ffff'ffff};
  for (int i = 0; i < 20; ++i) {
    a.reset();  // it has the port
    forge(forged);
    forge(forged);
    start_with_session(kSessionOfA);
    pass(Duration::ms(10));
  }
  EXPECT_EQ(b->portal.counters().sessions, 1u);
  EXPECT_GE(b->portal.counters().dropped_datagrams.of(DropReason::stale_session), 40u);
}

TEST_F(PeeringSessionTest, a_window_that_forged_numbers_moved_comes_back_within_a_second) {
  start_with_session(kSessionOfA);
  b.emplace(clock, Duration::seconds(5), joined(b_address, a_address));
  synchronize();
  a.reset();
  for (const std::uint64_t beyond : {std::uint64_t{1} << 20, std::uint64_t{1} << 60}) {
    for (std::uint64_t i = 0; i < 4; ++i) {
      PieceHeader forged;
      forged.datagram = {peering::kMagic, DatagramKind::piece, 0, 100, kToken, kSessionOfA};
      forged.batch = beyond + i;
      forged.first_segment = beyond;
      forged.segments = 1;
      forged.body_size = forged.raw_size = 100;
      forge(forged, 100);
    }
  }
  start_with_session(kSessionOfA);
  for (int i = 0; i < 10 && b->sink.packets.empty(); ++i) {
    a->send(100);
    pass(Duration::ms(100));
  }
  EXPECT_FALSE(b->sink.packets.empty());
  EXPECT_LE(b->portal.counters().lost_packets, 10u);
}

}  // namespace
}  // namespace simcore
