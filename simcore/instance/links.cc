// SPDX-License-Identifier: MIT
#include "simcore/instance/links.h"

#include "simcore/instance/snapshot_rows.h"
#include "simcore/units/error.h"

namespace simcore {

void Links::add(const std::string& name, const End& a, const End& b, const LinkModel& a_to_b,
                const LinkModel& b_to_a) {
  for (const End& end : {a, b}) {
    if (end.port->attached()) {
      throw ConfigError("add link " + name + ": " + end.name + " is joined to another link; an end has one");
    }
  }
  lead(name, true, a, b, a_to_b);
  lead(name, false, b, a, b_to_a);
}

// Makes the direction from one end to the other.
void Links::lead(const std::string& name, bool forward, const End& from, const End& to,
                 const LinkModel& model) {
  PacketSink& sink = watching_what_goes_to(to);
  const std::string full_name = name + ":" + from.name + ">" + to.name;
  if (from.peer) {
    if (!model.extra_delay) return from.port->attach(watching_what_comes_from(from, sink));
    receiving_.push_back(std::make_unique<VariableDelay>(simulation_, pool_, full_name + "/delay",
                                                         model.extra_delay, model.in_order, sink));
    return from.port->attach(watching_what_comes_from(from, *receiving_.back()));
  }
  LinkModel local = model;
  if (to.peer) {  // the peer delays
    local.link.propagation_delay = Duration::zero();
    local.extra_delay = nullptr;
  }
  auto link = std::make_unique<ModelledLink>(simulation_, pool_, full_name, local, sink);
  from.port->attach(watching_what_comes_from(from, link->entrance()));
  directions_.push_back({name, forward, to.peer, from, to.name, std::move(link)});
}

// `sink`, or what writes down for that end in front of it.
PacketSink& Links::watching_what_comes_from(const End& end, PacketSink& sink) {
  if (end.peer || end.portal) return taps_.crossing(end.name, sink, FrameDirection::inbound, end.wall_clock);
  return taps_.on(end.name, sink, FrameDirection::outbound);
}

PacketSink& Links::watching_what_goes_to(const End& end) {
  if (end.peer || end.portal) return taps_.crossing(end.name, *end.port, FrameDirection::outbound, nullptr);
  return taps_.on(end.name, *end.port, FrameDirection::inbound);
}

void Links::change(const std::string& name, const std::optional<LinkModel>& a_to_b,
                   const std::optional<LinkModel>& b_to_a) {
  Direction& forward = direction(name, true);
  Direction& backward = direction(name, false);
  const LinkModel before = forward.link->model();
  if (a_to_b) change(forward, *a_to_b);
  try {
    if (b_to_a) change(backward, *b_to_a);
  } catch (const Error&) {
    change(forward, before);
    throw;
  }
}

void Links::change(Direction& direction, const LinkModel& model) {
  const PacketSink* const before = &direction.link->entrance();
  direction.link->change(model);
  if (&direction.link->entrance() != before) {
    direction.from.port->attach(watching_what_comes_from(direction.from, direction.link->entrance()));
  }
}

Links::Direction& Links::direction(const std::string& name, bool forward) {
  for (Direction& each : directions_) {
    if (each.name != name) continue;
    if (each.cut) {
      throw ConfigError(
          "change link " + name +
          ": it is a cut link, whose delay the peer applies; cut links keep their configuration");
    }
    if (each.forward == forward) return each;
  }
  throw ConfigError("change link " + name + ": there is no such link");
}

std::vector<SnapshotRow> Links::rows() const {
  std::vector<SnapshotRow> rows;
  for (const Direction& each : directions_) rows.push_back(row_of(*each.link, each.from.name, each.to));
  return rows;
}

DropCounters Links::dropped_from_peers() const {
  DropCounters sum;
  for (const auto& delay : receiving_) add_to(sum, delay->dropped());
  return sum;
}

}  // namespace simcore
