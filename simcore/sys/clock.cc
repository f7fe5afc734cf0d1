// SPDX-License-Identifier: MIT
#include "simcore/sys/clock.h"

#include <ctime>
#include <fstream>
#include <string>

namespace simcore {

namespace {

std::int64_t read_clock(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);  // fails only for a clock that does not exist
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

std::int64_t monotonic_ns() { return read_clock(CLOCK_MONOTONIC); }

std::int64_t realtime_ns() { return read_clock(CLOCK_REALTIME); }

void sleep_until_ns(std::int64_t monotonic_ns) {
  const timespec until{monotonic_ns / 1'000'000'000, monotonic_ns % 1'000'000'000};
  ::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);  // fails only for a signal
}

std::int64_t thread_cpu_ns() { return read_clock(CLOCK_THREAD_CPUTIME_ID); }

std::int64_t monotonic_minus_realtime_ns() {
  // A thread that loses its core between the two readings would be wrong by that long: it reads again.
  constexpr std::int64_t kTogetherNs = 1'000;
  constexpr int kTries = 5;
  for (int tried = 1;; ++tried) {
    const std::int64_t before = monotonic_ns();
    const std::int64_t realtime = realtime_ns();
    const std::int64_t apart = monotonic_ns() - before;
    if (apart <= kTogetherNs || tried == kTries) return before + apart / 2 - realtime;
  }
}

bool clock_is_simulated() {
  static const bool simulated = [] {
    std::ifstream words("/proc/cmdline");
    for (std::string word; words >> word;) {
      if (word.starts_with("time-travel")) return true;
    }
    return false;
  }();
  return simulated;
}

}  // namespace simcore
