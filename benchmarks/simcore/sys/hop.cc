// SPDX-License-Identifier: MIT
//
// hop DELAY_US: how much later than DELAY_US after it was signalled another process is there, which sleeps until an eventfd
// wakes it, under SCHED_FIFO where that is allowed. What a link between two instances is measured against: a frame that
// finds the second instance asleep cannot leave it earlier. Prints the median and the 99th percentile, in ns, 0 where the
// process is there in time. Signals have the pace of a ping, so that the processors are idle between them.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>

#include "simcore/sys/checked_call.h"
#include "simcore/sys/clock.h"
#include "simcore/sys/epoll.h"
#include "simcore/sys/event_fd.h"
#include "simcore/sys/thread.h"
#include "simcore/units/time.h"

namespace simcore {
namespace {

constexpr std::size_t kHops = 200;
constexpr std::int64_t kPaceNs = 30'000'000;
constexpr int kPriority = 50;

// What the two processes share.
struct Meeting {
  std::atomic<std::int64_t> sent_ns = 0;
  std::array<std::int64_t, kHops> took_ns{};
};

void be_woken(Meeting& meeting, EventFd& bell) {
  try_fifo_priority(kPriority);
  Epoll waiting;
  waiting.watch(bell.fd(), 0);
  for (std::int64_t& took : meeting.took_ns) {
    waiting.wait(Duration::infinite());
    took = monotonic_ns() - meeting.sent_ns.load();
    bell.clear();
  }
}

void measure(std::int64_t delay_ns) {
  void* const memory =
      ::mmap(nullptr, sizeof(Meeting), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  auto& meeting = *new (memory) Meeting;
  EventFd bell;
  const pid_t child = checked(::fork(), "make the process that is woken");
  if (child == 0) {
    be_woken(meeting, bell);
    ::_exit(0);
  }
  for (std::size_t hop = 0; hop < kHops; ++hop) {
    sleep_until_ns(monotonic_ns() + kPaceNs);
    meeting.sent_ns = monotonic_ns();
    bell.signal();
  }
  ::waitpid(child, nullptr, 0);
  std::sort(meeting.took_ns.begin(), meeting.took_ns.end());
  const auto late = [&](std::size_t place) {
    return std::max<std::int64_t>(meeting.took_ns[place] - delay_ns, 0);
  };
  std::printf("%lld %lld\n", static_cast<long long>(late(kHops / 2)),
              static_cast<long long>(late(kHops * 99 / 100)));
}

}  // namespace
}  // namespace simcore

int main(int count, char** words) {
  char* end = nullptr;
  const long delay_us = count == 2 ? std::strtol(words[1], &end, 10) : -1;
  if (delay_us < 0 || *end != '\0') {
    std::fputs("hop DELAY_US\n", stderr);
    return 2;
  }
  try {
    simcore::measure(delay_us * 1'000);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
