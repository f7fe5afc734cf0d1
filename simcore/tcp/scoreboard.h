// SPDX-License-Identifier: MIT
//
// Scoreboard: what the sender knows of every segment that it sent and that is not yet acknowledged (RFC 6675).
//
//   first_                                                    end_
//    | lost | retransmitted | sacked sacked sacked | in flight |
//
// One record per segment, in the order of the stream, in a ring: a train of n segments has n records, so nothing is
// ever split, and what happened to one of them is written on it. A second order, a list through the records, is that of
// the last transmission, for RACK (RFC 8985). Costs: a cumulative acknowledgement, constant per segment; a SACK block,
// a binary search and then constant, amortized, per segment that it newly covers, since runs that are covered are
// jumped over; the next lost segment, logarithmic. Nothing is allocated once the ring has grown to the window.
//
// `pipe` (RFC 6675 section 2) is what is thought to be in the network: every segment that is neither sacked nor lost,
// and every retransmission that is neither.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "simcore/units/time.h"

namespace simcore {

struct SentSegment {
  std::int64_t start;              // position of its first byte
  std::int64_t end;                // after its last; a FIN counts one
  SimTime sent = SimTime::zero();  // its last transmission

  // What the delivery rate sampler noted when it was last sent; see delivery_rate.h.
  std::int64_t delivered = 0;
  SimTime delivered_time = SimTime::zero();
  SimTime first_sent_time = SimTime::zero();
  std::uint32_t lost_before = 0;  // Scoreboard::lost_bytes(), modulo 2^32
  std::uint32_t in_flight = 0;    // bytes, itself included

  std::uint32_t jump = 0;   // of a sacked record: where to look for the next that is not
  std::uint32_t older = 0;  // neighbours in the order of transmission
  std::uint32_t newer = 0;
  bool sacked = false;
  bool lost = false;
  bool retransmission_in_flight = false;
  bool ever_retransmitted = false;
  bool fin = false;
  bool push = false;       // it carries PSH, whenever it is sent
  bool continues = false;  // it left in one object with the segment before it
  bool application_limited = false;
  bool in_time_order = false;
  bool queued_as_lost = false;

  std::int64_t length() const { return end - start; }
};

// A segment that was just found to be lost.
struct LostSegment {
  std::int64_t start = 0;
  std::int64_t end = 0;
  std::int64_t in_flight = 0;  // bytes when it was last sent, itself included
  std::int64_t lost = 0;       // bytes found to be lost since then, itself included
  bool application_limited = false;

  std::int64_t length() const { return end - start; }
};

class Scoreboard {
 public:
  using Index = std::uint64_t;  // counts the segments of a connection; never wraps

  explicit Scoreboard(std::uint32_t duplicate_threshold) : threshold_(duplicate_threshold) {}

  bool empty() const { return first_ == end_; }
  std::size_t size() const { return static_cast<std::size_t>(end_ - first_); }
  Index first() const { return first_; }
  Index end() const { return end_; }
  SentSegment& at(Index index) { return ring_[static_cast<std::size_t>(index) & mask_]; }
  const SentSegment& at(Index index) const { return ring_[static_cast<std::size_t>(index) & mask_]; }

  std::int64_t pipe() const { return pipe_; }
  std::int64_t sacked_bytes() const { return sacked_bytes_; }
  std::int64_t sacked_segments() const { return sacked_segments_; }
  std::int64_t lost_segments() const { return lost_segments_; }  // lost, whether sent again or not
  std::int64_t retransmissions_in_flight() const { return retransmissions_in_flight_; }  // segments
  // Originals and retransmissions that are thought to be in the network.
  std::int64_t segments_in_flight() const {
    return static_cast<std::int64_t>(size()) - sacked_segments_ - lost_segments_ + retransmissions_in_flight_;
  }
  // What was ever found to be lost; what was lost, sent again and lost again counts twice.
  std::int64_t lost_bytes() const { return lost_bytes_; }
  // The position after the highest sacked segment, 0 when there is none.
  std::int64_t highest_sacked() const { return sacked_segments_ == 0 ? 0 : highest_sacked_; }

