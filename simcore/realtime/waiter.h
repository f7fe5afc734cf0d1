// SPDX-License-Identifier: MIT
//
// Waiter: how a run loop waits until something is readable or an event is due. It has one policy:
//
//   sleep      sleeps until then. Takes the least processor time; all that it waits for is late by what waking up takes.
//   adaptive   before it sleeps, looks for 50 to 200 us after a frame whether another one comes (PollWindow), and ends its
//              sleeps before an event by what waking up takes (EarlyWake), within a budget (PollBudget)
//   dedicated  looks all the time: for a core of its own
//   inet       the fixed waits of INET 2.6 (FixedPoll)
//   simulated  sleeps until then, on the turn's one reading of the clock (TurnClock): where the kernel's clocks are of
//              simulated time, that is the policy whatever was asked, since looking would only move the clock
//
// With `sleep` and `adaptive` a busy loop works in batches, so that others get the core meanwhile (Moderation).
//
// Units: nanoseconds of CLOCK_MONOTONIC. Belongs to the loop's thread.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "simcore/realtime/early_wake.h"
#include "simcore/realtime/fixed_poll.h"
#include "simcore/realtime/moderation.h"
#include "simcore/realtime/poll_budget.h"
#include "simcore/realtime/poll_window.h"
#include "simcore/sys/epoll.h"
#include "simcore/units/time.h"

namespace simcore {

class Waiter {
 public:
  enum class Policy : std::uint8_t {
    automatic,  // where nobody knows of a core to spare: adaptive
    sleep,
    adaptive,
    dedicated,
    inet,
    simulated,
  };

  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

  struct Until {
    std::int64_t due_ns = kNever;  // ends then, at the latest
    bool event = true;             // an event is due then; else the loop wants to look again
    bool behind = false;           // there is work left, which no batch may put off
  };

  struct Waited {
    const std::vector<std::uint32_t>* readable = nullptr;  // tags; valid until the next call
    std::int64_t now_ns = 0;
    Duration expected = Duration::zero();  // what it was to take at most
    Duration looked = Duration::zero();    // of it, without sleeping
    bool slept = false;
    bool moderated = false;  // slept to gather more work
    bool heard = false;      // what became readable meanwhile ended it
  };

  // `moderation`: how far apart a busy loop's turns begin; zero: as soon as there is work.
  // `clock_is_simulated`: as of this computer.
  Waiter(Policy policy, Duration moderation, bool clock_is_simulated);

  Policy policy() const { return policy_; }  // never automatic

  // What ends every wait: tasks. Before the next.
  void watch_always(int fd, std::uint32_t tag);
  // Not during a wait, nor is the next.
  void watch(int fd, std::uint32_t tag);
  void unwatch(int fd);

  // Waits, now it being `now_ns`; where something is due already, only looks. `dedicated` returns in between, so that a
  // loop can see to itself.
  Waited wait(std::int64_t now_ns, const Until& until);

  // A turn begins. `work`: something is readable or due.
  void turn_begins(std::int64_t now_ns, bool work) { moderation_.turn_begins(now_ns, !moderated_ || work); }

  // Frames came in or went out: more may follow.
  void frames_passed(std::int64_t now_ns) { last_frame_ns_ = now_ns; }

 private:
  Waited look();
  Waited gather(std::int64_t now_ns, std::int64_t until_ns);
  Waited sleep(std::int64_t now_ns, std::int64_t due_ns);
  Waited look_until(std::int64_t now_ns, std::int64_t due_ns);
  Waited wait_adaptive(std::int64_t now_ns, const Until& until);
  Waited sleep_early(std::int64_t now_ns, const Until& until);

  Policy policy_;
  Epoll epoll_;
  FixedPoll fixed_poll_;  // of inet
  Moderation moderation_;
  bool moderated_ = false;  // the last wait was
  PollBudget budget_;
  PollWindow window_;
  EarlyWake early_wake_;
  std::int64_t last_frame_ns_ = 0;
};

const char* name_of(Waiter::Policy policy);

}  // namespace simcore
