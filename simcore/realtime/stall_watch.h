// SPDX-License-Identifier: MIT
//
// StallWatch: notes when a core of this computer stood still.
//
// A thread on each core, above whatever else runs there, sleeps for kPeriod again and again. Where it wakes up late, no
// program was in the way: a hypervisor had taken the core away, or the kernel was busy with itself. An instance that
// was late in such a moment is not to blame, and neither is its load.
//
//   known awake      due                 awake again
//   |--- kPeriod ----|------- late ------|             a stall when late > kStall
//
// So no stall of kStall + kPeriod, 1 ms, passes unseen, and none shorter than kStall is noted. Costs 1 to 2 % of each core.
// Units: nanoseconds of CLOCK_MONOTONIC.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "simcore/units/time.h"

namespace simcore {

struct Stall {
  int core = 0;
  std::int64_t began_ns = 0;  // the core was last known to run
  std::int64_t ended_ns = 0;  // it runs again
};

class StallWatch {
 public:
  static constexpr Duration kPeriod = Duration::us(250);
  static constexpr Duration kStall = Duration::us(750);
  static constexpr std::size_t kMostStalls = 100'000;  // kept; later ones are counted only
  static constexpr int kPriority = 90;

  // Begins to watch. Throws ConfigError when this process has no such core, EnvironmentError when it may not run
  // anything above all else (SCHED_FIFO): without that a late awakening says nothing.
  explicit StallWatch(const std::vector<int>& cores);
  StallWatch(const StallWatch&) = delete;
  StallWatch& operator=(const StallWatch&) = delete;
  ~StallWatch();

  // What was noted since the last call, in the order of their ends on each core. From any thread.
  std::vector<Stall> take();

  // Stalls that were not kept.
  std::uint64_t forgotten() const { return forgotten_; }

 private:
  void watch(int core, std::int64_t awake_ns);
  void stop();

  std::atomic<bool> stopping_ = false;
  std::atomic<std::uint64_t> forgotten_ = 0;
  std::mutex mutex_;
  std::vector<Stall> stalls_;  // under mutex_
  std::vector<std::jthread> threads_;
};

}  // namespace simcore
