// SPDX-License-Identifier: MIT
//
// One queueing system in Kendall's notation, A/S/m/B/K/SD, run once: intervals, service times, servers, capacity,
// population, discipline.
//
//   const KendallResult mm1 = run_kendall({.arrivals = exponential(Duration::seconds(3)),
//                                          .service = exponential(Duration::seconds(2))}, 10'000, seed);
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "simcore/queueing/distribution.h"
#include "simcore/queueing/job_queue.h"
#include "simcore/stats/results.h"
#include "simcore/stats/running_stats.h"

namespace simcore {

struct Kendall {
  Distribution arrivals;  // A: the interval between jobs, or thinking time of a customer
  Distribution service;   // S
  unsigned servers = 1;   // m
  std::optional<std::size_t> capacity = std::nullopt;    // B: jobs in the system; none: unlimited
  std::optional<std::size_t> population = std::nullopt;  // K: customers; none: endless
  Discipline discipline = Discipline::fifo;              // SD
};

struct KendallResult {
  RunningStats response;  // seconds in the system, of each job that was served
  RunningStats waiting;   // seconds before its service
  std::uint64_t arrived = 0;
  std::uint64_t lost = 0;
  double mean_jobs = 0;               // in the system, over time
  std::vector<double> share_of_time;  // at [n]: with n jobs in the system, n < 64; the last one: more
  double seconds = 0;                 // of simulated time
};

// Runs until `jobs` jobs have arrived and all of them have left (with a finite population: until `jobs` were served or
// lost). The same seed gives the same result. Throws ConfigError when the system makes no sense.
//
// `responses`, of one column, takes the seconds in the system of every job, at the instant when it leaves.
KendallResult run_kendall(const Kendall& system, std::uint64_t jobs, std::uint64_t seed,
                          OutputVector* responses = nullptr);

// The figures of one run, and its vector when there is one, as result files have them.
Results results_of(std::string run, std::uint64_t seed, const KendallResult& result,
                   const OutputVector* responses = nullptr);

}  // namespace simcore
