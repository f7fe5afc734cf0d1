// SPDX-License-Identifier: MIT
//
// AccountedWaiter: a Waiter, and the accounts of the time of its loop: how late events were (Lateness), how often and for
// how long the computer kept the loop from running (StallWatch), both of each half second, too (TimeSlices), and how it
// waited. The loop says what it has done; what passed beyond what that takes is a stall.
//
// It keeps the last reading of the clock, so that what ends is where the next thing begins.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simcore/realtime/lateness.h"
#include "simcore/realtime/stall_watch.h"
#include "simcore/realtime/time_slices.h"
#include "simcore/realtime/turn_clock.h"
#include "simcore/realtime/waiter.h"
#include "simcore/units/time.h"

namespace simcore {

class AccountedWaiter {
 public:
  struct Counts {
    std::uint64_t sleeps = 0;
    std::uint64_t moderated = 0;
    Duration looked = Duration::zero();
  };

  // As of `Waiter`.
  AccountedWaiter(Waiter::Policy policy, Duration moderation, bool clock_is_simulated)
      : waiter_(policy, moderation, clock_is_simulated), clock_(clock_is_simulated) {}

  Waiter& waiter() { return waiter_; }
  const Waiter& waiter() const { return waiter_; }

  const TurnClock& clock() const { return clock_; }

  // Reads the clock, also where a reading lasts for the turn.
  void read_clock() { clock_.turn_begins(monotonic_ns()); }

  // Something begins now, and what passed since the last call is not judged.
  void begin();

  // The last reading of the clock.
  std::int64_t now_ns() const { return now_ns_; }

  Waiter::Waited wait(const Waiter::Until& until);

  // An event fires at `now_ns`, `late` after it was due.
  void fires(std::int64_t now_ns, Duration late);

  // So many others fired after it, at most `late` after they were due.
  void fired(std::uint64_t events, Duration late) { lateness_.record(late, events); }

  // So many frames were taken in, or written.
  void handled(std::size_t frames);

  // What had arrived at `arrived_ns` is taken in.
  void arrived(std::int64_t arrived_ns) { stalls_.called(arrived_ns); }

  // Whether stalls are counted from now on; see StallWatch.
  void judge_stalls(bool judging);

  // Whether a slice of time is over, and its end; see TimeSlices. `slow`: wall seconds for a simulated one; what stands in
  // the slice beside lateness, the longest stall, is simulated time as well.
  bool slice_over() const { return slices_.over(now_ns_); }
  void end_slice(std::uint64_t late_packets, std::uint64_t received_packets, int slow);

  const Lateness& lateness() const { return lateness_; }
  const TimeSlices& slices() const { return slices_; }
  const StallWatch& stalls() const { return stalls_; }
  const Counts& counts() const { return counts_; }

 private:
  Waiter waiter_;
  TurnClock clock_;
  StallWatch stalls_;
  Lateness lateness_;
  TimeSlices slices_;
  Counts counts_;
  std::int64_t now_ns_ = 0;
};

}  // namespace simcore
