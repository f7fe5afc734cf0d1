// SPDX-License-Identifier: MIT
//
// Segments of any content never crash the state machine, never make it spin and never break its bounds.
#include <gtest/gtest.h>

#include <array>
#include <random>

#include "simcore/tcp/connection.h"

namespace simcore {
namespace {

class Fuzz {
 public:
  Fuzz(const TcpOptions& options, std::uint64_t seed)
      : random_(seed), options_(options), connection_(options, SeqNum(4'294'967'290u)) {}

  // Does `steps` random things to a connection, most of them near to what a real peer would do.
  void run(int steps) {
    if (chance(2)) {
      connection_.listen();
    } else {
      connection_.connect(now_);
    }
    drain();
    for (int i = 0; i < steps; ++i) {
      act();
      drain();
      check();
      if (connection_.state() == TcpState::closed) break;
    }
  }

  bool was_established() const { return connection_.sender().snd_nxt() > 1; }

 private:
  bool chance(unsigned in) { return random_() % in == 0; }

  void act() {
    switch (random_() % 8) {
      case 0:
        connection_.write_virtual(static_cast<std::int64_t>(random_() % 20'000));
        break;
      case 1:
        connection_.discard(static_cast<std::int64_t>(random_() % 20'000));
        break;
      case 2: {
        const SimTime due = connection_.deadline();
        if (due != SimTime::never()) {
          now_ = std::max(now_, due);
          connection_.expire(now_);
        }
        break;
      }
      case 3:
        now_ = now_ + Duration::us(static_cast<std::int64_t>(random_() % 200'000));
        connection_.expire(now_);
        break;
      default:
        connection_.on_segment(now_, segment());
    }
    if (chance(400)) connection_.close(now_);
    if (chance(3000)) connection_.abort();
    if (chance(1000)) connection_.reduce_mss(100 + static_cast<std::int64_t>(random_() % 1400));
  }

  // A number near `around`, most of the time, so that the checks let it through.
  SeqNum near(SeqNum around, unsigned spread) {
    if (chance(16)) return SeqNum(static_cast<std::uint32_t>(random_()));
    return around + (static_cast<std::uint32_t>(random_() % spread) - (chance(4) ? spread : 0));
  }

  TcpSegment segment() {
    TcpSegment made;
    const bool fresh = connection_.state() <= TcpState::syn_received;
    const std::array<std::uint8_t, 6> usual = {0x10, 0x18, 0x11, 0x10, 0x10, 0x50};
    made.flags =
        TcpFlags::from_header(chance(12) ? static_cast<std::uint8_t>(random_()) : usual[random_() % 6]);
    if (fresh && chance(2))
      made.flags = connection_.state() == TcpState::listen ? TcpFlag::syn : TcpFlag::syn | TcpFlag::ack;
    if (made.has(TcpFlag::rst) && !chance(20)) made.flags = made.flags.without(TcpFlag::rst);
    made.seq = near(last_ack_, chance(2) ? 1 : 30'000);
    made.ack = near(SeqNum(last_seq_), chance(2) ? 1 : 3'000);
    made.window = static_cast<std::uint16_t>(chance(8) ? 0 : random_());
    made.length = chance(3) ? 0 : static_cast<std::uint32_t>(random_() % 4'000);
    made.segment_payload = static_cast<std::uint16_t>(made.length);
    if (made.length > 100 && chance(4)) {
      made.segment_payload = static_cast<std::uint16_t>(1 + random_() % made.length);
      made.segments =
          static_cast<std::uint16_t>((made.length + made.segment_payload - 1) / made.segment_payload);
    }
    if (chance(2))
      made.options.timestamps =
          TcpTimestamps{timestamp_ + static_cast<std::uint32_t>(random_() % 8), last_echo_};
    if (chance(3)) timestamp_ += 3;
    if (chance(20)) made.options.timestamps.reset();
    if (chance(2)) made.options.mss = static_cast<std::uint16_t>(random_());
    if (chance(2)) made.options.window_scale = static_cast<std::uint8_t>(random_() % 20);
    made.options.sack_permitted = !chance(4);
    if (chance(2)) {
      for (unsigned i = 0; i < 1 + random_() % 4; ++i) {
        const SeqNum left = near(SeqNum(last_seq_), 12'000);
        made.options.sack.add({left, left + static_cast<std::uint32_t>(random_() % 8'000)});
      }
    }
    made.ecn = static_cast<EcnCodepoint>(random_() % 4);
    return made;
  }

  void drain() {
    TcpSegment out;
    int given = 0;
    while (connection_.next_segment(now_, out)) {
      ASSERT_LT(++given, 20'000) << "segments without end";
      ASSERT_GE(out.segments, 1);
      if (out.segments > 1) {
        ASSERT_GT(out.length, (out.segments - 1u) * out.segment_payload);
      }
      std::array<std::uint8_t, 40> area{};
      ASSERT_LE(out.options.size(), area.size());
      ASSERT_EQ(out.options.write(area), out.options.size());
      last_seq_ = (out.seq + out.sequence_length()).value();
      if (out.has(TcpFlag::ack)) last_ack_ = out.ack;
      if (out.options.timestamps) last_echo_ = out.options.timestamps->value;
    }
  }

  void check() {
    const TcpSender& sender = connection_.sender();
    ASSERT_GE(sender.in_flight(), 0);
    ASSERT_LE(sender.snd_una(), sender.snd_nxt());
    ASSERT_GT(sender.congestion_window().cwnd, 0);
    ASSERT_LE(connection_.readable(), options_.receive_buffer + (1 << 14));
    ASSERT_LE(connection_.receiver().stream().ranges().size(), options_.out_of_order_ranges);
    const SimTime due = connection_.deadline();
    if (due <= now_) {
      ++overdue_;
      connection_.expire(now_);
      drain();
      ASSERT_LT(overdue_, 50) << "the deadline does not move: the state machine spins";
    } else {
      overdue_ = 0;
    }
  }

  std::mt19937_64 random_;
  TcpOptions options_;
  TcpConnection connection_;
  SimTime now_ = SimTime::zero();
  std::uint32_t last_seq_ = 4'294'967'290u;
  SeqNum last_ack_{0};
  std::uint32_t timestamp_ = 100;
  std::uint32_t last_echo_ = 0;
  int overdue_ = 0;
};

void fuzz_all(const TcpOptions& options) {
  int established = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Fuzz fuzz(options, seed);
    fuzz.run(1500);
    if (::testing::Test::HasFatalFailure()) return;
    if (fuzz.was_established()) ++established;
  }
  EXPECT_GE(established, 40) << "the segments are too wild to get past the handshake";
}

TEST(TcpFuzz, Rfc) {
  TcpOptions options = TcpOptions::rfc();
  options.ecn = true;
  options.keepalive_idle = Duration::seconds(10);
  fuzz_all(options);
}

TEST(TcpFuzz, LinuxLikeWithTrains) {
  TcpOptions options = TcpOptions::linux_like();
  options.out_of_order_ranges = 8;
  fuzz_all(options);
}

TEST(TcpFuzz, Bbr) {
  TcpOptions options = TcpOptions::linux_like();
  options.congestion = CongestionAlgorithm::bbr;
  fuzz_all(options);
}

TEST(TcpFuzz, Bbr3) {
  TcpOptions options = TcpOptions::linux_like();
  options.congestion = CongestionAlgorithm::bbr3;
  fuzz_all(options);
}

TEST(TcpFuzz, SackWithoutRack) {
  TcpOptions options = TcpOptions::rfc();
  options.rack_tlp = false;
  fuzz_all(options);
}

TEST(TcpFuzz, NewRenoWithoutTimestamps) {
  TcpOptions options = TcpOptions::rfc();
  options.sack = false;
  options.timestamps = false;
  options.recovery = LossRecovery::newreno;
  fuzz_all(options);
}

TEST(TcpFuzz, Tahoe) { fuzz_all(TcpOptions::tahoe_2004()); }

TEST(TcpFuzz, OptionBytesOfAnyContentParseOrAreRefused) {
  std::mt19937_64 random(7);
  int parsed = 0;
  for (int i = 0; i < 50'000; ++i) {
    std::array<std::uint8_t, 40> area{};
    for (std::uint8_t& byte : area)
      byte = static_cast<std::uint8_t>(random() % 3 == 0 ? random() : random() % 11);
    const auto options = TcpHeaderOptions::parse(std::span(area).first(random() % 41));
    if (!options) continue;
    ++parsed;
    ASSERT_LE(options->sack.count, SackBlocks::kMost);
  }
  EXPECT_GT(parsed, 500);
}

}  // namespace
}  // namespace simcore
