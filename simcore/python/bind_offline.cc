// SPDX-License-Identifier: MIT
//
// OfflineSimulation for Python: text and plain numbers become simcore's types here, and nothing else happens.
// While it runs, other Python threads do too, so several simulations keep several processors busy.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "simcore/instance/offline.h"
#include "simcore/options/option_table.h"
#include "simcore/python/bind_network.h"
#include "simcore/python/bind_stepping.h"
#include "simcore/python/bind_timeline.h"
#include "simcore/python/bind_transfer_ends.h"
#include "simcore/python/bindings.h"
#include "simcore/python/link_model.h"
#include "simcore/python/option_value.h"
#include "simcore/python/snapshot.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace simcore::python {

namespace {

using Text = std::string;

nb::dict stats(const RunningStats& from) {
  nb::dict result;
  result["count"] = from.count();
  result["mean"] = from.mean();
  result["deviation"] = from.deviation();
  result["least"] = from.count() > 0 ? nb::cast(from.least()) : nb::none();
  result["greatest"] = from.count() > 0 ? nb::cast(from.greatest()) : nb::none();
  return result;
}

nb::dict outcome(const OfflineSimulation& self, const Text& name) {
  const Transfer::Outcome from = self.transfer(name).outcome();
  nb::dict result;
  result["connected"] = from.client.connected;
  result["finished"] = from.client.finished;
  result["started_s"] = seconds_or_nan(from.client.started);
  result["first_byte_s"] = seconds_or_nan(from.client.first_byte);
  result["finished_s"] = seconds_or_nan(from.client.finished_at);
  result["received_bytes"] = from.client.received;
  result["longest_gap_s"] = from.client.longest_gap.in_seconds();
  result["client_error"] = name_of_error(from.client.error);
  result["server_error"] = name_of_error(from.server_error);
  result["segments_sent"] = from.sender.segments_sent;
  result["retransmitted_segments"] = from.sender.retransmitted_segments;
  result["timeouts"] = from.sender.timeouts;
  result["fast_recoveries"] = from.sender.fast_recoveries;
  result["duplicate_acks"] = from.sender.duplicate_acks;
  result["window_probes"] = from.sender.window_probes;
  result["segments_received"] = from.client.receiver.segments;
  result["cwnd_bytes"] = stats(from.cwnd_bytes);
  result["rto_s"] = stats(from.rto_seconds);
  result["rtt_s"] = stats(from.rtt_seconds);
  return result;
}

// One list for each column, and the instants.
nb::dict samples(const OfflineSimulation& self, const Text& name) {
  const OutputVector& from = self.transfer(name).samples();
  nb::dict result;
  nb::list instants;
  for (std::size_t row = 0; row < from.rows(); ++row) instants.append(seconds_or_nan(from.time(row)));
  result["time_s"] = instants;
  for (std::size_t column = 0; column < from.columns().size(); ++column) {
    nb::list values;
    for (std::size_t row = 0; row < from.rows(); ++row) values.append(from.value(row, column));
    result[nb::str(from.columns()[column].c_str())] = values;
  }
  return result;
}

// None where nothing was to be left out.
nb::object forwarded(const OfflineSimulation& self) {
  const FastForward* const forward = self.forwarded();
  if (forward == nullptr) return nb::none();
  const FastForward::Outcome& from = forward->outcome();
  nb::dict held;
  for (std::size_t reason = 0; reason < from.held.size(); ++reason) {
    held[nb::str(name_of(static_cast<FastForward::Held>(reason)).c_str())] = from.held[reason];
  }
  nb::list bounds;
  for (std::size_t place = 0; place < self.transfer_ends().clients().size(); ++place) {
    bounds.append(forward->bound(place).in_seconds());
  }
  nb::dict result;
  result["skips"] = from.skips;
  result["left_out_s"] = from.left_out.in_seconds();
  result["forwarded_bytes"] = from.forwarded_bytes;
  result["held"] = held;
  result["bounds_s"] = bounds;
  return result;
}

void add_transfer(OfflineSimulation& self, const Text& name, const Text& server, const Text& client,
                  std::optional<std::int64_t> bytes, std::int64_t start_ns, const nb::dict& server_tcp,
                  const nb::dict& client_tcp, std::int64_t sample_every_ns) {
  const Text attempt = "add transfer " + name + ": TCP options";
  Transfer::Config config{.name = name,
                          .server_address = Ipv4Address::any(),
                          .port = 0,
                          .bytes = bytes.value_or(Transfer::kForever),
                          .start = SimTime::zero() + Duration::ns(start_ns),
                          .server = TcpOptions::options().read(option_value(server_tcp, attempt), attempt),
                          .client = TcpOptions::options().read(option_value(client_tcp, attempt), attempt),
                          .sample_every = Duration::ns(sample_every_ns)};
  self.add_transfer(server, client, std::move(config));
}

}  // namespace

