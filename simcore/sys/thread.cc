// SPDX-License-Identifier: MIT
#include "simcore/sys/thread.h"

#include <sched.h>
#include <sys/prctl.h>

#include <cerrno>
#include <string>

#include "simcore/sys/checked_call.h"

namespace simcore {

void set_least_timer_slack() {
  checked(::prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL), "set the timer slack to 1 ns");
}

void pin_to_cpu(int cpu) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (cpu >= 0 && cpu < CPU_SETSIZE) CPU_SET(static_cast<unsigned>(cpu), &cores);
  if (::sched_setaffinity(0, sizeof cores, &cores) == 0) return;
  const std::string attempt = "pin the instance to core " + std::to_string(cpu);
  if (errno == EINVAL)
    throw ConfigError(attempt + ": this process has no such core; see nproc and taskset -p");
  throw SystemError(attempt, errno);
}

bool try_fifo_priority(int priority) {
  sched_param parameters{};
  parameters.sched_priority = priority;
  if (::sched_setscheduler(0, SCHED_FIFO, &parameters) == 0) return true;
  if (errno == EPERM) return false;
  throw SystemError("run under SCHED_FIFO with priority " + std::to_string(priority), errno);
}

}  // namespace simcore
