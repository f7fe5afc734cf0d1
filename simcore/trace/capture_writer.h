// SPDX-License-Identifier: MIT
//
// CaptureWriter: frames into a file that tcpdump and Wireshark read, with nanosecond timestamps. Its format is that of
// the derived class, or of the file's suffix (make_capture_writer).
//
// A train is written as the single segments that it stands for, each at its own arrival and with its checksum
// finished; the packet itself is not changed. Virtual payload counts in a record's length and is not in its
// bytes. Because a train's later segments arrive after the packet behind it may have begun to, records are in
// the order of packets, not strictly of time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "simcore/packet/packet.h"
#include "simcore/packet/packet_pool.h"
#include "simcore/trace/capture_record.h"
#include "simcore/trace/output_file.h"

namespace simcore {

class CaptureWriter {
 public:
  CaptureWriter(const CaptureWriter&) = delete;
  CaptureWriter& operator=(const CaptureWriter&) = delete;
  virtual ~CaptureWriter() = default;  // writes what is buffered; call close() to learn of failures

  // From now on timestamps are `epoch_ns` after 1970 plus simulated time: SimTime zero has been decided.
  void set_epoch(std::int64_t epoch_ns) { epoch_ns_ = epoch_ns; }

  // Never throws: a failure is remembered, and reported by the next flush() or close().
  // Does nothing after close(). What a format cannot say of a frame, such as its direction, it leaves out.
  void write(const Packet& packet, FrameDirection direction = FrameDirection::unknown);

  // Brings what is buffered to the file. Throws SystemError, once, when anything could not be written.
  void flush() { file_.flush(); }
  void close() { file_.close(); }

  const std::string& path() const { return file_.path(); }
  std::uint64_t records() const { return records_; }

 protected:
  // Makes or empties the file. Timestamps are `epoch_ns` after 1970 plus simulated time. Throws
  // EnvironmentError when the file cannot be made.
  CaptureWriter(const std::string& path, std::int64_t epoch_ns);

  virtual void write_record(OutputFile& file, const CaptureRecord& record) = 0;

  OutputFile file_;

 private:
  void write_segment(const Packet& frame, FrameDirection direction);
  void write_train(const Packet& train, FrameDirection direction);

  std::int64_t epoch_ns_;
  PacketPool copies_;  // of its own, so that watching takes nothing away from the simulation
  std::uint64_t records_ = 0;
};

// A writer of what passes `interface`: pcapng where `path` ends in .pcapng, else pcap. Throws as its constructor.
std::unique_ptr<CaptureWriter> make_capture_writer(const std::string& path, const std::string& interface);

}  // namespace simcore
