// SPDX-License-Identifier: MIT
#include "simcore/network/links.h"

#include <algorithm>
#include <array>
#include <utility>

#include "simcore/network/snapshot_rows.h"
#include "simcore/units/error.h"

namespace simcore {

namespace {

// The part of a cut link that is at its sender: the peer delays, but for what a partition knows ahead.
LinkModel senders_part(LinkModel model, bool ahead) {
  if (!ahead) model.link.propagation_delay = Duration::zero();
  model.extra_delay = nullptr;
  return model;
}

}  // namespace

void Links::add(const std::string& name, const End& a, const End& b, const LinkModel& a_to_b,
                const LinkModel& b_to_a, std::optional<std::uint64_t> number) {
  for (const End& end : {a, b}) {
    if (end.port->attached()) {
      throw ConfigError("add link " + name + ": " + end.name + " is joined to another link; an end has one");
    }
  }
  join(prepare(name, a, b, a_to_b, b_to_a, number));
}

Links::Prepared Links::prepare(const std::string& name, const End& a, const End& b, const LinkModel& a_to_b,
                               const LinkModel& b_to_a, std::optional<std::uint64_t> number) {
  const std::uint64_t given = number.value_or(next_number_);
  next_number_ = std::max(next_number_, given + 1);
  Prepared link;
  link.there = make(name, true, a, b, a_to_b, given);
  link.back = make(name, false, b, a, b_to_a, given);
  for (Direction* const each : {link.there.get(), link.back.get()}) {
    // A peer may send already.
    if (!each->from.peer) continue;
    each->nowhere = std::make_unique<Nowhere>();
    each->from.port->attach(*each->nowhere);
  }
  return link;
}

// Makes the direction from one end to the other.
std::unique_ptr<Links::Direction> Links::make(const std::string& name, bool forward, const End& from,
                                              const End& to, const LinkModel& model, std::uint64_t number) {
  auto direction = std::make_unique<Direction>(Direction{.name = name,
                                                         .forward = forward,
                                                         .from = from,
                                                         .to = to.name,
                                                         .toward_peer = to.peer,
                                                         .sink = &watching_what_goes_to(to),
                                                         .exit = nullptr,
                                                         .link = nullptr,
                                                         .delay = nullptr,
                                                         .nowhere = nullptr});
  direction->exit = direction->sink;
  if (from.peer) {
    Link::check(name, model.link);
    if (model.extra_delay) delay_from_peer(*direction, model);
  } else {
    direction->link =
        std::make_unique<ModelledLink>(simulation_, pool_, name + ":" + from.name + ">" + to.name,
                                       to.peer ? senders_part(model, to.ahead) : model, *direction->sink);
    direction->link->set_rank(rank(number, forward));
    if (to.ahead) direction->link->give_ahead();
  }
  return direction;
}

void Links::join(Prepared link) {
  attach(*link.there);
  attach(*link.back);
  if (free_.empty()) {
    free_.push_back(directions_.size());
    directions_.resize(directions_.size() + 2);
    told_up_.push_back(true);
  }
  const std::size_t place = free_.back();
  free_.pop_back();
  by_name_[link.there->name] = place;
  Port* const ends[] = {link.there->from.port, link.back->from.port};
  directions_[place] = std::move(link.there);
  directions_[place + 1] = std::move(link.back);
  told_up_[place / 2] = true;
  ++generation_;
  for (Port* const end : ends) end->link_changed(true);
  follow(place);
}

// Leads what the port sends into the direction.
void Links::attach(Direction& direction) {
  PacketSink* entrance = direction.exit;
  if (direction.link) {
    entrance = &direction.link->entrance();
  } else if (!direction.up) {
    entrance = direction.nowhere.get();
  } else if (direction.delay) {
    entrance = direction.delay.get();
  }
  direction.from.port->attach(watching_what_comes_from(direction.from, *entrance));
}

void Links::check_change(const std::string& name, const std::optional<LinkModel>& a_to_b,
                         const std::optional<LinkModel>& b_to_a) const {
  Direction& forward = direction(name, true, "change link " + name);
  Direction& backward = direction(name, false, "change link " + name);
  if (a_to_b) prepare(forward, *a_to_b);
  if (b_to_a) prepare(backward, *b_to_a);
}

Links::Direction& Links::direction_from(const std::string& interface, const std::string& attempt) const {
  const auto found = std::ranges::find_if(directions_, [&interface](const auto& each) {
    return each && each->link && !each->from.peer && !each->from.portal && each->from.name == interface;
  });
  if (found != directions_.end()) return **found;
  throw ConfigError(attempt + ": no link begins at " + interface);
}

ModelledLink& Links::leaving(const std::string& interface, const std::string& attempt) const {
  return *direction_from(interface, attempt).link;
}

ModelledLink& Links::carry_fluid(const std::string& interface, const std::string& attempt) {
  Direction& direction = direction_from(interface, attempt);
  try {
    direction.link->carry_fluid();
  } catch (const ConfigError& error) {
    throw ConfigError(attempt + ": " + error.what());
  }
  attach(direction);
  return *direction.link;
}

std::pair<Links::End, Links::End> Links::ends(const std::string& name, const std::string& attempt) const {
  return {direction(name, true, attempt).from, direction(name, false, attempt).from};
}

void Links::remove(const std::string& name, std::vector<SnapshotRow>& counted) {
  const auto entry = by_name_.find(name);
  for (const std::size_t place : {entry->second, entry->second + 1}) {
    std::unique_ptr<Direction> gone = std::move(directions_[place]);
    gone->from.port->detach();
    gone->from.port->link_changed(false);
    if (gone->link) {
      SnapshotRow& row = counted.emplace_back(row_of(*gone->link, gone->from.name, gone->to));
      row.dropped.add(DropReason::removed, gone->link->in_flight());
      gone->link->retire();
      retired_.push_back(std::move(gone));
    } else {
      add_to(removed_from_peers_, dropped_from_peer(*gone));
      if (gone->delay) removed_from_peers_.add(DropReason::removed, gone->delay->in_flight());
    }
  }
  free_.push_back(entry->second);
  by_name_.erase(entry);
  ++generation_;
}

bool Links::shed(std::size_t most) {
  if (retired_.empty()) return false;
  if (!retired_.back()->link->shed(most)) retired_.pop_back();
  return !retired_.empty();
}

void Links::set_up(const std::string& name, bool up) {
  direction(name, true, "set link " + name + (up ? " up" : " down"));
  const std::size_t place = by_name_.at(name);
  told_up_[place / 2] = up;
  follow(place);
}

void Links::set_open(Port& port, bool open) {
  if (open == !closed_.contains(&port)) return;
  if (open) {
    closed_.erase(&port);
  } else {
    closed_.insert(&port);
  }
  if (const auto place = place_of(port)) follow(*place);
}

std::optional<std::size_t> Links::place_of(const Port& port) const {
  const auto found = std::ranges::find_if(
      directions_, [&port](const auto& direction) { return direction && direction->from.port == &port; });
  if (found == directions_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - directions_.begin()) / 2 * 2;
}

void Links::tap(std::size_t place, const Port& port) {
  const bool first = directions_[place]->from.port == &port;
  Direction& sent = *directions_[first ? place : place + 1];
  Direction& arriving = *directions_[first ? place + 1 : place];
  arriving.exit = &taps_.running(sent.from.name, *arriving.sink, FrameDirection::inbound);
  if (arriving.link) arriving.link->lead_to(*arriving.exit);
  if (arriving.delay) arriving.delay->lead_to(*arriving.exit);
  if (!arriving.link && !arriving.delay) attach(arriving);
  attach(sent);
}

void Links::follow(std::size_t place) {
  Direction* const both[] = {directions_[place].get(), directions_[place + 1].get()};
  const bool told = told_up_[place / 2];
  const auto open = [this](const Direction& direction) { return !closed_.contains(direction.from.port); };
  const bool up = told && open(*both[0]) && open(*both[1]);
  for (Direction* const each : both) {
    if (each->up == up) continue;
    each->up = up;
    if (each->link) each->link->set_up(up);
    attach(*each);
  }
  for (const std::size_t at : {std::size_t{0}, std::size_t{1}}) {
    const bool seen = told && open(*both[1 - at]);
    if (std::exchange(both[at]->seen, seen) != seen) both[at]->from.port->link_changed(seen);
  }
}

// The extra delay of what comes from a peer, for all that has not come yet.
void Links::delay_from_peer(Direction& direction, const LinkModel& model) {
  const DelayModel none = constant_delay(Duration::zero());
  if (!direction.delay) {
    direction.delay = std::make_unique<VariableDelay>(
        simulation_, pool_, direction.name + ":" + direction.from.name + ">" + direction.to + "/delay", none,
        true, *direction.exit);
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
  return taps_.running(end.name, taps_.on(end.name, sink, FrameDirection::outbound),
                       FrameDirection::outbound);
}

PacketSink& Links::watching_what_goes_to(const End& end) {
  if (end.peer || end.portal) return taps_.crossing(end.name, *end.port, FrameDirection::outbound, nullptr);
  return taps_.on(end.name, *end.port, FrameDirection::inbound);
}

void Links::change(const std::string& name, const std::optional<LinkModel>& a_to_b,
                   const std::optional<LinkModel>& b_to_a) {
  Direction& forward = direction(name, true, "change link " + name);
  Direction& backward = direction(name, false, "change link " + name);
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
    change.prepared = direction.link->prepare(direction.toward_peer ? senders_part(model, false) : model);
  }
  return change;
}

void Links::apply(Change change) {
  Direction& direction = *change.direction;
  if (direction.link == nullptr) {
    if (direction.delay || change.model.extra_delay) {
      const bool first = !direction.delay;
      delay_from_peer(direction, change.model);
      if (first) attach(direction);
    }
    if (direction.from.channel != nullptr) {
      direction.from.channel->change_delay(change.model.link.propagation_delay);
    }
    return;
  }
  const PacketSink* const before = &direction.link->entrance();
  direction.link->apply(std::move(*change.prepared));
  if (&direction.link->entrance() != before) attach(direction);
}

Links::Direction& Links::direction(const std::string& name, bool forward, const std::string& attempt) const {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) throw ConfigError(attempt + ": there is no such link");
  return *directions_[found->second + (forward ? 0 : 1)];
}

