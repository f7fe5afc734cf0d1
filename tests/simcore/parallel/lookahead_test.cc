// SPDX-License-Identifier: MIT
#include "simcore/parallel/lookahead.h"

#include <gtest/gtest.h>

#include <array>

namespace simcore {
namespace {

SimTime at(std::int64_t ns) { return SimTime::at_ns(ns); }

TEST(Lookahead, the_nearest_event_of_another_partition_bounds_a_window) {
  Lookahead lookahead(2);
  lookahead.join(0, 1, Duration::ns(10));
  lookahead.join(1, 0, Duration::ns(30));
  const std::array next = {at(100), at(200)};
  EXPECT_EQ(lookahead.bound(1, next), at(110));
  EXPECT_EQ(lookahead.bound(0, next), at(140));  // by way of partition 1 and back, before 230
  EXPECT_EQ(lookahead.least(), Duration::ns(10));
}

TEST(Lookahead, ways_lead_through_other_partitions) {
  Lookahead lookahead(3);
  lookahead.join(1, 2, Duration::ns(5));
  lookahead.join(0, 1, Duration::ns(7));
  const std::array next = {at(100), at(1'000), at(1'000)};
  EXPECT_EQ(lookahead.bound(2, next), at(112));
  EXPECT_EQ(lookahead.bound(0, next), SimTime::never());  // nothing leads there
}

TEST(Lookahead, the_shortest_of_several_links_counts) {
  Lookahead lookahead(2);
  lookahead.join(0, 1, Duration::ns(10));
  lookahead.join(0, 1, Duration::ns(3));
  lookahead.join(0, 1, Duration::ns(8));
  const std::array next = {at(0), SimTime::never()};
  EXPECT_EQ(lookahead.bound(1, next), at(3));
}

}  // namespace
}  // namespace simcore
