// SPDX-License-Identifier: MIT
#include "simcore/kernel/event_queue.h"

namespace simcore {

namespace {
constexpr std::size_t kArity = 4;
}

Event::~Event() {
  if (pending()) queue_->cancel(*this);
}

EventQueue::~EventQueue() {
  for (const Entry& entry : heap_) entry.event->slot_ = Event::kNotQueued;
}

void EventQueue::schedule(Event& event, SimTime time) {
  const Entry entry{time, next_sequence_++, &event};
  if (!event.pending()) {
    event.queue_ = this;
    heap_.push_back(entry);
    sift_up(heap_.size() - 1, entry);
    return;
  }
  const std::size_t slot = event.slot_;
  if (entry.before(heap_[slot])) {
    sift_up(slot, entry);
  } else {
    sift_down(slot, entry);
  }
}

void EventQueue::cancel(Event& event) {
  if (event.pending()) remove(event.slot_);
}

Event& EventQueue::pop() {
  Event& event = *heap_.front().event;
  remove(0);
  return event;
}

void EventQueue::place(std::size_t slot, const Entry& entry) {
  heap_[slot] = entry;
  entry.event->slot_ = slot;
}

void EventQueue::sift_up(std::size_t slot, Entry entry) {
  while (slot > 0) {
    const std::size_t parent = (slot - 1) / kArity;
    if (!entry.before(heap_[parent])) break;
    place(slot, heap_[parent]);
    slot = parent;
  }
  place(slot, entry);
}

void EventQueue::sift_down(std::size_t slot, Entry entry) {
  const std::size_t size = heap_.size();
  for (;;) {
    const std::size_t first = slot * kArity + 1;
    if (first >= size) break;
    const std::size_t end = first + kArity < size ? first + kArity : size;
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

void EventQueue::remove(std::size_t slot) {
  heap_[slot].event->slot_ = Event::kNotQueued;
  const Entry last = heap_.back();
  heap_.pop_back();
  if (slot == heap_.size()) return;
  if (slot > 0 && last.before(heap_[(slot - 1) / kArity])) {
    sift_up(slot, last);
  } else {
    sift_down(slot, last);
  }
}

}  // namespace simcore
