// SPDX-License-Identifier: MIT
//
// Lateness: how long after its due instant each event ran, as a histogram.
//
// Sixteen buckets per power of two, so a percentile is right within 1/16 (and exact below 16 ns) over the
// whole range of int64, in 8 KB, at the cost of one increment.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "simcore/units/time.h"

namespace simcore {

class Lateness {
 public:
  // An event that ran early, which the loop never lets happen, would count as zero.
  void record(Duration late) {
    const std::uint64_t ns = late > Duration::zero() ? static_cast<std::uint64_t>(late.count_ns()) : 0;
    ++buckets_[bucket_of(ns)];
    ++count_;
    if (ns > max_ns_) max_ns_ = ns;
  }

  std::uint64_t count() const { return count_; }
  Duration max() const { return Duration::ns(static_cast<std::int64_t>(max_ns_)); }

  // The lateness that `percent` of the events did not exceed, rounded up to the edge of its bucket; zero when
  // none was recorded. Precondition: 0 < percent <= 100.
  Duration percentile(double percent) const;

  struct Bucket {
    Duration upper;  // the largest lateness that it counts
    std::uint64_t count;
  };
  // The buckets that have counted something, ascending.
  std::vector<Bucket> buckets() const;

  // How many events were later than `limit`, counted in whole buckets above it.
  std::uint64_t later_than(Duration limit) const;

 private:
  static constexpr unsigned kFractionBits = 4;
  static constexpr std::size_t kPerOctave = std::size_t{1} << kFractionBits;
  static constexpr std::size_t kBuckets = (64 - kFractionBits) * kPerOctave + kPerOctave;

  static constexpr std::size_t bucket_of(std::uint64_t ns) {
    if (ns < kPerOctave) return ns;
    const unsigned shift = static_cast<unsigned>(std::bit_width(ns)) - 1 - kFractionBits;
    return (shift + 1) * kPerOctave + (ns >> shift) - kPerOctave;
  }
  static constexpr std::uint64_t last_of(std::size_t bucket);

  std::array<std::uint64_t, kBuckets> buckets_{};
  std::uint64_t count_ = 0;
  std::uint64_t max_ns_ = 0;
};

}  // namespace simcore
