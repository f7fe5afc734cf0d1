// SPDX-License-Identifier: MIT
//
// Instance: one running simulation in real time: a simulated network and its portals, put together from typed values
// and read out as a snapshot. It is what the binding, and so the instance process, talks to.
//
//   Instance instance(config);
//   instance.network().add_node(NodeKind::router, "r1");
//   instance.network().add_interface("r1", {"r1-eth1", mac, address, 1'500});
//   instance.add_emulation_portal("packet", {"p-s1-eth3", "s1-eth3p"});
//   instance.add_link("s1-r1", PortalEnd{"p-s1-eth3"}, InterfaceEnd{"r1-eth1"}, a_to_b, b_to_a);
//   instance.run();                                     // until stop(), from another thread
//
// Every add throws ConfigError when a name is taken or unknown, or an end is joined twice, and comes before run(), which
// refuses an interface or portal that no link joins. While it runs, change() adds and removes, schedule() changes
// links and routes at an instant to come, and start_capture() writes down what passes an interface.
//
// A link with a ChannelEnd is a cut link; see links.h.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "simcore/instance/fidelity_governor.h"
#include "simcore/instance/running_captures.h"
#include "simcore/network/control_recorder.h"
#include "simcore/network/link_counts.h"
#include "simcore/network/link_end.h"
#include "simcore/network/link_model.h"
#include "simcore/network/sample_reader.h"
#include "simcore/network/simulated_network.h"
#include "simcore/network/snapshot.h"
#include "simcore/network/snapshot_reader.h"
#include "simcore/network/timeline.h"
#include "simcore/portal/device_carriers.h"
#include "simcore/portal/emulation_portal_factory.h"
#include "simcore/portal/openflow_portal.h"
#include "simcore/portal/peering_portal.h"
#include "simcore/realtime/run_loop.h"

namespace simcore {

class InstanceChange;

class Instance {
 public:
  struct Config {
    std::string name;
    std::uint64_t seed = 0;
    std::uint64_t token = 0;  // the run's: peers take only datagrams that carry it
    RunLoop::Options realtime;
    ByteCount pool_limit = PacketPool::kUsualLimit;  // of all packets together
  };

  explicit Instance(Config config);
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;
  ~Instance();

  // Its nodes, and what is written down of them, are added there; before run() only.
  SimulatedNetwork& network() { return network_; }

  void add_emulation_portal(const std::string& backend, EmulationPortal::Config config,
                            const EmulationPortalOptions& options = {});
  void add_peer(PeeringPortal::Config config);  // its token is set to the run's, its clock to this instance's
  void add_link(const std::string& name, const LinkEnd& a, const LinkEnd& b, const LinkModel& a_to_b,
                const LinkModel& b_to_a);
  // Of everything that crosses a portal, into a pcapng file that a Replay reads; `plan` is what it builds. Before any
  // link is added. Throws as RecordWriter.
  void add_record(const std::string& file, const std::string& plan);

  // Runs until stop(). Called once. Throws ConfigError when an end is joined to nothing, and what
  // RunLoop::run throws.
  void run();

  // From any thread or signal handler.
  void stop() { loop_.stop(); }

  // Closes the emulation portals, which put their devices' settings back. After run() and the last snapshot().
  void close() {
    carriers_.reset();
    portals_.clear();
    openflow_.reset();
  }

  // From any thread but the loop's: waits for that thread, which reads a slice between two turns. What belongs together is
  // said in snapshot_reader.h; the loop, the portals and the peers are of the first slice, whose instant `time_ns` is.
  // Throws what reading throws, for want of memory.
  Snapshot snapshot(SnapshotReader::Elements elements = SnapshotReader::Elements::all);
  // For a time series: without elements but those that are named, and with the connections of simulated hosts.
  Snapshot sample(const SampledNames& names);

  // The links alone, in slices as snapshot() reads them. `known`: the generation whose directions the caller has.
  LinkCounts link_counts(std::uint64_t known = LinkCounts::kNothingKnown);

