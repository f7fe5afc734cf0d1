// SPDX-License-Identifier: MIT
#include "simcore/realtime/waiting.h"

#include <algorithm>

#include "simcore/sys/clock.h"

namespace simcore {

void Waiting::watch_always(int fd, std::uint32_t tag) {
  epoll_.watch(fd, tag);
  always_fd_ = fd;
  always_tag_ = tag;
}

void Waiting::watch(int fd, std::uint32_t tag) {
  epoll_.watch(fd, tag);
  if (fixed_poll_ == Duration::zero()) return;
  Epoll& alone = one_by_one_.emplace_back(Place{fd, Epoll()}).epoll;
  alone.watch(fd, tag);
  alone.watch(always_fd_, always_tag_);
}

void Waiting::unwatch(int fd) {
  epoll_.unwatch(fd);
  std::erase_if(one_by_one_, [fd](const Place& place) { return place.fd == fd; });
}

const Waiting::Readable& Waiting::wait(Duration sleep, bool for_event) {
  const std::int64_t began_ns = monotonic_ns();
  stall_watch_.begin(began_ns);
  if (!one_by_one_.empty()) return wait_at_next_place();
  if (for_event && early_ && sleep != Duration::infinite()) return wait_early(sleep, began_ns);
  return wait_asleep(sleep);
}

const Waiting::Readable& Waiting::wait_asleep(Duration sleep) {
  const Readable& readable = epoll_.wait(sleep);
  stall_watch_.woke(monotonic_ns(), sleep);
  return readable;
}

// Ends its sleep earlier, and looks until the event is due.
const Waiting::Readable& Waiting::wait_early(Duration sleep, std::int64_t began_ns) {
  const std::int64_t due_ns = began_ns + sleep.count_ns();
  const Duration lead = std::min(early_wake_.lead(began_ns), sleep);
  const Readable* readable = &epoll_.wait(sleep - lead);
  const std::int64_t awake_ns = monotonic_ns();
  const Duration late = Duration::ns(awake_ns - due_ns) + lead;
  stall_watch_.woke(awake_ns, sleep - lead);
  if (!readable->empty() || late < Duration::zero()) return *readable;  // a frame, or a signal
  if (sleep > lead) early_wake_.woke(late);
  std::int64_t now_ns = awake_ns;
  while (readable->empty() && now_ns < due_ns) {
    readable = &look();
    now_ns = monotonic_ns();
  }
  stall_watch_.done(now_ns, lead);
  // Not longer than the lead: who was kept from spinning by others owes nothing for it.
  early_wake_.spun(std::min(Duration::ns(now_ns - awake_ns), lead));
  return *readable;
}

const Waiting::Readable& Waiting::wait_at_next_place() {
  place_ = (place_ + 1) % one_by_one_.size();
  const Readable& readable = one_by_one_[place_].epoll.wait(fixed_poll_);
  stall_watch_.done(monotonic_ns(), fixed_poll_);  // a frame at another place does not end it
  return readable;
}

}  // namespace simcore
