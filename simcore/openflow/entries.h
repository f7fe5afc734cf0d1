// SPDX-License-Identifier: MIT
//
// Entries: what a reply in several parts tells, piece by piece, so that it needs neither much memory nor much time at
// once. Each call writes some of it, or nothing yet; false: that was the last.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "simcore/openflow/effort.h"
#include "simcore/openflow/wire.h"
#include "simcore/units/time.h"

namespace simcore::openflow {

using Entries = std::function<bool(Writer&, Effort&)>;

template <class Write>
Entries one_entry(Write write) {
  return [write = std::move(write)](Writer& to, Effort&) {
    write(to);
    return false;
  };
}

// One for each element of a map by number, or for that of one number, whatever comes and goes meanwhile. The map must
// outlive it.
template <class Map, class Write>
Entries each_entry(const Map& map, bool all, std::uint32_t number, Write write) {
  return [&map, all, next = all ? std::uint64_t{0} : number, write = std::move(write)](Writer& to,
                                                                                       Effort&) mutable {
    const auto place = next > UINT32_MAX ? map.end() : map.lower_bound(static_cast<std::uint32_t>(next));
    if (place == map.end() || (!all && place->first != next)) return false;
    write(to, place->first, place->second);
    next = std::uint64_t{place->first} + 1;
    return all;
  };
}

inline void write_age(Writer& to, Duration age) {
  to.u32(static_cast<std::uint32_t>(age.count_ns() / 1'000'000'000));
  to.u32(static_cast<std::uint32_t>(age.count_ns() % 1'000'000'000));
}

}  // namespace simcore::openflow
