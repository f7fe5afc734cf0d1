// SPDX-License-Identifier: MIT
//
// What makes the calling thread fit for real time.
#pragma once

#include <optional>

#include "simcore/units/time.h"

namespace simcore {

// Lets timers of this thread expire on time: by default the kernel may add 50 us to every
// sleep to save wake-ups.
void set_least_timer_slack();

// Keeps this thread on one core. Throws ConfigError when this process may not run there.
void pin_to_cpu(int cpu);

// How many cores this thread may run on.
int cores_allowed();

// Runs this thread under SCHED_FIFO. False when the process lacks the privilege (CAP_SYS_NICE or
// RLIMIT_RTPRIO). Precondition: 1 <= priority <= 99.
bool try_fifo_priority(int priority);

// Runs this thread under SCHED_OTHER, before all others of that class where it is allowed to (niceness -20).
void leave_fifo();

// Of a core, what the kernel lets real-time threads have: `runtime` of each `period` (sched_rt_runtime_us and
// sched_rt_period_us in /proc/sys/kernel, its defaults where they cannot be read). None: all of it.
struct RealtimeShare {
  Duration runtime;
  Duration period;
};
std::optional<RealtimeShare> realtime_share();

}  // namespace simcore
