// SPDX-License-Identifier: MIT
//
// StallWatch: counts how often, and for how long, the computer kept a thread from running that no other program is in the
// way of (SCHED_FIFO). A hypervisor had taken its core away, or the kernel was busy with others' work: in an interrupt, or in
// a system call of the thread itself, where a kernel without preemption goes on with whatever is pending.
//
// The thread says what it has done since it said so last, and what that takes at most; what passed beyond that, more than
// kStall, is a stall. Units: nanoseconds of one monotonic clock.
//
// Leaves out: shorter pauses, however many there are; datagrams of a peer that waited for the thread to wake up. What the
// kernel was busy with in a system call may be traffic of the same network: a stall says who had the core, not why.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "simcore/units/time.h"

namespace simcore {

class StallWatch {
 public:
  static constexpr Duration kStall = Duration::us(500);

  // What one frame takes at a portal: with two portals and a link a single one took 4 to 7 us (benchmarks/portal.py). A
  // train of 64 KiB takes longer, but of these a turn moves no more than fit into kStall.
  static constexpr Duration kPerFrame = Duration::us(10);

  // Whether anything is counted from now on: not while other programs may be in the way. It is when made.
  void judge(bool judging) { judging_ = judging; }

  // Something begins at `now_ns`, and what passed since the last call is not judged.
  void begin(std::int64_t now_ns) { last_ns_ = now_ns; }

  // A sleep that began with begin() has ended at `now_ns`; it was to end `expected` after its beginning, or earlier, when
  // called for.
  void woke(std::int64_t now_ns, Duration expected) {
    const std::uint64_t before = count_;
    slept_from_ns_ = last_ns_;
    woke_ns_ = now_ns;
    done(now_ns, expected);
    if (count_ != before) woke_ns_ = slept_from_ns_;  // it is counted
  }

  // What had arrived at `arrived_ns` was there when the sleep had ended: from then on the thread was to be awake.
  void called(std::int64_t arrived_ns) {
    const Duration pause = Duration::ns(woke_ns_ - arrived_ns);
    if (arrived_ns < slept_from_ns_ || pause <= kStall) return;
    woke_ns_ = slept_from_ns_;  // once, for the earliest
    count(pause);
  }

  // At `now_ns` it is done, or as much of it as should take `expected`, and the next thing begins.
  void done(std::int64_t now_ns, Duration expected) {
    const Duration pause = Duration::ns(now_ns - last_ns_) - expected;
    last_ns_ = now_ns;
    if (pause > kStall) count(pause);
  }

  static constexpr Duration of_frames(std::size_t frames) {
    return kPerFrame * static_cast<std::int64_t>(frames);
  }

  std::uint64_t count() const { return count_; }
  Duration total() const { return total_; }

  // The longest since the last call.
  Duration take_longest() { return std::exchange(longest_, Duration::zero()); }

 private:
  void count(Duration pause) {
    if (!judging_) return;
    ++count_;
    total_ = total_ + pause;
    longest_ = std::max(longest_, pause);
  }

  bool judging_ = true;
  std::int64_t last_ns_ = 0;
  std::int64_t slept_from_ns_ = 0;  // the last sleep; both the same: nothing of it is left to judge
  std::int64_t woke_ns_ = 0;
  std::uint64_t count_ = 0;
  Duration total_ = Duration::zero();
  Duration longest_ = Duration::zero();
};

}  // namespace simcore
