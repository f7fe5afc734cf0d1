// SPDX-License-Identifier: MIT
//
// What each congestion control is known for, by one flow over a bottleneck in virtual time.
#include <gtest/gtest.h>

#include "tests/simcore/tcp/pipe.h"

namespace simcore {
namespace {

using testing::PathConfig;
using testing::Pipe;

struct Result {
  double mbit_per_s;  // of payload that was read
  double waiting_ms;  // mean of the smoothed round trip, less the path's
  std::uint64_t lost;
  std::uint64_t marked;
};

TcpOptions with(CongestionAlgorithm algorithm) {
  TcpOptions options = TcpOptions::linux_like();
  options.ecn = true;
  options.congestion = algorithm;
  options.send_buffer = options.receive_buffer = 16 << 20;
  return options;
}

// Figures are those from `begin` to `end`, seconds.
Result run(CongestionAlgorithm algorithm, const PathConfig& path, int begin, int end,
           std::uint16_t longest_train = TcpOptions::linux_like().longest_train) {
  TcpOptions options = with(algorithm);
  options.longest_train = longest_train;
  PathConfig back;
  back.delay = path.delay;
  Pipe pipe(options, options, path, back, 1);
  pipe.b().count_only();
  std::int64_t read = 0;
  double waited = 0;
  int samples = 0;
  std::uint64_t lost_before = 0;
  for (int tenth = 1; tenth <= 10 * end; ++tenth) {
    const SimTime until = SimTime::zero() + Duration::ms(100) * tenth;
    for (;;) {
      pipe.a().write_virtual(pipe.a().room_to_write());
      const std::int64_t got = pipe.b().discard(pipe.b().readable());
      if (tenth > 10 * begin) read += got;
      pipe.drain();
      if (!pipe.step(until)) break;
    }
    if (tenth <= 10 * begin) {
      lost_before = pipe.lost();
    } else {
      waited += (pipe.a().sender().rtt().srtt() - path.delay * 2).in_seconds() * 1e3;
      ++samples;
    }
  }
  return {static_cast<double>(read) * 8e-6 / (end - begin), waited / samples, pipe.lost() - lost_before,
          pipe.marked()};
}

// 50 Mbit/s, 40 ms: 167 segments of 1502 bytes fill the path. The queue holds three times that, 120 ms.
PathConfig deep() {
  PathConfig path;
  path.delay = Duration::ms(20);
  path.rate_bps = 50'000'000;
  path.queue_segments = 500;
  return path;
}

constexpr double kFull = 50 * 1448.0 / 1502;

TEST(Characters, RenoFillsTheQueue) {
  const Result result = run(CongestionAlgorithm::reno, deep(), 20, 60);
  EXPECT_NEAR(result.mbit_per_s, kFull, 0.5);
  EXPECT_GT(result.waiting_ms, 60);
  EXPECT_GT(result.lost, 0U);
}

// 2 to 5 segments of 0.24 ms wait, in the smallest round trip of each; trains and late acknowledgements are on top.
TEST(Characters, VegasFillsThePathAndNotTheQueue) {
  const Result result = run(CongestionAlgorithm::vegas, deep(), 60, 80);
  EXPECT_NEAR(result.mbit_per_s, kFull, 0.5);
  EXPECT_GT(result.waiting_ms, 2 * 0.24);
  EXPECT_LT(result.waiting_ms, 2 * 5 * 0.24);
  EXPECT_EQ(result.lost, 0U);
}

// 83 segments of 1.2 ms. Each round trip, of some 0.1 s, adds what is missing to 100 ms, in parts of that: 40 s are five times
// what takes all but a third.
TEST(Characters, LedbatHoldsTheQueueAtAHundredMilliseconds) {
  PathConfig path = deep();
  path.rate_bps = 10'000'000;
  const Result result = run(CongestionAlgorithm::ledbat, path, 40, 60);
  EXPECT_NEAR(result.mbit_per_s, kFull / 5, 0.1);
  EXPECT_NEAR(result.waiting_ms, 100, 5);
  EXPECT_EQ(result.lost, 0U);
}

// Losses that are no congestion: half of the window each for Reno, which is then limited to 1.31 / sqrt(0.001) segments in
// a round trip, 12 Mbit/s; nothing for who knows what the path carries, and an eighth for who sees no queue.
TEST(Characters, WestwoodAndIllinoisForgiveRandomLosses) {
  PathConfig path = deep();
  path.loss = 0.001;
  const double reno = run(CongestionAlgorithm::reno, path, 5, 60).mbit_per_s;
  EXPECT_NEAR(reno, 1.31 / std::sqrt(0.001) * 1448 * 8e-6 / 0.040, 3);
  EXPECT_GT(run(CongestionAlgorithm::westwood, path, 5, 60).mbit_per_s, 1.5 * reno);
  EXPECT_GT(run(CongestionAlgorithm::illinois, path, 5, 60).mbit_per_s, 1.5 * reno);
}

// 200 Mbit/s, 100 ms: 1664 segments of 0.06 ms.
PathConfig longer(std::size_t queue) {
  PathConfig path;
  path.delay = Duration::ms(50);
  path.rate_bps = 200'000'000;
  path.queue_segments = queue;
  return path;
}

constexpr double kLongerFull = 200 * 1448.0 / 1502;

// 80 segments are 5 ms, and an eighth of 100 ms is 12. One of ten round trips adds what the 11th takes away.
TEST(Characters, YeahKeepsTheQueueShort) {
  const Result result = run(CongestionAlgorithm::yeah, longer(1'664), 20, 30);
  EXPECT_NEAR(result.mbit_per_s, kLongerFull, 2);
  EXPECT_LT(result.waiting_ms, 6);
  EXPECT_EQ(result.lost, 0U);
}

// With a queue of a tenth of that, Reno wins back half a window in 830 round trips, of which the first 700 leave the path
// empty in part; Scalable does so in seconds. H-TCP, whose step grows with the time since the last loss, has made up for that of
// slow start after 20 s.
TEST(Characters, ScalableAndHTcpWinBackALargeWindowQuickly) {
  EXPECT_LT(run(CongestionAlgorithm::reno, longer(166), 5, 20).mbit_per_s, 0.6 * kLongerFull);
  EXPECT_GT(run(CongestionAlgorithm::scalable, longer(166), 5, 20).mbit_per_s, 0.95 * kLongerFull);
  EXPECT_GT(run(CongestionAlgorithm::htcp, longer(166), 20, 40).mbit_per_s, 0.9 * kLongerFull);
}

// 100 Mbit/s, 4 ms: 33 segments of 0.12 ms fill the path. Marks from 8 on: more than the seventh part that DCTCP needs, and
// less than the whole that Reno needs: it grows from (33 + 8) / 2 = 20.5 to 33 in 12.5 of 20.5 round trips, in which it has
// 26.75 / 33, so 0.88 in all. Trains are off: those of a millisecond, 8
// segments, are marked before the path is full.
TEST(Characters, DctcpFillsThePathWithAShortQueueOfMarks) {
  PathConfig path;
  path.delay = Duration::ms(2);
  path.rate_bps = 100'000'000;
  path.mark_above = 8;
  const double full = 100 * 1448.0 / 1502;
  const Result dctcp = run(CongestionAlgorithm::dctcp, path, 2, 10, 1);
  EXPECT_GT(dctcp.mbit_per_s, 0.95 * full);
  EXPECT_LT(dctcp.waiting_ms, 3 * 8 * 0.12);
  EXPECT_EQ(dctcp.lost, 0U);
  EXPECT_GT(dctcp.marked, 0U);
  EXPECT_LT(run(CongestionAlgorithm::reno, path, 2, 10, 1).mbit_per_s, 0.89 * full);
}

}  // namespace
}  // namespace simcore
