// SPDX-License-Identifier: MIT
#include "simcore/tcpip/routing_table.h"

#include <algorithm>
#include <functional>

namespace simcore {

template <class Prefix>
bool RoutingTable<Prefix>::add(const Route<Prefix>& route) {
  latest_ = nullptr;
  const int length = route.prefix.length();
  auto level = std::ranges::lower_bound(by_length_, length, std::greater<>(), &OfLength::length);
  if (level == by_length_.end() || level->length != length) level = by_length_.insert(level, {length, {}});
  const auto [place, added] = level->routes.try_emplace(route.prefix.first(), route);
  if (!added) return place->second == route;
  ++size_;
  return true;
}

template <class Prefix>
void RoutingTable<Prefix>::look_up(Address destination) const {
  latest_destination_ = destination;
  for (const OfLength& level : by_length_) {
    const auto place = level.routes.find(Prefix::around(destination, level.length).first());
    if (place == level.routes.end()) continue;
    latest_ = &place->second;
    return;
  }
  latest_ = nullptr;
}

template <class Prefix>
void RoutingTable<Prefix>::remove_interface(std::size_t gone, std::size_t last) {
  size_ = 0;
  latest_ = nullptr;
  for (OfLength& level : by_length_) {
    erase_values_if(level.routes, [gone](const Route<Prefix>& route) { return route.interface == gone; });
    for (auto place = level.routes.begin(); place != level.routes.end(); ++place) {
      if (place->second.interface == last) place.value().interface = gone;
    }
    size_ += level.routes.size();
  }
  std::erase_if(by_length_, [](const OfLength& level) { return level.routes.empty(); });
}

template class RoutingTable<Ipv4Prefix>;
template class RoutingTable<Ipv6Prefix>;

}  // namespace simcore
