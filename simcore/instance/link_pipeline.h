// SPDX-License-Identifier: MIT
//
// LinkPipeline: one link, fed from memory and emptied into memory, on one core: what is measured when somebody asks what
// a packet costs. The classes are the very ones that an instance uses.
//
//   buffers --> [copied into a packet] --> Link: stamp, store, release --> [copied out] --> buffers
//
// TwoCopies is its limit: the same two copies through as much memory, and nothing else.
//
// Neither reads a clock: whoever measures takes the time of run().
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "simcore/kernel/simulation.h"
#include "simcore/link/link.h"
#include "simcore/packet/packet.h"
#include "simcore/packet/packet_pool.h"
#include "simcore/units/data.h"
#include "simcore/units/time.h"

namespace simcore {

// Frames where a portal would find them, or put them: used one after the other, again and again.
class FrameBuffers {
 public:
  static constexpr std::size_t kFrames = 1'024;  // as a capture ring has

  explicit FrameBuffers(std::size_t frame_bytes) : bytes_(kFrames * frame_bytes, 0x5a), step_(frame_bytes) {}

  std::uint8_t* next() {
    std::uint8_t* const frame = bytes_.data() + at_;
    at_ += step_;
    if (at_ == bytes_.size()) at_ = 0;
    return frame;
  }

 private:
  std::vector<std::uint8_t> bytes_;
  std::size_t step_;
  std::size_t at_ = 0;
};

class LinkPipeline {
 public:
  struct Config {
    std::size_t frame_bytes = 64;     // 1 to PacketPool::kLargestFrame
    std::size_t bytes_in_flight = 0;  // of frames in the delay line, at most 512 MB
    bool copies = true;               // without: packets hold whatever their memory holds
  };

  // Fills the delay line, so that the first packet of run() meets what the last one does.
  // Throws ConfigError when a value is out of its range.
  explicit LinkPipeline(const Config& config);

  // Sends that many packets at the rate of the link, and delivers as many.
  void run(std::uint64_t packets);

  std::uint64_t delivered() const { return out_.packets; }
  std::uint64_t dropped() const { return link_.counters().dropped.total(); }
  std::size_t packets_in_flight() const { return config_.bytes_in_flight / config_.frame_bytes; }

 private:
  class Exit final : public PacketSink {
   public:
    Exit(std::size_t frame_bytes, bool copies) : buffers_(frame_bytes), copies_(copies) {}
    void accept(PacketPtr packet) override;

    std::uint64_t packets = 0;

   private:
    FrameBuffers buffers_;
    bool copies_;
  };

  Config config_;
  Duration interval_;
  Simulation simulation_{1};
  PacketPool pool_;
  FrameBuffers in_;
  Exit out_;
  Link link_;
};

class TwoCopies {
 public:
  // Throws ConfigError when a value is out of its range, as LinkPipeline does.
  TwoCopies(std::size_t frame_bytes, std::size_t bytes_in_flight);

  // Copies that many frames into the memory in between, and as many out of it, the oldest first.
  void run(std::uint64_t packets);

 private:
  std::size_t frame_bytes_;
  std::vector<std::uint8_t> between_;
  std::size_t at_ = 0;
  FrameBuffers in_;
  FrameBuffers out_;
};

}  // namespace simcore
