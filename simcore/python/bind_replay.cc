// SPDX-License-Identifier: MIT
//
// Replay for Python: text and plain numbers become simcore's types here, and nothing else happens.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include "simcore/python/bind_network.h"
#include "simcore/python/bind_timeline.h"
#include "simcore/python/bindings.h"
#include "simcore/python/link_model.h"
#include "simcore/python/snapshot.h"
#include "simcore/replay/replay.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace simcore::python {

namespace {

using Text = std::string;

nb::dict report(const Replay::PortalReport& from) {
  const LogHistogram& differences = from.out.differences();
  nb::list buckets;
  for (std::size_t bin = 0; bin < LogHistogram::kBins; ++bin) {
    if (differences.count(bin) == 0) continue;
    buckets.append(nb::make_tuple(LogHistogram::upper_bound(bin), differences.count(bin)));
  }
  nb::dict result;
  result["name"] = from.name;
  result["entered_frames"] = from.entered;
  result["refused_frames"] = from.dropped.of(DropReason::malformed);
  result["pool_exhausted_frames"] = from.dropped.of(DropReason::pool_exhausted);
  result["recorded_frames"] = from.out.recorded_frames();
  result["replayed_frames"] = from.out.replayed_frames();
  result["matched_frames"] = from.out.matched();
  result["same_instant_frames"] = from.out.same_instant();
  result["only_recorded_frames"] = from.out.only_recorded();
  result["only_replayed_frames"] = from.out.only_replayed();
  result["identical"] = from.out.identical();
  result["difference_max_ns"] = from.out.greatest_difference().count_ns();
  result["difference_buckets"] = buckets;
  return result;
}

nb::list portals(const Replay& self) {
  nb::list result;
  for (const Replay::PortalReport& each : self.portals()) result.append(report(each));
  return result;
}

std::optional<Text> run(Replay& self) {
  const nb::gil_scoped_release others_run;
  return self.run();
}

}  // namespace

void bind_replay(nb::module_& m) {
  m.def(
      "recorded_plan", [](const Text& record) { return RecordReader(record).plan(); }, "record"_a,
      "The instance plan that a record holds, as text.");
  nb::class_<Replay> replay(
      m, "Replay", "An instance again, from its record, in virtual time; see simcore/replay/replay.h.");
  replay.def(nb::init<const Text&, std::uint64_t>(), "record"_a, "seed"_a)
      .def("add_portal", &Replay::add_portal, "name"_a)
      .def("add_record", &Replay::add_record, "file"_a)
      .def("add_link", add_link<Replay>, "name"_a, "a"_a, "b"_a, "a_to_b"_a, "b_to_a"_a)
      .def("run", run)
      .def(
          "set_link",
          [](Replay& self, const Text& name, const std::optional<nb::dict>& a_to_b,
             const std::optional<nb::dict>& b_to_a, const Text& note) {
            self.network().change_link(name, changed_model(a_to_b, "change link " + name + ", a to b"),
                                       changed_model(b_to_a, "change link " + name + ", b to a"), note);
          },
          "name"_a, "a_to_b"_a.none(), "b_to_a"_a.none(), "note"_a = "")
      .def(
          "set_link_up",
          [](Replay& self, const Text& name, bool up, const Text& note) {
            self.network().set_link_up(name, up, note);
          },
          "name"_a, "up"_a, "note"_a = "")
      .def(
          "set_routes",
          [](Replay& self, const nb::dict& routes, const Text& note) {
            self.network().set_routes(routes_of(routes), note);
          },
          "routes"_a, "note"_a = "")
      .def(
          "set_form",
          [](Replay& self, const Text& fluid, const Text& form, const Text& note) {
            self.network().set_form(fluid, flow_form(form), note);
          },
          "fluid"_a, "form"_a, "note"_a = "")
      .def("open_control", &Replay::open_control, "of"_a, "connection"_a, "service"_a, "note"_a = "")
      .def(
          "hear_control",
          [](Replay& self, const Text& of, std::uint64_t connection, const nb::bytes& bytes,
             const Text& note) {
            const auto* const first = static_cast<const std::uint8_t*>(bytes.data());
            self.hear_control(of, connection, {first, bytes.size()}, note);
          },
          "of"_a, "connection"_a, "bytes"_a, "note"_a = "")
      .def("close_control", &Replay::close_control, "of"_a, "connection"_a, "note"_a = "")
      .def("set_carrier", &Replay::set_carrier, "portal"_a, "there"_a, "note"_a = "")
      .def_prop_ro("now_ns", [](const Replay& self) { return (self.now() - SimTime::zero()).count_ns(); })
      .def_prop_ro("cut", &Replay::cut)
      .def("portals", portals)
      .def("snapshot", [](const Replay& self) { return snapshot_dict(self.snapshot()); });
  bind_network(replay);
}

}  // namespace simcore::python
