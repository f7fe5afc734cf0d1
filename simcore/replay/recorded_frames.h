// SPDX-License-Identifier: MIT
//
// RecordedFrames: the Ethernet frames of a capture file, in memory, which is bounded. Of a frame that was cut when it was
// recorded the rest is taken to be zeros.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "simcore/units/time.h"

namespace simcore {

class RecordedFrames {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{1} << 30;

  struct Frame {
    Duration at;        // from the first one's stamp; never before the frame in front of it
    std::size_t start;  // in bytes()
    std::uint32_t stored;
    std::uint32_t size;  // on the wire
  };

  // Adds a frame that was recorded at this instant, of which `bytes` were kept and `size` were there. One stamped
  // before the frame in front of it counts as simultaneous. One that is no Ethernet frame, or larger than any, is left out
  // and counted. Throws ConfigError when all frames together are more than kMostBytes.
  void add(std::int64_t at_ns, std::span<const std::uint8_t> bytes, std::size_t size);

  void leave_out() { ++left_out_; }

  std::span<const Frame> frames() const { return frames_; }
  std::span<const std::uint8_t> bytes_of(const Frame& frame) const {
    return std::span(bytes_).subspan(frame.start, frame.stored);
  }
  std::uint64_t wire_bytes() const { return wire_bytes_; }  // of all frames
  std::uint64_t left_out() const { return left_out_; }
  std::uint64_t cut() const { return cut_; }  // kept in part
  std::uint64_t out_of_order() const { return out_of_order_; }
  std::uint32_t largest() const { return largest_; }

 private:
  std::vector<Frame> frames_;
  std::vector<std::uint8_t> bytes_;
  std::int64_t first_ns_ = 0;
  std::uint64_t wire_bytes_ = 0;
  std::uint64_t left_out_ = 0;
  std::uint64_t cut_ = 0;
  std::uint64_t out_of_order_ = 0;
  std::uint32_t largest_ = 0;
};

// The frames of a pcap or pcapng file; what is recorded of interfaces that are no Ethernet is left out. Throws what the
// reader of capture files throws, and ConfigError as add().
RecordedFrames read_recorded(const std::string& file);

}  // namespace simcore
