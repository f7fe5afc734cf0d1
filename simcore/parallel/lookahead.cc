// SPDX-License-Identifier: MIT
#include "simcore/parallel/lookahead.h"

#include <algorithm>
#include <string>

#include "simcore/units/error.h"

namespace simcore {

Lookahead::Lookahead(std::size_t partitions)
    : partitions_(partitions), ways_(partitions * partitions, kNoWay) {}

void Lookahead::join(std::size_t from, std::size_t to, Duration delay) {
  if (delay <= Duration::zero()) {
    throw ConfigError("cut a link between partitions " + std::to_string(from) + " and " + std::to_string(to) +
                      ": its delay is " + std::to_string(delay.count_ns()) +
                      " ns; only links with a delay can be cut");
  }
  least_ = std::min(least_, delay);
  if (delay >= way(from, to)) return;
  way(from, to) = delay;
  // Ways through the new link are the only ones that can be shorter. One that ends where it begins is a way, too.
  const auto through = [](Duration a, Duration b) { return a == kNoWay || b == kNoWay ? kNoWay : a + b; };
  const std::vector<Duration> before = ways_;
  for (std::size_t a = 0; a < partitions_; ++a) {
    for (std::size_t b = 0; b < partitions_; ++b) {
      const Duration in = a == from ? Duration::zero() : before[a * partitions_ + from];
      const Duration out = b == to ? Duration::zero() : before[to * partitions_ + b];
      way(a, b) = std::min(way(a, b), through(through(in, delay), out));
    }
  }
}

SimTime Lookahead::bound(std::size_t partition, std::span<const SimTime> next) const {
  SimTime bound = SimTime::never();
  for (std::size_t from = 0; from < partitions_; ++from) {
    const Duration delay = way(from, partition);
    if (delay == kNoWay || next[from] >= SimTime::never() - delay) continue;
    bound = std::min(bound, next[from] + delay);
  }
  return bound;
}

}  // namespace simcore
