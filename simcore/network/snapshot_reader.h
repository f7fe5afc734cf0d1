// SPDX-License-Identifier: MIT
//
// SnapshotReader: reads a network into a snapshot, a slice at a time, so that an instance with tens of thousands of links
// and nodes is not late because of it.
//
//   SnapshotReader reader(network, SnapshotReader::Elements::all, snapshot);
//   while (reader.read_slice()) ...               // between two slices the network goes on
//
// What belongs together: the pool, the record, the fluid flows and what was removed are read with the first slice; the figures of one row are of one instant,
// that of its slice. Rows of different slices are of different instants, in the order applications, links, nodes,
// interfaces: what an interface counted may be more than what its link had accepted when it was read. Snapshots of a
// network that stands still, as after run(), are of one instant.
#pragma once

#include <cstddef>

#include "simcore/network/simulated_network.h"
#include "simcore/network/snapshot.h"

namespace simcore {

class SnapshotReader {
 public:
  // Rows that a slice reads at most: some 0.2 ms of them, in a network that does not fit into the cache. A host with more
  // applications than that is read at once.
  static constexpr std::size_t kSlice = 256;

  enum class Elements : std::uint8_t {
    none,  // only the pool, the record, the applications and the fluid flows
    all,   // links, nodes and interfaces, too
  };

  // Both must outlive the reader, and nothing is added to the network from now on.
  SnapshotReader(const SimulatedNetwork& network, Elements elements, Snapshot& snapshot)
      : network_(network), elements_(elements), snapshot_(snapshot) {}

  // Says whether something is left.
  bool read_slice();

 private:
  void begin();
  template <class Read>
  void read(std::size_t& next, std::size_t end, std::size_t& room, Read read_one);

  const SimulatedNetwork& network_;
  Elements elements_;
  Snapshot& snapshot_;
  bool begun_ = false;
  // What is read next.
  std::size_t host_ = 0;
  std::size_t link_ = 0;
  std::size_t node_ = 0;
  std::size_t interface_ = 0;
};

// All of it, at one instant.
void read_all(const SimulatedNetwork& network, Snapshot& snapshot);

}  // namespace simcore
