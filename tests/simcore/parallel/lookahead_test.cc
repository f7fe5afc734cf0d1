// SPDX-License-Identifier: MIT
#include "simcore/parallel/lookahead.h"

#include <gtest/gtest.h>

#include <array>

namespace simcore {
namespace {

SimTime at(std::int64_t ns) { return SimTime::at_ns(ns); }

TEST(Lookahead, the_earliest_event_and_the_least_delay_bound_a_window) {
  Lookahead lookahead(2);
  lookahead.join(0, 1, Duration::ns(30));
  lookahead.join(1, 0, Duration::ns(10));
  lookahead.join(1, 0, Duration::ns(20));
  EXPECT_EQ(lookahead.bound(std::array{at(200), at(100)}), at(110));
  EXPECT_EQ(lookahead.bound(std::array{at(100), SimTime::never()}), at(110));
}

TEST(Lookahead, nothing_bounds_partitions_that_nothing_joins_or_where_nothing_happens) {
  Lookahead lookahead(2);
  EXPECT_EQ(lookahead.bound(std::array{at(100), at(200)}), SimTime::never());
  lookahead.join(0, 1, Duration::ns(10));
  EXPECT_EQ(lookahead.bound(std::array{SimTime::never(), SimTime::never()}), SimTime::never());
}

}  // namespace
}  // namespace simcore
