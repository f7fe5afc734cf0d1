// SPDX-License-Identifier: MIT
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <memory>
#include <string>

#include "simcore/parallel/parallel_simulation.h"
#include "simcore/parallel/rank_exchange.h"
#include "simcore/parallel/ranks.h"
#include "simcore/python/bind_network.h"
#include "simcore/python/bind_transfer_ends.h"
#include "simcore/python/bindings.h"
#include "simcore/python/link_model.h"
#include "simcore/python/snapshot.h"

namespace simcore::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using Text = std::string;

void add_cut_link(Partition& self, const Text& name, std::uint32_t number, const Text& near, const Text& far,
                  std::size_t partition, bool near_is_a, const nb::dict& a_to_b, const nb::dict& b_to_a) {
  self.add_cut_link(
      name, {.number = number, .near = near, .far = far, .partition = partition, .near_is_a = near_is_a},
      link_model(a_to_b, "make link " + name + ", a to b"),
      link_model(b_to_a, "make link " + name + ", b to a"));
}

nb::dict counters(const Partition& self) {
  const Partition::Counters& from = self.counters();
  nb::dict result;
  result["windows"] = from.windows;
  result["sent_packets"] = from.sent_parcels;
  result["sent_bytes"] = from.sent_bytes;
  result["waited_ns"] = from.waited_ns;
  result["wall_ns"] = from.wall_ns;
  return result;
}

}  // namespace

void bind_parallel(nb::module_& m) {
  nb::class_<Partition> partition(m, "Partition",
                                  "One part of a parallel simulation; see simcore/parallel/partition.h.");
  partition
      .def(
          "add_link",
          [](Partition& self, const Text& name, std::uint32_t number, const Text& a, const Text& b,
             const nb::dict& a_to_b, const nb::dict& b_to_a) {
            self.add_link(name, number, a, b, link_model(a_to_b, "make link " + name + ", a to b"),
                          link_model(b_to_a, "make link " + name + ", b to a"));
          },
          "name"_a, "number"_a, "a"_a, "b"_a, "a_to_b"_a, "b_to_a"_a)
      .def("add_cut_link", add_cut_link, "name"_a, "number"_a, "near"_a, "far"_a, "partition"_a,
           "near_is_a"_a, "a_to_b"_a, "b_to_a"_a)
      .def("hash_trace", [](Partition& self) { self.network().hash_trace(); })
      .def("trace_hashes", [](Partition& self) { return hashes_list(self.network().taps()); })
      .def("snapshot", [](const Partition& self) { return snapshot_dict(self.snapshot()); })
      .def("arrived",
           [](const Partition& self) {
             nb::list rows;
             for (const SnapshotRow& row : self.arrived()) rows.append(row_dict(row));
             return rows;
           })
      .def("counters", counters);
  bind_network(partition);
  bind_transfer_ends_of(partition);

  nb::class_<Ranks>(m, "Ranks", "The processes of one MPI job; see simcore/parallel/ranks.h.")
      .def(nb::init<const Text&>(), "module"_a)
      .def_prop_ro("rank", &Ranks::rank)
      .def_prop_ro("size", &Ranks::size)
      .def(
          "gather",
          [](const Ranks& self, const nb::bytes& own) {
            nb::list all;
            for (const Text& each : self.gather(Text(own.c_str(), own.size())))
              all.append(nb::bytes(each.data(), each.size()));
            return all;
          },
          "own"_a);

  nb::class_<ParallelSimulation>(
      m, "ParallelSimulation",
      "A simulation in several partitions; see simcore/parallel/parallel_simulation.h.")
      .def(nb::init<std::uint64_t, std::size_t>(), "seed"_a, "partitions"_a)
      .def(
          "__init__",
          [](ParallelSimulation* self, std::uint64_t seed, std::size_t partitions, const Ranks& ranks) {
            new (self)
                ParallelSimulation(seed, partitions, ranks.rank(), std::make_unique<RankExchange>(ranks));
          },
          "seed"_a, "partitions"_a, "ranks"_a, nb::keep_alive<1, 4>())
      .def("partition", &ParallelSimulation::partition, "number"_a, nb::rv_policy::reference_internal)
      .def(
          "join",
          [](ParallelSimulation& self, std::size_t from, std::size_t to, std::int64_t delay_ns) {
            self.join(from, to, Duration::ns(delay_ns));
          },
          "from_"_a, "to"_a, "delay_ns"_a)
      .def(
          "run_for",
          [](ParallelSimulation& self, std::int64_t duration_ns) { self.run_for(Duration::ns(duration_ns)); },
          "duration_ns"_a, nb::call_guard<nb::gil_scoped_release>())
      .def(
          "run_in_real_time",
          [](ParallelSimulation& self, std::int64_t duration_ns, std::int64_t due_ns,
             std::int64_t deadline_ns) {
            return self.run_in_real_time(Duration::ns(duration_ns), due_ns, deadline_ns).count_ns();
          },
          "duration_ns"_a, "due_ns"_a, "deadline_ns"_a, nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("now_ns", [](const ParallelSimulation& self) { return self.now().count_ns(); })
      .def_prop_ro("events", &ParallelSimulation::events);
}

}  // namespace simcore::python
