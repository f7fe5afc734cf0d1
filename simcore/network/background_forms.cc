// SPDX-License-Identifier: MIT
#include "simcore/network/background_forms.h"

#include <algorithm>
#include <map>
#include <utility>

namespace simcore {

namespace {

constexpr Duration kOpening = Duration::ms(100);
constexpr Duration kSettling = Duration::ms(200);
constexpr std::int64_t kSettlingRoundTrips = 20;
constexpr Duration kEnough = Duration::seconds(1);

}  // namespace

const char* name_of(FlowForm form) { return form == FlowForm::fluid ? "fluid" : "packets"; }

void BackgroundForms::add(const std::string& name, std::size_t fluid, PacketFlows& packets,
                          std::optional<double> allowed) {
  classes_.push_back({.name = name, .fluid = fluid, .packets = &packets, .allowed = allowed});
  fluids_.rest(fluid);
}

void BackgroundForms::begin() {
  group();
  for (Class& each : classes_) {
    each.since = each.looked = simulation_.now();
    each.packets->begin(kOpening);
  }
}

// Each class is in the group of the first of those with which it shares a link, directly or through others.
void BackgroundForms::group() {
  for (std::size_t place = 0; place < classes_.size(); ++place) {
    Class& of = classes_[place];
    of.group = place;
    for (std::size_t other = 0; other < place; ++other) {
      if (of.group == classes_[other].group || !fluids_.share_a_link(of.fluid, classes_[other].fluid))
        continue;
      const std::size_t from = std::max(of.group, classes_[other].group);
      const std::size_t to = std::min(of.group, classes_[other].group);
      for (Class& each : classes_) each.group = each.group == from ? to : each.group;
    }
  }
  std::map<std::size_t, Group> by_first;
  for (std::size_t place = 0; place < classes_.size(); ++place)
    by_first[classes_[place].group].push_back(place);
  groups_.clear();
  for (auto& [first, members] : by_first) {
    for (const std::size_t place : members) classes_[place].group = groups_.size();
    groups_.push_back(std::move(members));
  }
}

void BackgroundForms::forget(const PacketFlows& packets) {
  const auto found = std::ranges::find(classes_, &packets, &Class::packets);
  if (found == classes_.end()) return;
  if (found->form == FlowForm::packets) fluids_.go_on(found->fluid, packets.window());
  classes_.erase(found);
  group();
}

std::optional<std::size_t> BackgroundForms::find(std::string_view name) const {
  const auto found = std::ranges::find(classes_, name, &Class::name);
  if (found == classes_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - classes_.begin());
}

std::optional<std::size_t> BackgroundForms::of_fluid(std::size_t fluid) const {
  const auto found = std::ranges::lower_bound(classes_, fluid, {}, &Class::fluid);
  if (found == classes_.end() || found->fluid != fluid) return std::nullopt;
  return static_cast<std::size_t>(found - classes_.begin());
}

void BackgroundForms::set(std::size_t place, FlowForm form) {
  Class& of = classes_[place];
  if (of.form == form) return;
  look(of);
  if (form == FlowForm::fluid) {
    const double window = of.packets->window();
    of.packets->rest();
    fluids_.go_on(of.fluid, window);
  } else {
    of.was_fluid += simulation_.now() - of.since;
    const double window = fluids_.window(of.fluid);
    fluids_.rest(of.fluid);
    of.packets->go_on(window, fluids_.counters(of.fluid).round_trip);
  }
  of.form = form;
  of.since = of.looked = simulation_.now();
  of.bytes_then = bytes(of);
  ++of.changes;
}

std::int64_t BackgroundForms::bytes(const Class& of) const {
  return of.form == FlowForm::fluid ? fluids_.counters(of.fluid).delivered_bytes
                                    : of.packets->acknowledged_bytes();
}

void BackgroundForms::look() {
  for (Class& each : classes_) look(each);
}

void BackgroundForms::look(Class& of) {
  const SimTime now = simulation_.now();
  const std::int64_t carried = bytes(of);
  const Duration round_trip = std::max(fluids_.counters(of.fluid).round_trip, fluids_.propagation(of.fluid));
  if (of.looked - of.since >= std::max(kSettling, round_trip * kSettlingRoundTrips)) {
    Carried& sum = of.form == FlowForm::fluid ? of.as_fluid : of.as_packets;
    sum.bytes += static_cast<double>(carried - of.bytes_then);
    sum.time += now - of.looked;
  }
  of.looked = now;
  of.bytes_then = carried;
}

BackgroundForms::Figures BackgroundForms::figures(std::size_t place) const {
  const Class& of = classes_[place];
  Figures all{.form = of.form,
              .allowed = of.allowed,
              .changes = of.changes,
              .as_fluid = of.was_fluid,
              .acknowledged_bytes = of.packets->acknowledged_bytes(),
              .segments_sent = of.packets->segments_sent()};
  if (of.form == FlowForm::fluid) all.as_fluid += simulation_.now() - of.since;
  return all;
}

std::int64_t BackgroundForms::flows(const Group& group) const {
  std::int64_t sum = 0;
  for (const std::size_t place : group) sum += classes_[place].packets->size();
  return sum;
}

std::optional<double> BackgroundForms::difference(const Group& group) const {
  double as_fluid = 0;
  double as_packets = 0;
  for (const std::size_t place : group) {
    const Class& of = classes_[place];
    if (std::min(of.as_packets.time, of.as_fluid.time) < kEnough || of.as_packets.bytes <= 0)
      return std::nullopt;
    as_fluid += of.as_fluid.bytes / of.as_fluid.time.in_seconds();
    as_packets += of.as_packets.bytes / of.as_packets.time.in_seconds();
  }
  return as_fluid / as_packets - 1;
}

}  // namespace simcore
