// SPDX-License-Identifier: MIT
#include "simcore/python/snapshot.h"

#include <nanobind/stl/string.h>

#include <utility>

namespace nb = nanobind;

namespace simcore::python {

namespace {

nb::dict dropped(const DropCounters& counters) {
  nb::dict result;
  for (std::size_t i = 0; i < kDropReasons; ++i) {
    const auto reason = static_cast<DropReason>(i);
    const std::string_view name = name_of(reason);
    if (counters.of(reason) > 0) result[nb::str(name.data(), name.size())] = counters.of(reason);
  }
  return result;
}

nb::list rows(const std::vector<SnapshotRow>& from) {
  nb::list result;
  for (const SnapshotRow& each : from) result.append(row_dict(each));
  return result;
}

}  // namespace

nb::dict row_dict(const SnapshotRow& from) {
  nb::dict result;
  result["name"] = from.name;
  for (const auto& [name, text] : from.labels) result[nb::str(name.data(), name.size())] = text;
  for (const auto& [name, value] : from.figures) result[nb::str(name.data(), name.size())] = value;
  for (const auto& [name, each] : from.histograms)
    result[nb::str(name.data(), name.size())] = histogram_dict(each);
  result["dropped"] = dropped(from.dropped);
  return result;
}

nb::dict histogram_dict(const SnapshotHistogram& from) {
  nb::list buckets;
  for (const auto& [upper, count] : from.buckets) buckets.append(nb::make_tuple(upper, count));
  nb::dict result;
  result["buckets"] = buckets;
  const std::string greatest = "max_" + std::string(from.unit);
  result[nb::str(greatest.data(), greatest.size())] = from.greatest;
  return result;
}

nb::dict snapshot_dict(const Snapshot& from) {
  nb::dict result;
  result["name"] = from.name;
  result["time_ns"] = from.time_ns;
  result["ready"] = from.ready;
  if (from.lateness) result["lateness"] = histogram_dict(*from.lateness);
  if (from.loop) result["loop"] = row_dict(*from.loop);
  if (from.slices) {
    nb::dict slices = row_dict(*from.slices);
    nb::list noted;
    for (const auto& each : from.noted_slices)
      noted.append(nb::make_tuple(each.ended_ns, each.lateness_ns, each.stall_ns));
    slices["noted"] = noted;
    result["slices"] = slices;
  }
  result["pool"] = row_dict(from.pool);
  if (from.record) result["record"] = row_dict(*from.record);
  result["captures"] = rows(from.captures);
  result["links"] = rows(from.links);
  result["portals"] = rows(from.portals);
  result["peers"] = rows(from.peers);
  result["nodes"] = rows(from.nodes);
  result["interfaces"] = rows(from.interfaces);
  result["applications"] = rows(from.applications);
  result["connections"] = rows(from.connections);
  result["fluids"] = rows(from.fluids);
  result["removed"] = rows(from.removed);
  return result;
}

nb::tuple link_counts_tuple(const LinkCounts& from) {
  nb::object directions = nb::none();
  if (from.generation != from.known) {
    nb::list named;
    for (const auto& [name, forward] : from.directions) named.append(nb::make_tuple(name, forward));
    directions = std::move(named);
  }
  return nb::make_tuple(from.generation, directions,
                        nb::bytes(from.figures.data(), from.figures.size() * sizeof(std::int64_t)));
}

nb::list hashes_list(const Taps& taps) {
  nb::list result;
  for (const Taps::Hashed& each : taps.hashes()) {
    result.append(nb::make_tuple(each.interface, each.sent.hash, each.sent.packets, each.arrived.hash,
                                 each.arrived.packets));
  }
  return result;
}

}  // namespace simcore::python
