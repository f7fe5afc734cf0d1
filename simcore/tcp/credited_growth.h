// SPDX-License-Identifier: MIT
//
// CreditedGrowth: the window grows by a whole segment for each so many that are acknowledged (Linux: tcp_cong_avoid_ai).
//
// What was acknowledged and has not grown the window yet is a credit. When it takes fewer segments than before, and the
// credit is already larger than that, it is worth one segment and no more.
#pragma once

#include <cmath>
#include <cstdint>

#include "simcore/tcp/congestion_control.h"

namespace simcore {

class CreditedGrowth {
 public:
  // `acked` segments were acknowledged; `per_increase`, above 0, of them make the window grow by one.
  void grow(double per_increase, double acked, CongestionWindow& window) {
    std::int64_t more = 0;
    if (credit_ >= per_increase) {
      credit_ = 0;
      ++more;
    }
    credit_ += acked;
    const double earned = std::floor(credit_ / per_increase);
    credit_ -= earned * per_increase;
    more += static_cast<std::int64_t>(earned);
    if (more > 0) window.cwnd = (window.segments() + more) * window.mss;
  }

  void forget() { credit_ = 0; }

 private:
  double credit_ = 0;  // segments
};

}  // namespace simcore
