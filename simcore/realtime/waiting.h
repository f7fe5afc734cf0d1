// SPDX-License-Identifier: MIT
//
// Waiting: how a run loop waits until something is readable or an event is due. Three ways:
//
//   asleep   until the event or something readable, whichever is first
//   early    asleep until what waking up takes before the event, then looking until it is due (EarlyWake)
//   fixed    at one place after the other for the same time each, however soon the event is: the real-time scheduler of
//            INET 2.6 (Scussel and others 2015), which `hybridnet reproduce inet-rtt` measures as one of its causes
//
// It tells a StallWatch what each part of a wait was to take.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "simcore/realtime/early_wake.h"
#include "simcore/realtime/stall_watch.h"
#include "simcore/sys/epoll.h"
#include "simcore/units/time.h"

namespace simcore {

class Waiting {
 public:
  using Readable = std::vector<std::uint32_t>;  // tags

  // `early_wake`: at most so much before an event; zero: never early. `fixed_poll`: zero: not in that way. `watch` must
  // outlive this.
  Waiting(Duration early_wake, Duration fixed_poll, StallWatch& watch)
      : early_(early_wake > Duration::zero()),
        early_wake_(early_wake),
        fixed_poll_(fixed_poll),
        stall_watch_(watch) {}

  // Whatever ends every wait: tasks. Before the next.
  void watch_always(int fd, std::uint32_t tag);
  // A place of its own to wait at. Not during a wait, nor is the next.
  void watch(int fd, std::uint32_t tag);
  // That is none any more.
  void unwatch(int fd);

  // What is readable now.
  const Readable& look() { return epoll_.wait(Duration::zero()); }

  // Waits `sleep`, more than zero, at most. `for_event`: because an event is due then, and not to look again.
  const Readable& wait(Duration sleep, bool for_event);

 private:
  struct Place {
    int fd;
    Epoll epoll;
  };

  const Readable& wait_asleep(Duration sleep);
  const Readable& wait_early(Duration sleep, std::int64_t began_ns);
  const Readable& wait_at_next_place();

  bool early_;
  EarlyWake early_wake_;
  Duration fixed_poll_;
  StallWatch& stall_watch_;
  Epoll epoll_;                   // everything
  std::deque<Place> one_by_one_;  // with a fixed poll
  std::size_t place_ = 0;         // of one_by_one_
  int always_fd_ = -1;
  std::uint32_t always_tag_ = 0;
};

}  // namespace simcore
