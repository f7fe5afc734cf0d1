// SPDX-License-Identifier: MIT
#include "simcore/replay/replay.h"

#include <utility>

#include "simcore/network/snapshot_reader.h"
#include "simcore/units/error.h"

namespace simcore {

Replay::Replay(const std::string& record, std::uint64_t seed, ByteCount pool_limit)
    : network_(seed, pool_limit), record_(record) {}

void Replay::add_portal(const std::string& name) {
  network_.nodes().claim("portal", name);
  ports_[name] = std::make_unique<ReplayPort>(network_.simulation());
}

void Replay::add_link(const std::string& name, const LinkEnd& a, const LinkEnd& b, const LinkModel& a_to_b,
                      const LinkModel& b_to_a) {
  const Links::End first = find(name, a);
  const Links::End second = find(name, b);
  network_.add_link(name, first, second, a_to_b, b_to_a);
}

Links::End Replay::find(const std::string& link, const LinkEnd& end) {
  const std::string attempt = "add link " + link;
  if (const auto* interface = std::get_if<InterfaceEnd>(&end)) {
    return network_.end(interface->name, attempt);
  }
  if (const auto* portal = std::get_if<PortalEnd>(&end)) {
    const auto found = ports_.find(portal->name);
    if (found == ports_.end()) {
      throw ConfigError(attempt + ": there is no portal " + portal->name + "; add it first");
    }
    return {.port = found->second.get(), .name = portal->name, .portal = true};
  }
  const std::string channel = std::get<ChannelEnd>(end).name();
  add_portal(channel);
  return {.port = ports_[channel].get(), .name = channel, .peer = true};
}

void Replay::add_record(const std::string& file) {
  const auto wall_clock = [this] { return record_.epoch_ns() + now().count_ns(); };
  network_.taps().set_recorder(std::make_unique<PortalRecorder>(network_.simulation(), file, record_.plan(),
                                                                RecordWriter::Writing::at_once, wall_clock));
}

void Replay::start() {
  if (started_) return;
  for (const auto& [name, port] : ports_) {
    if (!port->attached()) {
      throw ConfigError("replay " + record_.name() + ": no link joins portal " + name);
    }
  }
  for (const auto& [name, of] : network_.nodes().openflow_switches()) {
    if (!of->setup().controllers.empty()) of->control().expect_controller();
  }
  network_.begin("replay " + record_.name(), record_.epoch_ns());
  started_ = true;
}

openflow::Switch& Replay::control(const std::string& name) {
  const auto& all = network_.nodes().openflow_switches();
  const auto found = all.find(name);
  if (found == all.end())
    throw ConfigError("replay " + record_.name() + ": a controller spoke to switch " + name +
                      ", which the plan does not have; replay it with the plan that it was recorded with");
  return found->second->control();
}

openflow::Session*& Replay::session(const std::string& of, std::uint64_t connection) {
  const auto found = sessions_.find({of, connection});
  if (found == sessions_.end())
    throw ConfigError("replay " + record_.name() + ": switch " + of + " has no connection " +
                      std::to_string(connection) + " when it is used; give the unchanged file");
  return *found->second;
}

void Replay::note(const std::string& text) {
  if (network_.taps().recorder() != nullptr) network_.taps().recorder()->note_change(text);
}

void Replay::open_control(const std::string& of, std::uint64_t connection, bool service,
                          const std::string& text) {
  openflow::Switch& to = control(of);
  auto& place = sessions_[{of, connection}];
  place = std::make_unique<openflow::Session*>(nullptr);
  const auto kind = service ? openflow::Session::Kind::service : openflow::Session::Kind::controller;
  *place = &to.connect(kind, [of = place.get()] {
    if (*of != nullptr) (*of)->output().clear();  // nobody listens
  });
  (*place)->output().clear();
  note(text);
}

void Replay::hear_control(const std::string& of, std::uint64_t connection,
                          std::span<const std::uint8_t> bytes, const std::string& text) {
  openflow::Session& from = *session(of, connection);
  if (bytes.size() > from.room())
    throw ConfigError("replay " + record_.name() + ": a controller said more to switch " + of +
                      " than it can take at once; give the unchanged file");
  note(text);
  from.take_in(bytes);
  bool more = true;
  while (more) {
    openflow::Effort effort(openflow::kEffortAtOnce);
    more = control(of).handle_input(from, effort);
  }
}

void Replay::close_control(const std::string& of, std::uint64_t connection, const std::string& text) {
  control(of).disconnect(*session(of, connection));
  sessions_.erase({of, connection});
  note(text);
}

void Replay::set_carrier(const std::string& portal, bool there, const std::string& text) {
  network_.links().set_open(port(portal), there);
  note(text);
}

std::optional<std::string> Replay::run() {
  start();
  while (const auto item = record_.next()) {
    if (const auto* const frame = std::get_if<RecordReader::Frame>(&*item)) {
      take(*frame);
    } else if (const auto* const change = std::get_if<RecordReader::Change>(&*item)) {
      network_.simulation().run_until(change->at);
      return std::string(change->text);
    } else {
      network_.simulation().run_until(std::get<RecordReader::End>(*item).at);
    }
  }
  network_.taps().close();
  const PortalRecorder* const recorder = network_.taps().recorder();
  if (recorder != nullptr && !recorder->failure().empty()) {
    throw EnvironmentError(recorder->failure() + "; choose another folder for the replay's own record");
  }
  return std::nullopt;
}

// All that is due then has happened before a frame comes in, as in a run loop.
void Replay::take(const RecordReader::Frame& frame) {
  network_.simulation().run_until(frame.note.at);
  ReplayPort& at = port(std::string(frame.portal));
  if (frame.direction == FrameDirection::outbound) {
    return at.out.recorded(frame.bytes, frame.note.fields, frame.note.at);
  }
  auto packet = packet_of(frame, network_.pool());
  if (const auto* const why = std::get_if<DropReason>(&packet)) return at.dropped.add(*why, 1);
  ++at.entered;
  at.give(std::get<PacketPtr>(std::move(packet)));
}

Replay::ReplayPort& Replay::port(const std::string& name) {
  const auto found = ports_.find(name);
  if (found == ports_.end()) {
    throw ConfigError("replay " + record_.name() + ": a frame crossed portal " + name +
                      ", which the plan does not have; replay it with the plan that it was recorded with");
  }
  return *found->second;
}

std::vector<Replay::PortalReport> Replay::portals() const {
  std::vector<PortalReport> reports;
  for (const auto& [name, port] : ports_) {
    reports.push_back({.name = name, .entered = port->entered, .dropped = port->dropped, .out = port->out});
  }
  return reports;
}

Snapshot Replay::snapshot() const {
  Snapshot snapshot;
  snapshot.time_ns = now().count_ns();
  snapshot.ready = true;
  read_all(network_, snapshot);
  return snapshot;
}

}  // namespace simcore
