// SPDX-License-Identifier: MIT
//
// PcapWriter: frames into a file that tcpdump and Wireshark read, with nanosecond timestamps.
//
// A train is written as the single segments that it stands for, each at its own arrival and with its checksum
// finished; the packet itself is not changed. Virtual payload counts in a record's length and is not in its
// bytes. Because a train's later segments arrive after the packet behind it may have begun to, records are in
// the order of packets, not strictly of time.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "simcore/units/time.h"
#include "simcore/wire/packet.h"
#include "simcore/wire/packet_pool.h"

namespace simcore {

class PcapWriter {
 public:
  // Makes or empties the file. Timestamps are `epoch_ns` after 1970 plus simulated time. Throws
  // EnvironmentError when the file cannot be made.
  explicit PcapWriter(const std::string& path, std::int64_t epoch_ns = 0);
  PcapWriter(const PcapWriter&) = delete;
  PcapWriter& operator=(const PcapWriter&) = delete;
  ~PcapWriter();  // writes what is buffered; call close() to learn of failures

  // From now on timestamps are `epoch_ns` after 1970 plus simulated time: SimTime zero has been decided.
  void set_epoch(std::int64_t epoch_ns) { epoch_ns_ = epoch_ns; }

  // Never throws: a failure is remembered, and reported by the next flush() or close().
  // Does nothing after close().
  void write(const Packet& packet);

  // Brings what is buffered to the file. Throws SystemError, once, when anything could not be written.
  void flush();
  void close();

  const std::string& path() const { return path_; }
  std::uint64_t records() const { return records_; }

 private:
  struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  void write_segment(const Packet& frame);
  void write_train(const Packet& train);
  void put(const void* bytes, std::size_t size);
  void report_failure();

  std::string path_;
  std::int64_t epoch_ns_;
  std::vector<char> buffer_;  // outlives file_, which uses it
  std::unique_ptr<std::FILE, CloseFile> file_;
  PacketPool copies_;  // of its own, so that watching takes nothing away from the simulation
  std::uint64_t records_ = 0;
  int error_ = 0;  // the first failure that was not reported yet
};

}  // namespace simcore
