// SPDX-License-Identifier: MIT
#include "simcore/network/simulated_network.h"

#include <utility>

#include "simcore/network/snapshot_rows.h"

namespace simcore {

void SimulatedNetwork::add_capture(const std::string& interface, const std::string& file,
                                   CaptureOptions options) {
  nodes_.interface(interface, "capture into " + file);
  taps_.add_capture(interface, file, std::move(options));
}

void SimulatedNetwork::add_trace(const std::string& interface) {
  nodes_.interface(interface, "trace");
  taps_.add_trace(interface);
}

void SimulatedNetwork::add_link(const std::string& name, const Links::End& a, const Links::End& b,
                                const LinkModel& a_to_b, const LinkModel& b_to_a,
                                std::optional<std::uint64_t> number) {
  nodes_.claim("link", name);
  links_.add(name, a, b, a_to_b, b_to_a, number);
}

void SimulatedNetwork::add_fluid(const std::string& name, const FluidModel& model,
                                 const std::vector<std::string>& forward,
                                 const std::vector<std::string>& back,
                                 const std::optional<PacketForm>& packets) {
  const std::string attempt = "add fluid " + name;
  nodes_.claim("fluid", name);
  if (forward.empty()) throw ConfigError(attempt + ": its way has no link; let it end at another node");
  std::vector<ModelledLink*> there;
  std::vector<ModelledLink*> returning;
  there.reserve(forward.size());
  returning.reserve(back.size());
  for (const std::string& interface : forward) there.push_back(&links_.carry_fluid(interface, attempt));
  for (const std::string& interface : back) returning.push_back(&links_.leaving(interface, attempt));
  PacketFlows* const flows = packets ? &add_packets(attempt, model, *packets) : nullptr;
  fluids_.add(name, model, there, returning);
  if (flows != nullptr) forms_.add(name, fluids_.size() - 1, *flows, packets->allowed);
}

PacketFlows& SimulatedNetwork::add_packets(const std::string& attempt, const FluidModel& model,
                                           const PacketForm& packets) {
  const auto* const flows = std::get_if<TcpBackground::Config>(&model);
  if (flows == nullptr)
    throw ConfigError(attempt + ": only flows of TCP can be packets; choose the model tcp_flows");
  TcpOptions tcp = TcpOptions::linux_like();
  tcp.congestion = flows->congestion == TcpFluid::Congestion::cubic ? CongestionAlgorithm::cubic
                                                                    : CongestionAlgorithm::reno;
  nodes_.applications(packets.destination, attempt)
      .add(ServiceApplication{ServiceApplication::Kind::tcp_discard, packets.port, tcp});
  return nodes_.applications(packets.source, attempt)
      .add_flows({packets.address, packets.port, flows->flows, tcp});
}

void SimulatedNetwork::set_form(const std::string& fluid, FlowForm form, const std::string& note) {
  const auto place = forms_.find(fluid);
  if (!place) {
    throw ConfigError("make fluid " + fluid + " " + name_of(form) +
                      ": there is none of that name with two forms; see fidelity");
  }
  forms_.set(*place, form);
  if (taps_.recorder() != nullptr) taps_.recorder()->note_change(note);
}

void SimulatedNetwork::forget_flows_of(const std::string& host) {
  for (const auto& [name, applications] : nodes_.applications()) {
    if (name != host) continue;
    for (const auto& flows : applications->flows()) forms_.forget(*flows);
  }
}

void SimulatedNetwork::change_link(const std::string& name, const std::optional<LinkModel>& a_to_b,
                                   const std::optional<LinkModel>& b_to_a, const std::string& note) {
  links_.change(name, a_to_b, b_to_a);
  if (taps_.recorder() != nullptr) taps_.recorder()->note_change(note);
}

void SimulatedNetwork::set_link_up(const std::string& name, bool up, const std::string& note) {
  links_.set_up(name, up);
  if (taps_.recorder() != nullptr) taps_.recorder()->note_change(note);
}

void SimulatedNetwork::set_routes(const RoutesOf& routes, const std::string& note) {
  std::vector<std::pair<DualStack*, DualStack::Routes>> made;
  for (const auto& [node, of_node] : routes) {
    const std::string attempt = "set the routes of " + node;
    made.emplace_back(&nodes_.stack(node, attempt), nodes_.make_routes(node, of_node, attempt));
  }
  for (auto& [stack, of_node] : made) stack->exchange_routes(of_node);
  if (taps_.recorder() != nullptr) taps_.recorder()->note_change(note);
}

void SimulatedNetwork::remove_link(const std::string& name) {
  const auto ends = links_.ends(name, "remove link " + name);
  links_.for_each_direction(name, [this](ModelledLink& link) { fluids_.forget(link); });
  std::vector<SnapshotRow> counted;
  links_.remove(name, counted);
  for (const SnapshotRow& row : counted) removed_.add("links", row);
  for (const Links::End& end : {ends.first, ends.second}) {
    if (end.peer || end.portal) continue;
    taps_.leave(end.name);
    Interface& interface = nodes_.interface(end.name, "remove link " + name);
    interface.node().unplugged(interface);
  }
  nodes_.release("link", name);
}

void SimulatedNetwork::remove_interface(const std::string& name) {
  Interface& gone = nodes_.interface(name, "remove interface " + name);
  removed_.add("interfaces", row_of(gone));
  nodes_.remove_interface(name);
}

void SimulatedNetwork::remove_node(const std::string& name) {
  const Node& gone = nodes_.node(name, "remove node " + name);
  for (const auto& each : gone.interfaces()) removed_.add("interfaces", row_of(*each));
  SnapshotRow row = row_of(gone);
  forget_flows_of(name);
  row.dropped.add(DropReason::removed, gone.held_segments());
  removed_.add("nodes", row);
  nodes_.remove_node(name);
}

void SimulatedNetwork::begin(const std::string& attempt, std::int64_t epoch_ns) {
  nodes_.check_joined(attempt);
  taps_.begin(epoch_ns);
  fluids_.begin();
  nodes_.announce();
  forms_.begin();
}

}  // namespace simcore
