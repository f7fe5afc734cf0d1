// SPDX-License-Identifier: MIT
#include "simcore/realtime/accounted_waiter.h"

namespace simcore {

void AccountedWaiter::begin() {
  read_clock();
  now_ns_ = clock_.now_ns();
  stalls_.begin(now_ns_);
}

Waiter::Waited AccountedWaiter::wait(const Waiter::Until& until) {
  stalls_.begin(now_ns_);
  const Waiter::Waited waited = waiter_.wait(now_ns_, until);
  now_ns_ = waited.now_ns;
  clock_.turn_begins(now_ns_);
  if (waited.heard) {
    stalls_.woke(now_ns_, waited.expected);
  } else {
    stalls_.done(now_ns_, waited.expected);  // what had become readable did not end it
  }
  counts_.sleeps += waited.slept ? 1 : 0;
  counts_.moderated += waited.moderated ? 1 : 0;
  counts_.looked += waited.looked;
  return waited;
}

void AccountedWaiter::fires(std::int64_t now_ns, Duration late) {
  now_ns_ = now_ns;
  stalls_.done(now_ns, Duration::zero());
  lateness_.record(late);
}

void AccountedWaiter::handled(std::size_t frames) {
  now_ns_ = clock_.now_ns();
  stalls_.done(now_ns_, StallWatch::of_frames(frames));
  if (frames > 0) waiter_.frames_passed(now_ns_);
}

void AccountedWaiter::end_slice(std::uint64_t late_packets, std::uint64_t received_packets, int slow) {
  const TimeSlices::Counts counts{.longest_stall = stalls_.take_longest() / slow,
                                  .late_packets = late_packets,
                                  .received_packets = received_packets};
  slices_.end(now_ns_, lateness_, counts);
}

void AccountedWaiter::judge_stalls(bool judging) {
  stalls_.judge(judging);
  begin();
}

}  // namespace simcore
