// SPDX-License-Identifier: MIT
//
// RecordWriter: everything that crosses the portals of an instance, into one pcapng file that Wireshark reads and a
// replay needs nothing else than:
//
//   section header | plan | an interface per portal ... | clock | frames and changes of links, in the order of the run | end
//
// A frame is written as it crossed: a train is one frame. Its time is the wall clock's; simulated time and what describes
// the frame stand in its note (frame_note.h). In real time a thread writes the file, so that who records never waits for
// the disk; what finds no room in the queue before it is not in the record, and is counted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simcore/packet/packet.h"
#include "simcore/trace/capture_record.h"
#include "simcore/trace/queued_file.h"
#include "simcore/units/time.h"

namespace simcore {

class RecordWriter {
 public:
  static constexpr std::size_t kQueueBytes = std::size_t{64} << 20;

  enum class Writing : std::uint8_t {
    queued,   // by a thread
    at_once,  // by whoever records, who waits for the disk: in virtual time
  };

  struct Counters {
    std::uint64_t recorded_frames = 0;
    std::uint64_t recorded_changes = 0;
    std::uint64_t queue_full = 0;    // frames and changes that found no room: the disk was slower
    std::uint64_t write_failed = 0;  // those that came after a write had failed
  };

  // Makes or empties the file. Throws EnvironmentError when it cannot be made, ConfigError when its name does not end in
  // .pcapng: another one would make every reader think that it is something else.
  RecordWriter(const std::string& path, Writing writing, std::size_t queue_bytes = kQueueBytes);

  // Before begin() only: a portal, and under which number its frames are written.
  std::uint32_t add_interface(const std::string& name);

  // Writes what stands before the frames: `plan`, and the wall clock at simulated time zero in nanoseconds since 1970.
  void begin(std::string_view plan, std::int64_t epoch_ns);
  // What begin() was told was read before the clock ran: readers take this. Before the first frame and change.
  void clock_runs(std::int64_t epoch_ns);

  // Neither throws. `at`: the simulation's clock now.
  void write(std::uint32_t interface, FrameDirection direction, const Packet& packet, SimTime at,
             std::int64_t wall_ns);
  void write_change(std::string_view text, SimTime at);

  // Writes the end and waits until all is in the file. Does not throw: failure() says whether anything is missing.
  void close(SimTime at, std::int64_t wall_ns);

  const std::string& path() const { return file_.path(); }
  const Counters& counters() const { return counters_; }
  // Why the file cannot be written, from when it cannot; empty: it can.
  std::string failure() const { return failure_.empty() ? file_.failure() : failure_; }

 private:
  struct InterfaceCounts {
    std::string name;
    std::uint64_t seen = 0;
    std::uint64_t left_out = 0;
  };

  bool has_room(std::size_t size);

  QueuedFile file_;
  std::vector<InterfaceCounts> interfaces_;
  Counters counters_;
  std::string failure_;  // of close()
};

}  // namespace simcore
