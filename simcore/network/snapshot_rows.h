// SPDX-License-Identifier: MIT
//
// The counters of each kind of element as a row of a snapshot. Units are part of a figure's name: _packets
// and _segments count segments, _frames count trains as one, _bytes are wire bytes without overhead,
// _ns are nanoseconds.
#pragma once

#include <string>

#include "simcore/device/node.h"
#include "simcore/network/link_model.h"
#include "simcore/network/snapshot.h"
#include "simcore/packet/packet_pool.h"
#include "simcore/portal/emulation_portal.h"
#include "simcore/portal/peering_portal.h"
#include "simcore/realtime/run_loop.h"

namespace simcore {

// Adds `more` to `sum`.
void add_to(DropCounters& sum, const DropCounters& more);

SnapshotHistogram histogram_of(const Lateness& lateness);
SnapshotHistogram histogram_of(const LogHistogram& from_ns, Duration longest);
SnapshotRow row_of(const RunLoop& loop);
SnapshotRow row_of(const PacketPool& pool);
SnapshotRow row_of(ModelledLink& link, const std::string& from, const std::string& to);
SnapshotRow row_of(EmulationPortal& portal);
SnapshotRow row_of(const PeeringPortal& peer);
SnapshotRow row_of(const Node& node);
SnapshotRow row_of(const Interface& interface);

}  // namespace simcore