  // As SimulatedNetwork::change_link, while it runs. From any thread but the loop's; throws whatever that throws.
  void change_link(const std::string& name, const std::optional<LinkModel>& a_to_b,
                   const std::optional<LinkModel>& b_to_a, const std::string& note = "");
  void set_link_up(const std::string& name, bool up, const std::string& note = "");

  // Grows and shrinks while it runs; `note` is what a record says of it. From any thread but the loop's. Throws
  // ConfigError, and what opening a portal throws; the instance is then as it was.
  void change(const InstanceChange& change, const std::string& note = "");

  // Captures while it runs; see RunningCaptures. From any thread but the loop's.
  void start_capture(const std::string& interface, const std::string& file, const std::string& filter,
                     std::uint64_t most_bytes);
  RunningCaptures::State stop_capture(const std::string& file);
  std::vector<RunningCaptures::State> captures();

  // Of each OpenFlow switch that is to have a controller, whether it has one. From any thread but the loop's.
  std::map<std::string, bool> switches_connected();

  // Changes at instants to come; see Timeline. The next two are for a running instance and from any thread but the loop's.
  // Throws as Timeline::check and Timeline::add, and then nothing is scheduled.
  void schedule(const std::string& name, std::vector<Timeline::Entry> entries);
  // How many changes will not be made. Throws as Timeline::cancel.
  std::size_t cancel(const std::string& name);
  // What has been made, from that number on.
  std::vector<Timeline::Fired> fired(std::uint64_t from);

  // Its clock: simulated time now, by the wall clock; and that clock's zero as CLOCK_MONOTONIC, in nanoseconds. Once it runs.
  SimTime wall_now() const { return loop_.wall_now(); }
  std::int64_t epoch_ns() const { return loop_.epoch_ns(); }

 private:
  friend class ChangeProcedure;

  // The connections of the OpenFlow switch of that name; it has none any more. Throws as OpenFlowPortal::add.
  void connect_switch(const std::string& name);
  void disconnect_switch(const std::string& name);

  // A portal whose link leads to an OpenFlow switch has that link up or down together with what is behind it. carrier_of()
  // says what is so of a portal at `end` of a link, and fails where its device is gone; then follow() cannot.
  struct Carrier {
    EmulationPortal* portal;
    std::optional<int> device;  // its number; none: nobody follows its carrier
  };
  std::optional<Carrier> carrier_of(const LinkEnd& end, const LinkEnd& other);
  void follow(const Carrier& carrier);
  void forget_carrier(EmulationPortal& portal);

  std::unique_ptr<PeeringPortal> make_peer(PeeringPortal::Config config);
  Links::End find(const std::string& link, const LinkEnd& end, Duration incoming_delay);
  void check_joined() const;
  std::int64_t stamp_ns(std::int64_t realtime_ns) const;
  void begin_forms();
  void govern();
  template <class Work>
  std::vector<FidelityGovernor::Class> classes(const std::vector<BackgroundForms::Group>& groups,
                                               const Work& work) const;
  void set_forms(const std::vector<BackgroundForms::Group>& groups, const std::vector<FlowForm>& wanted);
  FidelityGovernor::Load load_since_then();
  void read_into(Snapshot& snapshot) const;

  Config config_;
  SimulatedNetwork network_;
  RunLoop loop_;
  std::map<std::string, std::unique_ptr<EmulationPortal>> portals_;
  std::map<std::string, std::unique_ptr<PeeringPortal>> peers_;
  std::unique_ptr<ControlRecorder> control_record_;  // where it is recorded
  std::unique_ptr<DeviceCarriers> carriers_;         // once a portal leads to an OpenFlow switch
  std::unique_ptr<OpenFlowPortal> openflow_;         // once there is an OpenFlow switch
  Timeline timeline_;
  RunningCaptures captures_;

  FidelityGovernor governor_;
  // What the loop had counted when the governor looked last, and the classes: segments sent.
  struct {
    Duration busy = Duration::zero();
    Duration wall = Duration::zero();
    Lateness::Histogram late;
    std::map<std::string, std::int64_t> sent;
  } then_;
  EventFor<Instance, &Instance::govern, "looks how busy the instance is"> look_{*this};

  std::mutex control_;  // who reads all elements waits for who adds and removes some
};

}  // namespace simcore
