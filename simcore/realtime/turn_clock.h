// SPDX-License-Identifier: MIT
//
// TurnClock: what a loop takes for now. In real time that is the clock at each question. In simulated time the clock stands
// still while a program computes, but each reading of it is a system call and moves it; so one reading, at the beginning
// of a turn, lasts for the turn. Units: nanoseconds of CLOCK_MONOTONIC. Belongs to the loop's thread.
#pragma once

#include <cstdint>

#include "simcore/sys/clock.h"

namespace simcore {

class TurnClock {
 public:
  // `held`: a reading lasts for a turn.
  explicit TurnClock(bool held) : held_(held) {}

  bool held() const { return held_; }

  // A turn begins at `now_ns`, as just read.
  void turn_begins(std::int64_t now_ns) { turn_began_ns_ = now_ns; }

  std::int64_t now_ns() const { return held_ ? turn_began_ns_ : monotonic_ns(); }

 private:
  bool held_;
  std::int64_t turn_began_ns_ = 0;
};

}  // namespace simcore
