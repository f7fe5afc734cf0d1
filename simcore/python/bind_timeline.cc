// SPDX-License-Identifier: MIT
//
// Changes of a running network for Python, at once or on its clock: text and plain numbers become simcore's types here,
// and nothing else happens.
#include "simcore/python/bind_timeline.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include "simcore/instance/instance_change.h"
#include "simcore/portal/portal_options.h"
#include "simcore/python/bind_network.h"
#include "simcore/python/bindings.h"
#include "simcore/python/link_model.h"
#include "simcore/python/option_value.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace simcore::python {

namespace {

using Text = std::string;

SimTime instant(std::int64_t at_ns) { return SimTime::at_ns(at_ns); }

}  // namespace

SimulatedNetwork::RoutesOf routes_of(const nb::dict& from) {
  SimulatedNetwork::RoutesOf routes;
  for (const auto& [node, given] : from) {
    std::vector<RouteConfig>& of_node = routes[nb::cast<Text>(node)];
    for (const nb::handle route : nb::cast<nb::list>(given)) {
      const auto via = nb::cast<std::optional<Text>>(route["via"]);
      of_node.push_back({.prefix = parse_ip_prefix(nb::cast<Text>(route["prefix"])),
                         .via = via ? std::optional(IpAddress::parse(*via)) : std::nullopt,
                         .interface = nb::cast<Text>(route["interface"])});
    }
  }
  return routes;
}

nb::list fired_list(const std::vector<Timeline::Fired>& from) {
  nb::list result;
  for (const Timeline::Fired& each : from) {
    nb::dict row;
    row["number"] = each.number;
    row["timeline"] = each.timeline;
    row["entry"] = each.entry;
    row["at_ns"] = each.at.count_ns();
    row["fired_ns"] = each.fired.count_ns();
    row["error"] = each.error;
    result.append(row);
  }
  return result;
}

void bind_timeline(nb::module_& m) {
  nb::class_<TimelineEntries> entries(
      m, "TimelineEntries", "Changes at instants of simulated time; see simcore/network/timeline.h.");
  entries.def(nb::init<>())
      .def(
          "add_link_change",
          [](TimelineEntries& self, std::int64_t at_ns, const Text& link,
             const std::optional<nb::dict>& a_to_b, const std::optional<nb::dict>& b_to_a, const Text& note) {
            const Text place = "schedule a change of link " + link;
            self.entries.push_back({instant(at_ns),
                                    Timeline::LinkChange{link, changed_model(a_to_b, place + ", a to b"),
                                                         changed_model(b_to_a, place + ", b to a")},
                                    note});
          },
          "at_ns"_a, "link"_a, "a_to_b"_a.none(), "b_to_a"_a.none(), "note"_a = "")
      .def(
          "add_link_status",
          [](TimelineEntries& self, std::int64_t at_ns, const Text& link, bool up, const Text& note) {
            self.entries.push_back({instant(at_ns), Timeline::LinkStatus{link, up}, note});
          },
          "at_ns"_a, "link"_a, "up"_a, "note"_a = "")
      .def(
          "add_routes",
          [](TimelineEntries& self, std::int64_t at_ns, const nb::dict& routes, const Text& note) {
            self.entries.push_back({instant(at_ns), Timeline::RoutesChange{routes_of(routes)}, note});
          },
          "at_ns"_a, "routes"_a, "note"_a = "");

  nb::class_<InstanceChange> change(
      m, "InstanceChange",
      "What a running instance is to gain and lose; see simcore/instance/instance_change.h.");
  change.def(nb::init<>())
      .def("add_emulation_portal", add_emulation_portal<InstanceChange>, "name"_a, "device"_a,
           "backend"_a = "packet", "filter"_a = "", "options"_a = nb::dict())
      .def(
          "add_peer",
          [](InstanceChange& self, const nb::dict& peer) {
            self.add_peer(peer_options().read(option_value(peer, "add peer"), "add peer"));
          },
          "peer"_a)
      .def("add_link", add_link<InstanceChange>, "name"_a, "a"_a, "b"_a, "a_to_b"_a, "b_to_a"_a)
      .def("replace_routes", &InstanceChange::replace_routes, "node"_a)
      .def(
          "remove_link",
          [](InstanceChange& self, Text name) { self.removed_links.push_back(std::move(name)); }, "name"_a)
      .def(
          "remove_portal",
          [](InstanceChange& self, Text name) { self.removed_portals.push_back(std::move(name)); }, "name"_a)
      .def(
          "remove_peer",
          [](InstanceChange& self, Text name) { self.removed_peers.push_back(std::move(name)); }, "name"_a)
      .def(
          "remove_node",
          [](InstanceChange& self, Text name) { self.removed_nodes.push_back(std::move(name)); }, "name"_a)
      .def(
          "remove_interface",
          [](InstanceChange& self, Text name) { self.removed_interfaces.push_back(std::move(name)); },
          "name"_a);
  bind_nodes(change);
}

}  // namespace simcore::python
