// SPDX-License-Identifier: MIT
//
// Taps: what is written down of what passes between interfaces and their links, as pcap or pcapng files or as lines of
// text, and between portals and their links, as a record.
//
//   taps.add_capture("r1-eth1", "r1-eth1.pcap");
//   port.attach(taps.on("r1-eth1", link_out, outbound));     what the port sends, when it sends it: before the queue
//   Link link_in(..., taps.on("r1-eth1", port, inbound));    what arrives, when it arrives
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "simcore/network/portal_recorder.h"
#include "simcore/network/snapshot.h"
#include "simcore/packet/packet.h"
#include "simcore/trace/capture.h"
#include "simcore/trace/message_trace.h"
#include "simcore/trace/tcpdump_text.h"
#include "simcore/trace/trace_hash.h"

namespace simcore {

class Taps {
 public:
  // Before anything passes. The first throws what Capture does.
  void add_capture(const std::string& interface, const std::string& file, CaptureOptions options);
  void add_trace(const std::string& interface);

  // From now on everything that passes is hashed: each packet that an interface sends, before the queue of its link, and
  // each that arrives, with its instants, its number there, its description and its bytes.
  void hash_trace() { hashes_.emplace(); }

  // From now on the latest `most` packets that pass are kept for reading. The simulation must outlive the taps.
  void keep_messages(const Simulation& simulation, std::size_t most) {
    messages_ = std::make_unique<MessageTrace>(simulation, most);
  }
  MessageTrace* messages() { return messages_.get(); }  // null: none are kept
  const MessageTrace* messages() const { return messages_.get(); }

  // `sink`, or what writes down for that interface in front of it. Must outlive both.
  // `direction` is the interface's: outbound is what it sends.
  PacketSink& on(const std::string& interface, PacketSink& sink, FrameDirection direction);

  // Before links are joined: what crosses portals is recorded.
  void set_recorder(std::unique_ptr<PortalRecorder> recorder) { recorder_ = std::move(recorder); }
  PortalRecorder* recorder() { return recorder_.get(); }
  const PortalRecorder* recorder() const { return recorder_.get(); }

  // `sink`, or the recorder's tap in front of it; see PortalRecorder::tap.
  PacketSink& crossing(const std::string& portal, PacketSink& sink, FrameDirection direction,
                       const PortalRecorder::WallClock& wall_clock);

  // Begins to write. `epoch_ns`: the wall clock, in nanoseconds since 1970, at simulated time zero.
  void begin(std::int64_t epoch_ns);
  // What begin() was told was read before the clock ran: captures and the record take this. Before anything passes.
  void clock_runs(std::int64_t epoch_ns);
  std::int64_t epoch_ns() const { return epoch_ns_; }
  // Ends the files, but not those of running captures. Throws what CaptureWriter::close does.
  void close();

  // Captures that begin and end while the simulation runs, one of an interface at a time. Whoever adds or takes one tells
  // the link, by Links::tap().
  //
  // Precondition: the interface has none, and the capture has begun.
  void add_running(const std::string& interface, std::unique_ptr<Capture> capture);
  std::unique_ptr<Capture> take_running(const std::string& interface);  // null: there is none
  const std::map<std::string, std::unique_ptr<Capture>>& all_running() const { return running_; }
  // `sink`, or what writes down for that interface in front of it: until the capture is taken.
  PacketSink& running(const std::string& interface, PacketSink& sink, FrameDirection direction);

  // The interface has no link any more: a capture that runs there is one of those that are left.
  void leave(const std::string& interface);
  std::map<std::string, std::unique_ptr<Capture>> take_left() { return std::exchange(left_, {}); }

  // What the captures that were added have written, and have not, by interface.
  std::vector<SnapshotRow> rows() const;

  // Whether something is written there.
  bool writes(const std::string& file) const;

  // Of each interface two, what it sent and what arrived, by its name. Empty: nothing is hashed.
  struct Hashed {
    std::string interface;
    TraceHash::Digest sent;
    TraceHash::Digest arrived;
  };
  std::vector<Hashed> hashes() const;

  // Throws ConfigError when the interface has no trace.
  const std::string& trace(const std::string& interface) const;

 private:
  std::unique_ptr<PortalRecorder> recorder_;                  // null: nothing is recorded
  std::map<std::string, std::unique_ptr<Capture>> captures_;  // by interface, as the next
  std::map<std::string, std::unique_ptr<Capture>> running_;
  std::map<std::string, std::unique_ptr<Capture>> left_;
  std::int64_t epoch_ns_ = 0;  // what was said last
  std::map<std::string, std::unique_ptr<TcpdumpText>> traces_;
  std::unique_ptr<MessageTrace> messages_;
  struct HashesOf {
    std::unique_ptr<TraceHash> sent;
    std::unique_ptr<TraceHash> arrived;
  };
  std::optional<std::map<std::string, HashesOf>> hashes_;  // by interface; none: nothing is hashed
};

}  // namespace simcore
