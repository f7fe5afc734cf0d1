// SPDX-License-Identifier: MIT
#include "simcore/tcp/scoreboard.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace simcore {

// What a segment adds to the pipe: its original, unless that is lost, and its retransmission.
std::int64_t Scoreboard::weight(const SentSegment& segment) {
  if (segment.sacked) return 0;
  return (segment.lost ? 0 : segment.length()) + (segment.retransmission_in_flight ? segment.length() : 0);
}

SentSegment& Scoreboard::append(std::int64_t start, std::int64_t end, bool fin, SimTime now) {
  if (size() == ring_.size()) grow();
  SentSegment& segment = at(end_);
  segment = SentSegment{.start = start, .end = end};
  segment.sent = now;
  segment.fin = fin;
  pipe_ += segment.length();
  ++end_;
  link_newest(end_ - 1);
  return segment;
}

void Scoreboard::grow() {
  std::vector<SentSegment> larger(ring_.empty() ? 16 : ring_.size() * 2, SentSegment{.start = 0, .end = 0});
  for (Index i = first_; i != end_; ++i) larger[static_cast<std::size_t>(i) & (larger.size() - 1)] = at(i);
  ring_ = std::move(larger);
  mask_ = ring_.size() - 1;
}

void Scoreboard::forget_first() {
  SentSegment& segment = at(first_);
  pipe_ -= weight(segment);
  if (segment.sacked) {
    sacked_bytes_ -= segment.length();
    --sacked_segments_;
  }
  if (segment.lost) --lost_segments_;
  end_retransmission(segment);
  if (segment.in_time_order) unlink(first_);
  ++first_;
  if (first_ == end_) {
    top_sacked_.clear();
    lost_heap_.clear();
  }
}

void Scoreboard::trim_first(std::int64_t position) {
  SentSegment& segment = at(first_);
  pipe_ -= weight(segment);
  if (segment.sacked) sacked_bytes_ -= position - segment.start;
  segment.start = position;
  pipe_ += weight(segment);
}

void Scoreboard::mark_sacked(Index index) {
  SentSegment& segment = at(index);
  pipe_ -= weight(segment);
  if (segment.lost) {
    segment.lost = false;
    --lost_segments_;
  }
  end_retransmission(segment);
  segment.sacked = true;
  segment.jump = low(index + 1);
  if (segment.in_time_order) unlink(index);
  highest_sacked_ = sacked_segments_ == 0 ? segment.end : std::max(highest_sacked_, segment.end);
  sacked_bytes_ += segment.length();
  ++sacked_segments_;
  if (top_sacked_.size() < threshold_ || index > top_sacked_.front()) {
    if (top_sacked_.size() == threshold_) top_sacked_.erase(top_sacked_.begin());
    top_sacked_.insert(std::upper_bound(top_sacked_.begin(), top_sacked_.end(), index), index);
  }
}

bool Scoreboard::mark_lost_by_threshold() {
  if (top_sacked_.size() < threshold_) return false;
  bool any = false;
  judged_ = std::max(judged_, first_);
  while (judged_ < top_sacked_.front()) {
    const Index candidate = next_unsacked(judged_);
    if (candidate >= top_sacked_.front()) break;
    if (!at(candidate).lost && !at(candidate).ever_retransmitted) {
      mark_lost(candidate);
      any = true;
    }
    judged_ = candidate + 1;
  }
  return any;
}

void Scoreboard::mark_lost(Index index) {
  const SentSegment& segment = at(index);
  if (!segment.lost || segment.retransmission_in_flight) {
    lost_bytes_ += segment.length();
    if (lists_losses_) {
      losses_.push_back({.start = segment.start,
                         .end = segment.end,
                         .in_flight = segment.in_flight,
                         .lost = static_cast<std::uint32_t>(lost_bytes_) - segment.lost_before,
                         .application_limited = segment.application_limited});
    }
  }
  mark_to_repeat(index);
}

void Scoreboard::mark_to_repeat(Index index) {
  SentSegment& segment = at(index);
  pipe_ -= weight(segment);
  if (!segment.lost) ++lost_segments_;
  segment.lost = true;
  end_retransmission(segment);
  if (segment.in_time_order) unlink(index);
  if (!segment.queued_as_lost) {
    segment.queued_as_lost = true;
    lost_heap_.push_back(index);
    std::push_heap(lost_heap_.begin(), lost_heap_.end(), std::greater<>{});
  }
}

