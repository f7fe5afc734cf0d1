// SPDX-License-Identifier: MIT
#include "simcore/network/snapshot_reader.h"

#include <algorithm>

#include "simcore/network/snapshot_rows.h"

namespace simcore {

// Makes room for all rows at once: a vector that grows moves what it holds.
void SnapshotReader::begin() {
  begun_ = true;
  snapshot_.pool = row_of(network_.pool());
  add_to(snapshot_.pool.dropped, network_.links().dropped_from_peers());
  snapshot_.removed = network_.removed().rows();
  if (const PortalRecorder* const recorder = network_.taps().recorder()) snapshot_.record = recorder->row();
  snapshot_.captures = network_.taps().rows();
  const FluidFlows& fluids = network_.fluids();
  for (std::size_t flow = 0; flow < fluids.size(); ++flow) {
    snapshot_.fluids.push_back(row_of(fluids, flow));
    if (const auto form = network_.forms().of_fluid(flow))
      add_to(snapshot_.fluids.back(), network_.forms(), *form);
  }
  if (elements_ == Elements::none) return;
  snapshot_.links.reserve(network_.links().directions());
  snapshot_.nodes.reserve(network_.nodes().nodes().size());
  snapshot_.interfaces.reserve(network_.nodes().interfaces().size());
}

// Reads elements from `next` on, each of which says how many rows it had, until `end` or until there is no room left.
template <class Read>
void SnapshotReader::read(std::size_t& next, std::size_t end, std::size_t& room, Read read_one) {
  for (; next < end && room > 0; ++next) room -= std::min<std::size_t>(room, read_one(next));
}

bool SnapshotReader::read_slice() {
  if (!begun_) begin();
  const Network& nodes = network_.nodes();
  const Links& links = network_.links();
  std::size_t room = kSlice;
  read(host_, nodes.applications().size(), room, [&](std::size_t i) {
    const std::size_t before = snapshot_.applications.size();
    nodes.read_applications_into(snapshot_, i);
    return snapshot_.applications.size() - before;
  });
  if (elements_ == Elements::none) return host_ < nodes.applications().size();
  read(link_, links.directions(), room, [&](std::size_t i) {
    links.read_into(snapshot_, i);
    return std::size_t{1};
  });
  read(node_, nodes.nodes().size(), room, [&](std::size_t i) {
    snapshot_.nodes.push_back(row_of(*nodes.nodes()[i]));
    return std::size_t{1};
  });
  read(interface_, nodes.interfaces().size(), room, [&](std::size_t i) {
    snapshot_.interfaces.push_back(row_of(*nodes.interfaces()[i]));
    return std::size_t{1};
  });
  return host_ < nodes.applications().size() || link_ < links.directions() || node_ < nodes.nodes().size() ||
         interface_ < nodes.interfaces().size();
}

void read_all(const SimulatedNetwork& network, Snapshot& snapshot) {
  SnapshotReader reader(network, SnapshotReader::Elements::all, snapshot);
  while (reader.read_slice()) continue;
}

}  // namespace simcore
