// SPDX-License-Identifier: MIT
//
// Switch: an OpenFlow switch as a state machine: packets come and go by its ports, messages by its sessions, time by
// tick(). It knows no socket, no event and no clock; its host gives it these.
//
// What it follows: the OpenFlow 1.3.5 and 1.0.1 specifications, and where these leave a choice, Open vSwitch 3.1. See
// docs/simulated_switches.md.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "simcore/openflow/groups.h"
#include "simcore/openflow/meters.h"
#include "simcore/openflow/pipeline.h"
#include "simcore/openflow/ports.h"
#include "simcore/openflow/session.h"
#include "simcore/openflow/tables.h"

namespace simcore::openflow {

// What the switch stands in.
class SwitchHost {
 public:
  virtual SimTime now() const = 0;
  virtual void transmit(std::uint32_t port, PacketPtr packet) = 0;
  virtual void drop(DropReason reason, const Packet& packet) = 0;
  // tick() is due then, at the latest; SimTime::never(): not before the next message.
  virtual void wake_at(SimTime time) = 0;

 protected:
  ~SwitchHost() = default;
};

struct SwitchConfig {
  std::string name;
  std::uint64_t dpid = 0;
  std::uint32_t versions = 1U << 4;     // bit n: OpenFlow's wire version n
  bool standalone = false;              // forwards as a bridge while no controller is there
  std::int64_t table_size = 1'000'000;  // flows, in all tables together
  double setup_rate = 0;                // flow modifications per second; 0: they take no time
};

class Switch final : private PipelineOutlet {
 public:
  static constexpr std::size_t kMostFlowBytes = std::size_t{256} << 20;
  static constexpr int kMessagesAtOnce = 64;                // of a session
  static constexpr Duration kProbe = Duration::seconds(5);  // silence after which a peer is asked for an echo
  static constexpr Duration kStandaloneAfter = kProbe * 3;  // without a controller

  // Both must outlive it.
  Switch(SwitchConfig config, PacketPool& pool, SwitchHost& host);

  // A port without a link, at first.
  void add_port(std::uint32_t number, const std::string& name, MacAddress mac);
  void remove_port(std::uint32_t number);
  void set_link(std::uint32_t number, bool up);

  void receive(std::uint32_t port, PacketPtr packet);

  // Connections. `on_output`: it has something to send. The session lives until disconnect().
  Session& connect(Session::Kind kind, std::function<void()> on_output);
  void disconnect(Session& session);
  // Handles what has come in, as far as it may be handled now: at most kMessagesAtOnce, and nothing that has to wait
  // for an earlier flow modification, which tick() goes on with.
  void handle_input(Session& session);
  // A controller is connected, and the two agree.
  bool connected() const;
  // It is to have one: without, fail_mode decides at once what happens.
  void expect_controller() { expects_controller_ = true; }

  // Timeouts, and messages that had to wait.
  void tick();

  const SwitchConfig& config() const { return config_; }
  const Tables& tables() const { return tables_; }
  const Ports& ports() const { return ports_; }
  const Pipeline& pipeline() const { return pipeline_; }
  bool knows(const FlowKey& key) { return pipeline_.knows(key); }

  struct Counters {
    std::uint64_t packet_ins = 0;
    std::uint64_t packet_ins_dropped = 0;  // a controller was too slow
    std::uint64_t packet_outs = 0;
    std::uint64_t flow_mods = 0;
    std::uint64_t flows_removed = 0;  // by timeouts
    std::uint64_t errors = 0;         // sent
  };
  const Counters& counters() const { return counters_; }

 private:
  struct FlowMod;
  struct FlowFilter;
  class Parts;
  using Message = std::span<const std::uint8_t>;

  // PipelineOutlet
  void transmit(SwitchPort& port, PacketPtr packet) override;
  void to_controllers(const Packet& packet, const FlowKey& key, const PacketInCause& cause) override;
  void drop(DropReason reason, const Packet& packet) override;
  void timeouts_changed() override { schedule(); }

