// SPDX-License-Identifier: MIT
#include "simcore/parallel/lookahead.h"

#include <algorithm>
#include <string>

#include "simcore/units/error.h"

namespace simcore {

void Lookahead::join(std::size_t from, std::size_t to, Duration delay) {
  if (delay <= Duration::zero()) {
    throw ConfigError("cut a link between partitions " + std::to_string(from) + " and " + std::to_string(to) +
                      ": its delay is " + std::to_string(delay.count_ns()) +
                      " ns; only links with a delay can be cut");
  }
  least_ = std::min(least_, delay);
}

SimTime Lookahead::bound(std::span<const SimTime> next) const {
  const SimTime earliest = *std::ranges::min_element(next);
  return earliest >= SimTime::never() - least_ ? SimTime::never() : earliest + least_;
}

}  // namespace simcore
