// SPDX-License-Identifier: MIT
//
// RateSchedule: a rate that changes by time slots, over and over, while packets wait.
//
// Gives each slot's rate, at its start, to whoever has the rate: Link::change or ServedLink::change_rate, both of which
// compute what waits anew. One pending event.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "simcore/kernel/simulation.h"
#include "simcore/units/data.h"

namespace simcore {

class RateSchedule {
 public:
  struct Slot {
    Duration length;  // > 0
    DataRate rate;    // >= 1 bit/s

    bool operator==(const Slot&) const = default;
  };

  // Throws ConfigError when a value is out of its range or there is no slot.
  static void check(const std::vector<Slot>& slots);

  // From now on, starting with the first slot. The simulation must outlive it. Throws as check().
  RateSchedule(Simulation& simulation, std::vector<Slot> slots, std::function<void(DataRate)> set);

 private:
  void next();

  Simulation& simulation_;
  std::vector<Slot> slots_;
  std::function<void(DataRate)> set_;
  std::size_t slot_ = 0;
  SimTime until_;
  EventFor<RateSchedule, &RateSchedule::next, "the next slot of a rate"> change_{*this};
};

}  // namespace simcore