  // Notes a segment sent for the first time. Precondition: it begins where the one before ended.
  SentSegment& append(std::int64_t start, std::int64_t end, bool fin, SimTime now);

  // Calls `visit(segment)` for every segment that `position` acknowledges, and forgets it; cuts one that it
  // acknowledges in part.
  template <class Visit>
  void acknowledge(std::int64_t position, Visit visit) {
    while (first_ != end_ && at(first_).end <= position) {
      visit(at(first_));
      forget_first();
    }
    if (first_ != end_ && at(first_).start < position) trim_first(position);
  }

  // Calls `visit(segment)` for every segment that lies in the block, was not sacked before, and is now.
  template <class Visit>
  void sack(std::int64_t left, std::int64_t right, Visit visit) {
    for (Index i = next_unsacked(index_from(left)); i != end_ && at(i).end <= right;
         i = next_unsacked(i + 1)) {
      visit(at(i));
      mark_sacked(i);
    }
  }

  // Marks as lost every segment that IsLost of RFC 6675 section 4 says is: `duplicate_threshold` segments after it are
  // sacked. Says whether there was a new one.
  bool mark_lost_by_threshold();

  void mark_lost(Index index);
  // Sends it again though nothing says that it is lost: as a probe, or because it is too long for the path.
  void mark_to_repeat(Index index);
  void mark_retransmitted(Index index, SimTime now);

  // A timeout: what is not sacked and was sent no later than `until`, and in any case the first object, is lost,
  // retransmissions too. When the first segment is sacked and yet not acknowledged the receiver has taken its word back
  // (RFC 2018 section 8): nothing counts as sacked, and all is lost.
  void mark_timed_out(SimTime until = SimTime::never());

  // From now on what is found to be lost is listed, until the list is taken.
  void list_losses() { lists_losses_ = true; }
  std::vector<LostSegment> take_losses() { return std::exchange(losses_, {}); }

  // A loss that turned out to be none: what is marked lost and was not sent again is in flight.
  void forget_losses();

  // The lowest segment that is lost and not sent again yet.
  std::optional<Index> next_lost();

  // The lowest segment at or after `from` that is not sacked; end() when there is none.
  Index next_unsacked(Index from);

  // The first segment that begins at or after `position`.
  Index index_from(std::int64_t position) const;

  // In the order of the last transmission, those that are in flight: `oldest`, then `newer_than(i)`, until nothing.
  std::optional<Index> oldest_sent() const {
    return time_count_ == 0 ? std::nullopt : std::optional(widen(oldest_));
  }
  std::optional<Index> newer_than(Index index) const {
    return low(index) == newest_ ? std::nullopt : std::optional(widen(at(index).newer));
  }

 private:
  static std::uint32_t low(Index index) { return static_cast<std::uint32_t>(index); }
  Index widen(std::uint32_t index) const { return first_ + (index - low(first_)); }
  static std::int64_t weight(const SentSegment& segment);

  void grow();
  void forget_first();
  void trim_first(std::int64_t position);
  void mark_sacked(Index index);
  void end_retransmission(SentSegment& segment);
  void link_newest(Index index);
  void unlink(Index index);

  std::uint32_t threshold_;
  std::vector<SentSegment> ring_;  // its size is a power of two, or zero before the first segment
  std::size_t mask_ = 0;
  Index first_ = 0;
  Index end_ = 0;

  std::int64_t pipe_ = 0;
  std::int64_t sacked_bytes_ = 0;
  std::int64_t sacked_segments_ = 0;
  std::int64_t lost_segments_ = 0;
  std::int64_t retransmissions_in_flight_ = 0;
  std::int64_t lost_bytes_ = 0;
  bool lists_losses_ = false;
  std::vector<LostSegment> losses_;
  std::int64_t highest_sacked_ = 0;

  std::uint32_t oldest_ = 0;
  std::uint32_t newest_ = 0;
  std::size_t time_count_ = 0;

  std::vector<Index> top_sacked_;  // the `threshold_` highest sacked segments, lowest first
  Index judged_ = 0;               // below this mark_lost_by_threshold has been
  std::vector<Index> lost_heap_;   // candidates for next_lost, least on top
};

}  // namespace simcore
