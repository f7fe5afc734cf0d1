// SPDX-License-Identifier: MIT
//
// Pipe: two TCP state machines joined in memory, in virtual time, by a path that delays, loses, reorders, duplicates
// and marks. A small network of its own, so that the state machine is tested without links and nodes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <queue>
#include <random>
#include <vector>

#include "simcore/tcp/connection.h"

namespace simcore::testing {

struct PathConfig {
  Duration delay = Duration::ms(10);
  std::int64_t rate_bps = 0;          // 0 means no limit
  std::size_t queue_segments = 1000;  // at the rate limit
  double loss = 0;
  double reordering = 0;  // this part of the segments is delayed by `reordering_delay` more
  Duration reordering_delay = Duration::ms(3);
  double duplication = 0;
  bool whole_trains = false;          // a train travels as one object, as if it weighed nothing
  std::size_t mark_above = SIZE_MAX;  // segments in the queue from which ECN-capable ones are marked
};

class Pipe {
 public:
  Pipe(const TcpOptions& a, const TcpOptions& b, const PathConfig& a_to_b, const PathConfig& b_to_a,
       std::uint64_t seed)
      : ends_{{TcpConnection(a, SeqNum(4'294'960'000u)), TcpConnection(b, SeqNum(4'294'967'000u))}},
        paths_{{a_to_b, b_to_a}},
        random_(seed) {
    ends_[1].listen();
    ends_[0].connect(now_);
    drain(0);
  }

  TcpConnection& a() { return ends_[0]; }
  TcpConnection& b() { return ends_[1]; }
  SimTime now() const { return now_; }
  PathConfig& path_of_a() { return paths_[0]; }  // may change at any time
  std::uint64_t segments_carried() const { return carried_; }
  std::uint64_t lost() const { return lost_; }
  std::uint64_t marked() const { return marked_; }

  // Takes what there is to send from both ends; to be called after the application did something.
  void drain() {
    drain(0);
    drain(1);
  }

  // Handles the next event; false when nothing will ever happen again or it would be after `end`.
  bool step(SimTime end) {
    SimTime next = std::min(ends_[0].deadline(), ends_[1].deadline());
    if (!flying_.empty()) next = std::min(next, flying_.top().at);
    if (next > end || next == SimTime::never()) return false;
    now_ = std::max(now_, next);
    for (std::size_t end_index = 0; end_index < 2; ++end_index) {
      if (ends_[end_index].deadline() <= now_) {
        ends_[end_index].expire(now_);
        drain(end_index);
      }
    }
    while (!flying_.empty() && flying_.top().at <= now_) {
      Flying arrived = flying_.top();
      flying_.pop();
      arrived.segment.data = arrived.bytes;
      ends_[arrived.to].on_segment(now_, arrived.segment);
      drain(arrived.to);
    }
    return true;
  }

 private:
  struct Flying {
    SimTime at;
    std::uint64_t sequence;
    std::size_t to;
    TcpSegment segment;
    std::vector<std::uint8_t> bytes;
    bool operator<(const Flying& other) const {
      return at != other.at ? at > other.at : sequence > other.sequence;
    }
  };

  bool happens(double probability) {
    return probability > 0 && std::uniform_real_distribution<double>(0, 1)(random_) < probability;
  }

  void drain(std::size_t from) {
    TcpSegment segment;
    while (ends_[from].next_segment(now_, segment)) {
      if (paths_[from].whole_trains) {
        send(from, segment);
        continue;
      }
      // A train meets losses segment by segment.
      const std::uint32_t piece = segment.segments > 1 ? segment.segment_payload : segment.length;
      for (std::uint16_t i = 0; i < segment.segments; ++i) {
        TcpSegment single = segment;
        const std::uint32_t offset = i * piece;
        single.seq = segment.seq + offset;
        single.length = std::min(piece, segment.length - offset);
        single.payload_position = segment.payload_position + offset;
        single.segments = 1;
        const bool last = i + 1 == segment.segments;
        if (!last) single.flags = single.flags.without(TcpFlag::fin).without(TcpFlag::psh);
        send(from, single);
      }
    }
  }

  void send(std::size_t from, const TcpSegment& segment) {
    const PathConfig& path = paths_[from];
    ++carried_;
    if (happens(path.loss)) {
      ++lost_;
      return;
    }
    Flying flying{now_ + path.delay, sequence_++, 1 - from, segment, {}};
    if (segment.length > 0 && ends_[from].has_bytes_to_copy()) {
      flying.bytes.resize(segment.length);
      ends_[from].copy_payload(segment, flying.bytes);
    }
    if (path.rate_bps > 0) {
      SimTime& free = free_[from];
      const std::int64_t wire = segment.length + 54;
      const Duration one = Duration::ns(wire * 8 * 1'000'000'000 / path.rate_bps);
      const std::int64_t waiting = free > now_ ? (free - now_) / std::max(one, Duration::ns(1)) : 0;
      if (waiting >= static_cast<std::int64_t>(path.queue_segments)) {
        ++lost_;
        return;
      }
      if (static_cast<std::size_t>(waiting) >= path.mark_above && segment.ecn == EcnCodepoint::ect0) {
        ++marked_;
        flying.segment.ecn = EcnCodepoint::ce;
      }
      free = std::max(free, now_) + one;
      flying.at = free + path.delay;
    }
    if (happens(path.reordering)) flying.at = flying.at + path.reordering_delay;
    if (happens(path.duplication)) {
      Flying twin = flying;
      twin.sequence = sequence_++;
      flying_.push(twin);
    }
    flying_.push(std::move(flying));
  }

  std::array<TcpConnection, 2> ends_;
  std::array<PathConfig, 2> paths_;
  std::mt19937_64 random_;
  SimTime now_ = SimTime::zero();
  std::array<SimTime, 2> free_{SimTime::zero(), SimTime::zero()};
  std::priority_queue<Flying> flying_;
  std::uint64_t sequence_ = 0;
  std::uint64_t carried_ = 0;
  std::uint64_t lost_ = 0;
  std::uint64_t marked_ = 0;
};

}  // namespace simcore::testing
