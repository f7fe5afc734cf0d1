// SPDX-License-Identifier: MIT
#include "simcore/realtime/lateness.h"

#include <algorithm>
#include <cmath>

namespace simcore {

// The largest value that falls into `bucket`.
constexpr std::uint64_t Lateness::last_of(std::size_t bucket) {
  if (bucket < kPerOctave) return bucket;
  const std::size_t shift = bucket / kPerOctave - 1;
  const std::uint64_t first = (kPerOctave + bucket % kPerOctave) << shift;
  return first + (std::uint64_t{1} << shift) - 1;
}

Duration Lateness::percentile(double percent) const {
  if (count_ == 0) return Duration::zero();
  const double rank = std::ceil(static_cast<double>(count_) * percent / 100.0);
  const std::uint64_t wanted = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(rank));
  std::uint64_t seen = 0;
  std::size_t bucket = 0;
  for (; bucket < kBuckets - 1; ++bucket) {
    seen += buckets_[bucket];
    if (seen >= wanted) break;
  }
  return Duration::ns(static_cast<std::int64_t>(std::min(last_of(bucket), max_ns_)));
}

std::vector<Lateness::Bucket> Lateness::buckets() const {
  std::vector<Bucket> counted;
  for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) {
    if (buckets_[bucket] == 0) continue;
    counted.push_back({Duration::ns(static_cast<std::int64_t>(last_of(bucket))), buckets_[bucket]});
  }
  return counted;
}

std::uint64_t Lateness::later_than(Duration limit) const {
  const std::size_t first =
      bucket_of(static_cast<std::uint64_t>(std::max<std::int64_t>(limit.count_ns(), 0))) + 1;
  std::uint64_t later = 0;
  for (std::size_t bucket = first; bucket < kBuckets; ++bucket) later += buckets_[bucket];
  return later;
}

}  // namespace simcore
