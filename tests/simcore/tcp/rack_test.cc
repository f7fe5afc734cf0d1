// SPDX-License-Identifier: MIT
#include "simcore/tcp/rack.h"

#include <gtest/gtest.h>

namespace simcore {
namespace {

SimTime at_ms(std::int64_t ms) { return SimTime::zero() + Duration::ms(ms); }

// Two segments, the second of which is delivered 40 ms after it was sent.
class RackOfTwo : public testing::Test {
 protected:
  RackOfTwo() {
    board_.append(1, 101, false, at_ms(0));
    board_.append(101, 201, false, at_ms(2));
    board_.sack(101, 201, [this](const SentSegment& segment) {
      rack_.delivered(segment, at_ms(42), Duration::ms(40), false);
    });
  }

  // How long the first may be on its way, seen from so long after it was sent.
  Duration left(std::int64_t ms) {
    bool found = false;
    return rack_.detect(board_, at_ms(ms), Duration::ms(40), Duration::ms(40), false, found);
  }

  Scoreboard board_{3};
  Rack rack_{3};
};

TEST_F(RackOfTwo, a_segment_is_lost_after_a_round_trip_and_a_quarter) {
  EXPECT_EQ(left(42), Duration::ms(40 + 10 - 42));
  left(50);
  EXPECT_EQ(board_.lost_segments(), 1);
}

TEST_F(RackOfTwo, a_duplicate_that_is_reported_widens_the_window_by_a_quarter) {
  rack_.duplicate_reported();
  EXPECT_EQ(left(42), Duration::ms(40 + 10 - 42));  // when something is delivered
  rack_.widen(0, 100);
  EXPECT_EQ(left(42), Duration::ms(40 + 20 - 42));
}

// tcp_rack_update_reo_wnd: once until something is delivered that was sent after the window widened.
TEST_F(RackOfTwo, it_widens_once_in_a_round_trip_of_what_is_delivered) {
  rack_.duplicate_reported();
  rack_.widen(0, 100);
  rack_.duplicate_reported();
  rack_.widen(99, 200);
  EXPECT_EQ(left(42), Duration::ms(40 + 20 - 42));
  rack_.widen(100, 200);  // and what was reported too early is forgotten
  EXPECT_EQ(left(42), Duration::ms(40 + 20 - 42));
  rack_.duplicate_reported();
  rack_.widen(100, 300);
  EXPECT_EQ(left(42), Duration::ms(40 + 30 - 42));
}

// Three segments, a millisecond apart, the third of which is delivered 40 ms after it was sent, at 42 ms.
class RackOfThree : public testing::Test {
 protected:
  RackOfThree() {
    for (int i = 0; i < 3; ++i) board_.append(1 + 100 * i, 101 + 100 * i, false, at_ms(i));
    board_.sack(201, 301, [this](const SentSegment& segment) {
      for (Rack* rack : {&rfc_, &linux_}) rack->delivered(segment, at_ms(42), Duration::ms(40), false);
    });
  }

  Duration wait(Rack& rack) {
    bool found = false;
    return rack.detect(board_, at_ms(42), Duration::ms(40), Duration::ms(40), false, found);
  }

  Scoreboard board_{3};
  Rack rfc_{3};
  Rack linux_{3, true};
};

// tcp_rack_detect_loss: one timer judges all that waits, for the last of it, and TCP_TIMEOUT_MIN_US later.
TEST_F(RackOfThree, linux_sets_the_timer_for_the_last_segment_and_two_milliseconds_later) {
  EXPECT_EQ(wait(rfc_), Duration::ms(0 + 40 + 10 - 42));
  EXPECT_EQ(wait(linux_), Duration::ms(1 + 40 + 10 - 42 + 2));
}

// tcp_dsack_seen: before reordering was seen a duplicate tells of something else.
TEST_F(RackOfThree, linux_widens_its_window_only_once_reordering_was_seen) {
  for (const bool seen : {false, true}) {
    if (seen) {
      linux_.begin_ack();
      board_.sack(1, 101, [this](const SentSegment& segment) {
        linux_.delivered(segment, at_ms(40), Duration::ms(40), false);
      });
      EXPECT_TRUE(linux_.reordering_seen());
    }
    linux_.duplicate_reported();
    linux_.widen(0, 100);
    EXPECT_EQ(wait(linux_), Duration::ms(1 + 40 + (seen ? 20 : 10) - 42 + 2));
  }
}

// tcp_clean_rtx_queue, tcp_sacktag_one: what one acknowledgement tells of overtook nothing.
TEST_F(RackOfThree, one_acknowledgement_shows_no_reordering) {
  board_.append(301, 401, false, at_ms(3));
  for (const std::int64_t start : {301, 1}) {  // by SACK, then cumulatively
    board_.sack(start, start + 100, [this](const SentSegment& segment) {
      rfc_.delivered(segment, at_ms(43), Duration::ms(40), false);
    });
  }
  EXPECT_FALSE(rfc_.reordering_seen());
  rfc_.begin_ack();
  board_.sack(101, 201, [this](const SentSegment& segment) {
    rfc_.delivered(segment, at_ms(43), Duration::ms(40), false);
  });
  EXPECT_TRUE(rfc_.reordering_seen());
}

// tcp_rack_mark_lost: only when something was delivered that tells when it was sent.
TEST_F(RackOfThree, linux_judges_once_for_what_was_delivered) {
  EXPECT_TRUE(linux_.tells_more());
  wait(linux_);
  EXPECT_FALSE(linux_.tells_more());
  EXPECT_TRUE(rfc_.tells_more());
  linux_.judge_again();  // tcp_undo_cwnd_reduction
  EXPECT_TRUE(linux_.tells_more());
}

}  // namespace
}  // namespace simcore
