// SPDX-License-Identifier: MIT
#include "simcore/realtime/stall_watch.h"

#include <exception>
#include <future>
#include <string>
#include <utility>

#include "simcore/sys/clock.h"
#include "simcore/sys/thread.h"
#include "simcore/units/error.h"

namespace simcore {

namespace {

void prepare_thread(int core) {
  set_least_timer_slack();
  pin_to_cpu(core);
  if (try_fifo_priority(StallWatch::kPriority)) return;
  throw EnvironmentError("watch core " + std::to_string(core) +
                         " for stalls: the kernel refuses SCHED_FIFO; run it as root, or with CAP_SYS_NICE");
}

}  // namespace

StallWatch::StallWatch(const std::vector<int>& cores) {
  std::vector<std::future<void>> ready;
  for (const int core : cores) {
    std::promise<void> prepared;
    ready.push_back(prepared.get_future());
    threads_.emplace_back([this, core, prepared = std::move(prepared)]() mutable {
      try {
        prepare_thread(core);
      } catch (...) {
        return prepared.set_exception(std::current_exception());
      }
      const std::int64_t awake_ns = monotonic_ns();
      prepared.set_value();
      watch(core, awake_ns);
    });
  }
  try {
    for (std::future<void>& each : ready) each.get();
  } catch (...) {
    stop();
    throw;
  }
}

StallWatch::~StallWatch() { stop(); }

std::vector<Stall> StallWatch::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(stalls_, {});
}

void StallWatch::watch(int core, std::int64_t awake_ns) {
  while (!stopping_.load(std::memory_order_relaxed)) {
    const std::int64_t due_ns = awake_ns + kPeriod.count_ns();
    sleep_until_ns(due_ns);
    const std::int64_t now_ns = monotonic_ns();
    if (now_ns - due_ns > kStall.count_ns()) {
      const std::lock_guard lock(mutex_);
      if (stalls_.size() < kMostStalls) {
        stalls_.push_back({core, awake_ns, now_ns});
      } else {
        ++forgotten_;
      }
    }
    awake_ns = now_ns;
  }
}

void StallWatch::stop() {
  stopping_.store(true, std::memory_order_relaxed);
  threads_.clear();
}

}  // namespace simcore
