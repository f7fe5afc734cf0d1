// SPDX-License-Identifier: MIT
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "simcore/guests/guest_network.h"
#include "simcore/python/bindings.h"
#include "simcore/sys/file_descriptor.h"

namespace simcore::python {

namespace nb = nanobind;
using namespace nb::literals;

void bind_guests(nb::module_& m) {
  using Text = std::string;
  using Machines = std::vector<std::tuple<Text, int, int>>;
  nb::class_<GuestNetwork>(m, "GuestNetwork",
                           "Kernels of Linux in one simulated time; see simcore/guests/guest_network.h.")
      .def(
          "__init__",
          [](GuestNetwork* self, std::uint64_t seed, const Machines& machines, std::int64_t delay_ns,
             std::int64_t epoch_ns) {
            std::vector<GuestNetwork::Machine> wanted;
            for (const auto& [name, clock, card] : machines) {
              wanted.push_back({name, {.clock = FileDescriptor(clock), .card = FileDescriptor(card)}});
            }
            new (self) GuestNetwork(seed, std::move(wanted), Duration::ns(delay_ns), epoch_ns);
          },
          "seed"_a, "machines"_a, "delay_ns"_a, "epoch_ns"_a,
          "`machines`: of each its name, and the sockets at which its clock and its card are awaited, by "
          "descriptors that "
          "are the network's from now on.")
      .def(
          "started",
          [](GuestNetwork& self, std::size_t number, int pidfd) {
            self.guest(number).kernel().started(FileDescriptor(pidfd));
          },
          "number"_a, "pidfd"_a, "The kernel's process, by a descriptor that is the network's from now on.")
      .def("run", &GuestNetwork::run, nb::call_guard<nb::gil_scoped_release>(),
           "Until the first kernel has ended.")
      .def(
          "dropped",
          [](GuestNetwork& self, std::size_t number) { return self.guest(number).dropped().total(); },
          "number"_a, "Frames from and to a kernel that were lost at its card.");
}

}  // namespace simcore::python
