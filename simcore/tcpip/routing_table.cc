// SPDX-License-Identifier: MIT
#include "simcore/tcpip/routing_table.h"

#include <algorithm>
#include <functional>

namespace simcore {

bool RoutingTable::add(const Route& route) {
  const int length = route.prefix.length();
  auto& routes = by_length_[static_cast<std::size_t>(length)];
  const auto [place, added] = routes.try_emplace(route.prefix.first(), route);
  if (!added) return place->second == route;
  ++size_;
  if (routes.size() == 1) {
    lengths_.insert(std::lower_bound(lengths_.begin(), lengths_.end(), length, std::greater<>()), length);
  }
  return true;
}

const Route* RoutingTable::find(Ipv4Address destination) const {
  for (const int length : lengths_) {
    const auto& routes = by_length_[static_cast<std::size_t>(length)];
    const auto place = routes.find(Ipv4Prefix::around(destination, length).first());
    if (place != routes.end()) return &place->second;
  }
  return nullptr;
}

}  // namespace simcore
