// SPDX-License-Identifier: MIT
//
// Lateness: how long after its due instant each event ran, as a histogram of nanoseconds: within 1/16, in 8 KB, because
// the loop counts one for each event, and each channel of a peering portal has one of its own.
#pragma once

#include <cstdint>

#include "simcore/units/log_histogram.h"
#include "simcore/units/time.h"

namespace simcore {

class Lateness {
 public:
  using Histogram = BasicLogHistogram<4>;

  // An event that ran early, which the loop never lets happen, would count as zero.
  void record(Duration late, std::uint64_t events = 1) {
    if (events > 0) ns_.add(late.count_ns(), events);
  }

  std::uint64_t count() const { return ns_.total(); }
  Duration max() const { return Duration::ns(ns_.greatest()); }

  // The lateness that `percent` of the events did not exceed, rounded up to the edge of its bin; zero when
  // none was recorded. Precondition: 0 < percent <= 100.
  Duration percentile(double percent) const { return Duration::ns(ns_.quantile(percent / 100.0)); }

  // How many events were later than `limit`, counted in whole bins above it.
  std::uint64_t later_than(Duration limit) const { return ns_.above(limit.count_ns()); }

  const Histogram& ns() const { return ns_; }

 private:
  Histogram ns_;
};

}  // namespace simcore
