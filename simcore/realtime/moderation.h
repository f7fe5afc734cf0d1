// SPDX-License-Identifier: MIT
//
// Decides when a busy loop waits before its next turn, so that what arrives meanwhile is handled together: what network
// cards call interrupt moderation. Waking up and the system calls of a turn cost more than a frame does, and on a
// computer whose cores the emulated hosts use too, they cost those hosts their share.
//
// It begins when turns have followed each other fast for two intervals, and ends with the first wait that nothing came
// of, so a ping or a slow flow never meets it. Units: nanoseconds of CLOCK_MONOTONIC. What falls due during a wait is
// late by at most the interval, and is counted as lateness; arrivals keep the kernel's stamps.
#pragma once

#include <cstdint>

#include "simcore/units/time.h"

namespace simcore {

class Moderation {
 public:
  // `interval`: between the beginnings of two turns, while moderating; zero: never moderates.
  explicit Moderation(Duration interval) : interval_ns_(interval.count_ns()) {}

  // At the end of a turn: the instant until which the next one should wait; 0: it should not.
  std::int64_t wait_until() const { return active_ ? turn_began_ns_ + interval_ns_ : 0; }

  // When a turn begins. `found_work`: it began with something to do, rather than nothing after a wait.
  void turn_begins(std::int64_t now_ns, bool found_work);

 private:
  // Turns within an interval that make it busy: what a wait would put together.
  static constexpr int kBusyTurns = 4;
  static constexpr int kBusyIntervals = 2;

  std::int64_t interval_ns_;
  std::int64_t turn_began_ns_ = 0;
  std::int64_t interval_began_ns_ = 0;
  int turns_ = 0;           // in this interval
  int busy_intervals_ = 0;  // in a row
  bool active_ = false;
};

}  // namespace simcore
