// SPDX-License-Identifier: MIT
//
// Decides how long before an event a loop ends its sleep, so that it is awake when the event is due. A core that sleeps
// needs time to wake up (a virtual one tens of microseconds), and without it every event after a pause is late by as much.
//
// The lead follows what waking up took so far: its mean and its mean deviation, as a retransmission timer follows round
// trips (Jacobson 1988). What is left of a lead is spent spinning; a budget bounds that to a small part of the core, so a
// loop with many events sleeps as if there were no lead. Units: nanoseconds of one monotonic clock.
#pragma once

#include <cstdint>

#include "simcore/units/time.h"

namespace simcore {

class EarlyWake {
 public:
  // `most`: the longest lead; zero: never early.
  explicit EarlyWake(Duration most) : most_ns_(most.count_ns()) {}

  // Before a sleep that begins now: how much earlier than the event it should end.
  Duration lead(std::int64_t now_ns);

  // After a sleep that nothing else ended: it ended `late` after the instant asked for.
  void woke(Duration late);

  // What was left of the lead, or as much of it as passed before something came, was spent spinning.
  void spun(Duration spent) { budget_ns_ -= spent.count_ns(); }

 private:
  static constexpr std::int64_t kBudgetPart = 50;           // of the elapsed time: 2 % are spent spinning
  static constexpr std::int64_t kMostSaved_ns = 1'000'000;  // of a budget that was not used

  std::int64_t most_ns_;
  std::int64_t mean_ns_ = 0;
  std::int64_t deviation_ns_ = 0;
  std::int64_t budget_ns_ = 0;
  std::int64_t asked_ns_ = 0;  // when lead() was called last
};

}  // namespace simcore
