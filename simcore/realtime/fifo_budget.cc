// SPDX-License-Identifier: MIT
#include "simcore/realtime/fifo_budget.h"

#include <algorithm>

namespace simcore {

FifoBudget::FifoBudget(Duration runtime, Duration period)
    : leak_per_ns_(kLeak * static_cast<double>(runtime.count_ns()) / static_cast<double>(period.count_ns())),
      bucket_ns_(kBucket * static_cast<double>(runtime.count_ns())),
      look_every_ns_(static_cast<std::int64_t>(kLook * static_cast<double>(runtime.count_ns()))) {}

bool FifoBudget::look(std::int64_t now_ns, std::int64_t cpu_ns) {
  if (looked_ns_ != 0) {
    const double used_ns = fifo_ ? static_cast<double>(cpu_ns - cpu_ns_) : 0;
    level_ns_ += used_ns - leak_per_ns_ * static_cast<double>(now_ns - looked_ns_);
    // Who was not looked at for long has been stopped by the kernel already; its pause need not be long, too.
    level_ns_ = std::clamp(level_ns_, 0.0, 2 * bucket_ns_);
    if (level_ns_ > bucket_ns_) fifo_ = false;
    if (level_ns_ == 0) fifo_ = true;
  }
  looked_ns_ = now_ns;
  cpu_ns_ = cpu_ns;
  next_look_ns_ = now_ns + look_every_ns_;
  return fifo_;
}

}  // namespace simcore
