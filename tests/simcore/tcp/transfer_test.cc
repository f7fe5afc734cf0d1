// SPDX-License-Identifier: MIT
//
// Two state machines over a bad path: every byte arrives, once and in order, and nothing stalls.
#include <gtest/gtest.h>

#include <string>

#include "tests/simcore/tcp/pipe.h"

namespace simcore {
namespace {

using testing::PathConfig;
using testing::Pipe;

struct Outcome {
  std::int64_t received = 0;
  bool in_order = true;
  Duration longest_pause = Duration::zero();
  SimTime end = SimTime::zero();
};

// The byte that stands at `position` of the test stream.
std::uint8_t pattern(std::int64_t position) {
  return static_cast<std::uint8_t>(position * 7 + (position >> 8));
}

// Sends `bytes` real bytes from a to b and closes both; reads at once.
Outcome transfer(Pipe& pipe, std::int64_t bytes, SimTime limit) {
  Outcome outcome;
  std::int64_t written = 0;
  std::vector<std::uint8_t> buffer(8192);
  SimTime last_progress = SimTime::zero();
  while (true) {
    bool did = false;
    while (written < bytes && pipe.a().room_to_write() > 0) {
      const auto count = static_cast<std::size_t>(std::min<std::int64_t>(8192, bytes - written));
      for (std::size_t i = 0; i < count; ++i) buffer[i] = pattern(written + static_cast<std::int64_t>(i));
      const std::int64_t taken = pipe.a().write(std::span(buffer).first(count));
      if (taken == 0) break;
      written += taken;
      did = true;
    }
    if (written == bytes && pipe.a().state() == TcpState::established) pipe.a().close(pipe.now());
    while (pipe.b().readable() > 0) {
      const std::int64_t got = pipe.b().read(buffer);
      for (std::int64_t i = 0; i < got; ++i) {
        outcome.in_order =
            outcome.in_order && buffer[static_cast<std::size_t>(i)] == pattern(outcome.received + i);
      }
      outcome.received += got;
      outcome.longest_pause = std::max(outcome.longest_pause, pipe.now() - last_progress);
      last_progress = pipe.now();
      did = true;
    }
    if (pipe.b().at_end_of_stream()) pipe.b().close(pipe.now());
    pipe.drain();
    if (did) continue;
    if (!pipe.step(limit)) break;
  }
  outcome.end = pipe.now();
  return outcome;
}

struct Case {
  std::string name;
  TcpOptions options;
};

void PrintTo(const Case& tested, std::ostream* out) { *out << tested.name; }

std::vector<Case> characters() {
  std::vector<Case> cases;
  cases.push_back({"rfc", TcpOptions::rfc()});
  cases.push_back({"linux", TcpOptions::linux_like()});
  cases.push_back({"reno_2004", TcpOptions::reno_2004()});
  cases.push_back({"tahoe_2004", TcpOptions::tahoe_2004()});
  TcpOptions newreno = TcpOptions::rfc();
  newreno.sack = false;
  newreno.recovery = LossRecovery::newreno;
  cases.push_back({"newreno", newreno});
  newreno.prr = false;
  newreno.timestamps = false;
  cases.push_back({"newreno_without_prr", newreno});
  TcpOptions sack = TcpOptions::rfc();
  sack.rack_tlp = false;
  cases.push_back({"sack_without_rack", sack});
  sack.prr = false;
  cases.push_back({"sack_without_rack_and_prr", sack});
  TcpOptions vegas = TcpOptions::rfc();
  vegas.congestion = CongestionAlgorithm::vegas;
  cases.push_back({"vegas", vegas});
  TcpOptions bbr = TcpOptions::linux_like();
  bbr.congestion = CongestionAlgorithm::bbr;
  cases.push_back({"bbr", bbr});
  const std::pair<const char*, CongestionAlgorithm> others[] = {
      {"scalable", CongestionAlgorithm::scalable}, {"westwood", CongestionAlgorithm::westwood},
      {"htcp", CongestionAlgorithm::htcp},         {"illinois", CongestionAlgorithm::illinois},
      {"yeah", CongestionAlgorithm::yeah},         {"ledbat", CongestionAlgorithm::ledbat},
      {"dctcp", CongestionAlgorithm::dctcp},       {"bbr3", CongestionAlgorithm::bbr3},
  };
  for (const auto& [name, algorithm] : others) {
    TcpOptions options = TcpOptions::linux_like();
    options.congestion = algorithm;
    cases.push_back({name, options});
  }
  TcpOptions none = TcpOptions::rfc();
  none.congestion = CongestionAlgorithm::none;
  cases.push_back({"no_congestion_control", none});
  return cases;
}

class Transfer : public ::testing::TestWithParam<Case> {};

TEST_P(Transfer, EveryByteArrivesAtAnyLossUpToFivePercent) {
  for (const double loss : {0.0, 0.001, 0.01, 0.03, 0.05}) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      SCOPED_TRACE("loss " + std::to_string(loss) + " seed " + std::to_string(seed));
      PathConfig path;
      path.loss = loss;
      Pipe pipe(GetParam().options, GetParam().options, path, path, seed);
      const Outcome outcome = transfer(pipe, 300'000, SimTime::at_ns(1'000'000'000'000));
      ASSERT_EQ(outcome.received, 300'000);
      ASSERT_TRUE(outcome.in_order);
      ASSERT_EQ(pipe.a().state(), TcpState::closed);
      ASSERT_EQ(pipe.b().state(), TcpState::closed);
      ASSERT_LT(outcome.longest_pause, Duration::seconds(40));
    }
  }
}

TEST_P(Transfer, EveryByteArrivesThroughReorderingAndDuplication) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    PathConfig path;
    path.loss = 0.01;
    path.reordering = 0.05;
    path.duplication = 0.01;
    Pipe pipe(GetParam().options, GetParam().options, path, path, seed);
    const Outcome outcome = transfer(pipe, 300'000, SimTime::at_ns(1'000'000'000'000));
    ASSERT_EQ(outcome.received, 300'000);
    ASSERT_TRUE(outcome.in_order);
    ASSERT_EQ(pipe.a().state(), TcpState::closed);
    ASSERT_EQ(pipe.b().state(), TcpState::closed);
  }
}

TEST_P(Transfer, FillsABottleneckThatDropsWhenItsQueueIsFull) {
  PathConfig path;
  path.rate_bps = 20'000'000;
  path.queue_segments = 40;  // a bandwidth-delay product is 20 ms * 20 Mbit/s = 33 segments
  Pipe pipe(GetParam().options, GetParam().options, path, PathConfig{}, 1);
  const std::int64_t bytes = 10'000'000;
  const Outcome outcome = transfer(pipe, bytes, SimTime::at_ns(60'000'000'000));
  ASSERT_EQ(outcome.received, bytes);
  // 1448 of 1514 bytes are payload; half of that at least, whatever the algorithm, all but the unlimited one.
  const double seconds = (outcome.end - SimTime::zero()).in_seconds() - 60;  // TIME-WAIT
  RecordProperty("mbit_per_s", std::to_string(static_cast<double>(bytes) * 8e-6 / seconds));
  if (GetParam().options.congestion != CongestionAlgorithm::none) {
    EXPECT_LT(seconds, static_cast<double>(bytes) * 8 / 20e6 * 2);
  }
}

TEST(EcnTransfer, AMarkingQueueSlowsTheSenderAndLosesNothing) {
  TcpOptions options = TcpOptions::rfc();
  options.ecn = true;
  PathConfig path;
  path.rate_bps = 20'000'000;
  path.mark_above = 20;
  Pipe pipe(options, options, path, PathConfig{}, 1);
  const Outcome outcome = transfer(pipe, 5'000'000, SimTime::at_ns(600'000'000'000));
  EXPECT_EQ(outcome.received, 5'000'000);
  EXPECT_TRUE(outcome.in_order);
  EXPECT_GT(pipe.marked(), 0u);
  EXPECT_EQ(pipe.lost(), 0u);
  EXPECT_GT(pipe.a().sender().counters().ecn_reductions, 0u);
  EXPECT_EQ(pipe.a().sender().counters().retransmitted_segments, 0u);
}

TEST(TrainTransfer, ATrainIsAcknowledgedPerSegmentAndCarriesTheSameBytes) {
  TcpOptions options = TcpOptions::linux_like();
  options.quick_acks = 0;
  options.receiver_of_linux = false;       // that acknowledges what is pushed as well
  options.initial_receive_buffer.reset();  // and while it grows the window is told of
  PathConfig path;
  path.whole_trains = true;
  Pipe pipe(options, options, path, PathConfig{}, 1);
  const std::int64_t bytes = 3'000'000;
  const Outcome outcome = transfer(pipe, bytes, SimTime::at_ns(600'000'000'000));
  EXPECT_EQ(outcome.received, bytes);
  EXPECT_TRUE(outcome.in_order);
  const std::uint64_t segments = pipe.a().sender().counters().segments_sent;
  EXPECT_GE(segments, static_cast<std::uint64_t>(bytes / 1448));
  // Of two segments one is acknowledged; that makes half as many acknowledgements as segments, whatever the trains.
  const std::uint64_t acks = pipe.a().counters().segments_received;
  EXPECT_NEAR(static_cast<double>(acks), static_cast<double>(segments) / 2,
              static_cast<double>(segments) / 20);
  EXPECT_LT(pipe.segments_carried() - acks, segments / 8) << "most segments travel in trains";
}

std::string name_of_case(const ::testing::TestParamInfo<Case>& tested) { return tested.param.name; }

INSTANTIATE_TEST_SUITE_P(Characters, Transfer, ::testing::ValuesIn(characters()), name_of_case);

// A round trip of 100 ms: 64 KB in one of them are 5 Mbit/s, 3 MB are 250.
PathConfig long_path() {
  PathConfig path;
  path.delay = Duration::ms(50);
  path.rate_bps = 200'000'000;
  path.queue_segments = 10'000;
  return path;
}

TEST(RightSizing, a_fast_sender_is_not_held_back) {
  TcpOptions fixed = TcpOptions::linux_like();
  fixed.initial_receive_buffer.reset();
  Pipe roomy(TcpOptions::linux_like(), fixed, long_path(), long_path(), 1);
  const Outcome with_all = transfer(roomy, 10'000'000, SimTime::zero() + Duration::seconds(60));
  for (const bool timestamps : {true, false}) {
    TcpOptions growing = TcpOptions::linux_like();
    growing.timestamps = timestamps;
    Pipe pipe(TcpOptions::linux_like(), growing, long_path(), long_path(), 1);
    EXPECT_EQ(pipe.b().receiver().buffer(), 65'535);
    const Outcome outcome = transfer(pipe, 10'000'000, SimTime::zero() + Duration::seconds(60));
    EXPECT_EQ(outcome.received, 10'000'000);
    EXPECT_GT(pipe.b().receiver().buffer(), 1'000'000);
    EXPECT_LE(pipe.b().receiver().buffer(), growing.receive_buffer);
    EXPECT_LT((outcome.end - SimTime::zero()).in_seconds(),
              1.3 * (with_all.end - SimTime::zero()).in_seconds());
  }
}

TEST(RightSizing, a_slow_sender_needs_no_more_than_the_beginning) {
  PathConfig slow = long_path();
  slow.rate_bps = 1'000'000;  // 12.5 kB in a round trip, and the queue is short
  slow.queue_segments = 4;
  Pipe pipe(TcpOptions::linux_like(), TcpOptions::linux_like(), slow, long_path(), 1);
  EXPECT_EQ(transfer(pipe, 1'000'000, SimTime::zero() + Duration::seconds(60)).received, 1'000'000);
  // 14 segments are under way at most. What a hole held back is read together with what came until it was filled: 28 in a
  // round trip. Twice as much is 82 kB; after the 10 segments of the beginning, 1 + 2 * 18 / 10 times that (tcp_rcvbuf_grow).
  // Of the 3 MB it might have this is little.
  EXPECT_LE(pipe.b().receiver().buffer(), 2 * 28 * 1'460 * 46 / 10);
}

TEST(RightSizing, what_is_not_read_makes_no_room) {
  Pipe pipe(TcpOptions::linux_like(), TcpOptions::linux_like(), long_path(), long_path(), 1);
  pipe.a().write_virtual(10'000'000);
  pipe.drain();
  while (pipe.step(SimTime::zero() + Duration::seconds(30))) pipe.drain();
  const std::int64_t beginning =
      65'535 * 160 / 128;  // what of it is overhead is known from the first segment on
  EXPECT_EQ(pipe.b().receiver().buffer(), beginning);
  EXPECT_GE(pipe.b().readable(), beginning);
  EXPECT_LT(pipe.b().readable(), beginning + 128) << "rounded up to what the scale can say";
}

}  // namespace
}  // namespace simcore
