// SPDX-License-Identifier: MIT
#include "simcore/parallel/thread_exchange.h"

#include <algorithm>
#include <thread>
#include <utility>

namespace simcore {

namespace {

// A window takes tens to hundreds of microseconds, and waking a thread several. Who has a processor to itself looks again
// and again for about as long; who has not lets the others run.
constexpr int kSpinsWithProcessor = 20'000;
constexpr int kSpinsWithout = 100;

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace

ThreadExchange::ThreadExchange(std::size_t partitions)
    : of_(partitions),
      spins_(partitions <= std::thread::hardware_concurrency() ? kSpinsWithProcessor : kSpinsWithout),
      missing_(partitions) {
  for (Places& each : of_) {
    for (Place& place : each.places) place.outboxes.resize(partitions);
  }
}

void ThreadExchange::meet(std::size_t own, SimTime next, bool stop, std::vector<Outbox>& outboxes,
                          Round& round) {
  const std::size_t parity = of_[own].round++ % 2;
  Place& mine = of_[own].places[parity];
  mine.next = next;
  mine.stop = stop;
  std::ranges::swap_ranges(mine.outboxes, outboxes);  // their ends keep pointers to them
  for (Outbox& each : outboxes) each.clear();
  wait_for_all();
  round.stop = false;
  round.next.assign(of_.size(), SimTime::never());
  round.arrived.assign(of_.size(), {});
  for (std::size_t from = 0; from < of_.size(); ++from) {
    const Place& place = of_[from].places[parity];
    round.stop = round.stop || place.stop;
    round.next[from] = std::min(round.next[from], place.next);
    for (std::size_t to = 0; to < of_.size(); ++to) {
      round.next[to] = std::min(round.next[to], place.outboxes[to].earliest);
    }
    round.arrived[from] = place.outboxes[own].bytes;
  }
}

void ThreadExchange::wait_for_all() {
  const std::uint32_t before = generation_.load(std::memory_order_acquire);
  if (missing_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    missing_.store(of_.size(), std::memory_order_relaxed);
    generation_.store(before + 1, std::memory_order_release);
    generation_.notify_all();
    return;
  }
  for (int spin = 0; spin < spins_; ++spin) {
    if (generation_.load(std::memory_order_acquire) != before) return;
    pause();
  }
  generation_.wait(before, std::memory_order_acquire);
}

}  // namespace simcore
