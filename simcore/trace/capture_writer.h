// SPDX-License-Identifier: MIT
//
// CaptureWriter: frames into a file that tcpdump and Wireshark read, with nanosecond timestamps. Its format is that of
// the derived class, or of the file's suffix (make_capture_writer).
//
// A train is written as the single segments that it stands for, each at its own arrival and with its checksum
// finished; the packet itself is not changed. Virtual payload counts in a record's length and is not in its
// bytes. Because a train's later segments arrive after the packet behind it may have begun to, records are in
// the order of packets, not strictly of time.
//
// Where there is a queue, a thread writes the file, so that who gives frames never waits for the disk. What finds no room
// there, or in a file that has a limit, is missing and counted.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>

#include "simcore/packet/packet.h"
#include "simcore/packet/packet_pool.h"
#include "simcore/trace/capture_record.h"
#include "simcore/trace/queued_file.h"

namespace simcore {

struct CaptureOptions {
  // In real time, where nobody waits for the disk.
  static constexpr std::size_t kQueueBytes = std::size_t{8} << 20;

  std::size_t queue_bytes = 0;  // 0: whoever gives frames writes them, too
  std::uint64_t most_bytes =
      std::numeric_limits<std::uint64_t>::max();  // of all frames, as they stand in the file
  std::function<bool(std::span<const std::uint8_t>)> wanted = nullptr;  // of the frames; null: all
};

class CaptureWriter {
 public:
  // Counts of frames, a train's segments one by one.
  struct Counters {
    std::uint64_t written = 0;
    std::uint64_t file_full = 0;     // those for which most_bytes were too few
    std::uint64_t queue_full = 0;    // those that found no room: the disk was slower, or memory is short
    std::uint64_t write_failed = 0;  // those that came after a write had failed
  };

  CaptureWriter(const CaptureWriter&) = delete;
  CaptureWriter& operator=(const CaptureWriter&) = delete;
  virtual ~CaptureWriter() = default;  // writes what is buffered; call close() to learn of failures

  // SimTime zero has been decided: from now on timestamps are `epoch_ns` after 1970 plus simulated time. With a queue,
  // before the first frame.
  void begin(std::int64_t epoch_ns) {
    epoch_ns_ = epoch_ns;
    file_.start();
  }

  // Simulated time zero was later than begin() was told; frames from now on have this.
  void set_epoch(std::int64_t epoch_ns) { epoch_ns_ = epoch_ns; }

  // Never throws: a failure is remembered, and reported by the next flush() or close().
  // Does nothing after close(). What a format cannot say of a frame, such as its direction, it leaves out.
  void write(const Packet& packet, FrameDirection direction = FrameDirection::unknown);

  // Brings what is buffered to the file; with a queue, before begin() only. Throws SystemError, once, when anything could
  // not be written.
  void flush() { file_.file().flush(); }
  // Waits until all is in the file. Throws as flush().
  void close() {
    file_.finish();
    file_.file().close();
  }

  const std::string& path() const { return file_.path(); }
  const Counters& counters() const { return counters_; }
  // Why the file cannot be written, from when it cannot until close(); empty: it can.
  std::string failure() const { return file_.failure(); }

 protected:
  // Makes or empties the file. Timestamps are `epoch_ns` after 1970 plus simulated time. Throws
  // EnvironmentError when the file cannot be made.
  CaptureWriter(const std::string& path, std::int64_t epoch_ns, CaptureOptions options);

  // Where what stands before the frames is written, by the constructor.
  ByteSink& head() { return file_.file(); }

  // In bytes.
  virtual std::size_t size_of_record(const CaptureRecord& record) const = 0;
  virtual void write_record(ByteSink& file, const CaptureRecord& record) = 0;

 private:
  void write_segment(const Packet& frame, FrameDirection direction);
  void write_train(const Packet& train, FrameDirection direction);
  bool has_room(std::size_t size);

  CaptureOptions options_;
  QueuedFile file_;
  std::int64_t epoch_ns_;
  PacketPool copies_;        // of its own, so that watching takes nothing away from the simulation
  std::uint64_t bytes_ = 0;  // of what was written
  Counters counters_;
};

// A writer of what passes `interface`: pcapng where `path` ends in .pcapng, else pcap. Throws as its constructor.
std::unique_ptr<CaptureWriter> make_capture_writer(const std::string& path, const std::string& interface,
                                                   CaptureOptions options = {});

}  // namespace simcore
