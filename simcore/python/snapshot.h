// SPDX-License-Identifier: MIT
//
// A snapshot as plain Python values.
#pragma once

#include <nanobind/nanobind.h>

#include "simcore/network/snapshot.h"

namespace simcore::python {

nanobind::dict snapshot_dict(const Snapshot& from);

// Its parts.
nanobind::dict row_dict(const SnapshotRow& from);
nanobind::dict histogram_dict(const SnapshotHistogram& from);

}  // namespace simcore::python
