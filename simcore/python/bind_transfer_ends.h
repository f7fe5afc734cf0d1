// SPDX-License-Identifier: MIT
//
// The ends of transfers, of what has a TransferEnds: a simulation, or a part of one.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <optional>
#include <string>

#include "simcore/traffic/transfer_ends.h"

namespace simcore::python {

std::size_t add_transfer_server(TransferEnds& self, const std::string& host, std::uint16_t port,
                                std::int64_t bytes, const nanobind::dict& tcp);
std::size_t add_transfer_client(TransferEnds& self, const std::string& name, const std::string& host,
                                const std::string& server_address, std::uint16_t port, std::int64_t bytes,
                                std::int64_t start_ns, std::optional<std::size_t> after,
                                const nanobind::dict& tcp);
nanobind::list transfer_servers(const TransferEnds& self);
nanobind::list transfer_clients(const TransferEnds& self);

// NaN for an instant that never came.
double seconds_or_nan(SimTime instant);
const char* name_of_error(TcpError error);

template <class Simulation>
void bind_transfer_ends_of(nanobind::class_<Simulation>& to) {
  using namespace nanobind::literals;
  to.def(
        "add_transfer_server",
        [](Simulation& self, const std::string& host, std::uint16_t port, std::int64_t bytes,
           const nanobind::dict& tcp) {
          return add_transfer_server(self.transfer_ends(), host, port, bytes, tcp);
        },
        "host"_a, "port"_a, "bytes"_a, "tcp"_a)
      .def(
          "add_transfer_client",
          [](Simulation& self, const std::string& name, const std::string& host,
             const std::string& server_address, std::uint16_t port, std::int64_t bytes, std::int64_t start_ns,
             std::optional<std::size_t> after, const nanobind::dict& tcp) {
            return add_transfer_client(self.transfer_ends(), name, host, server_address, port, bytes,
                                       start_ns, after, tcp);
          },
          "name"_a, "host"_a, nanobind::kw_only(), "server_address"_a, "port"_a, "bytes"_a, "start_ns"_a,
          "after"_a = nanobind::none(), "tcp"_a)
      .def("transfer_servers", [](const Simulation& self) { return transfer_servers(self.transfer_ends()); })
      .def("transfer_clients", [](const Simulation& self) { return transfer_clients(self.transfer_ends()); });
}

}  // namespace simcore::python
