// SPDX-License-Identifier: MIT
#include "simcore/sys/thread.h"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <cerrno>
#include <cstdint>
#include <fstream>
#include <string>

#include "simcore/sys/checked_call.h"

namespace simcore {

namespace {

constexpr int kLeastNiceness = -20;

std::int64_t setting_us(const char* name, std::int64_t otherwise) {
  std::ifstream file(std::string("/proc/sys/kernel/") + name);
  std::int64_t us = 0;
  return file >> us ? us : otherwise;
}

}  // namespace

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

int cores_allowed() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  checked(::sched_getaffinity(0, sizeof cores, &cores), "read on which cores this thread may run");
  return CPU_COUNT(&cores);
}

bool try_fifo_priority(int priority) {
  sched_param parameters{};
  parameters.sched_priority = priority;
  if (::sched_setscheduler(0, SCHED_FIFO, &parameters) == 0) return true;
  if (errno == EPERM) return false;
  throw SystemError("run under SCHED_FIFO with priority " + std::to_string(priority), errno);
}

void leave_fifo() {
  // Of this thread, not of its process: setpriority(2), "C library/kernel differences".
  if (::setpriority(PRIO_PROCESS, 0, kLeastNiceness) != 0 && errno != EACCES && errno != EPERM) {
    throw SystemError("set the niceness to " + std::to_string(kLeastNiceness), errno);
  }
  const sched_param parameters{};
  checked(::sched_setscheduler(0, SCHED_OTHER, &parameters), "run under SCHED_OTHER");
  set_least_timer_slack();  // since Linux 6.12 a change of policy sets it back
}

std::optional<RealtimeShare> realtime_share() {
  const std::int64_t runtime_us = setting_us("sched_rt_runtime_us", 950'000);
  const std::int64_t period_us = setting_us("sched_rt_period_us", 1'000'000);
  if (runtime_us < 0 || runtime_us >= period_us) return std::nullopt;
  return RealtimeShare{Duration::us(runtime_us), Duration::us(period_us)};
}

}  // namespace simcore
