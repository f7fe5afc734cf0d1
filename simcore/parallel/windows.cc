// SPDX-License-Identifier: MIT
#include "simcore/parallel/windows.h"

#include <algorithm>
#include <exception>

#include "simcore/sys/clock.h"

namespace simcore {

namespace {

void wait_until_due(const Pace& pace, SimTime instant) {
  const std::int64_t due = pace.due_ns + (instant - pace.from).count_ns();
  while (monotonic_ns() < due) sleep_until_ns(due);
}

}  // namespace

SimTime run_windows(Partition& partition, Exchange& exchange, const Lookahead& lookahead, SimTime end,
                    const std::optional<Pace>& pace) {
  const std::int64_t begun = monotonic_ns();
  std::exception_ptr failure;
  Exchange::Round round;
  SimTime reached = end;
  for (bool stop = false;;) {
    partition.meet(exchange, stop, round);
    const SimTime earliest = *std::ranges::min_element(round.next);
    if (earliest > end) break;
    if (round.stop) {
      reached = earliest - Duration::ns(1);
      break;
    }
    if (pace) wait_until_due(*pace, earliest);
    const SimTime bound = lookahead.bound(round.next);
    try {
      partition.run_before(std::min(bound, end + Duration::ns(1)));
    } catch (...) {
      failure = std::current_exception();
    }
    stop = failure != nullptr || (pace && monotonic_ns() >= pace->deadline_ns);
  }
  if (pace && reached == end && !failure) wait_until_due(*pace, end);
  partition.counters().wall_ns += monotonic_ns() - begun;
  if (failure) std::rethrow_exception(failure);
  if (reached == end) partition.advance_to(end);
  return reached;
}

}  // namespace simcore
