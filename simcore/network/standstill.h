// SPDX-License-Identifier: MIT
//
// Standstill: finds out that simulated time stands still, because events at one instant cause others at the same instant
// without end, as packets do that links without a rate and a delay carry round and round.
#pragma once

#include <cstdint>
#include <string>

#include "simcore/kernel/simulation.h"
#include "simcore/units/error.h"
#include "simcore/units/time.h"

namespace simcore {

class Standstill {
 public:
  static constexpr std::uint64_t kMost = 20'000'000;  // events at one instant: ten seconds of work

  explicit Standstill(std::uint64_t most = kMost) : most_(most) {}

  // Fires everything due at or before `end`, then sets the clock to `end`. Throws ConfigError: time stands still.
  void run_until(Simulation& simulation, SimTime end) {
    while (const std::uint64_t fired = simulation.fire(end, kEventsPerLook)) look(simulation.now(), fired);
    simulation.advance_to(end);
  }

  // So many events have fired; it is `now`. Throws as above.
  void look(SimTime now, std::uint64_t fired) {
    if (now != instant_) {
      instant_ = now;
      events_ = 0;
    }
    events_ += fired;
    if (events_ <= most_) return;
    throw ConfigError("run the simulation: " + std::to_string(most_) + " events have happened at " +
                      std::to_string(now.count_ns()) +
                      " ns, and each causes others at once; give links that have neither a rate nor a delay "
                      "(bw, delay) one of them");
  }

 private:
  static constexpr std::uint64_t kEventsPerLook = 4'096;

  std::uint64_t most_;
  SimTime instant_ = SimTime::at_ns(-1);
  std::uint64_t events_ = 0;  // at that instant
};

}  // namespace simcore
