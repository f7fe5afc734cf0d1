// SPDX-License-Identifier: MIT
//
// Switch: an OpenFlow switch as a state machine: packets come and go by its ports, messages by its sessions, time by
// tick(). It knows no socket, no event and no clock; its host gives it these.
//
// What it follows: the OpenFlow 1.3.5 and 1.0.1 specifications, and where these leave a choice, Open vSwitch 3.1. See
// docs/simulated_switches.md.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "simcore/openflow/entries.h"
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
  // A controller takes the link at a port down, or lets it be up again.
  virtual void enable_port(std::uint32_t port, bool up) = 0;
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
  double setup_rate = 0;                // modifications per second; 0: they take no time
};

class Switch final : private PipelineOutlet {
 public:
  static constexpr std::size_t kMostFlowBytes = std::size_t{256} << 20;
  static constexpr std::size_t kMostLeftBehind = 16;  // sessions that have ended, with messages to be done
  static constexpr Duration kProbe = Duration::seconds(5);  // silence after which a peer is asked for an echo
  static constexpr Duration kStandaloneAfter = kProbe * 3;  // without a controller
  static constexpr Duration kRest = Duration::us(100);      // where tick() has spent its effort

  // Both must outlive it.
  Switch(SwitchConfig config, PacketPool& pool, SwitchHost& host);

  // A port without a link, at first.
  void add_port(std::uint32_t number, const std::string& name, MacAddress mac);
  void remove_port(std::uint32_t number);
  void set_link(std::uint32_t number, bool up);

  void receive(std::uint32_t port, PacketPtr packet);

