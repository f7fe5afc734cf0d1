// SPDX-License-Identifier: MIT
#include "simcore/tcpip/routing_table.h"

#include <gtest/gtest.h>

#include <random>
#include <utility>
#include <vector>

namespace simcore {
namespace {

using Ipv4Routes = RoutingTable<Ipv4Prefix>;
using Ipv4Route = Route<Ipv4Prefix>;

Ipv4Route route(const char* prefix, std::size_t interface) {
  return {Ipv4Prefix::parse(prefix), std::nullopt, interface};
}

// The interface of the way to `address`, -1 when there is none.
int way(const Ipv4Routes& table, const char* address) {
  const Ipv4Route* const found = table.find(Ipv4Address::parse(address));
  return found == nullptr ? -1 : static_cast<int>(found->interface);
}

TEST(RoutingTable, the_longest_prefix_wins_in_whatever_order_they_came) {
  Ipv4Routes table;
  EXPECT_TRUE(table.add(route("10.1.0.0/16", 2)));
  EXPECT_TRUE(table.add(route("10.1.2.3/32", 4)));
  EXPECT_TRUE(table.add(route("0.0.0.0/0", 0)));
  EXPECT_TRUE(table.add(route("10.0.0.0/8", 1)));
  EXPECT_TRUE(table.add(route("10.1.2.0/24", 3)));
  EXPECT_EQ(way(table, "11.0.0.1"), 0);
  EXPECT_EQ(way(table, "10.2.0.1"), 1);
  EXPECT_EQ(way(table, "10.1.3.1"), 2);
  EXPECT_EQ(way(table, "10.1.2.1"), 3);
  EXPECT_EQ(way(table, "10.1.2.3"), 4);
  EXPECT_EQ(table.size(), 5U);
}

TEST(RoutingTable, without_a_prefix_that_fits_there_is_no_way) {
  Ipv4Routes table;
  EXPECT_EQ(way(table, "10.0.0.1"), -1);
  EXPECT_TRUE(table.add(route("10.0.0.0/31", 1)));
  EXPECT_EQ(way(table, "10.0.0.1"), 1);
  EXPECT_EQ(way(table, "10.0.0.2"), -1);
}

TEST(RoutingTable, what_was_asked_for_before_is_looked_up_again_when_routes_come_and_go) {
  Ipv4Routes table;
  EXPECT_TRUE(table.add(route("10.0.0.0/8", 1)));
  EXPECT_EQ(way(table, "10.1.0.1"), 1);
  EXPECT_TRUE(table.add(route("10.1.0.0/16", 2)));
  EXPECT_EQ(way(table, "10.1.0.1"), 2);
  Ipv4Routes other;
  EXPECT_TRUE(other.add(route("10.1.0.0/16", 3)));
  EXPECT_EQ(way(other, "10.1.0.1"), 3);
  std::swap(table, other);
  EXPECT_EQ(way(table, "10.1.0.1"), 3);
  EXPECT_EQ(way(other, "10.1.0.1"), 2);
  other.remove_interface(2, 2);
  EXPECT_EQ(way(other, "10.1.0.1"), 1);
}

TEST(RoutingTable, a_second_route_for_a_prefix_is_refused_and_the_same_one_again_is_not) {
  Ipv4Routes table;
  EXPECT_TRUE(table.add(route("10.0.0.0/8", 1)));
  EXPECT_TRUE(table.add(route("10.0.0.0/8", 1)));
  EXPECT_FALSE(table.add(route("10.0.0.0/8", 2)));
  EXPECT_FALSE(table.add({Ipv4Prefix::parse("10.0.0.0/8"), Ipv4Address::parse("10.0.0.1"), 1}));
  EXPECT_EQ(way(table, "10.0.0.1"), 1);
  EXPECT_EQ(table.size(), 1U);
}

TEST(RoutingTable, the_same_holds_for_the_longer_prefixes_of_ipv6) {
  RoutingTable<Ipv6Prefix> table;
  const std::vector<const char*> prefixes{"::/0", "2001:db8::/32", "2001:db8:1::/64", "2001:db8:1::1:0/112",
                                          "2001:db8:1::1:1/128"};
  for (std::size_t i = 0; i < prefixes.size(); ++i) {
    EXPECT_TRUE(table.add({Ipv6Prefix::parse(prefixes[i]), std::nullopt, i}));
  }
  const std::vector<const char*> destinations{"2002::1", "2001:db8:2::1",
                                              "2001:db8:1:0:ffff::", "2001:db8:1::1:2", "2001:db8:1::1:1"};
  for (std::size_t i = 0; i < destinations.size(); ++i) {
    EXPECT_EQ(table.find(Ipv6Address::parse(destinations[i]))->interface, i) << destinations[i];
  }
}

TEST(RoutingTable, thousands_of_prefixes_agree_with_a_search_through_all) {
  std::mt19937 random(1);  // the same numbers everywhere
  Ipv4Routes table;
  std::vector<Ipv4Route> routes;
  while (routes.size() < 2'000) {
    const int length = static_cast<int>(random() % 33);
    // Few distinct leading bits, so that prefixes nest.
    const auto address = Ipv4Address::of(static_cast<std::uint32_t>(random()) & 0x0303'ffffU);
    const Ipv4Route added{Ipv4Prefix::around(address, length), std::nullopt, routes.size()};
    if (table.add(added)) routes.push_back(added);
  }
  for (int i = 0; i < 1'000; ++i) {
    const auto address = Ipv4Address::of(static_cast<std::uint32_t>(random()) & 0x0303'ffffU);
    const Ipv4Route* best = nullptr;
    for (const Ipv4Route& candidate : routes) {
      if (!candidate.prefix.contains(address)) continue;
      if (best == nullptr || candidate.prefix.length() > best->prefix.length()) best = &candidate;
    }
    const Ipv4Route* const found = table.find(address);
    ASSERT_EQ(found == nullptr, best == nullptr);
    if (best != nullptr) {
      EXPECT_EQ(*found, *best) << address.to_string();
    }
  }
}

TEST(RoutingTable, routes_by_an_interface_go_with_it_and_those_by_the_last_get_its_index) {
  Ipv4Routes table;
  EXPECT_TRUE(table.add(route("10.0.0.0/24", 0)));
  EXPECT_TRUE(table.add(route("10.1.0.0/16", 1)));
  EXPECT_TRUE(table.add(route("10.2.0.0/16", 2)));
  EXPECT_TRUE(table.add(route("0.0.0.0/0", 2)));
  table.remove_interface(0, 2);
  EXPECT_EQ(table.size(), 3U);
  EXPECT_EQ(way(table, "10.0.0.1"), 0);  // by what was interface 2
  EXPECT_EQ(way(table, "10.1.0.1"), 1);
  EXPECT_EQ(way(table, "10.2.0.1"), 0);
  table.remove_interface(1, 1);
  EXPECT_EQ(way(table, "10.1.0.1"), 0);
  EXPECT_EQ(table.size(), 2U);
}

}  // namespace
}  // namespace simcore
