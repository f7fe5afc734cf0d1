// SPDX-License-Identifier: MIT
//
// SampleReader: what a time series takes of a network, a slice at a time: the links and interfaces that are named, and the
// TCP connections of hosts. With ten named links of ten thousand it reads ten.
//
// What is not there (any more) is left out. As with SnapshotReader, rows of different slices are of different instants.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "simcore/network/simulated_network.h"
#include "simcore/network/snapshot.h"

namespace simcore {

struct SampledNames {
  std::vector<std::string> links;
  std::vector<std::string> interfaces;
};

class SampleReader {
 public:
  // Names looked up, or hosts looked at, in a slice: some 0.1 ms. A host has Applications::kMostConnections rows at most.
  static constexpr std::size_t kSlice = 128;

  // All must outlive the reader, and nothing is added to the network from now on.
  SampleReader(const SimulatedNetwork& network, const SampledNames& names, Snapshot& snapshot)
      : network_(network), names_(names), snapshot_(snapshot) {}

  // Says whether something is left.
  bool read_slice();

 private:
  const SimulatedNetwork& network_;
  const SampledNames& names_;
  Snapshot& snapshot_;
  // What is read next.
  std::size_t link_ = 0;
  std::size_t interface_ = 0;
  std::size_t host_ = 0;
};

}  // namespace simcore
