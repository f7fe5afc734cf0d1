// SPDX-License-Identifier: MIT
//
// Snapshot: every counter of an instance at one instant, as plain values that can leave its thread.
//
// A row is one element: its name, its figures by name (units are part of the name: _packets counts segments,
// _bytes, _ns), and what it dropped by reason. Links, portals and peers balance: what came in is what went
// out, what was dropped, and what is still in flight.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "simcore/link/drop_counters.h"
#include "simcore/realtime/time_slices.h"

namespace simcore {

struct SnapshotHistogram {
  // Upper edge, count; only those with a count.
  std::vector<std::pair<std::int64_t, std::uint64_t>> buckets;
  std::int64_t greatest = 0;
  std::string_view unit = "ns";  // of the edges and the greatest
};

struct SnapshotRow {
  std::string name;
  std::vector<std::pair<std::string_view, std::string>> labels;
  std::vector<std::pair<std::string_view, std::int64_t>> figures;
  DropCounters dropped;
  std::vector<std::pair<std::string_view, SnapshotHistogram>> histograms = {};
};

struct Snapshot {
  std::string name;
  std::int64_t time_ns = 0;
  bool ready = false;                         // every peer answers and its clock is known
  std::optional<SnapshotHistogram> lateness;  // none in virtual time, nor the next
  std::optional<SnapshotRow> loop;
  std::optional<SnapshotRow> slices;            // each half second of the loop, judged alone; see TimeSlices
  std::vector<TimeSlices::Noted> noted_slices;  // simulated time
  SnapshotRow pool;
  std::optional<SnapshotRow> record;  // where what crosses portals is recorded
  std::vector<SnapshotRow> captures;  // those that the plan has, and all that were begun while it ran as one
  std::vector<SnapshotRow> links;
  std::vector<SnapshotRow> portals;
  std::vector<SnapshotRow> peers;
  std::vector<SnapshotRow> nodes;
  std::vector<SnapshotRow> interfaces;
  std::vector<SnapshotRow> applications;
  std::vector<SnapshotRow> connections;  // of TCP, of simulated hosts
  std::vector<SnapshotRow> fluids;       // flows through several links
  std::vector<SnapshotRow>
      removed;  // sums of what was taken out while it ran, by kind; see removed_elements.h
};

}  // namespace simcore
