// SPDX-License-Identifier: MIT
#include "simcore/realtime/fifo_thread.h"

#include "simcore/sys/clock.h"
#include "simcore/sys/thread.h"

namespace simcore {

FifoThread::FifoThread(int priority)
    : priority_(priority), active_(try_fifo_priority(priority)), refused_(!active_) {
  const std::optional<RealtimeShare> share = realtime_share();
  if (active_ && share) budget_.emplace(share->runtime, share->period);
}

bool FifoThread::look(std::int64_t now_ns) {
  const bool keep = budget_->look(now_ns, thread_cpu_ns());
  if (keep == active_) return false;
  if (keep) {
    active_ = try_fifo_priority(priority_);
  } else {
    leave_fifo();
    active_ = false;
    ++pauses_;
  }
  return true;
}

}  // namespace simcore
