// SPDX-License-Identifier: MIT
//
// Taps: what is written down of what passes between interfaces and their links: as pcap files, or as lines of text.
//
//   taps.add_capture("r1-eth1", "r1-eth1.pcap");
//   port.attach(taps.on("r1-eth1", link_out));       what the port sends, when it sends it: before the link's queue
//   Link link_in(..., taps.on("r1-eth1", port));     what arrives, when it arrives
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "simcore/trace/capture.h"
#include "simcore/trace/tcpdump_text.h"
#include "simcore/wire/packet.h"

namespace simcore {

class Taps {
 public:
  // Before anything passes. The first throws what Capture does.
  void add_capture(const std::string& interface, const std::string& file);
  void add_trace(const std::string& interface);

  // `sink`, or what writes down for that interface in front of it. Must outlive both.
  PacketSink& on(const std::string& interface, PacketSink& sink);

  // Of what is written from now on: the wall clock, in nanoseconds since 1970, at simulated time zero.
  void set_epoch(std::int64_t epoch_ns);
  // Ends the files. Throws what PcapWriter::close does.
  void close();

  // Throws ConfigError when the interface has no trace.
  const std::string& trace(const std::string& interface) const;

 private:
  std::map<std::string, std::unique_ptr<Capture>> captures_;  // by interface, as the next
  std::map<std::string, std::unique_ptr<TcpdumpText>> traces_;
};

}  // namespace simcore
