// SPDX-License-Identifier: MIT
#include "simcore/tcp/scoreboard.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace simcore {
namespace {

constexpr std::int64_t kMss = 100;

// The same by exhaustive search, to compare with.
struct Model {
  struct Entry {
    std::int64_t end;
    bool sacked = false;
    bool lost = false;
    bool again = false;
  };
  std::map<std::int64_t, Entry> entries;

  std::int64_t pipe() const {
    std::int64_t bytes = 0;
    for (const auto& [start, entry] : entries) {
      if (entry.sacked) continue;
      bytes += (entry.lost ? 0 : entry.end - start) + (entry.again ? entry.end - start : 0);
    }
    return bytes;
  }
};

TEST(Scoreboard, AgreesWithAnExhaustiveModelOverRandomHistories) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    std::mt19937_64 random(seed);
    Scoreboard board(3);
    Model model;
    std::int64_t una = 1;
    std::int64_t nxt = 1;
    SimTime now = SimTime::zero();
    for (int turn = 0; turn < 3000; ++turn) {
      now = now + Duration::us(10);
      switch (random() % 6) {
        case 0:
        case 1:
          for (std::uint64_t i = 0; i < random() % 6; ++i) {
            board.append(nxt, nxt + kMss, false, now);
            model.entries[nxt] = {nxt + kMss};
            nxt += kMss;
          }
          break;
        case 2: {
          una = std::min(nxt, una + static_cast<std::int64_t>(random() % 4) * kMss);
          board.acknowledge(una, [](const SentSegment&) {});
          model.entries.erase(model.entries.begin(), model.entries.lower_bound(una));
          break;
        }
        case 3: {
          if (nxt - una < 3 * kMss) break;
          const std::int64_t left = una + kMss + static_cast<std::int64_t>(random()) % 5 * kMss;
          const std::int64_t right = left + static_cast<std::int64_t>(random() % 6) * kMss;
          board.sack(left, right, [](const SentSegment& segment) { ASSERT_FALSE(segment.sacked); });
          for (auto& [start, entry] : model.entries) {
            if (start >= left && entry.end <= right && !entry.sacked) entry = {entry.end, true, false, false};
          }
          break;
        }
        case 4:
          if (board.next_lost()) {
            const Scoreboard::Index index = *board.next_lost();
            model.entries.at(board.at(index).start).again = true;
            board.mark_retransmitted(index, now);
          } else if (board.oldest_sent()) {
            const Scoreboard::Index index = *board.oldest_sent();
            Model::Entry& entry = model.entries.at(board.at(index).start);
            entry.lost = true;
            entry.again = false;
            board.mark_lost(index);
          }
          break;
        default:
          if (random() % 50 == 0 && !model.entries.empty() && !model.entries.begin()->second.sacked) {
            board.mark_timed_out();
            for (auto& [start, entry] : model.entries) {
              if (!entry.sacked) entry = {entry.end, false, true, false};
            }
          }
      }
      ASSERT_EQ(board.size(), model.entries.size());
      ASSERT_EQ(board.pipe(), model.pipe()) << "seed " << seed << " turn " << turn;
      std::int64_t sacked = 0;
      std::int64_t again = 0;
      std::optional<std::int64_t> lost;
      for (const auto& [start, entry] : model.entries) {
        if (entry.sacked) sacked += entry.end - start;
        if (entry.again) ++again;
        if (!lost && entry.lost && !entry.again) lost = start;
      }
      ASSERT_EQ(board.sacked_bytes(), sacked);
      ASSERT_EQ(board.retransmissions_in_flight(), again);
      const auto next = board.next_lost();
      ASSERT_EQ(next.has_value(), lost.has_value());
      if (lost) {
        ASSERT_EQ(board.at(*next).start, *lost);
      }
      SimTime earlier = SimTime::zero();
      for (auto i = board.oldest_sent(); i; i = board.newer_than(*i)) {
        ASSERT_GE(board.at(*i).sent, earlier);
        earlier = board.at(*i).sent;
      }
    }
  }
}

TEST(Scoreboard, ThreeSackedSegmentsAboveMakeALoss) {
  Scoreboard board(3);
  for (std::int64_t i = 0; i < 8; ++i) board.append(1 + i * kMss, 1 + (i + 1) * kMss, false, SimTime::zero());
  const auto ignore = [](const SentSegment&) {};
  board.sack(101, 301, ignore);
  EXPECT_FALSE(board.mark_lost_by_threshold());
  board.sack(401, 501, ignore);
  EXPECT_TRUE(board.mark_lost_by_threshold());
  EXPECT_EQ(board.at(*board.next_lost()).start, 1);
  EXPECT_EQ(board.lost_segments(), 1);
  board.sack(501, 701, ignore);
  EXPECT_TRUE(board.mark_lost_by_threshold());
  EXPECT_EQ(board.lost_segments(), 2);  // 301 has three above it now, 701 has none
}

TEST(Scoreboard, ATimeoutLeavesWhatWasSentLatelyButNothingOfTheFirstObject) {
  Scoreboard board(3);
  const SimTime now = SimTime::zero() + Duration::ms(10);
  for (std::int64_t i = 0; i < 4; ++i) {
    board.append(1 + i * kMss, 1 + (i + 1) * kMss, false, now).continues = i == 1 || i == 3;
  }
  board.mark_timed_out(now - Duration::ns(1));
  EXPECT_EQ(board.lost_segments(), 2);
  EXPECT_EQ(board.pipe(), 2 * kMss);
  board.mark_timed_out(now);
  EXPECT_EQ(board.pipe(), 0);
}

TEST(Scoreboard, AWindowOfTenThousandSegmentsThatIsSackedOneByOneCostsNoSearchOfIt) {
  Scoreboard board(3);
  constexpr std::int64_t kSegments = 10'000;
  for (std::int64_t i = 0; i < kSegments; ++i) board.append(i * kMss, (i + 1) * kMss, false, SimTime::zero());
  std::int64_t visited = 0;
  for (std::int64_t i = 1; i < kSegments; ++i) {
    board.sack(kMss, (i + 1) * kMss, [&visited](const SentSegment&) { ++visited; });
    board.mark_lost_by_threshold();
  }
  EXPECT_EQ(visited, kSegments - 1);
  EXPECT_EQ(board.pipe(), 0);
  EXPECT_EQ(board.lost_segments(), 1);
}

}  // namespace
}  // namespace simcore
