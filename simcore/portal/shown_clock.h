// SPDX-License-Identifier: MIT
//
// ShownClock: what a peering portal shows its peer of this instance's clock. It is the clock itself, unless somebody wants
// to see what wrong clocks do: then it is ahead, and gains or loses, and the instance does not know.
//
//   own instants --shown()--> wire        wire --own()--> own instants
#pragma once

#include <cmath>

#include "simcore/units/time.h"

namespace simcore::peering {

class ShownClock {
 public:
  ShownClock() = default;
  ShownClock(Duration ahead, double drift) : ahead_(ahead), drift_(drift) {}

  SimTime shown(SimTime own) const { return own + ahead_ + part(own, drift_); }
  // The other way around, to a nanosecond.
  SimTime own(SimTime shown) const {
    const SimTime gained = shown - ahead_;
    return gained - part(gained, drift_ / (1.0 + drift_));
  }

 private:
  static Duration part(SimTime of, double drift) {
    if (drift == 0.0) return Duration::zero();
    return Duration::ns(std::llround(static_cast<double>(of.count_ns()) * drift));
  }

  Duration ahead_ = Duration::zero();
  double drift_ = 0.0;
};

}  // namespace simcore::peering
