// SPDX-License-Identifier: MIT
//
// Decides when a thread gives up SCHED_FIFO for a while, so that the kernel does not stop it. Most kernels let real-time
// threads have a core for 0.95 s of each second and no more (sched(7), sched_rt_runtime_us; since Linux 6.12 those with
// CONFIG_RT_GROUP_SCHED): a loop that finds something to do at every look then stands still for 50 ms, even where nobody
// else wants the core. The other kernels give these 50 ms to whoever waits for it.
//
// A leaky bucket: it fills with the time that the thread runs under SCHED_FIFO, and empties a little slower than the
// kernel allows. A full one ends SCHED_FIFO until it is empty, so that in no period the thread comes near the kernel's
// bound; as an ordinary thread it goes on. Units: nanoseconds of one monotonic clock, and of the thread's CPU time.
//
// Leaves out: other real-time threads on the same core, which the kernel counts together; a single turn of the loop that
// takes most of a second.
#pragma once

#include <cstdint>

#include "simcore/units/time.h"

namespace simcore {

class FifoBudget {
 public:
  // Real-time threads may run for `runtime` of each `period`. Precondition: zero < runtime <= period.
  FifoBudget(Duration runtime, Duration period);

  // Whether it is time for look(): it takes a system call to know what a thread has used.
  bool due(std::int64_t now_ns) const { return now_ns >= next_look_ns_; }

  // The thread has used `cpu_ns` since it began; says whether it should run under SCHED_FIFO from now on.
  bool look(std::int64_t now_ns, std::int64_t cpu_ns);

 private:
  // Of the runtime. In one period a thread has at most what leaks out, a bucket, and what passes until it is looked at.
  static constexpr double kLeak = 0.9;
  static constexpr double kBucket = 0.04;
  static constexpr double kLook = 0.02;

  double leak_per_ns_;
  double bucket_ns_;
  std::int64_t look_every_ns_;

  bool fifo_ = true;
  double level_ns_ = 0;
  std::int64_t looked_ns_ = 0;
  std::int64_t cpu_ns_ = 0;
  std::int64_t next_look_ns_ = 0;
};

}  // namespace simcore
