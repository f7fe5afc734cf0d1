// SPDX-License-Identifier: MIT
#include "simcore/portal/peering_reassembly.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <set>

namespace simcore::peering {
namespace {

using Bytes = std::vector<std::uint8_t>;
using Outcome = Reassembly::Outcome;

constexpr std::size_t kPiece = 100;

// Batch k of three pieces holds 250 bytes of value k and stands for 10 segments.
struct Piece {
  PieceHeader header;
  Bytes payload;
};

Piece piece(std::uint64_t batch, std::uint16_t index, std::uint32_t body_size = 250) {
  Piece p;
  p.header.datagram = {kMagic, DatagramKind::piece, 0, kPiece, 0};
  p.header.batch = batch;
  p.header.base_time_ns = static_cast<std::int64_t>(batch % 1'000'000'000) * 1'000;  // also of a forged batch
  p.header.first_segment = batch * 10;
  p.header.segments = 10;
  p.header.body_size = p.header.raw_size = body_size;
  p.header.index = index;
  p.payload = Bytes(std::min(kPiece, body_size - p.header.offset()), static_cast<std::uint8_t>(batch));
  return p;
}

class Recorder final : public BatchSink {
 public:
  void take_batch(const PieceHeader& header, std::span<const std::uint8_t> body) override {
    batches.push_back(header.batch);
    places.insert(body.data());
    EXPECT_EQ(body.size(), header.body_size);
    for (const std::uint8_t byte : body) EXPECT_EQ(byte, static_cast<std::uint8_t>(header.batch));
  }

  std::vector<std::uint64_t> batches;
  std::set<const std::uint8_t*> places;  // where their bodies lay
};

class ReassemblyTest : public testing::Test {
 protected:
  Outcome take(const Piece& p) { return reassembly.take(p.header, p.payload); }
  void take_whole(std::uint64_t batch) {
    for (std::uint16_t i = 0; i < 3; ++i) EXPECT_EQ(take(piece(batch, i)), Outcome::taken);
  }

  Recorder recorder;
  Reassembly reassembly{recorder};
};

using Batches = std::vector<std::uint64_t>;

TEST_F(ReassemblyTest, a_batch_is_handed_on_when_its_last_piece_came_in_any_order) {
  take(piece(0, 2));
  take(piece(0, 0));
  EXPECT_TRUE(recorder.batches.empty());
  EXPECT_EQ(reassembly.pending_segments(), 10u);
  take(piece(0, 1));
  EXPECT_EQ(recorder.batches, Batches({0}));
  EXPECT_EQ(reassembly.pending_segments(), 0u);
}

TEST_F(ReassemblyTest, batches_one_after_the_other_lie_in_the_same_memory) {
  for (std::uint64_t b = 0; b < 300; ++b) take_whole(b);
  EXPECT_EQ(recorder.places.size(), 1u);
  for (std::uint64_t b = 300; b < 600; b += 2) {
    take_whole(b + 1);
    take_whole(b);
  }
  EXPECT_LE(recorder.places.size(), 2u);
  for (std::uint64_t b = 610; b < 900; b += 10) {
    take_whole(b);
    reassembly.give_up_before(b);
  }
  EXPECT_LE(recorder.places.size(), 2u);
}

TEST_F(ReassemblyTest, batches_come_out_in_their_order) {
  take_whole(1);
  take_whole(2);
  EXPECT_TRUE(recorder.batches.empty());
  EXPECT_EQ(reassembly.first_held()->batch, 1u);
  EXPECT_EQ(reassembly.first_held()->base_time_ns, 1'000);
  take_whole(0);
  EXPECT_EQ(recorder.batches, Batches({0, 1, 2}));
  EXPECT_FALSE(reassembly.first_held());
}

TEST_F(ReassemblyTest, a_batch_of_one_piece_passes_through) {
  for (std::uint64_t b = 0; b < 200; ++b) EXPECT_EQ(take(piece(b, 0, 60)), Outcome::taken);
  EXPECT_EQ(recorder.batches.size(), 200u);
  EXPECT_EQ(reassembly.segments_known(), 2'000u);
}

TEST_F(ReassemblyTest, what_is_given_up_is_late_and_the_rest_is_handed_on) {
  take(piece(0, 0));
  take_whole(1);
  take_whole(3);
  reassembly.give_up_before(1);
  EXPECT_EQ(recorder.batches, Batches({1}));
  EXPECT_EQ(take(piece(0, 1)), Outcome::late);
  reassembly.give_up_before(3);
  EXPECT_EQ(recorder.batches, Batches({1, 3}));
  EXPECT_EQ(take(piece(2, 0)), Outcome::late);
  EXPECT_EQ(reassembly.pending_segments(), 0u);
  EXPECT_EQ(reassembly.segments_known(), 40u);
}

TEST_F(ReassemblyTest, duplicates_are_told_from_late_ones) {
  take(piece(0, 0));
  EXPECT_EQ(take(piece(0, 0)), Outcome::duplicate);
  take(piece(0, 1));
  take(piece(0, 2));
  EXPECT_EQ(take(piece(0, 1)), Outcome::duplicate);
  EXPECT_EQ(recorder.batches, Batches({0}));
}

TEST_F(ReassemblyTest, a_piece_that_contradicts_its_batch_is_refused) {
  take(piece(0, 0));
  Piece other = piece(0, 1);
  other.header.segments = 11;
  EXPECT_EQ(take(other), Outcome::malformed);
  take(piece(0, 1));
  take(piece(0, 2));
  EXPECT_EQ(recorder.batches, Batches({0}));
}

TEST_F(ReassemblyTest, a_batch_far_ahead_moves_the_window) {
  take_whole(1);
  take_whole(5);
  take_whole(Reassembly::kWindow + 1);  // batch 1 falls out of the window, and 0 with it
  EXPECT_EQ(recorder.batches, Batches({1}));
  EXPECT_EQ(reassembly.next(), 2u);
}

constexpr std::uint64_t kHuge = std::uint64_t{1} << 61;

TEST_F(ReassemblyTest, one_batch_out_of_nowhere_changes_nothing) {
  take_whole(0);
  for (const std::uint64_t batch : {kHuge, std::uint64_t{1} << 40, kHuge, 1 + Reassembly::kWindow}) {
    EXPECT_EQ(take(piece(batch, 0, 60)), Outcome::too_early);
    EXPECT_EQ(take(piece(batch, 0, 60)), Outcome::too_early);
  }
  for (std::uint64_t batch = 1; batch < 5; ++batch) take_whole(batch);
  EXPECT_EQ(recorder.batches, Batches({0, 1, 2, 3, 4}));
  EXPECT_EQ(reassembly.segments_known(), 50u);
}

TEST_F(ReassemblyTest, three_consecutive_numbers_far_ahead_move_the_window) {
  take_whole(0);
  take(piece(1, 0));
  EXPECT_EQ(take(piece(kHuge, 0)), Outcome::too_early);
  EXPECT_EQ(take(piece(kHuge, 1)), Outcome::too_early);
  EXPECT_EQ(take(piece(kHuge + 1, 0)), Outcome::too_early);
  take_whole(kHuge + 2);
  take_whole(kHuge + 3);
  EXPECT_EQ(recorder.batches, Batches({0, kHuge + 2, kHuge + 3}));
  EXPECT_EQ(reassembly.pending_segments(), 0u);
}

TEST_F(ReassemblyTest, numbers_far_ahead_that_are_interrupted_do_not_move_it) {
  take_whole(0);
  for (std::uint64_t batch = 1; batch < 20; ++batch) {
    EXPECT_EQ(take(piece(kHuge + 2 * batch, 0)), Outcome::too_early);
    EXPECT_EQ(take(piece(kHuge + 2 * batch + 1, 0)), Outcome::too_early);
    take_whole(batch);
  }
  EXPECT_EQ(reassembly.next(), 20u);
}

TEST_F(ReassemblyTest, a_window_that_was_moved_away_comes_back_to_the_peer) {
  for (std::uint64_t batch = 0; batch < 10; ++batch) take_whole(batch);
  for (std::uint64_t batch = kHuge; batch < kHuge + 3; ++batch) take(piece(batch, 0, 60));
  EXPECT_EQ(reassembly.next(), kHuge + 3);
  std::uint64_t batch = 10;
  for (; batch < 10 + Reassembly::kRunLate - 1; ++batch) EXPECT_EQ(take(piece(batch, 0, 60)), Outcome::late);
  EXPECT_EQ(take(piece(batch, 0, 60)), Outcome::taken);
  EXPECT_EQ(take(piece(batch + 1, 0, 60)), Outcome::taken);
  EXPECT_EQ(recorder.batches.back(), batch + 1);
  EXPECT_EQ(reassembly.segments_known(), (batch + 2) * 10);
}

TEST_F(ReassemblyTest, one_batch_far_ahead_is_taken_once_the_peer_has_told_twice_of_so_many) {
  take_whole(0);
  const LaneSent sent = {10'000, 1'000};
  reassembly.told(sent);  // what is told once may be forged, too
  EXPECT_EQ(take(piece(1'000, 0, 60)), Outcome::too_early);
  reassembly.told({10'010, 1'001});
  EXPECT_EQ(take(piece(1'000 + Reassembly::kWindow, 0, 60)), Outcome::too_early);
  EXPECT_EQ(take(piece(1'001, 0, 60)), Outcome::taken);
  reassembly.give_up_before(reassembly.first_held()->batch);
  EXPECT_EQ(recorder.batches, Batches({0, 1'001}));
  EXPECT_EQ(reassembly.next(), 1'002u);
}

// Whatever numbers come, a peer that goes on is heard again within a window of its batches.
TEST_F(ReassemblyTest, random_numbers_never_close_it_for_good) {
  std::mt19937_64 random(3);
  std::uint64_t real = 0;
  for (int round = 0; round < 300; ++round) {
    const std::uint64_t forged = random() % kHuge;
    for (std::uint64_t i = 0; i < random() % 5; ++i) take(piece(forged + i, 0, 60));
    for (std::size_t i = 0; i < Reassembly::kRunLate; ++i) take(piece(real++, 0, 60));
    EXPECT_EQ(reassembly.next(), real);
  }
}

// Whatever the network does, every batch comes out at most once, in order and whole; and once all pieces that were not
// lost have come, what came out are the batches that lost none.
TEST_F(ReassemblyTest, loss_duplication_and_reordering_leave_only_whole_batches_in_order) {
  std::mt19937 random(7);
  constexpr std::uint64_t kBatches = 2'000;
  std::vector<Piece> on_the_way;
  std::uint64_t whole = 0;
  for (std::uint64_t b = 0; b < kBatches; ++b) {
    bool lost_one = false;
    for (std::uint16_t i = 0; i < 3; ++i) {
      if (random() % 50 == 0) {
        lost_one = true;
        continue;
      }
      for (unsigned copies = random() % 20 == 0 ? 2 : 1; copies > 0; --copies)
        on_the_way.push_back(piece(b, i));
    }
    if (!lost_one) ++whole;
  }
  for (std::size_t i = 0; i + 8 < on_the_way.size(); ++i)
    std::swap(on_the_way[i], on_the_way[i + random() % 8]);
  for (const Piece& p : on_the_way) take(p);
  reassembly.give_up_before(kBatches);
  EXPECT_EQ(recorder.batches.size(), whole);
  const auto& out = recorder.batches;
  EXPECT_EQ(std::adjacent_find(out.begin(), out.end(), std::greater_equal<>()), out.end());
  EXPECT_EQ(reassembly.pending_segments(), 0u);
}

}  // namespace
}  // namespace simcore::peering
