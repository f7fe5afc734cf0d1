// SPDX-License-Identifier: MIT
//
// SetQueue: the pending events in a std::set, the textbook's balanced tree.
#pragma once

#include <cstdint>
#include <set>

#include "simcore/units/time.h"

namespace simcore::bench {

class SetQueue {
 public:
  class Event {
   public:
    virtual ~Event() = default;
    virtual void fire() = 0;
  };

  bool empty() const { return entries_.empty(); }
  SimTime next_time() const { return entries_.empty() ? SimTime::never() : entries_.begin()->time; }

  void schedule(Event& event, SimTime time) { entries_.insert({time, next_sequence_++, &event}); }

  Event& pop() {
    Event& event = *entries_.begin()->event;
    entries_.erase(entries_.begin());
    return event;
  }

 private:
  struct Entry {
    SimTime time;
    std::uint64_t sequence;
    Event* event;

    bool operator<(const Entry& other) const {
      return time != other.time ? time < other.time : sequence < other.sequence;
    }
  };

  std::set<Entry> entries_;
  std::uint64_t next_sequence_ = 0;
};

}  // namespace simcore::bench
