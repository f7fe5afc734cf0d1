// SPDX-License-Identifier: MIT
#include "simcore/network/removed_elements.h"

#include <algorithm>
#include <string>

#include "simcore/network/snapshot_rows.h"

namespace simcore {

namespace {

void add_to(SnapshotRow& sum, std::string_view name, std::int64_t value) {
  const auto found = std::ranges::find(sum.figures, name,
                                       [](const auto& figure) -> std::string_view { return figure.first; });
  if (found == sum.figures.end()) {
    sum.figures.emplace_back(name, value);
  } else {
    found->second += value;
  }
}

bool accumulates(std::string_view figure) {
  return figure != "in_flight" && !figure.starts_with("queue_") && !figure.ends_with("_ns");
}

}  // namespace

void RemovedElements::add(std::string_view kind, const SnapshotRow& last) {
  auto found = std::ranges::find(rows_, kind, &SnapshotRow::name);
  if (found == rows_.end()) {
    rows_.push_back({.name = std::string(kind), .labels = {}, .figures = {}, .dropped = {}});
    found = std::prev(rows_.end());
  }
  add_to(*found, "removed", 1);
  for (const auto& [name, value] : last.figures) {
    if (accumulates(name)) add_to(*found, name, value);
  }
  simcore::add_to(found->dropped, last.dropped);
}

}  // namespace simcore
