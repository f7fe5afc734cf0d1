// SPDX-License-Identifier: MIT
#include "simcore/realtime/early_wake.h"

#include <algorithm>
#include <cstdlib>

namespace simcore {

Duration EarlyWake::lead(std::int64_t now_ns) {
  if (asked_ns_ != 0) {
    budget_ns_ = std::min(budget_ns_ + (now_ns - asked_ns_) / kBudgetPart, kMostSaved_ns);
  }
  asked_ns_ = now_ns;
  const std::int64_t lead_ns = std::min(mean_ns_ + deviation_ns_, most_ns_);
  return Duration::ns(budget_ns_ >= lead_ns ? lead_ns : 0);
}

void EarlyWake::woke(Duration late) {
  // A computer that stood still says nothing about the next time.
  const std::int64_t sample_ns = std::min(late.count_ns(), most_ns_);
  deviation_ns_ += (std::abs(sample_ns - mean_ns_) - deviation_ns_) / 4;
  mean_ns_ += (sample_ns - mean_ns_) / 8;
}

}  // namespace simcore
