// SPDX-License-Identifier: MIT
#include "simcore/network/timeline.h"

#include <algorithm>
#include <exception>

#include "simcore/units/error.h"

namespace simcore {

void Timeline::check(const Entry& entry) const {
  if (const auto* const link = std::get_if<LinkChange>(&entry.change)) {
    network_.links().check_change(link->link, link->a_to_b, link->b_to_a);
  } else if (const auto* const status = std::get_if<LinkStatus>(&entry.change)) {
    network_.links().ends(status->link, "set link " + status->link);
  } else {
    for (const auto& [node, routes] : std::get<RoutesChange>(entry.change).routes)
      network_.nodes().make_routes(node, routes, "set the routes of " + node);
  }
}

Timeline::Line::Line(std::string name, std::vector<Entry> entries) : name_(std::move(name)) {
  entries_.reserve(entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) entries_.emplace_back(i, std::move(entries[i]));
  std::ranges::stable_sort(entries_, {}, [](const auto& each) { return each.second.at; });
}

void Timeline::add(std::unique_ptr<Line> line) {
  const std::string attempt = "schedule timeline " + line->name_ + ": ";
  if (line->left() == 0) throw ConfigError(attempt + "it has no changes; give it some");
  if (std::ranges::any_of(lines_, [&line](const auto& other) { return other->name_ == line->name_; }))
    throw ConfigError(attempt + "there is one of that name; cancel it first, or choose another");
  if (pending() + line->left() > kMostPending) {
    throw ConfigError(attempt + std::to_string(pending() + line->left()) +
                      " changes would be pending; at most " + std::to_string(kMostPending) + " may be");
  }
  const SimTime now = network_.simulation().now();
  if (line->due() < now) {
    throw ConfigError(attempt + "its first change is due at " + std::to_string(line->due().count_ns()) +
                      " ns, and it is " + std::to_string(now.count_ns()) + " ns; let it begin later");
  }
  lines_.push_back(std::move(line));
  wait();
}

std::unique_ptr<Timeline::Line> Timeline::cancel(const std::string& name) {
  const auto found = std::ranges::find_if(lines_, [&name](const auto& line) { return line->name_ == name; });
  if (found == lines_.end()) {
    throw ConfigError("cancel timeline " + name +
                      ": none of that name is pending; it has come to its end, or was never scheduled");
  }
  std::unique_ptr<Line> cancelled = std::move(*found);
  lines_.erase(found);
  wait();
  return cancelled;
}

std::size_t Timeline::pending() const {
  std::size_t pending = 0;
  for (const auto& line : lines_) pending += line->left();
  return pending;
}

std::vector<Timeline::Fired> Timeline::fired(std::uint64_t from, std::size_t most) const {
  const std::uint64_t oldest = fired_ - log_.size();
  const std::uint64_t begin = std::clamp(from, oldest, fired_) - oldest;
  const std::uint64_t count = std::min<std::uint64_t>(most, log_.size() - begin);
  const auto first = log_.begin() + static_cast<std::ptrdiff_t>(begin);
  return {first, first + static_cast<std::ptrdiff_t>(count)};
}

void Timeline::wait() {
  if (lines_.empty()) return network_.simulation().cancel(due_);
  const auto due = [](const auto& line) { return line->due(); };
  network_.simulation().schedule(due_, due(*std::ranges::min_element(lines_, {}, due)));
}

void Timeline::fire() {
  const SimTime now = network_.simulation().now();
  for (const auto& line : lines_) {
    while (line->left() > 0 && line->due() <= now) {
      const auto [number, entry] = std::move(line->entries_[line->next_++]);
      perform(line->name_, number, entry);
    }
  }
  std::erase_if(lines_, [](const auto& line) { return line->left() == 0; });
  wait();
}

void Timeline::perform(const std::string& timeline, std::size_t number, const Entry& entry) {
  Fired done{.number = fired_++,
             .timeline = timeline,
             .entry = number,
             .at = entry.at,
             .fired = wall_now_ ? wall_now_() : entry.at,
             .error = {}};
  try {
    if (const auto* const link = std::get_if<LinkChange>(&entry.change)) {
      network_.change_link(link->link, link->a_to_b, link->b_to_a, entry.note);
    } else if (const auto* const status = std::get_if<LinkStatus>(&entry.change)) {
      network_.set_link_up(status->link, status->up, entry.note);
    } else {
      network_.set_routes(std::get<RoutesChange>(entry.change).routes, entry.note);
    }
  } catch (const std::exception& error) {
    done.error = error.what();
  }
  log_.push_back(std::move(done));
  if (log_.size() > kMostLogged) log_.pop_front();
}

}  // namespace simcore
