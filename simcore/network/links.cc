// SPDX-License-Identifier: MIT
#include "simcore/network/links.h"

#include "simcore/network/snapshot_rows.h"
#include "simcore/units/error.h"

namespace simcore {

namespace {

// The part of a cut link that is at its sender: the peer delays.
LinkModel without_delay(LinkModel model) {
  model.link.propagation_delay = Duration::zero();
  model.extra_delay = nullptr;
  return model;
}

}  // namespace

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
  Direction direction{.name = name,
                      .forward = forward,
                      .from = from,
                      .to = to.name,
                      .toward_peer = to.peer,
                      .sink = &watching_what_goes_to(to),
                      .link = nullptr,
                      .delay = nullptr};
  if (from.peer && model.extra_delay) {
    delay_from_peer(direction, model);
  } else if (from.peer) {
    from.port->attach(watching_what_comes_from(from, *direction.sink));
  } else {
    direction.link =
        std::make_unique<ModelledLink>(simulation_, pool_, name + ":" + from.name + ">" + to.name,
                                       direction.toward_peer ? without_delay(model) : model, *direction.sink);
    from.port->attach(watching_what_comes_from(from, direction.link->entrance()));
  }
  directions_.push_back(std::move(direction));
}

// The extra delay of what comes from a peer, for all that has not come yet.
void Links::delay_from_peer(Direction& direction, const LinkModel& model) {
  const DelayModel none = constant_delay(Duration::zero());
  if (!direction.delay) {
    direction.delay = std::make_unique<VariableDelay>(
        simulation_, pool_, direction.name + ":" + direction.from.name + ">" + direction.to + "/delay", none,
        true, *direction.sink);
    direction.from.port->attach(watching_what_comes_from(direction.from, *direction.delay));
  }
  direction.delay->change(model.extra_delay ? model.extra_delay : none,
                          model.extra_delay ? model.in_order : true, in_flight_to(direction));
}

// Segments on their way to the extra delay of what comes from a peer.
std::uint64_t Links::in_flight_to(const Direction& direction) {
  const PeeringChannel* const channel = direction.from.channel;
  return channel != nullptr ? channel->in_flight() : 0;
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
  std::vector<Change> changes;
  if (a_to_b) changes.push_back(prepare(forward, *a_to_b));
  if (b_to_a) changes.push_back(prepare(backward, *b_to_a));
  for (Change& each : changes) apply(std::move(each));
}

Links::Change Links::prepare(Direction& direction, const LinkModel& model) {
  Change change{.direction = &direction, .model = model, .prepared = std::nullopt};
  if (direction.link == nullptr) {
    Link::check(direction.name, model.link);
    if (direction.delay) direction.delay->check_change(in_flight_to(direction));
  } else {
    change.prepared = direction.link->prepare(direction.toward_peer ? without_delay(model) : model);
  }
  return change;
}

void Links::apply(Change change) {
  Direction& direction = *change.direction;
  if (direction.link == nullptr) {
    if (direction.delay || change.model.extra_delay) delay_from_peer(direction, change.model);
    if (direction.from.channel != nullptr) {
      direction.from.channel->change_delay(change.model.link.propagation_delay);
    }
    return;
  }
  const PacketSink* const before = &direction.link->entrance();
  direction.link->apply(std::move(*change.prepared));
  if (&direction.link->entrance() != before) {
    direction.from.port->attach(watching_what_comes_from(direction.from, direction.link->entrance()));
  }
}

Links::Direction& Links::direction(const std::string& name, bool forward) {
  for (Direction& each : directions_) {
    if (each.name == name && each.forward == forward) return each;
  }
  throw ConfigError("change link " + name + ": there is no such link");
}

void Links::read_into(Snapshot& snapshot, std::size_t direction) const {
  const Direction& read = directions_[direction];
  if (read.link) snapshot.links.push_back(row_of(*read.link, read.from.name, read.to));
}

DropCounters Links::dropped_from_peers() const {
  DropCounters sum;
  for (const Direction& each : directions_) {
    if (each.delay) add_to(sum, each.delay->dropped());
  }
  return sum;
}

}  // namespace simcore
