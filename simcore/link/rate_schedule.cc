// SPDX-License-Identifier: MIT
#include "simcore/link/rate_schedule.h"

#include <string>
#include <utility>

#include "simcore/units/error.h"

namespace simcore {

RateSchedule::RateSchedule(Simulation& simulation, std::vector<Slot> slots, std::function<void(DataRate)> set)
    : simulation_(simulation), slots_(std::move(slots)), set_(std::move(set)), until_(simulation.now()) {
  check(slots_);
  next();
}

void RateSchedule::check(const std::vector<Slot>& slots) {
  if (slots.empty()) throw ConfigError("make rate schedule: there is no slot; write one or more");
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const std::string slot = "make rate schedule: slot " + std::to_string(i);
    if (slots[i].length <= Duration::zero()) {
      throw ConfigError(slot + " lasts " + std::to_string(slots[i].length.count_ns()) +
                        " ns; it must be positive");
    }
    if (slots[i].rate.bits_per_second() < 1) {
      throw ConfigError(slot + " has " + std::to_string(slots[i].rate.bits_per_second()) +
                        " bit/s; it must be at least 1 bit/s");
    }
  }
}

void RateSchedule::next() {
  const Slot& slot = slots_[slot_];
  slot_ = slot_ + 1 < slots_.size() ? slot_ + 1 : 0;
  until_ = until_ + slot.length;
  set_(slot.rate);
  simulation_.schedule(change_, until_);
}

}  // namespace simcore
