// SPDX-License-Identifier: MIT
#include "simcore/realtime/waiter.h"

#include <algorithm>

#include "simcore/sys/clock.h"

namespace simcore {

namespace {

// How long a dedicated wait lasts at most: its loop then sees to its real-time priority (FifoBudget).
constexpr std::int64_t kLongestLook_ns = 1'000'000;

Duration between(std::int64_t from_ns, std::int64_t until_ns) {
  return until_ns == Waiter::kNever ? Duration::infinite() : Duration::ns(until_ns - from_ns);
}

Waiter::Policy in_use(Waiter::Policy asked, bool clock_is_simulated) {
  if (clock_is_simulated) return Waiter::Policy::simulated;
  return asked == Waiter::Policy::automatic ? Waiter::Policy::adaptive : asked;
}

}  // namespace

const char* name_of(Waiter::Policy policy) {
  switch (policy) {
    case Waiter::Policy::automatic:
      return "auto";
    case Waiter::Policy::sleep:
      return "sleep";
    case Waiter::Policy::adaptive:
      return "adaptive";
    case Waiter::Policy::dedicated:
      return "dedicated";
    case Waiter::Policy::inet:
      return "inet";
    case Waiter::Policy::simulated:
      return "simulated";
  }
  return "";
}

Waiter::Waiter(Policy policy, Duration moderation, bool clock_is_simulated)
    : policy_(in_use(policy, clock_is_simulated)),
      moderation_(policy_ == Policy::sleep || policy_ == Policy::adaptive ? moderation : Duration::zero()) {}

void Waiter::watch_always(int fd, std::uint32_t tag) {
  epoll_.watch(fd, tag);
  if (policy_ == Policy::inet) fixed_poll_.watch_always(fd, tag);
}

void Waiter::watch(int fd, std::uint32_t tag) {
  epoll_.watch(fd, tag);
  if (policy_ == Policy::inet) fixed_poll_.watch(fd, tag);
}

void Waiter::unwatch(int fd) {
  epoll_.unwatch(fd);
  if (policy_ == Policy::inet) fixed_poll_.unwatch(fd);
}

Waiter::Waited Waiter::wait(std::int64_t now_ns, const Until& until) {
  const std::int64_t gathers_until_ns = until.behind ? 0 : moderation_.wait_until();
  moderated_ = gathers_until_ns > now_ns;
  if (moderated_) return gather(now_ns, gathers_until_ns);
  if (until.due_ns <= now_ns) return look();
  switch (policy_) {
    case Policy::dedicated:
      return look_until(now_ns, std::min(until.due_ns, now_ns + kLongestLook_ns));
    case Policy::inet:
      if (fixed_poll_.empty()) break;
      return {.readable = &fixed_poll_.wait(),
              .now_ns = monotonic_ns(),
              .expected = FixedPoll::kInterval,
              .slept = true};
    case Policy::adaptive:
      return wait_adaptive(now_ns, until);
    case Policy::sleep:
    case Policy::simulated:
    case Policy::automatic:
      break;
  }
  return sleep(now_ns, until.due_ns);
}

Waiter::Waited Waiter::look() {
  const auto& readable = epoll_.wait(Duration::zero());
  return {.readable = &readable, .now_ns = monotonic_ns()};
}

Waiter::Waited Waiter::gather(std::int64_t now_ns, std::int64_t until_ns) {
  sleep_until_ns(until_ns);
  Waited waited = look();
  waited.expected = Duration::ns(until_ns - now_ns);
  waited.moderated = true;
  return waited;
}

Waiter::Waited Waiter::sleep(std::int64_t now_ns, std::int64_t due_ns) {
  const Duration expected = between(now_ns, due_ns);
  const auto& readable = epoll_.wait(expected);
  return {
      .readable = &readable, .now_ns = monotonic_ns(), .expected = expected, .slept = true, .heard = true};
}

Waiter::Waited Waiter::look_until(std::int64_t now_ns, std::int64_t due_ns) {
  Waited waited = look();
  while (waited.readable->empty() && waited.now_ns < due_ns) waited = look();
  waited.expected = Duration::ns(due_ns - now_ns);
  waited.looked = Duration::ns(waited.now_ns - now_ns);
  waited.heard = true;
  return waited;
}

Waiter::Waited Waiter::wait_adaptive(std::int64_t now_ns, const Until& until) {
  budget_.earn(now_ns);
  const std::int64_t window_ends_ns = last_frame_ns_ + window_.length().count_ns();
  const std::int64_t looks_until_ns = std::min(window_ends_ns, until.due_ns);
  const Duration most = Duration::ns(looks_until_ns - now_ns);
  if (most <= Duration::zero() || !budget_.has(most)) return sleep_early(now_ns, until);

  Waited looked = look_until(now_ns, looks_until_ns);
  // Not more than was allowed: who was kept from looking by others owes nothing for it.
  budget_.spend(std::min(looked.looked, most));
  const bool found = !looked.readable->empty();
  if (found) {
    window_.found();
  } else if (window_ends_ns < until.due_ns) {
    window_.missed();
  }
  if (found || looked.now_ns >= until.due_ns) return looked;
  Waited slept = sleep_early(looked.now_ns, until);
  slept.looked += looked.looked;
  slept.expected = between(now_ns, until.due_ns);
  return slept;
}

// Ends its sleep before an event, and looks until that is due.
Waiter::Waited Waiter::sleep_early(std::int64_t now_ns, const Until& until) {
  if (!until.event || until.due_ns == kNever) return sleep(now_ns, until.due_ns);
  const Duration whole = Duration::ns(until.due_ns - now_ns);
  const Duration wanted = std::min(early_wake_.lead(), whole);
  const Duration lead = budget_.has(wanted) ? wanted : Duration::zero();
  Waited slept = sleep(now_ns, until.due_ns - lead.count_ns());
  slept.expected = whole;
  const Duration late = Duration::ns(slept.now_ns - until.due_ns) + lead;
  if (!slept.readable->empty() || late < Duration::zero()) return slept;  // a frame, or a signal
  if (whole > lead) early_wake_.woke(late);
  if (slept.now_ns >= until.due_ns) return slept;

  Waited looked = look_until(slept.now_ns, until.due_ns);
  budget_.spend(std::min(looked.looked, lead));
  looked.expected = whole;
  looked.slept = true;
  return looked;
}

}  // namespace simcore
