// SPDX-License-Identifier: MIT
#include "simcore/kernel/simulation.h"

#include <cassert>

namespace simcore {

void Simulation::schedule(Event& event, SimTime time) {
  assert(time >= now_);
  queue_.schedule(event, time);
}

bool Simulation::fire_next(SimTime limit) {
  if (queue_.next_time() > limit || queue_.empty()) return false;
  now_ = queue_.next_time();
  ++fired_;
  queue_.pop().fire();
  return true;
}

void Simulation::run_until(SimTime end) {
  while (fire_next(end)) {
  }
  advance_to(end);
}

void Simulation::advance_to(SimTime time) {
  assert(time >= now_ && time <= next_event_time());
  now_ = time;
}

}  // namespace simcore
