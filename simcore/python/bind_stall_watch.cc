// SPDX-License-Identifier: MIT
//
// simcore/realtime/stall_watch.h for Python.
#include <nanobind/stl/vector.h>

#include "simcore/python/bindings.h"
#include "simcore/realtime/stall_watch.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace simcore::python {

namespace {

nb::list taken(StallWatch& watch) {
  nb::list stalls;
  for (const Stall& stall : watch.take()) {
    stalls.append(nb::make_tuple(stall.core, stall.began_ns, stall.ended_ns));
  }
  return stalls;
}

}  // namespace

void bind_stall_watch(nb::module_& m) {
  nb::class_<StallWatch>(
      m, "StallWatch",
      "Notes when a core stood still, until it is deleted; see simcore/realtime/stall_watch.h.")
      .def(nb::init<const std::vector<int>&>(), "cores"_a, nb::call_guard<nb::gil_scoped_release>())
      .def("take", taken, "(core, began_ns, ended_ns) of each stall since the last call, CLOCK_MONOTONIC.")
      .def_prop_ro("forgotten", &StallWatch::forgotten);
}

}  // namespace simcore::python
