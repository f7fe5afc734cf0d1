// SPDX-License-Identifier: MIT
//
// The counters of each kind of element as a row of a snapshot. Units are part of a figure's name: _packets
// and _segments count segments, _frames count trains as one, _bytes are wire bytes without overhead,
// _ns are nanoseconds.
#pragma once

#include <string>

#include "simcore/device/node.h"
#include "simcore/network/background_forms.h"
#include "simcore/network/fluid_flows.h"
#include "simcore/network/link_model.h"
#include "simcore/network/snapshot.h"
#include "simcore/packet/packet_pool.h"
#include "simcore/portal/emulation_portal.h"
#include "simcore/portal/peering_portal.h"
#include "simcore/realtime/lateness.h"
#include "simcore/realtime/run_loop.h"
#include "simcore/realtime/time_slices.h"
#include "simcore/units/log_histogram.h"

namespace simcore {

// Adds `more` to `sum`.
void add_to(DropCounters& sum, const DropCounters& more);

// Of nanoseconds, unless the caller names another unit.
template <unsigned kFractionBits>
SnapshotHistogram histogram_of(const BasicLogHistogram<kFractionBits>& values) {
  using Histogram = BasicLogHistogram<kFractionBits>;
  SnapshotHistogram histogram;
  for (std::size_t bin = 0; bin < Histogram::kBins; ++bin) {
    if (values.count(bin) > 0) histogram.buckets.emplace_back(Histogram::upper_bound(bin), values.count(bin));
  }
  histogram.greatest = values.greatest();
  return histogram;
}
inline SnapshotHistogram histogram_of(const Lateness& lateness) { return histogram_of(lateness.ns()); }
SnapshotRow row_of(const RunLoop& loop);
SnapshotRow row_of(const TimeSlices& slices);
SnapshotRow row_of(const PacketPool& pool);
SnapshotRow row_of(ModelledLink& link, const std::string& from, const std::string& to);
SnapshotRow row_of(const FluidFlows& fluids, std::size_t flow);
// Adds what a class is that has two forms.
void add_to(SnapshotRow& fluid, const BackgroundForms& forms, std::size_t place);
SnapshotRow row_of(EmulationPortal& portal);
SnapshotRow row_of(const PeeringPortal& peer);
SnapshotRow row_of(const Node& node);
SnapshotRow row_of(const Interface& interface);

}  // namespace simcore
