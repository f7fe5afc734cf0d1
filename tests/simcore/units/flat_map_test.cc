// SPDX-License-Identifier: MIT
#include "simcore/units/flat_map.h"

#include <gtest/gtest.h>

namespace simcore {
namespace {

TEST(FlatMapTest, what_is_unwanted_is_erased_and_all_else_stays) {
  FlatMap<int, int> map;
  for (int key = 0; key < 1'000; ++key) map[key] = key % 7;
  erase_values_if(map, [](int value) { return value == 3; });
  // 3, 10, 17 ... 997: 143 of them.
  EXPECT_EQ(map.size(), 1'000U - 143U);
  for (int key = 0; key < 1'000; ++key) EXPECT_EQ(map.contains(key), key % 7 != 3) << key;
}

TEST(FlatMapTest, everything_and_nothing_can_be_erased) {
  FlatMap<int, int> map;
  erase_values_if(map, [](int) { return true; });
  EXPECT_TRUE(map.empty());
  for (int key = 0; key < 100; ++key) map[key] = key;
  erase_values_if(map, [](int) { return false; });
  EXPECT_EQ(map.size(), 100U);
  erase_values_if(map, [](int) { return true; });
  EXPECT_TRUE(map.empty());
}

}  // namespace
}  // namespace simcore
