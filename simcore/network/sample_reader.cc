// SPDX-License-Identifier: MIT
#include "simcore/network/sample_reader.h"

#include <algorithm>

#include "simcore/network/snapshot_rows.h"

namespace simcore {

bool SampleReader::read_slice() {
  const Network& nodes = network_.nodes();
  std::size_t room = kSlice;
  for (; link_ < names_.links.size() && room > 0; ++link_, --room) {
    network_.links().read_into(snapshot_, names_.links[link_]);
  }
  for (; interface_ < names_.interfaces.size() && room > 0; ++interface_, --room) {
    const Interface* const found = nodes.find_interface(names_.interfaces[interface_]);
    if (found != nullptr) snapshot_.interfaces.push_back(row_of(*found));
  }
  while (host_ < nodes.applications().size() && room > 0) {
    const std::size_t before = snapshot_.connections.size();
    nodes.read_connections_into(snapshot_, host_++);
    room -= std::min(room, 1 + snapshot_.connections.size() - before);
  }
  return link_ < names_.links.size() || interface_ < names_.interfaces.size() ||
         host_ < nodes.applications().size();
}

}  // namespace simcore
