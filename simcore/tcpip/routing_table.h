// SPDX-License-Identifier: MIT
//
// RoutingTable: longest prefix match over IPv4 routes.
//
// One hash table per prefix length that occurs, tried from the longest: a look-up costs as many probes as
// there are distinct lengths (few in any network), however many prefixes there are.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "simcore/wire/ipv4_address.h"

namespace simcore {

struct Route {
  Ipv4Prefix prefix;
  std::optional<Ipv4Address> via;  // the next router; none: the destination is on the link
  std::size_t interface;           // index of the interface of the way out

  bool operator==(const Route&) const = default;
};

class RoutingTable {
 public:
  // False, and nothing is changed, when the table has another route for that prefix.
  [[nodiscard]] bool add(const Route& route);

  // The route of the longest prefix that holds `destination`; null when there is none.
  // Valid until the next add().
  const Route* find(Ipv4Address destination) const;

  std::size_t size() const { return size_; }

 private:
  std::array<std::unordered_map<Ipv4Address, Route>, 33> by_length_;  // first address of the prefix -> route
  std::vector<int> lengths_;                                          // that occur, longest first
  std::size_t size_ = 0;
};

}  // namespace simcore
