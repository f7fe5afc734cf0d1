// SPDX-License-Identifier: MIT
#include "simcore/parallel/parallel_simulation.h"

#include <algorithm>
#include <exception>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "simcore/parallel/thread_exchange.h"
#include "simcore/units/error.h"

namespace simcore {

namespace {

std::size_t checked(std::size_t partitions) {
  if (partitions >= 1 && partitions <= ParallelSimulation::kMostPartitions) return partitions;
  throw ConfigError("simulate in " + std::to_string(partitions) + " partitions: write 1 to " +
                    std::to_string(ParallelSimulation::kMostPartitions));
}

}  // namespace

ParallelSimulation::ParallelSimulation(std::uint64_t seed, std::size_t partitions)
    : lookahead_(checked(partitions)), exchange_(std::make_unique<ThreadExchange>(partitions)) {
  for (std::size_t own = 0; own < partitions; ++own) {
    here_.push_back(std::make_unique<Partition>(seed, own, partitions));
  }
}

ParallelSimulation::ParallelSimulation(std::uint64_t seed, std::size_t partitions, std::size_t own,
                                       std::unique_ptr<Exchange> exchange)
    : lookahead_(checked(partitions)), exchange_(std::move(exchange)) {
  here_.push_back(std::make_unique<Partition>(seed, own, partitions));
}

Partition& ParallelSimulation::partition(std::size_t number) {
  const auto found =
      std::ranges::find_if(here_, [number](const auto& each) { return each->own() == number; });
  if (found != here_.end()) return **found;
  throw ConfigError("use partition " + std::to_string(number) + " of " + std::to_string(partitions()) +
                    ": it is not in this process");
}

void ParallelSimulation::begin() {
  if (begun_) return;
  for (const auto& each : here_) each->network().begin("run the simulation", 0);
  begun_ = true;
}

void ParallelSimulation::run_for(Duration duration) { now_ = run_until(now_ + duration, std::nullopt); }

Duration ParallelSimulation::run_in_real_time(Duration duration, std::int64_t due_ns,
                                              std::int64_t deadline_ns) {
  const SimTime from = now_;
  now_ = run_until(now_ + duration, Pace{.due_ns = due_ns, .from = from, .deadline_ns = deadline_ns});
  return now_ - from;
}

SimTime ParallelSimulation::run_until(SimTime end, const std::optional<Pace>& pace) {
  begin();
  std::vector<std::exception_ptr> failures(here_.size());
  std::vector<SimTime> reached(here_.size(), end);
  const auto run = [&](std::size_t place) {
    try {
      reached[place] = run_windows(*here_[place], *exchange_, lookahead_, end, pace);
    } catch (...) {
      failures[place] = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t place = 1; place < here_.size(); ++place) threads.emplace_back(run, place);
  run(0);
  for (std::thread& each : threads) each.join();
  for (const std::exception_ptr& each : failures) {
    if (each) std::rethrow_exception(each);
  }
  return *std::ranges::min_element(reached);
}

std::uint64_t ParallelSimulation::events() const {
  std::uint64_t events = 0;
  for (const auto& each : here_) events += each->network().simulation().events_fired();
  return events;
}

}  // namespace simcore
