// SPDX-License-Identifier: MIT
//
// Lookahead: how far ahead the partitions of a simulation know what the others will do to them.
//
// What happens in one partition at an instant t is felt in another no earlier than t plus the least delay of all cut links.
// So with nothing under way, everyone may handle all events before
//
//   earliest event of all + least delay
//
// whatever the others do meanwhile (windows of Nicol 1993). The bound is the same for all. Bounds of their own, by the ways
// that lead to each partition, would allow more; but then two partitions that are once out of step take turns for ever,
// each running twice as far while the other waits.
#pragma once

#include <cstddef>
#include <span>

#include "simcore/units/time.h"

namespace simcore {

class Lookahead {
 public:
  // Nothing joins the partitions yet.
  explicit Lookahead(std::size_t partitions) : partitions_(partitions) {}

  // Some link leads from one partition to another and takes at least `delay`. Throws ConfigError when that is not above
  // zero: nothing would be known ahead.
  void join(std::size_t from, std::size_t to, Duration delay);

  std::size_t partitions() const { return partitions_; }

  // Before which instant all may run, where `next` is the earliest event of each.
  SimTime bound(std::span<const SimTime> next) const;

 private:
  std::size_t partitions_;
  Duration least_ = Duration::infinite();  // of all cut links
};

}  // namespace simcore
