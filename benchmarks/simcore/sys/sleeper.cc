// SPDX-License-Identifier: MIT
//
// sleeper SECONDS: how late threads wake that do nothing but sleep, a millisecond at a time. There are as many as processors,
// under SCHED_FIFO before every instance where that is allowed. What the lateness of instances is measured against: no
// program can be more punctual. Prints the latest of all and the 99.9th percentile, in ns.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <thread>
#include <vector>

#include "simcore/sys/clock.h"
#include "simcore/sys/thread.h"

namespace simcore {
namespace {

constexpr std::int64_t kPeriodNs = 1'000'000;
constexpr std::int64_t kPeriodsOfSecond = 1'000;
constexpr int kPriority = 90;

std::vector<std::int64_t> sleep_again_and_again(std::int64_t periods) {
  try_fifo_priority(kPriority);
  set_least_timer_slack();
  std::vector<std::int64_t> late_ns(static_cast<std::size_t>(periods));
  for (std::int64_t& late : late_ns) {
    const std::int64_t due_ns = monotonic_ns() + kPeriodNs;
    sleep_until_ns(due_ns);
    late = monotonic_ns() - due_ns;
  }
  return late_ns;
}

void measure(std::int64_t seconds) {
  std::vector<std::vector<std::int64_t>> of_each(static_cast<std::size_t>(cores_allowed()));
  std::vector<std::thread> threads;
  for (std::vector<std::int64_t>& of : of_each) {
    threads.emplace_back([&of, seconds] { of = sleep_again_and_again(seconds * kPeriodsOfSecond); });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<std::int64_t> all;
  for (const std::vector<std::int64_t>& of : of_each) all.insert(all.end(), of.begin(), of.end());
  std::sort(all.begin(), all.end());
  std::printf("%lld %lld\n", static_cast<long long>(all.back()),
              static_cast<long long>(all[all.size() * 999 / 1'000]));
}

}  // namespace
}  // namespace simcore

int main(int count, char** words) {
  char* end = nullptr;
  const long seconds = count == 2 ? std::strtol(words[1], &end, 10) : 0;
  if (seconds < 1 || *end != '\0') {
    std::fputs("sleeper SECONDS\n", stderr);
    return 2;
  }
  try {
    simcore::measure(seconds);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
