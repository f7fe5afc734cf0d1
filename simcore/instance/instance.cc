// SPDX-License-Identifier: MIT
#include "simcore/instance/instance.h"

#include <algorithm>
#include <utility>

#include "simcore/application/json.h"
#include "simcore/instance/change_procedure.h"
#include "simcore/network/snapshot_rows.h"
#include "simcore/sys/clock.h"
#include "simcore/sys/network_device.h"
#include "simcore/units/error.h"

namespace simcore {

namespace {

// Of a timeline, on the loop's thread: some 0.2 ms.
constexpr std::size_t kCheckedAtOnce = 64;
constexpr std::size_t kReadAtOnce = 512;

template <class Map>
auto& at(Map& map, const std::string& key, const std::string& attempt, const std::string& what) {
  const auto found = map.find(key);
  if (found == map.end()) {
    throw ConfigError(attempt + ": there is no " + what + " " + key + "; add it first");
  }
  return *found->second;
}

SnapshotRow row_of(const RunningCaptures::Lost& lost) {
  SnapshotRow row{.name = "begun while it ran", .labels = {}, .figures = {}, .dropped = {}};
  row.figures = {{"queue_full", static_cast<std::int64_t>(lost.queue_full)},
                 {"write_failed", static_cast<std::int64_t>(lost.write_failed)}};
  return row;
}

}  // namespace

Instance::Instance(Config config)
    : config_(std::move(config)),
      network_(config_.seed, config_.pool_limit),
      loop_(network_.simulation(), config_.realtime),
      timeline_(network_, [this] { return loop_.wall_now(); }),
      captures_(network_, loop_) {
  loop_.count_arrivals([this] {
    RunLoop::Arrivals arrivals;
    for (const auto& [name, peer] : peers_) {
      const PeeringPortal::Counters counters = peer->counters();
      arrivals.late += counters.late_packets;
      arrivals.received += counters.received_packets;
    }
    return arrivals;
  });
}

Instance::~Instance() = default;

void Instance::add_emulation_portal(const std::string& backend, EmulationPortal::Config config,
                                    const EmulationPortalOptions& options) {
  network_.nodes().claim("portal", config.name);
  const std::string name = config.name;
  auto portal = make_emulation_portal(backend, network_.simulation(), loop_, network_.pool(),
                                      std::move(config), options);
  loop_.add(*portal);
  portals_[name] = std::move(portal);
}

void Instance::add_peer(PeeringPortal::Config config) {
  network_.nodes().claim("peer", config.name);
  auto peer = make_peer(std::move(config));
  loop_.add(*peer);
  const std::string name = peer->name();
  peers_[name] = std::move(peer);
}

std::unique_ptr<PeeringPortal> Instance::make_peer(PeeringPortal::Config config) {
  if (!config.of_guest())
    config.token = config_.token;  // which is none of a guest's business: its key is its own
  // In simulated time both are in the same kernel: other computers have no part in it.
  config.one_clock = loop_.clock_is_simulated();
  const bool of_day = config.options.clocks == PeeringOptions::Clocks::told;
  // Instants between peers are simulated time, and all instances of a run are equally slow.
  const int slow = config_.realtime.slow;
  config.kernel_stamps = slow == 1;
  config.clock_zero_ns = [this, of_day, slow] {
    const std::int64_t epoch = loop_.epoch_ns();
    return (epoch == 0 || !of_day ? epoch : epoch - monotonic_minus_realtime_ns()) / slow;
  };
  return std::make_unique<PeeringPortal>(
      network_.simulation(), network_.pool(), [this] { return loop_.turn_now(); }, config);
}

void Instance::add_record(const std::string& file, const std::string& plan) {
  network_.taps().set_recorder(std::make_unique<PortalRecorder>(network_.simulation(), file, plan,
                                                                RecordWriter::Writing::queued,
                                                                [this] { return stamp_ns(realtime_ns()); }));
  control_record_ = std::make_unique<ControlRecorder>(*network_.taps().recorder());
}

void Instance::add_link(const std::string& name, const LinkEnd& a, const LinkEnd& b, const LinkModel& a_to_b,
                        const LinkModel& b_to_a) {
  const Links::End first = find(name, a, a_to_b.link.propagation_delay);
  const Links::End second = find(name, b, b_to_a.link.propagation_delay);
  network_.add_link(name, first, second, a_to_b, b_to_a);
  for (const auto& carrier : {carrier_of(a, b), carrier_of(b, a)}) {
    if (carrier) follow(*carrier);
  }
}

std::optional<Instance::Carrier> Instance::carrier_of(const LinkEnd& end, const LinkEnd& other) {
  const auto* const name = std::get_if<PortalEnd>(&end);
  if (name == nullptr) return std::nullopt;
  EmulationPortal& portal = *portals_.at(name->name);
  const auto* const interface = std::get_if<InterfaceEnd>(&other);
  if (interface == nullptr) return Carrier{&portal, std::nullopt};
  Interface& of_node = network_.nodes().interface(interface->name, "follow the carrier of " + name->name);
  if (!network_.nodes().openflow_switches().contains(of_node.node().name()))
    return Carrier{&portal, std::nullopt};
  if (!carriers_) {
    carriers_ = std::make_unique<DeviceCarriers>([this](EmulationPortal& changed, bool there) {
      if (control_record_) control_record_->carrier(changed.name(), there);
      network_.links().set_open(changed, there);
    });
    loop_.add(*carriers_);
  }
  return Carrier{&portal, device_index(portal.device())};
}

void Instance::follow(const Carrier& carrier) {
  if (carrier.device) {
    carriers_->add(*carrier.portal, *carrier.device);
  } else {
    forget_carrier(*carrier.portal);
  }
}

void Instance::forget_carrier(EmulationPortal& portal) {
  if (!carriers_) return;
  carriers_->remove(portal);
  network_.links().set_open(portal, true);
}

void Instance::connect_switch(const std::string& name) {
  OpenFlowSwitch& of = *network_.nodes().openflow_switches().at(name);
  const OpenFlowSetup& setup = of.setup();
  if (!openflow_) {
    openflow_ = std::make_unique<OpenFlowPortal>(network_.simulation(), control_record_.get());
    loop_.add(*openflow_);
  }
  openflow_->add(of.control(), {setup.controllers, setup.listens, setup.longest_retry});
}

void Instance::disconnect_switch(const std::string& name) {
  const auto found = network_.nodes().openflow_switches().find(name);
  if (openflow_ && found != network_.nodes().openflow_switches().end())
    openflow_->remove(found->second->control());
}

std::map<std::string, bool> Instance::switches_connected() {
  return loop_.call([this] {
    std::map<std::string, bool> connected;
    for (const auto& [name, of] : network_.nodes().openflow_switches()) {
      if (!of->setup().controllers.empty()) connected[name] = of->control().connected();
    }
    return connected;
  });
}

void Instance::run() {
  check_joined();
  for (const auto& [name, of] : network_.nodes().openflow_switches()) connect_switch(name);
  network_.begin("run instance " + config_.name, realtime_ns());
  begin_forms();
  // The loop's start, and what the network writes before it, take up to milliseconds.
  loop_.run([this] { network_.taps().clock_runs(loop_.epoch_ns() - monotonic_minus_realtime_ns()); });
  const std::lock_guard lock(control_);
  captures_.close();
  network_.taps().close();
}

Snapshot Instance::snapshot(SnapshotReader::Elements elements) {
  const std::lock_guard lock(control_);
  Snapshot snapshot;
  SnapshotReader reader(network_, elements, snapshot);
  bool more = loop_.call([&] {
    loop_.end_slice();  // so that what is judged from here on has no part of what was before
    read_into(snapshot);
    return reader.read_slice();
  });
  while (more) more = loop_.call([&reader] { return reader.read_slice(); });
  snapshot.captures.push_back(row_of(captures_.lost()));
  return snapshot;
}

Snapshot Instance::sample(const SampledNames& names) {
  const std::lock_guard lock(control_);
  Snapshot snapshot;
  SnapshotReader whole(network_, SnapshotReader::Elements::none, snapshot);
  bool more = loop_.call([&] {
    read_into(snapshot);
    return whole.read_slice();
  });
  while (more) more = loop_.call([&whole] { return whole.read_slice(); });
  SampleReader named(network_, names, snapshot);
  for (more = true; more;) more = loop_.call([&named] { return named.read_slice(); });
  return snapshot;
}

LinkCounts Instance::link_counts(std::uint64_t known) {
  const std::lock_guard lock(control_);
  LinkCounts counts(known);
  const Links& links = network_.links();
  counts.generation = links.generation();
  for (std::size_t next = 0; next < links.directions();) {
    loop_.call([&] {
      const std::size_t end = std::min(links.directions(), next + SnapshotReader::kSlice);
      for (; next < end; ++next) links.read_into(counts, next);
    });
  }
  return counts;
}

void Instance::change_link(const std::string& name, const std::optional<LinkModel>& a_to_b,
                           const std::optional<LinkModel>& b_to_a, const std::string& note) {
  loop_.call([&] { network_.change_link(name, a_to_b, b_to_a, note); });
}

void Instance::set_link_up(const std::string& name, bool up, const std::string& note) {
  loop_.call([&] { network_.set_link_up(name, up, note); });
}

void Instance::change(const InstanceChange& change, const std::string& note) {
  const std::lock_guard lock(control_);
  ChangeProcedure(*this, change, note).run();
  captures_.settle();
}

void Instance::start_capture(const std::string& interface, const std::string& file, const std::string& filter,
                             std::uint64_t most_bytes) {
  const std::lock_guard lock(control_);
  captures_.start(interface, file, filter, most_bytes);
}

RunningCaptures::State Instance::stop_capture(const std::string& file) {
  const std::lock_guard lock(control_);
  return captures_.stop(file);
}

std::vector<RunningCaptures::State> Instance::captures() {
  const std::lock_guard lock(control_);
  return captures_.all();
}

void Instance::schedule(const std::string& name, std::vector<Timeline::Entry> entries) {
  for (std::size_t next = 0; next < entries.size();) {
    loop_.call([&] {
      const std::size_t end = std::min(entries.size(), next + kCheckedAtOnce);
      for (; next < end; ++next) timeline_.check(entries[next]);
    });
  }
  auto line = std::make_unique<Timeline::Line>(name, std::move(entries));
  loop_.call([&] { timeline_.add(std::move(line)); });
}

std::size_t Instance::cancel(const std::string& name) {
  return loop_.call([&] { return timeline_.cancel(name); })->left();
}

std::vector<Timeline::Fired> Instance::fired(std::uint64_t from) {
  std::vector<Timeline::Fired> all;
  while (true) {
    const auto some = loop_.call([&] { return timeline_.fired(from, kReadAtOnce); });
    if (some.empty()) return all;
    from = some.back().number + 1;
    all.insert(all.end(), some.begin(), some.end());
  }
}

void Instance::govern() {
  BackgroundForms& forms = network_.forms();
  forms.look();
  const double period = FidelityGovernor::kPeriod.in_seconds();
  const auto work = [&](std::size_t place, const BackgroundForms::Figures& figures) {
    std::int64_t& before = then_.sent[forms.name(place)];
    const auto sent =
        static_cast<double>(figures.segments_sent - std::exchange(before, figures.segments_sent));
    return figures.form == FlowForm::fluid ? forms.fluid_work(place) : sent / period * forms.links(place);
  };
  const auto& groups = forms.groups();
  set_forms(groups, governor_.decide(network_.simulation().now(), load_since_then(), classes(groups, work)));
  network_.simulation().schedule_in(look_, FidelityGovernor::kPeriod);
}

void Instance::begin_forms() {
  const BackgroundForms& forms = network_.forms();
  // Programs that compute take no time where clocks are simulated.
  if (forms.size() == 0 || loop_.clock_is_simulated()) return;
  const auto most = [&](std::size_t place, const BackgroundForms::Figures&) {
    return forms.most_work(place);
  };
  const auto& groups = forms.groups();
  set_forms(groups, governor_.begin(network_.simulation().now(), classes(groups, most)));
  network_.simulation().schedule_in(look_, FidelityGovernor::kPeriod);
}

// Each group as one class. `work`: of a class.
template <class Work>
std::vector<FidelityGovernor::Class> Instance::classes(const std::vector<BackgroundForms::Group>& groups,
                                                       const Work& work) const {
  const BackgroundForms& forms = network_.forms();
  std::vector<FidelityGovernor::Class> all;
  for (const BackgroundForms::Group& group : groups) {
    FidelityGovernor::Class one{.allowed = 1.0, .difference = forms.difference(group)};
    for (const std::size_t place : group) {
      const BackgroundForms::Figures figures = forms.figures(place);
      one.form = figures.form;
      one.work += work(place, figures);
      one.allowed = one.allowed && figures.allowed ? std::optional(std::min(*one.allowed, *figures.allowed))
                                                   : std::nullopt;
    }
    if (forms.flows(group) < BackgroundForms::kLeastFlows) one.allowed.reset();
    all.push_back(one);
  }
  return all;
}

void Instance::set_forms(const std::vector<BackgroundForms::Group>& groups,
                         const std::vector<FlowForm>& wanted) {
  const BackgroundForms& forms = network_.forms();
  for (std::size_t i = 0; i < groups.size(); ++i) {
    for (const std::size_t place : groups[i]) {
      if (wanted[i] == forms.figures(place).form) continue;
      const Json note =
          Json::Object{{"fluid", forms.name(place)}, {"form", std::string(simcore::name_of(wanted[i]))}};
      network_.set_form(forms.name(place), wanted[i], note.to_string());
    }
  }
}

FidelityGovernor::Load Instance::load_since_then() {
  const RunLoop::Counters counters = loop_.counters();
  const Duration busy = counters.cpu_time - counters.looked;
  FidelityGovernor::Load load;
  if (counters.wall_time > then_.wall)
    load.busy = (busy - then_.busy).in_seconds() / (counters.wall_time - then_.wall).in_seconds();
  const Lateness::Histogram& late = loop_.lateness().ns();
  if (late.total() > then_.late.total()) load.late = Duration::ns(late.quantile_since(then_.late, 0.999));
  then_.busy = busy;
  then_.wall = counters.wall_time;
  then_.late = late;
  return load;
}

Links::End Instance::find(const std::string& link, const LinkEnd& end, Duration incoming_delay) {
  const std::string attempt = "add link " + link;
  if (const auto* interface = std::get_if<InterfaceEnd>(&end)) {
    return network_.end(interface->name, attempt);
  }
  if (const auto* portal = std::get_if<PortalEnd>(&end)) {
    EmulationPortal& found = at(portals_, portal->name, attempt, "portal");
    const auto entering = [this, &found] {
      const std::int64_t entered_ns = found.entering_realtime_ns();
      return stamp_ns(entered_ns != 0 ? entered_ns : realtime_ns());
    };
    return {.port = &found, .name = portal->name, .portal = true, .wall_clock = entering};
  }
  const auto& channel = std::get<ChannelEnd>(end);
  PeeringPortal& peer = at(peers_, channel.peer, attempt, "peer");
  PeeringChannel& port = peer.channel(channel.channel, incoming_delay);
  return {.port = &port, .name = channel.name(), .peer = true, .channel = &port};
}

// Captures and records of a slow instance have described time, from the time of day at which it began.
std::int64_t Instance::stamp_ns(std::int64_t realtime_ns) const {
  if (config_.realtime.slow == 1 || loop_.epoch_ns() == 0) return realtime_ns;
  const std::int64_t zero_ns = network_.taps().epoch_ns();
  return zero_ns + loop_.simulated_at(realtime_ns + loop_.epoch_ns() - zero_ns).count_ns();
}

void Instance::check_joined() const {
  for (const auto& [name, portal] : portals_) {
    if (!portal->attached())
      throw ConfigError("run instance " + config_.name + ": no link joins portal " + name);
  }
}

void Instance::read_into(Snapshot& snapshot) const {
  snapshot.name = config_.name;
  snapshot.time_ns = loop_.wall_now().count_ns();
  snapshot.ready = true;
  for (const auto& [name, peer] : peers_)
    snapshot.ready = snapshot.ready && (peer->synchronized() || peer->of_guest());
  snapshot.lateness = histogram_of(loop_.lateness());
  snapshot.loop = row_of(loop_);
  snapshot.slices = row_of(loop_.slices());
  snapshot.noted_slices = loop_.slices().noted();
  for (TimeSlices::Noted& each : snapshot.noted_slices)
    each.ended_ns = loop_.simulated_at(each.ended_ns).count_ns();
  for (const auto& [name, portal] : portals_) snapshot.portals.push_back(row_of(*portal));
  for (const auto& [name, peer] : peers_) snapshot.peers.push_back(row_of(*peer));
}

}  // namespace simcore
