// SPDX-License-Identifier: MIT
//
// ParallelSimulation: a simulation in several partitions, in virtual time or in step with the wall clock; its trace is that
// of an OfflineSimulation of the whole. The partitions are threads of this process, or this process has one of them and
// others, joined by an Exchange, have the rest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "simcore/parallel/exchange.h"
#include "simcore/parallel/lookahead.h"
#include "simcore/parallel/partition.h"
#include "simcore/parallel/windows.h"

namespace simcore {

class ParallelSimulation {
 public:
  static constexpr std::size_t kMostPartitions = 1'024;

  // All partitions here, each a thread. Throws ConfigError: partitions is not 1 to kMostPartitions.
  ParallelSimulation(std::uint64_t seed, std::size_t partitions);
  // The partition `own` here; `exchange` leads to the others. Throws as above.
  ParallelSimulation(std::uint64_t seed, std::size_t partitions, std::size_t own,
                     std::unique_ptr<Exchange> exchange);

  std::size_t partitions() const { return lookahead_.partitions(); }
  // Throws ConfigError: it is not here.
  Partition& partition(std::size_t number);

  // Every cut link of the simulation, also of partitions that are elsewhere. Throws as Lookahead::join.
  void join(std::size_t from, std::size_t to, Duration delay) { lookahead_.join(from, to, delay); }
  const Lookahead& lookahead() const { return lookahead_; }

  // Everyone calls these equally often. They throw ConfigError when no link joins an interface, and what happens in a
  // partition; the simulation is of no use then.
  void run_for(Duration duration);
  // No faster than the wall clock, by which now() is due at `due_ns`, and no longer than until `deadline_ns`, both of
  // CLOCK_MONOTONIC: says how much of the duration was simulated.
  Duration run_in_real_time(Duration duration, std::int64_t due_ns, std::int64_t deadline_ns);

  SimTime now() const { return now_; }
  std::uint64_t events() const;  // of the partitions here

 private:
  void begin();
  SimTime run_until(SimTime end, const std::optional<Pace>& pace);

  Lookahead lookahead_;
  std::unique_ptr<Exchange> exchange_;
  std::vector<std::unique_ptr<Partition>> here_;
  SimTime now_ = SimTime::zero();
  bool begun_ = false;
};

}  // namespace simcore