  // Connections. `on_work`: it has something to send, or more to do. The session lives until disconnect().
  Session& connect(Session::Kind kind, std::function<void()> on_work);
  // A switch processes every message that it has received in full (OpenFlow 1.3.5, 6.2), so what came and is not handled is
  // done by tick(), at its pace. Of more than kMostLeftBehind sessions like that the rest of the oldest is dropped.
  void disconnect(Session& session);
  // Handles what has come in, as far as the effort goes, and nothing before a modification that has yet to take its time,
  // which tick() goes on with. True: there is more that could be done now.
  bool handle_input(Session& session, Effort& effort);
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
    std::uint64_t notices_dropped = 0;     // of flows and ports, because of that
    std::uint64_t packet_outs = 0;
    std::uint64_t flow_mods = 0;
    std::uint64_t flows_removed = 0;     // by timeouts
    std::uint64_t errors = 0;            // sent
    std::uint64_t messages_dropped = 0;  // of controllers that had gone: see disconnect()
  };
  const Counters& counters() const { return counters_; }

 private:
  struct FlowMod;
  struct FlowFilter;
  using Message = std::span<const std::uint8_t>;

  // PipelineOutlet
  void transmit(SwitchPort& port, PacketPtr packet) override;
  void to_controllers(const Packet& packet, const FlowKey& key, const PacketInCause& cause) override;
  void drop(DropReason reason, const Packet& packet) override;
  void timeouts_changed() override { schedule(); }

  void schedule();
  bool stands_alone() const;
  bool has_to_wait(Session& session, Message message);

  // switch.cc
  void handle(Session& session, Message message, Effort& effort);
  void dispatch(Session& session, std::uint8_t type, std::uint32_t xid, Reader body, Effort& effort);
  void go_on(Session& session, Effort& effort);
  void drop_oldest_left_behind();
  void go_on_left_behind(Effort& effort);

  // packet_ins.cc
  void packet_out(Session& session, Reader body, Effort& effort);
  void send_packet_in(Session& session, std::span<const std::uint8_t> frame, const FlowKey& key,
                      const PacketInCause& cause);

  // requests.cc
  void send_features(Session& session, std::uint32_t xid);
  void send_config(Session& session, std::uint32_t xid);
  void set_config(Session& session, Reader body);
  void port_mod(Session& session, Reader body);
  void table_mod(Reader body);
  void send_asynchronous(Session& session, std::uint32_t xid);
  void set_asynchronous(Session& session, Reader body);
  void send_queues(Session& session, std::uint32_t xid, Reader body);
  void tell_port(const SwitchPort& port, PortReason reason);

  // roles.cc
  void check_writable(const Session& session) const;
  void change_role(Session& session, std::uint32_t xid, Reader body);
  void experiment(Session& session, std::uint32_t xid, Reader body);

  // flow_mods.cc
  void flow_mod(Session& session, Reader body);
  FlowMod read_flow_mod(Reader body, Version version) const;
  void check_flow_mod(const FlowMod& mod) const;
  void check_references(const Actions& actions) const;
  void add(Session& session, FlowMod mod);
  void add_flow(FlowMod& mod);
  void add_without_overlap(Session& session, FlowMod mod);
  void change_flow(const FlowMod& mod, Flow& flow);
  void change_flows(Session& session, FlowMod mod);
  // Makes it the session's task to do something with each flow that is chosen, and then `last`.
  void walk(Session& session, std::uint8_t table, std::function<bool(const Flow&)> chooses,
            std::function<void(Flow&)> act, std::function<void()> last);
  void remove_flow(Flow& flow, RemovedReason reason);
  // Removes the flows of `learn` actions that have gone and take them along. Nothing else is handled before.
  bool unlearning() const { return unlearning_ || tables_.has_unlearned(); }
  void unlearn(Effort& effort);
  void tell_removed(const Flow& flow, RemovedReason reason);

  // group_mods.cc
  void group_mod(Session& session, Reader body);
  void erase_groups(Session& session, std::uint32_t number);
  void meter_mod(Session& session, Reader body);
  void erase_meters(Session& session, std::uint32_t number);
  void judge_trains();

  // multipart.cc
  void multipart(Session& session, std::uint32_t xid, Reader body);
  Entries entries_of(std::uint16_t type, Reader body, Version version) const;
  static void reply(Session& session, std::uint32_t xid, std::uint16_t type, Entries entries);
  Entries description() const;
  Entries port_counters(Reader body, Version version) const;
  Entries queue_counters(Reader body, Version version) const;
  Entries port_descriptions(Version version) const;

  // flow_reports.cc
  FlowFilter read_filter(Reader body, Version version) const;
  void write_flow(Writer& to, const Flow& flow, Version version) const;
  Entries flow_counters(Reader body, Version version) const;
  Entries aggregate_counters(Reader body, Version version) const;
  Entries table_counters(Version version) const;

  // group_reports.cc
  Entries group_counters(Reader body) const;
  Entries group_descriptions() const;
  static Entries group_features();
  std::uint32_t meter_asked(Reader body) const;
  Entries meter_counters(Reader body) const;
  Entries meter_configs(Reader body) const;
  static Entries meter_features();

  // table_features.cc
  Entries table_features(Reader body) const;

  SwitchConfig config_;
  SwitchHost& host_;
  PacketPool& pool_;
  Tables tables_;
  Groups groups_;
  std::size_t group_bytes_ = 0;
  std::size_t single_frame_groups_ = 0;
  Meters meters_;
  Ports ports_;
  Pipeline pipeline_;
  std::vector<std::unique_ptr<Session>> sessions_;
  std::optional<std::uint64_t> generation_;  // of the last change of masters
  bool expects_controller_ = false;
  SimTime alone_since_;                                // without a controller; holds while there is none
  SimTime busy_until_ = SimTime::zero();               // with the modifications that have come
  SimTime rested_at_ = SimTime::zero();                // nothing of tick() is done before
  std::vector<std::unique_ptr<Session>> left_behind_;  // whose other sides have gone; the oldest first
  std::optional<std::pair<Tables::Learned, Tables::Walk>> unlearning_;
  Counters counters_;
};

// Whether an action of the list goes out of that port, or to that group.
bool goes_to_port(const Instructions& instructions, std::uint32_t port);
bool goes_to_group(const Instructions& instructions, std::uint32_t group);
bool goes_to_groups(const Instructions& instructions);

}  // namespace simcore::openflow
