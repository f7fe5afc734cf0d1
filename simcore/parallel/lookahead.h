// SPDX-License-Identifier: MIT
//
// Lookahead: how far ahead each partition of a simulation knows what the others will do to it.
//
// What happens in partition q at an instant t is felt in p no earlier than t plus the least delay of the ways from q to p;
// a way leads through cut links, and the one from p to itself through another partition. So with nothing under way, p may
// handle all events before
//
//   min over q of (earliest event of q + least delay from q to p)
//
// whatever the others do meanwhile (Chandy and Misra 1979; as windows, Nicol 1993).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "simcore/units/time.h"

namespace simcore {

class Lookahead {
 public:
  // Nothing joins the partitions yet.
  explicit Lookahead(std::size_t partitions);

  // Some link leads from one partition to another and takes at least `delay`. Throws ConfigError when that is not above
  // zero: nothing would be known ahead.
  void join(std::size_t from, std::size_t to, Duration delay);

  std::size_t partitions() const { return partitions_; }

  // Before which instant `partition` may run, where `next` is the earliest event of each.
  SimTime bound(std::size_t partition, std::span<const SimTime> next) const;

  // Of all cut links; none where no link is cut.
  Duration least() const { return least_; }

 private:
  Duration& way(std::size_t from, std::size_t to) { return ways_[from * partitions_ + to]; }
  Duration way(std::size_t from, std::size_t to) const { return ways_[from * partitions_ + to]; }

  static constexpr Duration kNoWay = Duration::ns(std::int64_t{1} << 62);

  std::size_t partitions_;
  std::vector<Duration> ways_;  // the least delay from each to each
  Duration least_ = kNoWay;
};

}  // namespace simcore
