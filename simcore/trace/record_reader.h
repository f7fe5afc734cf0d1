// SPDX-License-Identifier: MIT
//
// RecordReader: what RecordWriter has written, in the order of the run: frames as packets, changes of links, the end.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "simcore/link/drop_counters.h"
#include "simcore/packet/packet_pool.h"
#include "simcore/trace/capture_record.h"
#include "simcore/trace/frame_note.h"
#include "simcore/trace/pcapng_reader.h"

namespace simcore {

class RecordReader {
 public:
  struct Frame {
    std::string_view portal;
    FrameDirection direction;
    FrameNote note;
    std::int64_t wall_ns;
    std::span<const std::uint8_t> bytes;  // valid until the next call, like the other views
  };
  struct Change {
    SimTime at;
    std::string_view text;
  };
  struct End {
    SimTime at;
  };
  using Item = std::variant<Frame, Change, End>;

  // Throws EnvironmentError when the file cannot be opened, ConfigError when it is not a record.
  explicit RecordReader(const std::string& path);
  // Of a file that is open, which is taken over; `name` stands for it in errors.
  RecordReader(std::FILE* file, const std::string& name);

  // The next item; none behind the end, or where the file ends because its instance was killed (cut()). Throws
  // ConfigError when the file contradicts itself, SystemError when it cannot be read.
  std::optional<Item> next();

  const std::string& name() const { return file_->name(); }
  const std::string& plan() const { return plan_; }
  std::int64_t epoch_ns() const { return epoch_ns_; }  // the wall clock at simulated time zero
  bool cut() const { return cut_; }                    // it has no end

 private:
  using Block = std::variant<CaptureRecord, pcapng::OwnBlock>;

  explicit RecordReader(std::unique_ptr<CaptureReader> file);

  // The next of the file; none at its end, or where it is cut.
  std::optional<Block> read();

  std::optional<Item> item_of(const CaptureRecord& record);
  std::optional<Item> item_of(const pcapng::OwnBlock& block);
  // Instants of a record do not go back.
  SimTime checked(SimTime at);

  std::unique_ptr<PcapngReader> file_;
  std::string plan_;
  std::int64_t epoch_ns_ = 0;
  std::optional<Block> ahead_;  // that next() begins with
  SimTime last_ = SimTime::zero();
  bool ended_ = false;
  bool cut_ = false;
};

// The packet that a recorded frame was, or why there is none: the frame is none, or contradicts its description
// (malformed); or the pool is exhausted.
std::variant<PacketPtr, DropReason> packet_of(const RecordReader::Frame& frame, PacketPool& pool);

}  // namespace simcore
