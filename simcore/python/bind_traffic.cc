// SPDX-License-Identifier: MIT
//
// Generator and Receiver for Python: text and plain numbers become simcore's types here, and nothing else happens.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "simcore/python/bindings.h"
#include "simcore/python/snapshot.h"
#include "simcore/realtime/run_loop_options.h"
#include "simcore/replay/recorded_frames.h"
#include "simcore/replay/replay_source.h"
#include "simcore/traffic/generator.h"
#include "simcore/traffic/numbered_flow.h"
#include "simcore/traffic/receiver.h"
#include "simcore/units/error.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace simcore::python {

namespace {

using Text = std::string;

Schedule::Gaps gaps_of(const Text& text) {
  if (text == "constant") return Schedule::Gaps::constant;
  if (text == "poisson") return Schedule::Gaps::poisson;
  if (text == "on-off") return Schedule::Gaps::on_off;
  throw ConfigError("schedule frames with gaps " + text + ": there are constant, poisson and on-off");
}

ReplaySource::Pace pace_of(const Text& text) {
  if (text == "recorded") return ReplaySource::Pace::recorded;
  if (text == "frames") return ReplaySource::Pace::frames;
  if (text == "bits") return ReplaySource::Pace::bits;
  throw ConfigError("replay frames at the pace " + text + ": there are recorded, frames and bits");
}

Duration length_of(std::optional<std::int64_t> ns) { return ns ? Duration::ns(*ns) : Duration::infinite(); }

std::optional<MacAddress> mac_of(const std::optional<Text>& text) {
  return text ? std::optional(MacAddress::parse(*text)) : std::nullopt;
}

// A source that a Generator takes over: Python holds it until then.
struct Source {
  std::unique_ptr<TrafficSource> source;
};

// (frames, per ns, length ns or none)
using Step = std::tuple<std::int64_t, std::int64_t, std::optional<std::int64_t>>;

Source numbered_flow(const Text& source_mac, const Text& destination_mac, const Text& source,
                     const Text& destination, std::uint16_t source_port, std::uint16_t destination_port,
                     std::size_t frame_bytes, const std::vector<Step>& steps, const Text& gaps,
                     std::int64_t mean_on_ns, std::int64_t mean_off_ns, std::optional<std::uint64_t> count,
                     bool trains, std::uint64_t seed) {
  Schedule::Config schedule;
  for (const auto& [frames, per_ns, length_ns] : steps) {
    schedule.steps.push_back({.frames = frames, .per = Duration::ns(per_ns), .length = length_of(length_ns)});
  }
  schedule.gaps = gaps_of(gaps);
  schedule.mean_on = Duration::ns(mean_on_ns);
  schedule.mean_off = Duration::ns(mean_off_ns);
  const NumberedFlow::Config config{.source_mac = MacAddress::parse(source_mac),
                                    .destination_mac = MacAddress::parse(destination_mac),
                                    .ends = {.local = Ipv4Address::parse(source),
                                             .remote = Ipv4Address::parse(destination),
                                             .local_port = source_port,
                                             .remote_port = destination_port},
                                    .frame_bytes = frame_bytes,
                                    .count = count.value_or(NumberedFlow::kNoLimit),
                                    .trains = trains};
  return {std::make_unique<NumberedFlow>(config, Schedule(schedule, RandomStream(seed, "departures")))};
}

// The source, and what is to be known of the file.
std::pair<Source, nb::dict> replay(const Text& file, const Text& pace, std::int64_t numerator,
                                   std::int64_t denominator, std::uint64_t loops, std::uint64_t count,
                                   std::optional<std::int64_t> length_ns,
                                   const std::optional<Text>& source_mac,
                                   const std::optional<Text>& destination_mac) {
  ReplaySource::Config config{.pace = pace_of(pace),
                              .numerator = numerator,
                              .denominator = denominator,
                              .loops = loops,
                              .count = count,
                              .length = length_of(length_ns),
                              .source_mac = mac_of(source_mac),
                              .destination_mac = mac_of(destination_mac)};
  auto source = std::make_unique<ReplaySource>(read_recorded(file), config);
  const RecordedFrames& recorded = source->recorded();
  nb::dict known;
  known["frames"] = recorded.frames().size();
  known["bytes"] = recorded.wire_bytes();
  known["largest"] = recorded.largest();
  known["left_out"] = recorded.left_out();
  known["cut"] = recorded.cut();
  known["out_of_order"] = recorded.out_of_order();
  return {Source{std::move(source)}, known};
}

void construct_generator(Generator* self, Source& source, Text device, Text backend, std::int64_t gather_ns,
                         std::int64_t patience_ns, const Text& wait, std::optional<int> cpu,
                         std::optional<int> fifo_priority) {
  if (!source.source)
    throw ConfigError("generate at " + device + ": another generator has this source; make a new one");
  Generator::Config config;
  config.realtime.wait =
      run_loop_options().read(OptionValue::Dict{{"wait", wait}}, "generate at " + device).wait;
  config.device = std::move(device);
  config.backend = std::move(backend);
  config.gather = Duration::ns(gather_ns);
  config.patience = Duration::ns(patience_ns);
  config.realtime.cpu = cpu;
  config.realtime.fifo_priority = fifo_priority;
  new (self) Generator(std::move(config), std::move(source.source));
}

void construct_receiver(Receiver* self, Text device, std::uint16_t port, Text backend, std::uint64_t count,
                        std::optional<std::int64_t> silence_ns, bool gro, std::optional<int> cpu,
                        std::optional<int> fifo_priority) {
  Receiver::Config config;
  config.device = std::move(device);
  config.backend = std::move(backend);
  config.port = port;
  config.count = count;
  config.silence = length_of(silence_ns);
  config.portal.packet.gro = gro;
  config.realtime.cpu = cpu;
  config.realtime.fifo_priority = fifo_priority;
  new (self) Receiver(std::move(config));
}

template <class Part>
auto report_of(Part& part) {
  const nb::gil_scoped_release others_run;
  return part.report();
}

nb::dict generator_report(Generator& self) {
  const Generator::Report from = report_of(self);
  nb::dict result;
  result["frames"] = row_dict(from.frames);
  result["portal"] = row_dict(from.portal);
  result["loop"] = row_dict(from.loop);
  result["lateness"] = histogram_dict(from.lateness);
  return result;
}

nb::dict receiver_report(Receiver& self) {
  const Receiver::Report from = report_of(self);
  nb::dict result;
  result["frames"] = row_dict(from.frames);
  result["portal"] = row_dict(from.portal);
  result["loop"] = row_dict(from.loop);
  result["delay"] = histogram_dict(from.delay);
  return result;
}

}  // namespace

