// SPDX-License-Identifier: MIT
//
// ReplayComparison: whether what a replay sends out of a portal is what was recorded there, and when.
//
// Frames are matched by what is in them: the first of the recorded ones that look alike with the first of the replayed
// ones. What both have may differ in simulated time; what only one has is counted.
#pragma once

#include <cstdint>
#include <deque>
#include <unordered_map>

#include "simcore/packet/packet.h"
#include "simcore/packet/virtio_net_fields.h"
#include "simcore/units/log_histogram.h"
#include "simcore/units/time.h"

namespace simcore {

class ReplayComparison {
 public:
  // A frame came out of the portal, in the record or in the replay. `fields` describe it.
  void recorded(std::span<const std::uint8_t> bytes, const VirtioNetFields& fields, SimTime at);
  void replayed(const Packet& packet, SimTime at);

  std::uint64_t recorded_frames() const { return recorded_; }
  std::uint64_t replayed_frames() const { return replayed_; }
  std::uint64_t matched() const { return matched_; }
  std::uint64_t same_instant() const { return same_instant_; }  // of the matched
  std::uint64_t only_recorded() const { return recorded_ - matched_; }
  std::uint64_t only_replayed() const { return replayed_ - matched_; }

  // How far apart the instants of matched frames are, in nanoseconds.
  const LogHistogram& differences() const { return differences_; }
  Duration greatest_difference() const { return greatest_; }

  bool identical() const {
    return recorded_ == matched_ && replayed_ == matched_ && same_instant_ == matched_;
  }

 private:
  // Frames that look alike and wait for their match: all recorded, or all replayed.
  struct Waiting {
    bool recorded;
    std::deque<SimTime> at;
  };

  void take(std::uint64_t key, SimTime at, bool recorded);

  std::unordered_map<std::uint64_t, Waiting> waiting_;
  std::uint64_t recorded_ = 0;
  std::uint64_t replayed_ = 0;
  std::uint64_t matched_ = 0;
  std::uint64_t same_instant_ = 0;
  LogHistogram differences_;
  Duration greatest_ = Duration::zero();
};

}  // namespace simcore
