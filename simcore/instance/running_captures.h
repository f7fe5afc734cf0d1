// SPDX-License-Identifier: MIT
//
// RunningCaptures: the captures of an instance that begin and end while it runs. A capture is in the way of packets only
// while there is one: an interface that nobody captures at leads to its link, and the link to it, without a detour.
//
//   interface --> [ capture ] --> link          the same in the other direction
//                     |
//                  [ queue ] --> thread --> file
//
// Files are made and ended on the caller's thread, and written by one of their own; the loop's thread only leads packets
// elsewhere. One thread at a time calls; it is not the loop's.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "simcore/network/simulated_network.h"
#include "simcore/realtime/run_loop.h"
#include "simcore/trace/capture.h"

namespace simcore {

class RunningCaptures {
 public:
  static constexpr std::size_t kRemembered = 64;  // of those that have ended

  struct State {
    std::string interface;
    std::string file;
    bool running = true;
    CaptureWriter::Counters counters;
    std::string failure = {};  // why the file could not be written; empty: it could
  };

  // Both must outlive it.
  RunningCaptures(SimulatedNetwork& network, RunLoop& loop) : network_(network), loop_(loop) {}

  // Of what matches `filter`, an expression of pcap-filter(7), empty: of everything; at most `most_bytes` of it, as it
  // stands in the file. Throws ConfigError when there is no such interface or no link joins it, a capture runs there
  // already, something is written into the file already, or libpcap does not understand the filter; EnvironmentError or
  // SystemError when the file cannot be made or written.
  void start(const std::string& interface, const std::string& file, const std::string& filter,
             std::uint64_t most_bytes);

  // Ends the capture into `file`, and waits until that is complete; of one that has ended it says how. Throws ConfigError
  // when there is none.
  State stop(const std::string& file);

  // Those that run, and the last ones that have ended. One whose file cannot be written ends now.
  std::vector<State> all();

  // What all of them could not write down, whether or not they run still.
  struct Lost {
    std::uint64_t queue_full = 0;
    std::uint64_t write_failed = 0;
  };
  Lost lost();

  // Ends those whose links are gone.
  void settle();

  // Ends all; none begins any more.
  void close();

 private:
  std::vector<State> running();
  void take(const std::string& interface);
  void end(const std::string& interface, Capture& capture);

  SimulatedNetwork& network_;
  RunLoop& loop_;
  std::deque<State> ended_;  // the last one first
  Lost lost_by_ended_;       // remembered or not
  bool closed_ = false;
};

}  // namespace simcore
