// SPDX-License-Identifier: MIT
//
// HeapQueue: a 4-ary heap of (time, sequence, event), the usual choice of simulators and the one that simcore's queue is
// compared with. The same order, the same interface, cancellation by the event's place in the heap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "simcore/units/time.h"

namespace simcore::bench {

class HeapQueue {
 public:
  class Event {
   public:
    virtual ~Event() = default;
    virtual void fire() = 0;

   private:
    friend class HeapQueue;
    static constexpr std::size_t kNotQueued = ~std::size_t{0};
    std::size_t slot_ = kNotQueued;
  };

  bool empty() const { return heap_.empty(); }
  SimTime next_time() const { return heap_.empty() ? SimTime::never() : heap_.front().time; }

  void schedule(Event& event, SimTime time) {
    const Entry entry{time, next_sequence_++, &event};
    if (event.slot_ == Event::kNotQueued) {
      heap_.push_back(entry);
      sift_up(heap_.size() - 1, entry);
    } else if (entry.before(heap_[event.slot_])) {
      sift_up(event.slot_, entry);
    } else {
      sift_down(event.slot_, entry);
    }
  }

  Event& pop() {
    Event& event = *heap_.front().event;
    event.slot_ = Event::kNotQueued;
    const Entry last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) sift_down(0, last);
    return event;
  }

 private:
  static constexpr std::size_t kArity = 4;

  struct Entry {
    SimTime time;
    std::uint64_t sequence;
    Event* event;

    bool before(const Entry& other) const {
      return time != other.time ? time < other.time : sequence < other.sequence;
    }
  };

  void place(std::size_t slot, const Entry& entry) {
    heap_[slot] = entry;
    entry.event->slot_ = slot;
  }

  void sift_up(std::size_t slot, Entry entry) {
    while (slot > 0 && entry.before(heap_[(slot - 1) / kArity])) {
      place(slot, heap_[(slot - 1) / kArity]);
      slot = (slot - 1) / kArity;
    }
    place(slot, entry);
  }

  void sift_down(std::size_t slot, Entry entry) {
    for (std::size_t first; (first = slot * kArity + 1) < heap_.size();) {
      const std::size_t end = first + kArity < heap_.size() ? first + kArity : heap_.size();
      std::size_t least = first;
      for (std::size_t child = first + 1; child < end; ++child) {
        if (heap_[child].before(heap_[least])) least = child;
      }
      if (!heap_[least].before(entry)) break;
      place(slot, heap_[least]);
      slot = least;
    }
    place(slot, entry);
  }

  std::vector<Entry> heap_;
  std::uint64_t next_sequence_ = 0;
};

}  // namespace simcore::bench
