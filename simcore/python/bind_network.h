// SPDX-License-Identifier: MIT
//
// What every simulation that stands on a SimulatedNetwork shows to Python, in real time or in virtual time.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "simcore/network/link_end.h"
#include "simcore/network/simulated_network.h"
#include "simcore/portal/emulation_portal_factory.h"
#include "simcore/python/link_model.h"

namespace simcore::python {

// router, host, switch. Throws ConfigError.
NodeKind node_kind(const std::string& text);

// None without a delay.
std::optional<Processor::Config> processor(std::optional<std::int64_t> delay_ns, std::int64_t queue_packets);

Interface::Config interface_config(const std::string& name, const std::optional<std::string>& mac,
                                   const std::optional<std::string>& address, std::uint16_t mtu,
                                   const std::optional<std::string>& address6, std::uint16_t number);

// By the table `openflow`. Throws ConfigError.
OpenFlowSetup openflow_setup(const std::string& name, const nanobind::dict& setup);

// As FluidPlan has it. Throws ConfigError.
std::optional<SimulatedNetwork::PacketForm> packet_form(const std::optional<nanobind::dict>& packets);

// packets, fluid. Throws ConfigError.
FlowForm flow_form(const std::string& form);

// By the tables of the models. Throws ConfigError.
FluidModel fluid_model(const std::string& name, const nanobind::dict& model);

// By the tables of the kinds; `options` may have the kind too. Throws ConfigError.
ApplicationConfig application_config(const std::string& host, const std::string& kind,
                                     const nanobind::dict& options);

// ("interface", name) | ("portal", name) | ("peer", name, channel). Throws ConfigError.
LinkEnd link_end(const nanobind::tuple& end);

// `options` by the table of the backend. Throws ConfigError.
std::pair<EmulationPortal::Config, EmulationPortalOptions> portal_setup(const std::string& name,
                                                                        const std::string& device,
                                                                        const std::string& backend,
                                                                        const std::string& filter,
                                                                        const nanobind::dict& options);

// Methods of what has portals, and links between all kinds of ends.
template <class Simulation>
void add_emulation_portal(Simulation& self, const std::string& name, const std::string& device,
                          const std::string& backend, const std::string& filter,
                          const nanobind::dict& options) {
  auto [config, setup] = portal_setup(name, device, backend, filter, options);
  self.add_emulation_portal(backend, std::move(config), setup);
}
template <class Simulation>
void add_link(Simulation& self, const std::string& name, const nanobind::tuple& a, const nanobind::tuple& b,
              const nanobind::dict& a_to_b, const nanobind::dict& b_to_a) {
  self.add_link(name, link_end(a), link_end(b), link_model(a_to_b, "make link " + name + ", a to b"),
                link_model(b_to_a, "make link " + name + ", b to a"));
}

// Adds the methods by which nodes, interfaces, routes and applications are added.
template <class Simulation>
void bind_nodes(nanobind::class_<Simulation>& to) {
  namespace nb = nanobind;
  using namespace nb::literals;
  using Text = std::string;
  to.def(
        "add_node",
        [](Simulation& self, const Text& kind, const Text& name,
           std::optional<std::int64_t> processing_delay_ns, std::int64_t processing_queue_packets) {
          self.network().add_node(node_kind(kind), name,
                                  processor(processing_delay_ns, processing_queue_packets));
        },
        "kind"_a, "name"_a, "processing_delay_ns"_a = nb::none(), "processing_queue_packets"_a = 1'000)
      .def(
          "add_openflow_switch",
          [](Simulation& self, const Text& name, const nb::dict& setup,
             std::optional<std::int64_t> processing_delay_ns, std::int64_t processing_queue_packets) {
            self.network().add_openflow_switch(name, openflow_setup(name, setup),
                                               processor(processing_delay_ns, processing_queue_packets));
          },
          "name"_a, "setup"_a, "processing_delay_ns"_a = nb::none(), "processing_queue_packets"_a = 1'000)
      .def(
          "add_interface",
          [](Simulation& self, const Text& node, const Text& name, const std::optional<Text>& mac,
             const std::optional<Text>& address, std::uint16_t mtu, const std::optional<Text>& address6,
             std::uint16_t number) {
            self.network().add_interface(node, interface_config(name, mac, address, mtu, address6, number));
          },
          "node"_a, "name"_a, "mac"_a = nb::none(), "address"_a = nb::none(), "mtu"_a = 1'500,
          "address6"_a = nb::none(), "number"_a = 0)
      .def(
          "add_route",
          [](Simulation& self, const Text& node, const Text& prefix, const std::optional<Text>& via,
             const Text& interface) {
            self.network().add_route(node, parse_ip_prefix(prefix),
                                     via ? std::optional(IpAddress::parse(*via)) : std::nullopt, interface);
          },
          "node"_a, "prefix"_a, "via"_a.none(), "interface"_a)
      .def(
          "add_application",
          [](Simulation& self, const Text& host, const Text& kind, const nb::dict& options) {
            self.network().add_application(host, application_config(host, kind, options));
          },
          "host"_a, "kind"_a, "options"_a);
}

// These, and those by which captures and fluid flows are added. `captures`: how their files are written.
template <class Simulation>
void bind_network(nanobind::class_<Simulation>& to, const CaptureOptions& captures = {}) {
  namespace nb = nanobind;
  using namespace nb::literals;
  using Text = std::string;
  bind_nodes(to);
  to.def(
      "add_capture",
      [captures](Simulation& self, const Text& interface, const Text& file) {
        self.network().add_capture(interface, file, captures);
      },
      "interface"_a, "file"_a);
  to.def(
      "add_fluid",
      [](Simulation& self, const Text& name, const nb::dict& model, const std::vector<Text>& forward,
         const std::vector<Text>& back, const std::optional<nb::dict>& packets) {
        self.network().add_fluid(name, fluid_model(name, model), forward, back, packet_form(packets));
      },
      "name"_a, "model"_a, "forward"_a, "back"_a, "packets"_a = nb::none());
}

}  // namespace simcore::python
