// SPDX-License-Identifier: MIT
#include "simcore/network/figure_condition.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "simcore/network/snapshot_rows.h"
#include "simcore/units/error.h"

namespace simcore {

namespace {

// Of the row of that name what is `figure`.
std::optional<FigureCondition::Value> figure_of(const SnapshotRow& row, const std::string& figure) {
  if (figure == "dropped") return static_cast<std::int64_t>(row.dropped.total());
  for (const auto& [name, value] : row.figures) {
    if (name == figure) return value;
  }
  for (const auto& [name, text] : row.labels) {
    if (name == figure) return text;
  }
  return std::nullopt;
}

std::string names_of_figures(const SnapshotRow& row) {
  std::string names = "dropped";
  for (const auto& [name, value] : row.figures) names.append(", ").append(name);
  for (const auto& [name, text] : row.labels) names.append(", ").append(name);
  return names;
}

// Precondition: `is` is not `changes`.
template <class T>
bool compares(const T& one, FigureCondition::Comparison is, const T& other) {
  switch (is) {
    case FigureCondition::Comparison::less:
      return one < other;
    case FigureCondition::Comparison::at_most:
      return one <= other;
    case FigureCondition::Comparison::equal:
      return one == other;
    case FigureCondition::Comparison::at_least:
      return one >= other;
    case FigureCondition::Comparison::more:
      return one > other;
    default:
      return one != other;
  }
}

}  // namespace

FigureCondition::FigureCondition(const SimulatedNetwork& network, Config config)
    : network_(network), config_(std::move(config)), place_(find()), first_(value()) {
  const std::string attempt = "run until " + config_.figure + " of " + config_.element;
  const std::optional<SnapshotRow> now = row();
  if (now && !first_ && config_.section != Section::connections) {
    throw ConfigError(attempt + ": it has no such figure; there are " + names_of_figures(*now));
  }
  const bool text = std::holds_alternative<std::string>(config_.value);
  const bool ordered = config_.is != Comparison::equal && config_.is != Comparison::other;
  if (config_.is == Comparison::changes) return;
  if (text && ordered) {
    throw ConfigError(attempt + ": text is not more or less than other text; ask whether it is equal");
  }
  if (first_ && first_->index() != config_.value.index()) {
    throw ConfigError(attempt + ": it is " + (text ? "a number" : "text") + "; compare it with another one");
  }
}

bool FigureCondition::holds() const {
  const std::optional<Value> now = value();
  if (config_.is == Comparison::changes) return now != first_;
  if (!now || now->index() != config_.value.index()) return false;
  if (const auto* const number = std::get_if<std::int64_t>(&*now)) {
    return compares(*number, config_.is, std::get<std::int64_t>(config_.value));
  }
  return compares(std::get<std::string>(*now), config_.is, std::get<std::string>(config_.value));
}

std::optional<FigureCondition::Value> FigureCondition::value() const {
  const std::optional<SnapshotRow> now = row();
  return now ? figure_of(*now, config_.figure) : std::nullopt;
}

// Throws ConfigError.
std::size_t FigureCondition::find() const {
  const std::string& name = config_.element;
  const Network& nodes = network_.nodes();
  const auto place_of = [](const auto& all, const auto& is) {
    return static_cast<std::size_t>(std::ranges::find_if(all, is) - all.begin());
  };
  std::size_t found = 0;
  std::size_t count = 0;
  switch (config_.section) {
    case Section::links:
      for (count = network_.links().directions(); found < count; ++found) {
        Snapshot snapshot;
        network_.links().read_into(snapshot, found);
        if (!snapshot.links.empty() && snapshot.links.front().name == name) break;
      }
      break;
    case Section::nodes:
      found = place_of(nodes.nodes(), [&name](const auto& each) { return each->name() == name; });
      count = nodes.nodes().size();
      break;
    case Section::interfaces:
      found = place_of(nodes.interfaces(), [&name](const auto& each) { return each->name() == name; });
      count = nodes.interfaces().size();
      break;
    case Section::applications:
    case Section::connections:
      found = place_of(nodes.applications(),
                       [&name](const auto& each) { return name.starts_with(each.first + ":"); });
      count = nodes.applications().size();
      break;
  }
  if (found == count) {
    throw ConfigError("run until " + config_.figure + " of " + name + ": there is none of that name");
  }
  return found;
}

std::optional<SnapshotRow> FigureCondition::row() const {
  Snapshot snapshot;
  const auto named = [this](std::vector<SnapshotRow>& rows) -> std::optional<SnapshotRow> {
    const auto found = std::ranges::find(rows, config_.element, &SnapshotRow::name);
    return found == rows.end() ? std::nullopt : std::optional(std::move(*found));
  };
  switch (config_.section) {
    case Section::links:
      network_.links().read_into(snapshot, place_);
      return named(snapshot.links);
    case Section::nodes:
      return row_of(*network_.nodes().nodes()[place_]);
    case Section::interfaces:
      return row_of(*network_.nodes().interfaces()[place_]);
    case Section::applications:
      network_.nodes().read_applications_into(snapshot, place_);
      return named(snapshot.applications);
    case Section::connections:
      network_.nodes().read_connections_into(snapshot, place_);
      return named(snapshot.connections);
  }
  return std::nullopt;
}

}  // namespace simcore