void bind_traffic(nb::module_& m) {
  nb::class_<Source>(m, "TrafficSource", "What a Generator sends; see simcore/traffic/traffic_source.h.");
  m.def("numbered_flow", numbered_flow, nb::kw_only(), "source_mac"_a, "destination_mac"_a, "source"_a,
        "destination"_a, "source_port"_a, "destination_port"_a, "frame_bytes"_a, "steps"_a,
        "gaps"_a = "constant", "mean_on_ns"_a = 10'000'000, "mean_off_ns"_a = 10'000'000,
        "count"_a = nb::none(), "trains"_a = false, "seed"_a = 1,
        "UDP frames of a programmed schedule; see simcore/traffic/numbered_flow.h.");
  m.def("replay", replay, "file"_a, nb::kw_only(), "pace"_a = "recorded", "numerator"_a = 1,
        "denominator"_a = 1, "loops"_a = 1, "count"_a = 0, "length_ns"_a = nb::none(),
        "source_mac"_a = nb::none(), "destination_mac"_a = nb::none(),
        "Frames of a pcap or pcapng file; see simcore/replay/replay_source.h.");
  nb::class_<Generator>(m, "Generator", "Sends frames when they are due; see simcore/traffic/generator.h.")
      .def("__init__", construct_generator, "source"_a, "device"_a, nb::kw_only(), "backend"_a = "packet",
           "gather_ns"_a = 0, "patience_ns"_a = 1'000'000'000, "wait"_a = "sleep", "cpu"_a = nb::none(),
           "fifo_priority"_a = nb::none())
      .def("run", &Generator::run, nb::call_guard<nb::gil_scoped_release>())
      .def("stop", &Generator::stop)
      .def("report", generator_report);
  nb::class_<Receiver>(m, "Receiver", "Counts numbered frames; see simcore/traffic/receiver.h.")
      .def("__init__", construct_receiver, "device"_a, "port"_a, nb::kw_only(), "backend"_a = "packet",
           "count"_a = 0, "silence_ns"_a = nb::none(), "gro"_a = true, "cpu"_a = nb::none(),
           "fifo_priority"_a = nb::none())
      .def("run", &Receiver::run, nb::call_guard<nb::gil_scoped_release>())
      .def("stop", &Receiver::stop)
      .def("report", receiver_report);
}

}  // namespace simcore::python
