// SPDX-License-Identifier: MIT
//
// Instance: one running simulation in real time: its nodes, links and portals, put together from typed values
// and read out as a snapshot. It is what the binding, and so the instance process, talks to.
//
//   Instance instance(config);
//   instance.add_node(Instance::NodeKind::router, "r1");
//   instance.add_interface("r1", {"r1-eth1", mac, address, 1'500});
//   instance.add_emulation_portal("packet", {"p-s1-eth3", "s1-eth3p"});
//   instance.add_link("s1-r1", PortalEnd{"p-s1-eth3"}, InterfaceEnd{"r1-eth1"}, a_to_b, b_to_a);
//   instance.run();                                     // until stop(), from another thread
//
// Everything is added before run(). Every add throws ConfigError when a name is taken or unknown, or an end
// is joined twice; run() refuses an interface or portal that no link joins.
//
// A cut link is a link with a ChannelEnd: the direction toward the peer is a Link without delay here,
// and its delay is applied by the peer, measured from the departure; the direction from the peer
// only has its delay here.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "simcore/instance/link_model.h"
#include "simcore/instance/snapshot.h"
#include "simcore/kernel/simulation.h"
#include "simcore/link/link.h"
#include "simcore/link/port.h"
#include "simcore/node/applications.h"
#include "simcore/node/interface.h"
#include "simcore/node/ipv4_stack.h"
#include "simcore/node/learning_switch.h"
#include "simcore/node/node.h"
#include "simcore/portal/emulation_portal_factory.h"
#include "simcore/portal/peering_portal.h"
#include "simcore/realtime/run_loop.h"
#include "simcore/trace/capture.h"
#include "simcore/wire/ipv4_address.h"
#include "simcore/wire/mac_address.h"
#include "simcore/wire/packet_pool.h"

namespace simcore {

// The ends to which a link can be joined.
struct InterfaceEnd {
  std::string name;
};
struct PortalEnd {
  std::string name;
};
struct ChannelEnd {
  std::string peer;
  std::uint32_t channel;
};
using LinkEnd = std::variant<InterfaceEnd, PortalEnd, ChannelEnd>;

class Instance {
 public:
  enum class NodeKind : std::uint8_t { router, host, learning_switch };

  struct Config {
    std::string name;
    std::uint64_t seed = 0;
    std::uint64_t token = 0;  // the run's: peers take only datagrams that carry it
    RunLoop::Options realtime;
    ByteCount memory_limit = ByteCount::bytes(std::int64_t{1} << 30);  // of all packets together
  };

  explicit Instance(Config config);
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;
  ~Instance();

  void add_node(NodeKind kind, const std::string& name);
  void add_interface(const std::string& node, const Interface::Config& config);
  void add_route(const std::string& node, Ipv4Prefix prefix, std::optional<Ipv4Address> via,
                 const std::string& interface);
  // A program on a host that has its interfaces. Throws ConfigError when the node is no host, too.
  void add_application(const std::string& host, const ApplicationConfig& config);
  void add_emulation_portal(const std::string& backend, EmulationPortal::Config config,
                            const EmulationPortalOptions& options = {});
  void add_peer(PeeringPortal::Config config);  // its token is set to the run's
  void add_link(const std::string& name, const LinkEnd& a, const LinkEnd& b, const LinkModel& a_to_b,
                const LinkModel& b_to_a);
  // Of what passes between the interface and its link. Before that link is added.
  void add_capture(const std::string& interface, const std::string& file);

  // Runs until stop(). Called once. Throws ConfigError when an end is joined to nothing, and what
  // RunLoop::run throws.
  void run();

  // From any thread or signal handler.
  void stop() { loop_.stop(); }

  // Closes the emulation portals, which put their devices' settings back. After run() and the last snapshot().
  void close() { portals_.clear(); }

  // From any thread: waits for the loop's thread, which answers between two turns.
  Snapshot snapshot();

  // Changes the directions of a link for which a configuration is given, while it runs; see ModelledLink.
  // From any thread, as snapshot(). Throws ConfigError, and then nothing has changed: there is no such link,
  // it is a cut link (its delay is the peer's matter), or a value is out of its range.
  void change_link(const std::string& name, const std::optional<LinkModel>& a_to_b,
                   const std::optional<LinkModel>& b_to_a);

 private:
  // An end as a link sees it.
  struct End {
    Port* port;
    std::string name;
    bool peer;  // a channel: the link beyond it is the other instance's
  };

  End find(const std::string& link, const LinkEnd& end, Duration incoming_delay);
  struct LinkEntry {
    std::string name;  // of the link, of which this is one direction
    bool forward;      // from a to b
    bool cut;
    End from;
    std::string to;
    std::unique_ptr<ModelledLink> link;
  };

  void lead(const std::string& name, bool forward, const End& from, const End& to, const LinkModel& model);
  LinkEntry& direction(const std::string& name, bool forward);
  void change(const std::string& name, const std::optional<LinkModel>& a_to_b,
              const std::optional<LinkModel>& b_to_a);
  void change(LinkEntry& entry, const LinkModel& model);
  PacketSink& watched(const End& end, PacketSink& sink);
  Ipv4Stack& stack(const std::string& node, const std::string& attempt);
  void claim(const std::string& what, const std::string& name);
  void check_joined() const;
  Snapshot read() const;

  Config config_;
  Simulation simulation_;
  PacketPool pool_;
  RunLoop loop_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::map<std::string, Ipv4Stack*> stacks_;                           // the routers and hosts among them
  std::map<std::string, LearningSwitch*> switches_;                    // the others
  std::map<std::string, std::unique_ptr<Applications>> applications_;  // by host
  std::map<std::string, Interface*> interfaces_;
  std::map<std::string, std::unique_ptr<EmulationPortal>> portals_;
  std::map<std::string, std::unique_ptr<PeeringPortal>> peers_;
  std::map<std::string, std::unique_ptr<Capture>> captures_;
  std::vector<LinkEntry> links_;
  std::vector<std::unique_ptr<VariableDelay>> receiving_;  // extra delays of what peers send
  std::map<std::string, std::string> names_;               // every name that is taken, and by what
};

}  // namespace simcore
