// SPDX-License-Identifier: MIT
//
// What makes the calling thread fit for real time.
#pragma once

namespace simcore {

// Lets timers of this thread expire on time: by default the kernel may add 50 us to every
// sleep to save wake-ups.
void set_least_timer_slack();

// Keeps this thread on one core. Throws ConfigError when this process may not run there.
void pin_to_cpu(int cpu);

// Runs this thread under SCHED_FIFO. False when the process lacks the privilege (CAP_SYS_NICE or
// RLIMIT_RTPRIO). Precondition: 1 <= priority <= 99.
bool try_fifo_priority(int priority);

}  // namespace simcore
