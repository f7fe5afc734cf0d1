// SPDX-License-Identifier: MIT
//
// RemovedElements: what elements had counted that were taken out of a running network, so that nothing is missing from
// its totals: a row for each kind, with the sums of their counters.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "simcore/network/snapshot.h"

namespace simcore {

class RemovedElements {
 public:
  // `kind`: "links" counts its directions, "portals", "peers", "nodes", "interfaces". `last`: of the element, when it was taken out.
  void add(std::string_view kind, const SnapshotRow& last);

  // Those that something was removed of; each with the figure `removed`, how many. Figures of one instant, such as what
  // is in flight, and quantiles are not in them.
  const std::vector<SnapshotRow>& rows() const { return rows_; }

 private:
  std::vector<SnapshotRow> rows_;
};

}  // namespace simcore