void Links::read_into(Snapshot& snapshot, std::size_t direction) const {
  const Direction* const read = directions_[direction].get();
  if (read != nullptr && read->link) {
    snapshot.links.push_back(row_of(*read->link, read->from.name, read->to));
  }
}

void Links::read_into(Snapshot& snapshot, const std::string& name) const {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return;
  for (const std::size_t direction : {found->second, found->second + 1}) read_into(snapshot, direction);
}

void Links::read_into(LinkCounts& counts, std::size_t direction) const {
  const Direction* const read = directions_[direction].get();
  if (read == nullptr || !read->link) return;
  if (counts.known != generation_) counts.directions.emplace_back(read->name, read->forward);
  const Link::Counters c = read->link->counters();
  const std::uint64_t lost = c.dropped.of(DropReason::impaired);
  std::int64_t waited_ns = 0;
  std::uint64_t left = 0;
  if (const QueueDiscipline* const queue = read->link->queue()) {
    waited_ns = queue->counters().sojourn_total.count_ns();
    left = queue->counters().delivered;
  }
  const auto plain = [](std::uint64_t count) { return static_cast<std::int64_t>(count); };
  const std::array<std::int64_t, LinkCounts::kFigures> row = {plain(c.accepted_packets),
                                                              plain(c.accepted_bytes),
                                                              plain(c.delivered_packets),
                                                              plain(c.delivered_bytes),
                                                              plain(lost),
                                                              plain(c.dropped.total() - lost),
                                                              plain(read->link->in_flight()),
                                                              read->link->backlog_packets(),
                                                              read->link->backlog_bytes().count(),
                                                              waited_ns,
                                                              plain(left)};
  counts.figures.insert(counts.figures.end(), row.begin(), row.end());
}

