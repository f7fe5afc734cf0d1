// SPDX-License-Identifier: MIT
//
// Simulation: one clock, one event queue, one seed. Nothing here is global, so several simulations live in one process,
// each used by one thread. The clock moves only when an event fires or when the caller runs it forward: in virtual time
// as fast as events can be handled, in real time as the pacer of simcore/realtime allows.
#pragma once

#include <cassert>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "simcore/kernel/event_queue.h"
#include "simcore/kernel/random.h"
#include "simcore/units/time.h"

namespace simcore {

class Simulation {
 public:
  static constexpr std::uint64_t kAll =
      std::numeric_limits<std::uint64_t>::max();  // events: more than any run has

  explicit Simulation(std::uint64_t seed) : seed_(seed) {}

  SimTime now() const { return now_; }
  std::uint64_t seed() const { return seed_; }

  // Precondition: time >= now().
  void schedule(Event& event, SimTime time) {
    assert(time >= now_);
    queue_.schedule(event, time);
  }
  void schedule_in(Event& event, Duration delay) { schedule(event, now_ + delay); }
  void cancel(Event& event) { queue_.cancel(event); }

  SimTime next_event_time() { return queue_.next_time(); }
  // No event is due before this instant; the earliest may be due later. What next_event_time() says, without looking for it.
  SimTime no_event_before() const { return queue_.none_before(); }
  bool event_due(SimTime limit) { return queue_.due(limit); }
  std::size_t pending_events() const { return queue_.size(); }
  std::vector<EventQueue::Due> next_events(std::size_t most) const { return queue_.earliest(most); }
  std::uint64_t events_fired() const { return fired_; }

  // Fires what is due at or before `limit`, in order, at most `most` events; says how many. Not from within an event.
  std::uint64_t fire(SimTime limit, std::uint64_t most) {
    const std::uint64_t before = fired_;
    limit_ = limit;
    last_ = most < kAll - before ? before + most : kAll;
    while (fired_ != last_ && queue_.due(limit)) {
      now_ = queue_.none_before();
      ++fired_;
      queue_.pop().fire();
    }
    return fired_ - before;
  }

  // Fires the earliest event if it is due at or before `limit`; says whether it did.
  bool fire_next(SimTime limit) { return fire(limit, 1) != 0; }

  // Fires everything due at or before `end`, then sets the clock to `end`.
  void run_until(SimTime end) {
    fire(end, kAll);
    advance_to(end);
  }

  // From within an event that would otherwise schedule itself for `time`. If that would be the next to fire, sets the clock
  // there, counts it, and returns true: the event goes on without the queue. Returns false when something else is due by
  // then, or when the caller of fire() wanted no more.
  bool go_on_to(SimTime time) {
    if (time > limit_ || fired_ == last_ || time >= queue_.none_before()) return false;
    now_ = time;
    ++fired_;
    return true;
  }

  // Sets the clock forward without firing anything: real time passed while nothing was due.
  // Precondition: now() <= time <= next_event_time().
  void advance_to(SimTime time) {
    assert(time >= now_ && (time < no_event_before() || time <= next_event_time()));
    now_ = time;
  }

  // The random stream of that name: the same seed and name give the same numbers, whatever other streams do.
  RandomStream stream(std::string_view name) const { return RandomStream(seed_, name); }

 private:
  EventQueue queue_;
  SimTime now_ = SimTime::zero();
  std::uint64_t seed_;
  std::uint64_t fired_ = 0;
  // Of the call of fire() that is under way: it fires nothing later, and ends when fired_ is last_.
  SimTime limit_ = SimTime::zero();
  std::uint64_t last_ = 0;
};

}  // namespace simcore
