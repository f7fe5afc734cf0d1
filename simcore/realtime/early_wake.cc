// SPDX-License-Identifier: MIT
#include "simcore/realtime/early_wake.h"

#include <cstdlib>

namespace simcore {

void EarlyWake::woke(Duration late) {
  // A computer that stood still says nothing about the next time.
  const std::int64_t sample_ns = std::min(late, kMost).count_ns();
  deviation_ns_ += (std::abs(sample_ns - mean_ns_) - deviation_ns_) / 4;
  mean_ns_ += (sample_ns - mean_ns_) / 8;
}

}  // namespace simcore