  void schedule();
  bool stands_alone() const;
  bool has_to_wait(const Session& session, Message message) const;

  // switch.cc, packet_ins.cc, requests.cc, roles.cc
  void handle(Session& session, Message message);
  void dispatch(Session& session, std::uint8_t type, std::uint32_t xid, Reader body, Message message);
  void send_features(Session& session, std::uint32_t xid);
  void send_config(Session& session, std::uint32_t xid);
  void set_config(Session& session, Reader body);
  void packet_out(Session& session, Reader body);
  void port_mod(Session& session, Reader body);
  void table_mod(Reader body);
  void change_role(Session& session, std::uint32_t xid, Reader body);
  void send_asynchronous(Session& session, std::uint32_t xid);
  void set_asynchronous(Session& session, Reader body);
  void send_queues(Session& session, std::uint32_t xid, Reader body);
  void experiment(Session& session, std::uint32_t xid, Reader body);
  void tell_port(const SwitchPort& port, PortReason reason);
  void send_packet_in(Session& session, std::span<const std::uint8_t> frame, const FlowKey& key,
                      const PacketInCause& cause);
  void check_writable(const Session& session) const;

  // flow_mods.cc
  void flow_mod(Session& session, Reader body);
  FlowMod read_flow_mod(Reader body, Version version) const;
  void check_flow_mod(const FlowMod& mod) const;
  void check_references(const Actions& actions) const;
  void add_flow(FlowMod& mod);
  void modify_flows(FlowMod& mod);
  std::vector<Flow*> selected(const FlowFilter& filter) const;
  void remove_flow(Flow& flow, RemovedReason reason);
  void tell_removed(const Flow& flow, RemovedReason reason);
  void group_mod(Reader body);
  void remove_group(std::uint32_t number);
  void meter_mod(Reader body);
  void remove_meter(std::uint32_t number);
  void judge_trains();

  // multipart.cc
  void multipart(Session& session, std::uint32_t xid, Reader body, Message message);
  void statistics10(Session& session, std::uint32_t xid, Reader body);
  void send_description(Parts& parts) const;
  void send_flows(Parts& parts, Reader body, Version version) const;
  void send_aggregate(Parts& parts, Reader body, Version version) const;
  void send_tables(Parts& parts, Version version) const;
  void send_port_counters(Parts& parts, Reader body, Version version) const;
  void send_queue_counters(Parts& parts, Reader body, Version version) const;
  void send_group_counters(Parts& parts, Reader body) const;
  void send_groups(Parts& parts) const;
  static void send_group_features(Parts& parts);
  void send_meter_counters(Parts& parts, Reader body) const;
  void send_meters(Parts& parts, Reader body) const;
  static void send_meter_features(Parts& parts);
  void send_table_features(Parts& parts, Reader body) const;
  void send_ports(Parts& parts, Version version) const;
  FlowFilter read_filter(Reader body, Version version) const;
  std::uint32_t flows_of_meter(std::uint32_t number) const;

  SwitchConfig config_;
  SwitchHost& host_;
  PacketPool& pool_;
  Tables tables_;
  Groups groups_;
  std::size_t group_bytes_ = 0;
  Meters meters_;
  Ports ports_;
  Pipeline pipeline_;
  std::vector<std::unique_ptr<Session>> sessions_;
  std::optional<std::uint64_t> generation_;  // of the last change of masters
  bool expects_controller_ = false;
  SimTime alone_since_;                   // without a controller; holds while there is none
  SimTime busy_until_ = SimTime::zero();  // with a flow modification
  Counters counters_;
};

// Whether an action of the list goes out of that port, or to that group.
bool goes_to_port(const Instructions& instructions, std::uint32_t port);
bool goes_to_group(const Instructions& instructions, std::uint32_t group);

}  // namespace simcore::openflow
