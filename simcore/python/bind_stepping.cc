// SPDX-License-Identifier: MIT
#include "simcore/python/bind_stepping.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "simcore/network/figure_condition.h"
#include "simcore/python/snapshot.h"
#include "simcore/units/error.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace simcore::python {

namespace {

using Text = std::string;

// The value that `named` has beside `text`. Throws ConfigError.
template <class Value, std::size_t Count>
Value value_of(const std::array<std::pair<std::string_view, Value>, Count>& named, const Text& text,
               const Text& attempt) {
  Text names;
  for (const auto& [name, value] : named) {
    if (name == text) return value;
    names.append(names.empty() ? "" : ", ").append(name);
  }
  throw ConfigError(attempt + " " + text + ": there are " + names);
}

FigureCondition condition(const OfflineSimulation& self, const Text& section, Text element, Text figure,
                          const Text& is, std::variant<std::int64_t, Text> value) {
  using Section = FigureCondition::Section;
  using Comparison = FigureCondition::Comparison;
  constexpr std::array<std::pair<std::string_view, Section>, 5> sections = {
      {{"links", Section::links},
       {"nodes", Section::nodes},
       {"interfaces", Section::interfaces},
       {"applications", Section::applications},
       {"connections", Section::connections}}};
  constexpr std::array<std::pair<std::string_view, Comparison>, 7> comparisons = {
      {{"<", Comparison::less},
       {"<=", Comparison::at_most},
       {"==", Comparison::equal},
       {"!=", Comparison::other},
       {">=", Comparison::at_least},
       {">", Comparison::more},
       {"changes", Comparison::changes}}};
  return FigureCondition(self.network(), {.section = value_of(sections, section, "run until something of"),
                                          .element = std::move(element),
                                          .figure = std::move(figure),
                                          .is = value_of(comparisons, is, "run until a figure"),
                                          .value = std::move(value)});
}

std::string_view name_of(OfflineSimulation::Stop stop) {
  switch (stop) {
    case OfflineSimulation::Stop::end:
      return "end";
    case OfflineSimulation::Stop::events:
      return "events";
    case OfflineSimulation::Stop::condition:
      return "condition";
  }
  return "";
}

nb::object instant(SimTime time) { return time == SimTime::never() ? nb::none() : nb::cast(time.count_ns()); }

nb::str text(std::string_view from) { return nb::str(from.data(), from.size()); }

nb::bytes bytes(const PacketView& packet) { return nb::bytes(packet.first.data(), packet.stored); }

nb::list next_events(const OfflineSimulation& self, std::size_t most) {
  nb::list result;
  for (const EventQueue::Due& due : self.network().simulation().next_events(most)) {
    result.append(nb::make_tuple(due.time.count_ns(), text(due.event->what()), due.event->where()));
  }
  return result;
}

nb::dict contents_dict(const Links::Contents& from) {
  constexpr std::array<std::string_view, 4> places = {"waiting", "sending", "wire", "delay"};
  nb::list packets;
  for (const LinkView::Seen& seen : from.view.seen) {
    packets.append(nb::make_tuple(text(places[static_cast<std::size_t>(seen.place)]), instant(seen.begins),
                                  instant(seen.departs), instant(seen.arrives), seen.packet.wire_bytes,
                                  seen.packet.segments, bytes(seen.packet)));
  }
  nb::dict result;
  result["link"] = text(from.link);
  result["forward"] = from.forward;
  result["waiting"] = from.view.waiting;
  result["under_way"] = from.view.under_way;
  result["in_all"] = from.view.waiting_packets + from.view.packets_under_way;
  result["packets"] = packets;
  return result;
}

nb::list look_at_link(const OfflineSimulation& self, const Text& link, std::size_t most) {
  nb::list result;
  for (const Links::Contents& each : self.network().links().look(link, most)) {
    result.append(contents_dict(each));
  }
  return result;
}

nb::list look_at_links(const OfflineSimulation& self, std::size_t most, std::size_t most_together) {
  nb::list result;
  const Links& links = self.network().links();
  std::size_t together = 0;
  for (std::size_t direction = 0; direction < links.directions() && together < most_together; ++direction) {
    const auto contents = links.look(direction, most);
    if (!contents || contents->view.seen.empty()) continue;
    together += contents->view.seen.size();
    result.append(contents_dict(*contents));
  }
  return result;
}

nb::list messages(const OfflineSimulation& self, std::uint64_t first, std::size_t most) {
  nb::list result;
  const MessageTrace* const trace = self.network().taps().messages();
  if (trace == nullptr) return result;
  for (const MessageTrace::Message& each : trace->latest(first, most)) {
    result.append(nb::make_tuple(each.number, each.at.count_ns(), *each.place,
                                 each.direction == FrameDirection::outbound, each.packet.wire_bytes,
                                 each.packet.segments, bytes(each.packet)));
  }
  return result;
}

nb::list connections(const OfflineSimulation& self, std::size_t most) {
  const Network& nodes = self.network().nodes();
  Snapshot snapshot;
  for (std::size_t host = 0; host < nodes.applications().size() && snapshot.connections.size() < most;
       ++host) {
    nodes.read_connections_into(snapshot, host);
  }
  nb::list result;
  for (const SnapshotRow& row : snapshot.connections) {
    if (most-- == 0) break;
    result.append(row_dict(row));
  }
  return result;
}

nb::tuple link_counts(const OfflineSimulation& self, std::uint64_t known) {
  LinkCounts counts(known);
  const Links& links = self.network().links();
  counts.generation = links.generation();
  for (std::size_t direction = 0; direction < links.directions(); ++direction) {
    links.read_into(counts, direction);
  }
  return link_counts_tuple(counts);
}

}  // namespace

void bind_stepping_of(nb::module_& m, nb::class_<OfflineSimulation>& to) {
  const nb::class_<FigureCondition> bound(
      m, "FigureCondition",
      "Whether a figure compares with a value; see simcore/network/figure_condition.h.");
  to.def("condition", condition, "section"_a, "element"_a, "figure"_a, "comparison"_a, "value"_a = 0,
         nb::keep_alive<0, 1>())
      .def(
          "run",
          [](OfflineSimulation& self, std::int64_t end_ns, std::uint64_t most_events,
             const FigureCondition* until) {
            const OfflineSimulation::Stop stop = [&] {
              const nb::gil_scoped_release others_run;
              return self.run(SimTime::at_ns(end_ns), most_events, until);
            }();
            return text(name_of(stop));
          },
          "end_ns"_a, "most_events"_a, "until"_a.none() = nb::none())
      .def(
          "keep_messages",
          [](OfflineSimulation& self, std::size_t most) { self.network().keep_messages(most); }, "most"_a)
      .def(
          "follow_messages",
          [](OfflineSimulation& self, const std::vector<Text>& interfaces) {
            if (self.network().taps().messages() != nullptr) {
              self.network().taps().messages()->follow(interfaces);
            }
          },
          "interfaces"_a)
      .def("messages", messages, "first"_a, "most"_a)
      .def("next_events", next_events, "most"_a)
      .def("look_at_link", look_at_link, "link"_a, "most"_a)
      .def("look_at_links", look_at_links, "most"_a, "most_together"_a)
      .def("connections", connections, "most"_a)
      .def("link_counts", link_counts, "known"_a = LinkCounts::kNothingKnown);
}

}  // namespace simcore::python
