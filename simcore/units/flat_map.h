// SPDX-License-Identifier: MIT
//
// FlatMap: a hash table whose entries lie side by side (Robin Hood hashing, of the library robin-map), for tables that are
// looked up for every packet: an entry is found with one access to memory where std::unordered_map takes three.
//
// Differs from std::unordered_map: whatever is added or erased moves entries, so no reference to one outlives that; and an
// iterator's entry is changed through value().
#pragma once

#include <tsl/robin_map.h>

namespace simcore {

template <class Key, class Value>
using FlatMap = tsl::robin_map<Key, Value>;

// Erases what `unwanted` says so of, which is called with each entry's value.
template <class Key, class Value, class Predicate>
void erase_values_if(FlatMap<Key, Value>& map, Predicate unwanted) {
  for (auto place = map.begin(); place != map.end();) {
    if (unwanted(place->second)) {
      place = map.erase(place);
    } else {
      ++place;
    }
  }
}

}  // namespace simcore
