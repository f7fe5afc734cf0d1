// SPDX-License-Identifier: MIT
//
// SimulatedNetwork: one simulated network, whole: its events, its packets, its nodes and links, and what is written down
// of it. Put together by name, from typed values. An Instance runs one in real time, an OfflineSimulation and a Replay in
// virtual time.
//
//   SimulatedNetwork network(seed);
//   network.add_node(NodeKind::router, "r1");
//   network.add_interface("r1", {"r1-eth1", mac, address, 1'500});
//   network.add_link("r1-r2", network.end("r1-eth1", "add link r1-r2"), ..., a_to_b, b_to_a);
//   network.begin("run", epoch_ns);
//
// Every add throws ConfigError when a name is taken or unknown, an end is joined twice, or a value is out of its range.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "simcore/kernel/simulation.h"
#include "simcore/network/background_forms.h"
#include "simcore/network/fluid_flows.h"
#include "simcore/network/link_model.h"
#include "simcore/network/links.h"
#include "simcore/network/network.h"
#include "simcore/network/removed_elements.h"
#include "simcore/network/snapshot.h"
#include "simcore/network/taps.h"
#include "simcore/packet/packet_pool.h"

namespace simcore {

class SimulatedNetwork {
 public:
  // `pool_limit`: of all packets together.
  explicit SimulatedNetwork(std::uint64_t seed, ByteCount pool_limit = PacketPool::kUsualLimit)
      : simulation_(seed), pool_(pool_limit), nodes_(simulation_, pool_), links_(simulation_, pool_, taps_) {}

  void add_node(NodeKind kind, const std::string& name,
                const std::optional<Processor::Config>& processor = std::nullopt) {
    nodes_.add_node(kind, name, processor);
  }
  void add_openflow_switch(const std::string& name, const OpenFlowSetup& setup,
                           const std::optional<Processor::Config>& processor = std::nullopt) {
    nodes_.add_openflow_switch(name, setup, processor);
    nodes_.openflow_switches().at(name)->on_enable(
        [this](Interface& port, bool up) { links_.set_open(port, up); });
  }
  void add_interface(const std::string& node, const Interface::Config& config) {
    nodes_.add_interface(node, config);
  }
  void add_route(const std::string& node, const IpPrefix& prefix, const std::optional<IpAddress>& via,
                 const std::string& interface) {
    nodes_.add_route(node, prefix, via, interface);
  }
  void add_application(const std::string& host, const ApplicationConfig& config) {
    nodes_.add_application(host, config);
  }
  // Of what passes between the interface and its link: a pcap or pcapng file, or lines of text. Before that link is added.
  void add_capture(const std::string& interface, const std::string& file, CaptureOptions options = {});
  void add_trace(const std::string& interface);
  // The latest packets everywhere, for reading; see Taps. Before the first link is added.
  void keep_messages(std::size_t most) { taps_.keep_messages(simulation_, most); }
  // Of what passes there, a hash; see Taps. Before the first link is added.
  void hash_trace() { taps_.hash_trace(); }

  // An interface, as an end of a link. Throws ConfigError, which begins with `attempt`, when there is none of that name.
  Links::End end(const std::string& interface, const std::string& attempt) const {
    return {.port = &nodes_.interface(interface, attempt), .name = interface};
  }
  // `number`: see Links::add.
  void add_link(const std::string& name, const Links::End& a, const Links::End& b, const LinkModel& a_to_b,
                const LinkModel& b_to_a, std::optional<std::uint64_t> number = std::nullopt);
  // What a class of TCP flows also is: connections, with which it begins, from a host to that address and port of another
  // one, where something that discards is made.
  struct PacketForm {
    std::string source;
    std::string destination;
    IpAddress address;
    std::uint16_t port;
    std::optional<double> allowed = std::nullopt;  // see BackgroundForms::add()
  };
  // Fluid from node to node: `forward` are the interfaces by which it leaves each node on its way, whose links are there, `back`
  // those of the way back. Throws ConfigError, too, where no link begins at one, or a link of `forward` carries no fluid; and
  // with `packets` where there is no such host, the port is taken, or the model is not TCP.
  void add_fluid(const std::string& name, const FluidModel& model, const std::vector<std::string>& forward,
                 const std::vector<std::string>& back,
                 const std::optional<PacketForm>& packets = std::nullopt);
  // From now on it is a fluid, or packets. `note`: what a record says of it. Throws ConfigError: there is no such class, or it
  // has one form only.
  void set_form(const std::string& fluid, FlowForm form, const std::string& note = "");
  // As Links::change. `note`: what a record says of it.
  void change_link(const std::string& name, const std::optional<LinkModel>& a_to_b,
                   const std::optional<LinkModel>& b_to_a, const std::string& note = "");

  // Both directions of a link; see Links::set_up.
  void set_link_up(const std::string& name, bool up, const std::string& note = "");
  // The routes of routers and hosts, by name: from now on these, all at once, and those to the addresses on their links.
  // Throws ConfigError, and then nothing has changed: there is no such node, or as add_route.
  using RoutesOf = std::map<std::string, std::vector<RouteConfig>>;
  void set_routes(const RoutesOf& routes, const std::string& note = "");

  // Taken out while it runs; what they counted is in removed(). A link: its ends are free. An interface or node: no link
  // joins it. Precondition: there is one of that name.
  void remove_link(const std::string& name);
  void remove_interface(const std::string& name);
  void remove_node(const std::string& name);
  RemovedElements& removed() { return removed_; }
  const RemovedElements& removed() const { return removed_; }

  // Once everything was added: files begin, and every router and host tells its neighbours where its addresses are.
  // `epoch_ns`: the wall clock, in nanoseconds since 1970, at simulated time zero. Throws ConfigError, which begins with
  // `attempt`, unless a link joins every interface.
  void begin(const std::string& attempt, std::int64_t epoch_ns);

  Simulation& simulation() { return simulation_; }
  const Simulation& simulation() const { return simulation_; }
  PacketPool& pool() { return pool_; }
  const PacketPool& pool() const { return pool_; }
  Network& nodes() { return nodes_; }
  const Network& nodes() const { return nodes_; }
  Links& links() { return links_; }
  const Links& links() const { return links_; }
  const FluidFlows& fluids() const { return fluids_; }
  BackgroundForms& forms() { return forms_; }
  const BackgroundForms& forms() const { return forms_; }
  Taps& taps() { return taps_; }
  const Taps& taps() const { return taps_; }

 private:
  PacketFlows& add_packets(const std::string& attempt, const FluidModel& model, const PacketForm& packets);
  void forget_flows_of(const std::string& host);

  Simulation simulation_;
  PacketPool pool_;
  Network nodes_;
  Taps taps_;
  Links links_;
  FluidFlows fluids_{simulation_};
  BackgroundForms forms_{simulation_, fluids_};
  RemovedElements removed_;
};

}  // namespace simcore
