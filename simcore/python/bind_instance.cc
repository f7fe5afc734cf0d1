// SPDX-License-Identifier: MIT
//
// Instance for Python: text and plain numbers become simcore's types here, and nothing else happens.
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <utility>

#include "simcore/instance/instance.h"
#include "simcore/instance/instance_change.h"
#include "simcore/portal/portal_options.h"
#include "simcore/python/bind_network.h"
#include "simcore/python/bind_timeline.h"
#include "simcore/python/bindings.h"
#include "simcore/python/link_model.h"
#include "simcore/python/option_value.h"
#include "simcore/python/snapshot.h"
#include "simcore/realtime/run_loop_options.h"
#include "simcore/sys/crash_report.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace simcore::python {

namespace {

using Text = std::string;

nb::dict snapshot(Instance& instance, bool of_elements) {
  const Snapshot from = [&instance, of_elements] {
    const nb::gil_scoped_release others_run;
    return instance.snapshot(of_elements ? SnapshotReader::Elements::all : SnapshotReader::Elements::none);
  }();
  return snapshot_dict(from);
}

nb::dict sample(Instance& instance, std::vector<Text> links, std::vector<Text> interfaces) {
  const SampledNames names{.links = std::move(links), .interfaces = std::move(interfaces)};
  const Snapshot from = [&instance, &names] {
    const nb::gil_scoped_release others_run;
    return instance.sample(names);
  }();
  return snapshot_dict(from);
}

nb::tuple link_counts(Instance& instance, std::uint64_t known) {
  const LinkCounts from = [&instance, known] {
    const nb::gil_scoped_release others_run;
    return instance.link_counts(known);
  }();
  return link_counts_tuple(from);
}

nb::dict state_dict(const RunningCaptures::State& state) {
  nb::dict dict;
  dict["interface"] = state.interface;
  dict["file"] = state.file;
  dict["running"] = state.running;
  dict["frames"] = state.counters.written;
  nb::dict lost;
  lost["file_full"] = state.counters.file_full;
  lost["queue_full"] = state.counters.queue_full;
  lost["write_failed"] = state.counters.write_failed;
  dict["lost"] = lost;
  dict["failure"] = state.failure;
  return dict;
}

nb::dict stop_capture(Instance& instance, const Text& file) {
  const RunningCaptures::State state = [&instance, &file] {
    const nb::gil_scoped_release others_run;
    return instance.stop_capture(file);
  }();
  return state_dict(state);
}

nb::list captures(Instance& instance) {
  const std::vector<RunningCaptures::State> all = [&instance] {
    const nb::gil_scoped_release others_run;
    return instance.captures();
  }();
  nb::list list;
  for (const RunningCaptures::State& each : all) list.append(state_dict(each));
  return list;
}

void construct(Instance* self, Text name, std::uint64_t seed, std::uint64_t token, const nb::dict& realtime,
               std::int64_t pool_bytes, std::int64_t moderation_ns, int slow) {
  const Text place = "make instance " + name + ": realtime";
  RunLoop::Options options = run_loop_options().read(option_value(realtime, place), place);
  options.moderation = Duration::ns(moderation_ns);
  options.slow = slow;
  new (self) Instance({.name = std::move(name),
                       .seed = seed,
                       .token = token,
                       .realtime = options,
                       .pool_limit = ByteCount::bytes(pool_bytes)});
}

}  // namespace

void bind_instance(nb::module_& m) {
  m.def("report_crashes", &report_crashes);
  nb::class_<Instance> instance(m, "Instance",
                                "One running simulation in real time; see simcore/instance/instance.h.");
  instance
      .def("__init__", construct, "name"_a, "seed"_a, "token"_a, "realtime"_a = nb::dict(), nb::kw_only(),
           "pool_bytes"_a = PacketPool::kUsualLimit.count(), "moderation_ns"_a = 0, "slow"_a = 1)
      .def("add_emulation_portal", add_emulation_portal<Instance>, "name"_a, "device"_a,
           "backend"_a = "packet", "filter"_a = "", "options"_a = nb::dict())
      .def(
          "add_peer",
          [](Instance& self, const nb::dict& peer) {
            self.add_peer(peer_options().read(option_value(peer, "add peer"), "add peer"));
          },
          "peer"_a)
      .def("add_link", add_link<Instance>, "name"_a, "a"_a, "b"_a, "a_to_b"_a, "b_to_a"_a)
      .def("add_record", &Instance::add_record, "file"_a, "plan"_a)
      .def("run", &Instance::run, nb::call_guard<nb::gil_scoped_release>())
      .def(
          "set_link",
          [](Instance& self, const Text& name, const std::optional<nb::dict>& a_to_b,
             const std::optional<nb::dict>& b_to_a, const Text& note) {
            const std::optional<LinkModel> forward =
                changed_model(a_to_b, "change link " + name + ", a to b");
            const std::optional<LinkModel> backward =
                changed_model(b_to_a, "change link " + name + ", b to a");
            const nb::gil_scoped_release others_run;
            self.change_link(name, forward, backward, note);
          },
          "name"_a, "a_to_b"_a.none(), "b_to_a"_a.none(), "note"_a = "")
      .def("set_link_up", &Instance::set_link_up, "name"_a, "up"_a, "note"_a = "",
           nb::call_guard<nb::gil_scoped_release>())
      .def("change", &Instance::change, "change"_a, "note"_a = "", nb::call_guard<nb::gil_scoped_release>())
      .def("start_capture", &Instance::start_capture, "interface"_a, "file"_a, "filter"_a, "most_bytes"_a,
           nb::call_guard<nb::gil_scoped_release>())
      .def("stop_capture", stop_capture, "file"_a)
      .def("captures", captures)
      .def("switches_connected", &Instance::switches_connected, nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("wall_now_ns", [](const Instance& self) { return self.wall_now().count_ns(); })
      .def_prop_ro("epoch_ns", &Instance::epoch_ns)
      .def("stop", &Instance::stop)
      .def("close", &Instance::close)
      .def("snapshot", snapshot, "of_elements"_a = true)
      .def("sample", sample, "links"_a, "interfaces"_a)
      .def("link_counts", link_counts, "known"_a = LinkCounts::kNothingKnown);
  bind_network(instance, {.queue_bytes = CaptureOptions::kQueueBytes});
  bind_timeline_of(instance);
}

}  // namespace simcore::python
