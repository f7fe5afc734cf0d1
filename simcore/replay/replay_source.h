// SPDX-License-Identifier: MIT
//
// ReplaySource: recorded frames, sent again: at the times at which they were recorded (scaled), or at a rate.
//
//   as recorded  the k-th is due (its stamp - the first one's) / speed after the beginning
//   frames/s     the k-th is due k gaps after it
//   bit/s        ... when all before it have passed at that rate
//
// Loops follow each other without a break: as recorded, one mean gap later. The frames are in memory, so that sending
// waits for no disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "simcore/packet/mac_address.h"
#include "simcore/replay/recorded_frames.h"
#include "simcore/traffic/traffic_source.h"

namespace simcore {

class ReplaySource final : public TrafficSource {
 public:
  enum class Pace : std::uint8_t { recorded, frames, bits };

  struct Config {
    Pace pace = Pace::recorded;
    // Recorded: `numerator`/`denominator` is the speed. Else so many frames or bits (`numerator`) per so many seconds.
    std::int64_t numerator = 1;
    std::int64_t denominator = 1;
    std::uint64_t loops = 1;
    std::uint64_t count = 0;                              // frames in all; 0: no limit
    Duration length = Duration::infinite();               // nothing is due at or after this
    std::optional<MacAddress> source_mac = std::nullopt;  // written over the recorded ones
    std::optional<MacAddress> destination_mac = std::nullopt;
  };

  // Throws ConfigError: no frames, a value out of its range, or recorded times that say no rate for several loops.
  ReplaySource(RecordedFrames frames, const Config& config);

  SimTime next() const override { return next_; }
  PacketPtr take(SimTime until, std::int64_t realtime_ns, PacketPool& pool,
                 std::vector<SimTime>& due) override;
  void skip() override;
  SimTime end() const override { return end_; }

  const RecordedFrames& recorded() const { return frames_; }
  std::uint64_t total() const { return total_; }  // frames of all loops, within the count

 private:
  SimTime due(std::uint64_t number, __int128 bits_before) const;
  void find();

  RecordedFrames frames_;
  Config config_;
  std::uint64_t total_ = 0;
  std::uint64_t taken_ = 0;
  __int128 bits_before_ = 0;               // of the frames taken
  Duration loop_time_ = Duration::zero();  // as recorded, with the gap behind the last
  SimTime next_ = SimTime::never();
  SimTime end_ = SimTime::never();
};

}  // namespace simcore