void bind_offline(nb::module_& m) {
  nb::class_<OfflineSimulation> simulation(
      m, "OfflineSimulation",
      "One simulation in virtual time, as fast as events can be handled; see simcore/instance/offline.h.");
  simulation.def(nb::init<std::uint64_t>(), "seed"_a)
      .def(
          "add_link",
          [](OfflineSimulation& self, const Text& name, const Text& a, const Text& b, const nb::dict& a_to_b,
             const nb::dict& b_to_a) {
            self.add_link(name, a, b, link_model(a_to_b, "make link " + name + ", a to b"),
                          link_model(b_to_a, "make link " + name + ", b to a"));
          },
          "name"_a, "a"_a, "b"_a, "a_to_b"_a, "b_to_a"_a)
      .def(
          "add_trace",
          [](OfflineSimulation& self, const Text& interface) { self.network().add_trace(interface); },
          "interface"_a)
      .def(
          "set_link",
          [](OfflineSimulation& self, const Text& name, const std::optional<nb::dict>& a_to_b,
             const std::optional<nb::dict>& b_to_a) {
            self.network().change_link(name, changed_model(a_to_b, "change link " + name + ", a to b"),
                                       changed_model(b_to_a, "change link " + name + ", b to a"));
          },
          "name"_a, "a_to_b"_a.none(), "b_to_a"_a.none())
      .def("add_transfer", add_transfer, "name"_a, "server"_a, "client"_a, nb::kw_only(), "bytes"_a.none(),
           "start_ns"_a = 0, "server_tcp"_a, "client_tcp"_a, "sample_every_ns"_a = 0)
      .def(
          "run_for",
          [](OfflineSimulation& self, std::int64_t duration_ns) { self.run_for(Duration::ns(duration_ns)); },
          "duration_ns"_a, nb::call_guard<nb::gil_scoped_release>())
      .def(
          "run_until_finished",
          [](OfflineSimulation& self, std::int64_t limit_ns) {
            return self.run_until_finished(Duration::ns(limit_ns));
          },
          "limit_ns"_a, nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("now_ns",
                   [](const OfflineSimulation& self) { return (self.now() - SimTime::zero()).count_ns(); })
      .def_prop_ro("events", &OfflineSimulation::events)
      .def(
          "received_bytes",
          [](const OfflineSimulation& self, const Text& name) { return self.transfer(name).received(); },
          "transfer"_a)
      .def("outcome", outcome, "transfer"_a)
      .def("samples", samples, "transfer"_a)
      .def(
          "fast_forward",
          [](OfflineSimulation& self, double error, std::int64_t end_ns) {
            self.fast_forward(error, SimTime::at_ns(end_ns));
          },
          "error"_a, "end_ns"_a)
      .def("forwarded", forwarded)
      .def("snapshot", [](const OfflineSimulation& self) { return snapshot_dict(self.snapshot()); })
      .def("trace", &OfflineSimulation::trace, "interface"_a)
      .def("hash_trace", [](OfflineSimulation& self) { self.network().hash_trace(); })
      .def("trace_hashes", [](OfflineSimulation& self) { return hashes_list(self.network().taps()); });
  bind_network(simulation);
  bind_timeline_of(simulation);
  bind_stepping_of(m, simulation);
  bind_transfer_ends_of(simulation);
}

}  // namespace simcore::python
