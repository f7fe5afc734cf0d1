// SPDX-License-Identifier: MIT
//
// IcmpRateLimit: how many ICMP errors a node sends (RFC 1812 4.3.2.8): at most `burst` together, `per_second`
// in the long run. The defaults are those of Linux (net.ipv4.icmp_msgs_per_sec and icmp_msgs_burst).
//
// A token bucket in the form of the generic cell rate algorithm: one instant says how full it is.
#pragma once

#include <algorithm>
#include <cstdint>

#include "simcore/units/time.h"

namespace simcore {

class IcmpRateLimit {
 public:
  // Preconditions: per_second >= 1, burst >= 1.
  explicit IcmpRateLimit(std::int64_t per_second = 1'000, std::int64_t burst = 50)
      : interval_(Duration::seconds(1) / per_second), allowance_(interval_ * (burst - 1)) {}

  // Whether one more may be sent now; if so it is counted.
  bool allow(SimTime now) {
    const SimTime paid_until = std::max(paid_until_, now);
    if (paid_until - now > allowance_) return false;
    paid_until_ = paid_until + interval_;
    return true;
  }

 private:
  Duration interval_;
  Duration allowance_;
  SimTime paid_until_ = SimTime::zero();
};

}  // namespace simcore