void Scoreboard::mark_retransmitted(Index index, SimTime now) {
  SentSegment& segment = at(index);
  pipe_ -= weight(segment);
  if (!segment.retransmission_in_flight) ++retransmissions_in_flight_;
  segment.retransmission_in_flight = true;
  segment.ever_retransmitted = true;
  segment.sent = now;
  pipe_ += weight(segment);
  if (segment.in_time_order) unlink(index);
  link_newest(index);
}

void Scoreboard::end_retransmission(SentSegment& segment) {
  if (segment.retransmission_in_flight) --retransmissions_in_flight_;
  segment.retransmission_in_flight = false;
}

void Scoreboard::mark_timed_out(SimTime until) {
  const bool reneged = !empty() && at(first_).sacked;
  if (reneged) {
    for (Index i = first_; i != end_; ++i) at(i).sacked = false;
    sacked_bytes_ = 0;
    sacked_segments_ = 0;
    top_sacked_.clear();
    pipe_ = 0;
    for (Index i = first_; i != end_; ++i) pipe_ += weight(at(i));
  }
  bool of_first = true;
  for (Index i = first_; i != end_; ++i) {
    const SentSegment& segment = at(i);
    of_first = i == first_ || (of_first && segment.continues && !segment.sacked);
    if (!segment.sacked && (reneged || of_first || segment.sent <= until)) mark_lost(i);
  }
}

void Scoreboard::forget_losses() {
  std::vector<Index> in_flight;
  for (Index i = first_; i != end_; ++i) {
    SentSegment& segment = at(i);
    segment.queued_as_lost = false;
    if (segment.lost) {
      pipe_ -= weight(segment);
      segment.lost = false;
      --lost_segments_;
      pipe_ += weight(segment);
    }
    if (!segment.sacked) in_flight.push_back(i);
  }
  lost_heap_.clear();
  std::stable_sort(in_flight.begin(), in_flight.end(),
                   [this](Index a, Index b) { return at(a).sent < at(b).sent; });
  time_count_ = 0;
  for (const Index i : in_flight) link_newest(i);
}

std::optional<Scoreboard::Index> Scoreboard::next_lost() {
  while (!lost_heap_.empty()) {
    const Index index = lost_heap_.front();
    if (index >= first_) {
      SentSegment& segment = at(index);
      if (segment.lost && !segment.retransmission_in_flight) return index;
      segment.queued_as_lost = false;
    }
    std::pop_heap(lost_heap_.begin(), lost_heap_.end(), std::greater<>{});
    lost_heap_.pop_back();
  }
  return std::nullopt;
}

Scoreboard::Index Scoreboard::next_unsacked(Index from) {
  Index found = from;
  while (found < end_ && at(found).sacked) found = widen(at(found).jump);
  // Everything passed on the way points there now, so a run is walked once.
  for (Index i = from; i < found && at(i).sacked;) {
    const Index next = widen(at(i).jump);
    at(i).jump = low(found);
    i = next;
  }
  return found;
}

Scoreboard::Index Scoreboard::index_from(std::int64_t position) const {
  Index below = first_;
  Index above = end_;
  while (below < above) {
    const Index middle = below + (above - below) / 2;
    if (at(middle).start < position) {
      below = middle + 1;
    } else {
      above = middle;
    }
  }
  return below;
}

void Scoreboard::link_newest(Index index) {
  SentSegment& segment = at(index);
  segment.older = newest_;
  if (time_count_ == 0) {
    oldest_ = low(index);
  } else {
    at(widen(newest_)).newer = low(index);
  }
  newest_ = low(index);
  segment.in_time_order = true;
  ++time_count_;
}

void Scoreboard::unlink(Index index) {
  SentSegment& segment = at(index);
  if (low(index) == oldest_) {
    oldest_ = segment.newer;
  } else {
    at(widen(segment.older)).newer = segment.newer;
  }
  if (low(index) == newest_) {
    newest_ = segment.older;
  } else {
    at(widen(segment.newer)).older = segment.older;
  }
  segment.in_time_order = false;
  --time_count_;
}

}  // namespace simcore
