// SPDX-License-Identifier: MIT
#include "simcore/stack/path_mtu_cache.h"

#include <gtest/gtest.h>

namespace simcore {
namespace {

SimTime at(std::int64_t seconds) { return SimTime::zero() + Duration::seconds(seconds); }

Ipv4Address destination(std::uint32_t number) { return Ipv4Address::of(0x0a00'0000 + number); }

TEST(PathMtuCache, forgets_after_ten_minutes) {
  PathMtuCache cache;
  EXPECT_FALSE(cache.of(destination(1), at(0)));
  cache.learn(destination(1), 1'000, at(5));
  EXPECT_EQ(cache.of(destination(1), at(604)), 1'000);
  EXPECT_FALSE(cache.of(destination(1), at(605)));
  EXPECT_FALSE(cache.of(destination(2), at(5)));
  cache.learn(destination(1), 900, at(600));
  EXPECT_EQ(cache.of(destination(1), at(1'199)), 900);
}

TEST(PathMtuCache, is_bounded_and_forgets_the_oldest_first) {
  PathMtuCache cache;
  const auto most = static_cast<std::uint32_t>(PathMtuCache::kMost);
  for (std::uint32_t i = 0; i < most; ++i) cache.learn(destination(i), 1'400, at(i / 100));
  cache.learn(destination(0), 1'300, at(20));
  cache.learn(destination(most), 1'200, at(21));
  EXPECT_EQ(cache.size(), PathMtuCache::kMost);
  EXPECT_EQ(cache.of(destination(0), at(21)), 1'300);
  EXPECT_EQ(cache.of(destination(most), at(21)), 1'200);
}

}  // namespace
}  // namespace simcore
