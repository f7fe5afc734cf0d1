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

}  // namespace
}  // namespace simcore
