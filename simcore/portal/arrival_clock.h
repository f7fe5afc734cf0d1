// SPDX-License-Identifier: MIT
//
// ArrivalClock: turns the kernel's timestamp of a frame into the instant of simulated time
// at which it enters.
//
// That instant is never later than now, and never before the simulation's clock: what was simulated
// stays so. Between these bounds it is the kernel's, so a busy instance that reads late does not
// move a frame's arrival.
#pragma once

#include <cstdint>

#include "simcore/realtime/run_loop.h"
#include "simcore/units/time.h"

namespace simcore {

class ArrivalClock {
 public:
  // `loop` must outlive the clock.
  explicit ArrivalClock(RunLoop& loop) : loop_(loop) {}

  // Before the first frame of each batch: reads how the kernel's clock relates to the loop's now.
  void begin_batch();

  // Moves the simulation to the arrival of a frame that has this timestamp (0: none),
  // and returns that instant.
  SimTime advance_to(std::int64_t realtime_ns);

 private:
  RunLoop& loop_;
  std::int64_t to_monotonic_ns_ = 0;
  SimTime now_ = SimTime::zero();
};

}  // namespace simcore
