// SPDX-License-Identifier: MIT
//
// Windows: the conservative synchronization of partitions. Each runs its window, up to the bound that the lookahead gives
// it; then all meet, exchange parcels, and know each other's earliest event, which gives the next bounds.
//
//   partition 0  |== window ==|meet|==== window ====|meet| ...
//   partition 1  |=== window =|meet|= window =|.....|meet| ...      ..... waits
//
// Windows with a barrier, and not null messages: one round tells everyone everything, so an idle stretch is crossed at
// once and not in steps of the lookahead, there is no message without content, and the same loop serves threads and MPI.
#pragma once

#include <cstdint>
#include <optional>

#include "simcore/parallel/exchange.h"
#include "simcore/parallel/lookahead.h"
#include "simcore/parallel/partition.h"

namespace simcore {

// In step with the wall clock: no window begins before its first event is due, and the run ends when its time is over,
// also when it has not come so far.
struct Pace {
  std::int64_t due_ns;  // monotonic, when simulated time `from` is due
  SimTime from;
  std::int64_t deadline_ns;  // monotonic
};

// Runs a partition until everything due at or before `end` has happened everywhere, and sets its clock to `end`. Everyone
// does so, with the same lookahead and `end`. Where a partition fails, all stop, and it throws what happened; the others
// return as if they had come to the end. Returns the instant up to which everything has happened: `end`, or less where a
// pace was too fast.
SimTime run_windows(Partition& partition, Exchange& exchange, const Lookahead& lookahead, SimTime end,
                    const std::optional<Pace>& pace = std::nullopt);

}  // namespace simcore
