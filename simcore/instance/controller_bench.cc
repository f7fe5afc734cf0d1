// SPDX-License-Identifier: MIT
#include "simcore/instance/controller_bench.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "simcore/sys/clock.h"
#include "simcore/units/error.h"

namespace simcore {

namespace {

void check(const std::string& what, std::size_t value, std::size_t least, std::size_t most) {
  if (value >= least && value <= most) return;
  throw ConfigError("load a controller: " + what + " " + std::to_string(value) + ": choose from " +
                    std::to_string(least) + " to " + std::to_string(most));
}

ControllerBench::Config checked(ControllerBench::Config config) {
  using Bench = ControllerBench;
  check("switches", config.switches, 1, Bench::kMostSwitches);
  check("hosts of each switch", config.hosts, 2, Bench::kMostHosts);
  check("hosts of all switches together", std::size_t{config.switches} * config.hosts, 2,
        Bench::kMostHostsInAll);
  StreamAddress::parse(config.controller);
  return config;
}

std::string dpid_of(std::uint32_t number) {
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016x", number + 1);
  return text.data();
}

}  // namespace

ControllerBench::ControllerBench(Config config)
    : config_(checked(std::move(config))),
      network_(1),
      loop_(network_.simulation(), RunLoop::Options{}),
      portal_(network_.simulation(), nullptr),
      answered_(config_.switches, 0) {
  loop_.add(portal_);
  for (std::uint32_t number = 0; number < config_.switches; ++number) add_switch(number);
  network_.simulation().schedule_in(due_, Duration::zero());
}

void ControllerBench::add_switch(std::uint32_t number) {
  std::string name = "s";
  name += std::to_string(number + 1);
  OpenFlowSetup setup;
  setup.dpid = dpid_of(number);
  setup.protocols = config_.protocols;
  network_.add_openflow_switch(name, setup);
  openflow::Switch& of = network_.nodes().openflow_switches().at(name)->control();
  FlowLoad& load = *loads_.emplace_back(
      std::make_unique<FlowLoad>(number, config_.hosts, config_.patience, of, network_, counts_));
  const LinkModel wire{Link::Config{}};
  for (std::uint32_t port = 1; port <= config_.hosts; ++port) {
    const std::string end = name + "-eth" + std::to_string(port);
    Interface::Config interface {
      .name = end, .mac = MacAddress::of(std::uint64_t{6} << 40 | number << 16 | port)
    };
    interface.number = static_cast<std::uint16_t>(port);
    network_.add_interface(name, interface);
    const std::string host = name + "-h" + std::to_string(port);
    std::string link = host;
    link.append("-").append(name);
    network_.add_link(link, {.port = &load.host(port - 1), .name = host}, network_.end(end, "join " + host),
                      wire, wire);
  }
}

void ControllerBench::run() {
  network_.begin("load a controller", realtime_ns());
  for (const auto& load : loads_) {
    openflow::Switch& of = network_.nodes().openflow_switches().at(load->of().config().name)->control();
    OpenFlowPortal::Endpoints endpoints;
    endpoints.controllers = {config_.controller};
    portal_.add(of, endpoints);
  }
  loop_.run();
}

void ControllerBench::look_after() {
  for (const auto& load : loads_) load->look_after();
  network_.simulation().schedule_in(due_, kLook);
}

ControllerBench::Progress ControllerBench::progress() {
  return loop_.call([this] {
    Progress progress;
    for (const auto& load : loads_) {
      progress.connected += load->of().connected() ? 1 : 0;
      progress.asking += load->of().counters().packet_ins > 0 ? 1 : 0;
      progress.announced += load->announced() ? 1 : 0;
    }
    return progress;
  });
}

void ControllerBench::announce() {
  loop_.call([this] {
    for (const auto& load : loads_) load->announce();
  });
}

void ControllerBench::load(std::size_t window) {
  check("frames of a switch under way", window, 0, kMostUnderWay);
  loop_.call([this, window] {
    for (const auto& load : loads_) load->keep_under_way(window);
  });
}

// Since the beginning; but for set-ups, which counts_ has since the last take().
ControllerBench::Figures ControllerBench::totals() const {
  Figures totals;
  for (const auto& load : loads_) {
    const openflow::Switch::Counters& of = load->of().counters();
    totals.packet_ins += of.packet_ins;
    totals.packet_ins_dropped += of.packet_ins_dropped;
    totals.packet_outs += of.packet_outs;
    totals.flow_mods += of.flow_mods;
    totals.errors += of.errors;
  }
  totals.lost = portal_.counters().lost;
  totals.wall_ns = monotonic_ns();
  totals.cpu_ns = thread_cpu_ns();
  return totals;
}

ControllerBench::Figures ControllerBench::take() {
  return loop_.call([this] {
    const Figures now = totals();
    Figures since{.set_ups = std::exchange(counts_, {}), .least_of_a_switch = UINT64_MAX};
    for (std::size_t at = 0; at < loads_.size(); ++at) {
      const std::uint64_t before = std::exchange(answered_[at], loads_[at]->answered());
      since.least_of_a_switch = std::min(since.least_of_a_switch, answered_[at] - before);
      since.most_of_a_switch = std::max(since.most_of_a_switch, answered_[at] - before);
    }
    since.packet_ins = now.packet_ins - taken_.packet_ins;
    since.packet_ins_dropped = now.packet_ins_dropped - taken_.packet_ins_dropped;
    since.packet_outs = now.packet_outs - taken_.packet_outs;
    since.flow_mods = now.flow_mods - taken_.flow_mods;
    since.errors = now.errors - taken_.errors;
    since.lost = now.lost - taken_.lost;
    since.wall_ns = now.wall_ns - taken_.wall_ns;
    since.cpu_ns = now.cpu_ns - taken_.cpu_ns;
    taken_ = now;
    return since;
  });
}

}  // namespace simcore
