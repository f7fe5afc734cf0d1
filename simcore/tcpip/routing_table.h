// SPDX-License-Identifier: MIT
//
// RoutingTable: longest prefix match over the routes of one address family.
//
// One hash table per prefix length that occurs, tried from the longest: a look-up costs as many probes as
// there are distinct lengths (few in any network), however many prefixes there are.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "simcore/packet/ipv4_address.h"
#include "simcore/packet/ipv6_address.h"
#include "simcore/units/flat_map.h"

namespace simcore {

template <class Prefix>
struct Route {
  Prefix prefix;
  std::optional<typename Prefix::Address> via;  // the next router; none: the destination is on the link
  std::size_t interface;                        // index of the interface of the way out

  bool operator==(const Route&) const = default;
};

// Prefix: Ipv4Prefix or Ipv6Prefix.
template <class Prefix>
class RoutingTable {
 public:
  using Address = typename Prefix::Address;

  RoutingTable() = default;
  RoutingTable(RoutingTable&&) noexcept = default;
  RoutingTable& operator=(RoutingTable&&) noexcept = default;

  // False, and nothing is changed, when the table has another route for that prefix.
  [[nodiscard]] bool add(const Route<Prefix>& route);

  // The route of the longest prefix that holds `destination`; null when there is none.
  // Valid until the next add().
  const Route<Prefix>* find(Address destination) const {
    if (latest_ == nullptr || destination != latest_destination_) look_up(destination);
    return latest_;
  }

  // The interface of index `gone` is not there any more, and the one of index `last`, which may be the same, has taken its
  // index: takes out the routes of the first.
  void remove_interface(std::size_t gone, std::size_t last);

  std::size_t size() const { return size_; }

 private:
  void look_up(Address destination) const;

  struct OfLength {
    int length;
    FlatMap<Address, Route<Prefix>> routes;  // by the first address of their prefix
  };

  std::vector<OfLength> by_length_;  // those that occur, longest first
  std::size_t size_ = 0;

  // Most hosts ask for one destination again and again. null: ask the tables.
  mutable Address latest_destination_ = Address::any();
  mutable const Route<Prefix>* latest_ = nullptr;
};

extern template class RoutingTable<Ipv4Prefix>;
extern template class RoutingTable<Ipv6Prefix>;

}  // namespace simcore