std::optional<Links::Contents> Links::look(std::size_t direction, std::size_t most) const {
  const Direction* const seen = directions_[direction].get();
  if (seen == nullptr || !seen->link) return std::nullopt;
  Contents contents{.link = seen->name, .forward = seen->forward, .view = LinkView(most)};
  seen->link->look(contents.view);
  return contents;
}

std::vector<Links::Contents> Links::look(const std::string& name, std::size_t most) const {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) throw ConfigError("look into link " + name + ": there is no such link");
  std::vector<Contents> both;
  for (const std::size_t direction : {found->second, found->second + 1}) {
    if (std::optional<Contents> contents = look(direction, most)) both.push_back(*contents);
  }
  return both;
}

void Links::read_arrived_into(std::vector<SnapshotRow>& arrived, std::size_t direction) const {
  const Direction* const read = directions_[direction].get();
  if (read == nullptr || read->from.emitted == nullptr) return;
  const std::uint64_t bytes = read->from.emitted->delivered_bytes;
  std::uint64_t packets = read->from.emitted->delivered_packets;
  if (read->delay) packets -= read->delay->in_flight() + read->delay->dropped().total();
  arrived.push_back({.name = read->name + ":" + read->from.name + ">" + read->to,
                     .labels = {{"from", read->from.name}, {"to", read->to}},
                     .figures = {{"delivered_packets", static_cast<std::int64_t>(packets)},
                                 {"delivered_bytes", static_cast<std::int64_t>(bytes)}},
                     .dropped = dropped_from_peer(*read)});
}

// By what delays what comes from a peer, or while that is down.
DropCounters Links::dropped_from_peer(const Direction& direction) {
  DropCounters dropped;
  if (direction.delay) add_to(dropped, direction.delay->dropped());
  if (direction.nowhere) dropped.add(DropReason::link_down, direction.nowhere->packets());
  return dropped;
}

DropCounters Links::dropped_from_peers() const {
  DropCounters sum = removed_from_peers_;
  for (const auto& each : directions_) {
    if (each) add_to(sum, dropped_from_peer(*each));
  }
  return sum;
}

}  // namespace simcore
