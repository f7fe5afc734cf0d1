// SPDX-License-Identifier: MIT
//
// Distributions of times: anything that draws a Duration from a random stream.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>

#include "simcore/kernel/random.h"
#include "simcore/units/time.h"

namespace simcore {

using Distribution = std::function<Duration(RandomStream&)>;  // never negative

inline Duration rounded_to_ns(double ns) { return Duration::ns(static_cast<std::int64_t>(std::llround(ns))); }

// M in Kendall's notation. Precondition: mean > 0.
inline Distribution exponential(Duration mean) {
  return [mean](RandomStream& random) {
    return rounded_to_ns(random.exponential(static_cast<double>(mean.count_ns())));
  };
}

// D: always the same. Precondition: value >= 0.
inline Distribution deterministic(Duration value) {
  return [value](RandomStream&) { return value; };
}

// Uniform between two values. Precondition: 0 <= low <= high.
inline Distribution uniform(Duration low, Duration high) {
  return [low, high](RandomStream& random) {
    return low + rounded_to_ns(random.uniform() * static_cast<double>((high - low).count_ns()));
  };
}

// E_k: the sum of k exponential stages. Preconditions: stages >= 1, mean > 0.
inline Distribution erlang(unsigned stages, Duration mean) {
  return [stages, mean](RandomStream& random) {
    double sum = 0;
    for (unsigned i = 0; i < stages; ++i)
      sum += random.exponential(static_cast<double>(mean.count_ns()) / stages);
    return rounded_to_ns(sum);
  };
}

}  // namespace simcore
