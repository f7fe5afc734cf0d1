// SPDX-License-Identifier: MIT
//
// SwitchBench for Python.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "simcore/instance/switch_bench.h"
#include "simcore/python/bind_network.h"
#include "simcore/python/bindings.h"
#include "simcore/python/link_model.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace simcore::python {

namespace {

using Text = std::string;

std::span<const std::uint8_t> bytes_of(const nb::bytes& from) {
  return {static_cast<const std::uint8_t*>(from.data()), from.size()};
}

nb::bytes to_bytes(const std::vector<std::uint8_t>& from) { return nb::bytes(from.data(), from.size()); }

}  // namespace

void bind_bench(nb::module_& m) {
  nb::class_<SwitchBench> bench(
      m, "SwitchBench",
      "OpenFlow switches in virtual time, whose hosts and controllers' connections the "
      "caller plays; see simcore/instance/switch_bench.h.");
  bench.def(nb::init<std::uint64_t>(), "seed"_a)
      .def("add_host", &SwitchBench::add_host, "name"_a)
      .def(
          "add_link",
          [](SwitchBench& self, const Text& name, const Text& a, const Text& b, const nb::dict& a_to_b,
             const nb::dict& b_to_a) {
            self.add_link(name, a, b, link_model(a_to_b, "make link " + name + ", a to b"),
                          link_model(b_to_a, "make link " + name + ", b to a"));
          },
          "name"_a, "a"_a, "b"_a, "a_to_b"_a, "b_to_a"_a)
      .def("set_link_up", &SwitchBench::set_link_up, "name"_a, "up"_a)
      .def(
          "connect",
          [](SwitchBench& self, const Text& of, bool service) {
            using Kind = openflow::Session::Kind;
            return self.connect(of, service ? Kind::service : Kind::controller);
          },
          "of"_a, "service"_a = false)
      .def(
          "hear",
          [](SwitchBench& self, std::uint64_t connection, const nb::bytes& bytes) {
            self.hear(connection, bytes_of(bytes));
          },
          "connection"_a, "bytes"_a)
      .def(
          "said", [](SwitchBench& self, std::uint64_t connection) { return to_bytes(self.said(connection)); },
          "connection"_a)
      .def("speaking", &SwitchBench::speaking)
      .def("broken", &SwitchBench::broken, "connection"_a)
      .def("disconnect", &SwitchBench::disconnect, "connection"_a)
      .def(
          "send",
          [](SwitchBench& self, const Text& host, const nb::bytes& frame) {
            self.send(host, bytes_of(frame));
          },
          "host"_a, "frame"_a)
      .def("received",
           [](SwitchBench& self) {
             nb::list frames;
             for (const SwitchBench::Received& each : self.received()) {
               frames.append(
                   nb::make_tuple(each.host, (each.at - SimTime::zero()).count_ns(), to_bytes(each.frame)));
             }
             return frames;
           })
      .def(
          "run", [](SwitchBench& self, std::int64_t end_ns) { self.run(SimTime::at_ns(end_ns)); }, "end_ns"_a)
      .def_prop_ro("now_ns",
                   [](const SwitchBench& self) { return (self.now() - SimTime::zero()).count_ns(); });
  bind_nodes(bench);
}

}  // namespace simcore::python
