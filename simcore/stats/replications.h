// SPDX-License-Identifier: MIT
//
// Independent replications of an experiment, run in parallel: each has a simulation of its own, with its own seed, so
// the results are the same whatever the number of threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace simcore {

// The results of `run(seed)` for seed = first_seed, first_seed + 1, ..., in this order. `run` is called from several
// threads at once. The first exception that a replication throws is thrown again here, after all threads have ended.
template <class Run>
auto replicate(std::uint64_t first_seed, std::size_t count, unsigned threads, Run run) {
  using Result = decltype(run(first_seed));
  std::vector<Result> results(count);
  std::atomic<std::size_t> next = 0;
  std::exception_ptr failure;
  std::mutex failure_lock;
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        results[i] = run(first_seed + i);
      } catch (...) {
        const std::lock_guard guard(failure_lock);
        if (!failure) failure = std::current_exception();
        next = count;
      }
    }
  };
  {
    std::vector<std::jthread> workers;
    for (unsigned i = 1; i < std::min<std::size_t>(std::max(threads, 1U), count); ++i)
      workers.emplace_back(work);
    work();
  }
  if (failure) std::rethrow_exception(failure);
  return results;
}

}  // namespace simcore
