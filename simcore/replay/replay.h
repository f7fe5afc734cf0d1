// SPDX-License-Identifier: MIT
//
// Replay: an instance again, from its record, in virtual time. Its nodes and links are built as the instance's were; in
// place of each portal stands one that gives what was recorded there, at the same instants of simulated time, and compares
// what comes back with what came back then.
//
//   Replay replay("m1.pcapng", seed);        // the seed and the rest are in replay's plan()
//   replay.network().add_node(...);  replay.add_portal("p-s1-eth3");  replay.add_link(...);
//   while (const auto change = replay.run()) replay.network().change_link(...);      // what *change says
//   replay.portals();
//
// The same record gives the same replay, byte for byte. It differs from the run where the run was not a function of what
// is in the record: an event and a frame of exactly the same nanosecond, events that were due when a busy instance took
// frames in, and frames that the record has not.
//
// Every add throws ConfigError when a name is taken or unknown, an end is joined twice, or a value is out of its range.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "simcore/network/link_end.h"
#include "simcore/network/simulated_network.h"
#include "simcore/network/snapshot.h"
#include "simcore/replay/replay_comparison.h"
#include "simcore/trace/record_reader.h"

namespace simcore {

class Replay {
 public:
  struct PortalReport {
    std::string name;
    std::uint64_t entered = 0;  // frames that were recorded coming in, and given to the link
    DropCounters dropped;       // frames that could not be given to it
    const ReplayComparison& out;
  };

  // Throws as RecordReader.
  Replay(const std::string& record, std::uint64_t seed, ByteCount pool_limit = PacketPool::kUsualLimit);
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;

  // Its nodes, and what is written down of them, are added there. Where run() says so, its links are changed there.
  SimulatedNetwork& network() { return network_; }

  // An emulation portal of the instance. Channels to peers need no adding.
  void add_portal(const std::string& name);
  void add_link(const std::string& name, const LinkEnd& a, const LinkEnd& b, const LinkModel& a_to_b,
                const LinkModel& b_to_a);

  // What a peer of an OpenFlow switch did, as ControlLog has it: done again, all of it at once. What the switch answers goes
  // nowhere. `note`: what a record says of it. Throws ConfigError: there is no such switch or connection.
  void open_control(const std::string& of, std::uint64_t connection, bool service, const std::string& note);
  void hear_control(const std::string& of, std::uint64_t connection, std::span<const std::uint8_t> bytes,
                    const std::string& note);
  void close_control(const std::string& of, std::uint64_t connection, const std::string& note);
  // A portal's device got or lost its carrier. Throws ConfigError: there is no such portal.
  void set_carrier(const std::string& portal, bool there, const std::string& note);

  // Records the replay itself, before any link is added. Its wall clock is simulated time behind the record's beginning.
  void add_record(const std::string& file);

  // Goes on to the next change of a link, which the caller makes in the network before it calls again, and returns
  // what the record says of it; none at the end, where files are closed. Throws ConfigError when no link joins an
  // interface or portal, or a frame crossed a portal that there is not; and what RecordReader::next() throws.
  std::optional<std::string> run();

  SimTime now() const { return network_.simulation().now(); }
  bool cut() const { return record_.cut(); }  // the record has no end: its instance was killed
  std::vector<PortalReport> portals() const;
  Snapshot snapshot() const;

 private:
  // What stands for a portal.
  class ReplayPort final : public Port {
   public:
    explicit ReplayPort(const Simulation& simulation) : simulation_(simulation) {}
    void accept(PacketPtr packet) override { out.replayed(*packet, simulation_.now()); }
    void give(PacketPtr packet) { emit(std::move(packet)); }

    std::uint64_t entered = 0;
    DropCounters dropped;
    ReplayComparison out;

   private:
    const Simulation& simulation_;
  };

  Links::End find(const std::string& link, const LinkEnd& end);
  ReplayPort& port(const std::string& name);
  void start();
  void take(const RecordReader::Frame& frame);
  openflow::Switch& control(const std::string& name);
  openflow::Session*& session(const std::string& of, std::uint64_t connection);
  void note(const std::string& text);

  SimulatedNetwork network_;
  RecordReader record_;
  std::map<std::string, std::unique_ptr<ReplayPort>> ports_;
  // Of OpenFlow switches' connections. Each has a place of its own, which the session's callback finds it by.
  std::map<std::pair<std::string, std::uint64_t>, std::unique_ptr<openflow::Session*>> sessions_;
  bool started_ = false;
};

}  // namespace simcore
