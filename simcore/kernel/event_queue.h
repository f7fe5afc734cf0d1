// SPDX-License-Identifier: MIT
//
// EventQueue: the pending events, in the total order (time, sequence).
//
// Two events at the same instant fire in the order in which they were scheduled, so a run is repeatable byte for byte.
// A 4-ary heap: the four children of a node share one or two cache lines, and the tree is half as deep as a binary one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "simcore/kernel/event.h"
#include "simcore/units/time.h"

namespace simcore {

class EventQueue {
 public:
  EventQueue() = default;
  EventQueue(const EventQueue&) = delete;
  EventQueue& operator=(const EventQueue&) = delete;
  ~EventQueue();

  // Puts `event` into the queue for `time`, after all others of that instant; moves it when it is pending already.
  void schedule(Event& event, SimTime time);

  // Takes `event` out; does nothing when it is not pending.
  void cancel(Event& event);

  bool empty() const { return heap_.empty(); }
  std::size_t size() const { return heap_.size(); }

  // The instant of the earliest event, SimTime::never() when there is none.
  SimTime next_time() const { return heap_.empty() ? SimTime::never() : heap_.front().time; }

  // Takes out the earliest event. Precondition: not empty.
  Event& pop();

 private:
  struct Entry {
    SimTime time;
    std::uint64_t sequence;
    Event* event;

    bool before(const Entry& other) const {
      return time != other.time ? time < other.time : sequence < other.sequence;
    }
  };

  void place(std::size_t slot, const Entry& entry);
  void sift_up(std::size_t slot, Entry entry);
  void sift_down(std::size_t slot, Entry entry);
  void remove(std::size_t slot);

  std::vector<Entry> heap_;
  std::uint64_t next_sequence_ = 0;
};

}  // namespace simcore
