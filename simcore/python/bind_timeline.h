// SPDX-License-Identifier: MIT
//
// What every simulation that has a timeline shows of it to Python.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>
#include <vector>

#include "simcore/network/timeline.h"

namespace simcore::python {

// What is to be scheduled, put together from Python.
struct TimelineEntries {
  std::vector<Timeline::Entry> entries;
};

// {node: [{"prefix": ..., "via": ... or None, "interface": ...}]}. Throws ConfigError.
SimulatedNetwork::RoutesOf routes_of(const nanobind::dict& from);

nanobind::list fired_list(const std::vector<Timeline::Fired>& from);

// Adds the methods by which a timeline is scheduled, cancelled and read.
template <class Simulation>
void bind_timeline_of(nanobind::class_<Simulation>& to) {
  namespace nb = nanobind;
  using namespace nb::literals;
  to.def(
        "schedule",
        [](Simulation& self, const std::string& name, const TimelineEntries& entries) {
          std::vector<Timeline::Entry> copied = entries.entries;
          const nb::gil_scoped_release others_run;
          self.schedule(name, std::move(copied));
        },
        "name"_a, "entries"_a)
      .def("cancel", &Simulation::cancel, "name"_a, nb::call_guard<nb::gil_scoped_release>())
      .def(
          "fired",
          [](Simulation& self, std::uint64_t first) {
            const std::vector<Timeline::Fired> from = [&] {
              const nb::gil_scoped_release others_run;
              return self.fired(first);
            }();
            return fired_list(from);
          },
          "first"_a = 0);
}

}  // namespace simcore::python
