// SPDX-License-Identifier: MIT
//
// LinkCounts: what every direction of every link has counted, and what it holds now, as plain numbers in rows: for those
// who look at tens of thousands of links several times a second, and for whom a snapshot's rows are too much.
//
//   LinkCounts counts(known);                   // known: the generation whose directions the reader knows already
//   links.read_into(counts, 0) ...              // a row of kFigures numbers, of each direction that stands here
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace simcore {

struct LinkCounts {
  // Of a row: accepted packets and bytes, delivered packets and bytes, packets that a loss model took, packets that were
  // dropped for any other reason, packets in flight, waiting packets and bytes; of a queue that measures: how long all
  // packets that left it had waited, in nanoseconds, and how many these are.
  static constexpr std::size_t kFigures = 11;
  static constexpr std::uint64_t kNothingKnown = 0;

  explicit LinkCounts(std::uint64_t known_generation) : known(known_generation) {}

  std::uint64_t known;
  std::uint64_t generation = kNothingKnown;  // it grows when a link is added or removed
  std::vector<std::pair<std::string, bool>>
      directions{};                     // link, from a to b; only if the generation is not known
  std::vector<std::int64_t> figures{};  // row after row, in the order of the directions
};

}  // namespace simcore
