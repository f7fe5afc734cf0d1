// SPDX-License-Identifier: MIT
//
// TimeSlices: a loop's time in slices of half a second, each judged alone: how late its events were, how long the
// computer kept the loop from running at a stretch, how many packets came too late. A mean or a percentile over a whole
// run hides what happened in one of its seconds, if much was in time before or after.
//
// Of each slice one figure goes into a histogram that only grows, so that whoever reads it twice has what lies between.
// A slice ends with the first turn after its half second, or when somebody reads: its figure is never of more than that
// and a sleep, in which nothing was due.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "simcore/realtime/lateness.h"
#include "simcore/units/log_histogram.h"
#include "simcore/units/time.h"

namespace simcore {

class TimeSlices {
 public:
  using Histogram = BasicLogHistogram<4>;

  static constexpr Duration kSlice = Duration::ms(500);

  // Of fewer packets than this a share says nothing: one late packet of ten is not a tenth, and one alone is no share.
  static constexpr std::uint64_t kLeastPackets = 1'000;

  // What the loop has counted since it began.
  struct Counts {
    Duration longest_stall = Duration::zero();  // since the last slice ended
    std::uint64_t late_packets = 0;
    std::uint64_t received_packets = 0;
  };

  // A slice in which an event, or a stall, was worth naming.
  struct Noted {
    std::int64_t ended_ns = 0;
    std::int64_t lateness_ns = 0;
    std::int64_t stall_ns = 0;
  };
  static constexpr Duration kWorthNoting = Duration::ms(1);
  static constexpr std::size_t kNoted = 32;  // the latest are kept

  bool over(std::int64_t now_ns) const { return now_ns >= ends_ns_; }

  // A slice ends at `now_ns`, and the next one begins.
  void end(std::int64_t now_ns, const Lateness& lateness, const Counts& counts) {
    ends_ns_ = now_ns + kSlice.count_ns();
    std::int64_t late_ns = 0;
    if (lateness.count() > before_.total()) {
      late_ns = lateness.ns().quantile_since(before_, 0.999);
      lateness_p999_.add(late_ns);
      before_ = lateness.ns();
    }
    if (std::max(late_ns, counts.longest_stall.count_ns()) > kWorthNoting.count_ns()) {
      noted_[notes_++ % kNoted] = {now_ns, late_ns, counts.longest_stall.count_ns()};
    }
    if (counts.longest_stall > Duration::zero()) longest_stall_.add(counts.longest_stall.count_ns());
    // The sums shrink when a peer leaves.
    const std::uint64_t late = counts.late_packets - std::min(late_packets_, counts.late_packets);
    const std::uint64_t received =
        counts.received_packets - std::min(received_packets_, counts.received_packets);
    late_packets_ = counts.late_packets;
    received_packets_ = counts.received_packets;
    if (late > 1)
      late_ppm_.add(static_cast<std::int64_t>(late * 1'000'000 / std::max(received, kLeastPackets)));
  }

  // Of each slice with events: what 99.9 % of them were late at most. Nanoseconds.
  const Histogram& lateness_p999() const { return lateness_p999_; }
  // Of each slice with stalls: the longest one that ended in it. Nanoseconds.
  const Histogram& longest_stall() const { return longest_stall_; }
  // Of each slice with two late packets or more: their share of what came over cut links, of kLeastPackets at least. Parts per million.
  const Histogram& late_ppm() const { return late_ppm_; }

  // The latest of those worth noting, in the order of time.
  std::vector<Noted> noted() const {
    std::vector<Noted> all;
    for (std::size_t i = notes_ - std::min(notes_, kNoted); i < notes_; ++i)
      all.push_back(noted_[i % kNoted]);
    return all;
  }

 private:
  std::int64_t ends_ns_ = 0;
  Lateness::Histogram before_;
  std::uint64_t late_packets_ = 0;
  std::uint64_t received_packets_ = 0;
  Histogram lateness_p999_;
  Histogram longest_stall_;
  Histogram late_ppm_;
  std::array<Noted, kNoted> noted_{};
  std::size_t notes_ = 0;
};

}  // namespace simcore
