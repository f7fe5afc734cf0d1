// SPDX-License-Identifier: MIT
//
// ControllerBench for Python.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "simcore/instance/controller_bench.h"
#include "simcore/python/bindings.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace simcore::python {

namespace {

using Bench = ControllerBench;

void construct(Bench* self, std::uint32_t switches, std::uint32_t hosts, std::string controller,
               std::vector<std::string> protocols) {
  new (self) Bench({.switches = switches,
                    .hosts = hosts,
                    .controller = std::move(controller),
                    .protocols = std::move(protocols)});
}

nb::dict progress(Bench& self) {
  const Bench::Progress from = [&self] {
    const nb::gil_scoped_release others_run;
    return self.progress();
  }();
  nb::dict dict;
  dict["connected"] = from.connected;
  dict["asking"] = from.asking;
  dict["announced"] = from.announced;
  return dict;
}

nb::dict take(Bench& self) {
  const Bench::Figures from = [&self] {
    const nb::gil_scoped_release others_run;
    return self.take();
  }();
  nb::dict dict;
  dict["answered"] = from.set_ups.answered;
  dict["unanswered"] = from.set_ups.unanswered;
  nb::dict quantiles;
  for (const auto& [name, part] : {std::pair{"p50", 0.5}, {"p95", 0.95}, {"p99", 0.99}, {"max", 1.0}})
    quantiles[name] = from.set_ups.response_ns.quantile(part);
  dict["response_ns"] = quantiles;
  dict["least_of_a_switch"] = from.least_of_a_switch;
  dict["most_of_a_switch"] = from.most_of_a_switch;
  dict["packet_ins"] = from.packet_ins;
  dict["packet_ins_dropped"] = from.packet_ins_dropped;
  dict["packet_outs"] = from.packet_outs;
  dict["flow_mods"] = from.flow_mods;
  dict["errors"] = from.errors;
  dict["lost"] = from.lost;
  dict["wall_ns"] = from.wall_ns;
  dict["cpu_ns"] = from.cpu_ns;
  return dict;
}

}  // namespace

void bind_controller_bench(nb::module_& m) {
  nb::class_<Bench>(m, "ControllerBench",
                    "OpenFlow switches that keep a controller busy, in real time; see "
                    "simcore/instance/controller_bench.h.")
      .def("__init__", construct, "switches"_a, "hosts"_a, "controller"_a, "protocols"_a)
      .def("run", &Bench::run, nb::call_guard<nb::gil_scoped_release>())
      .def("stop", &Bench::stop)
      .def("progress", progress)
      .def("announce", &Bench::announce, nb::call_guard<nb::gil_scoped_release>())
      .def("load", &Bench::load, "window"_a, nb::call_guard<nb::gil_scoped_release>())
      .def("take", take);
}

}  // namespace simcore::python
