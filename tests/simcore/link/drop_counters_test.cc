// SPDX-License-Identifier: MIT
#include "simcore/link/drop_counters.h"

#include <gtest/gtest.h>

#include <set>
#include <string_view>

namespace simcore {
namespace {

TEST(DropCounters, countSegmentsByReason) {
  DropCounters counters;
  counters.add(DropReason::queue_full, 3);
  counters.add(DropReason::queue_full, 4);
  counters.add(DropReason::foreign, 1);
  EXPECT_EQ(counters.of(DropReason::queue_full), 7U);
  EXPECT_EQ(counters.of(DropReason::foreign), 1U);
  EXPECT_EQ(counters.of(DropReason::no_route), 0U);
  EXPECT_EQ(counters.total(), 8U);
}

TEST(DropCounters, everyReasonHasANameOfItsOwn) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < kDropReasons; ++i) {
    const std::string_view name = name_of(static_cast<DropReason>(i));
    EXPECT_FALSE(name.empty()) << "reason " << i;
    EXPECT_TRUE(names.insert(name).second) << name;
  }
  EXPECT_EQ(name_of(DropReason::queue_full), "queue_full");
  EXPECT_EQ(name_of(DropReason::foreign), "foreign");
}

}  // namespace
}  // namespace simcore
