// SPDX-License-Identifier: MIT
//
// A snapshot as plain Python values.
#pragma once

#include <nanobind/nanobind.h>

#include "simcore/network/link_counts.h"
#include "simcore/network/snapshot.h"
#include "simcore/network/taps.h"

namespace simcore::python {

nanobind::dict snapshot_dict(const Snapshot& from);

// Its parts.
nanobind::dict row_dict(const SnapshotRow& from);
// (interface, what it sent, its packets, what arrived, its packets) of each interface, by name.
nanobind::list hashes_list(const Taps& taps);
nanobind::dict histogram_dict(const SnapshotHistogram& from);
// (generation, [(link, from a to b)] or None when the reader knows them, the figures' bytes)
nanobind::tuple link_counts_tuple(const LinkCounts& from);

}  // namespace simcore::python
