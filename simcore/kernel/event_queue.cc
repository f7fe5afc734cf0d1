// SPDX-License-Identifier: MIT
#include "simcore/kernel/event_queue.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace simcore {

namespace {

constexpr int kBitsOfLevel = 8;
constexpr std::size_t kLongFront = 256;  // above this, inserting takes longer than a bucket does

std::uint64_t instant(SimTime time) { return static_cast<std::uint64_t>(time.count_ns()); }

}  // namespace

Event::~Event() {
  if (place_ != kNotQueued) queue_->take_out(*this);
}

EventQueue::~EventQueue() {
  const auto let_go = [](const Entry& entry) {
    entry.event->place_ = Event::kNotQueued;
    entry.event->time_ = Event::kNever;
  };
  for (std::size_t i = first_; i < front_.size(); ++i) let_go(front_[i]);
  for (std::size_t bucket = 0; bucket < BucketStore::kBuckets; ++bucket) buckets_.for_each(bucket, let_go);
}

inline std::size_t EventQueue::bucket_of(SimTime time) const {
  const std::uint64_t differs = (instant(time) ^ base_) | 1;
  const auto level = static_cast<std::size_t>(63 - std::countl_zero(differs)) / kBitsOfLevel;
  return level * kBucketsOfLevel + (instant(time) >> (level * kBitsOfLevel)) % kBucketsOfLevel;
}

inline void EventQueue::put_into_bucket(SimTime time, Event* event) {
  const std::size_t bucket = bucket_of(time);
  occupied_[bucket / kWord] |= std::uint64_t{1} << (bucket % kWord);
  occupied_words_ |= std::uint32_t{1} << (bucket / kWord);
  event->place_ = buckets_.add(bucket, time, event);
  if (bucket == known_bucket_ && time == buckets_.none_before(bucket)) known_ = event;
}

void EventQueue::schedule_among_others(Event& event, SimTime time) {
  assert(instant(time) >= base_);
  if (event.place_ != Event::kNotQueued) {
    assert(event.queue_ == this);
    if (moved_on(event, time)) return;
    take_out(event);
  }
  event.queue_ = this;
  event.time_ = time;
  if (event.order_ >= Event::kRanks) event.order_ = next_order_++;
  if (instant(time) >= horizon_ && belongs_in_front(time)) horizon_ = instant(time) + 1;
  if (instant(time) < horizon_) {
    insert_into_front(time, &event);
  } else {
    put_into_bucket(time, &event);
  }
  ++size_;
  if (time > next_time_) return;
  next_time_ = time;
  exact_ = true;
}

// Behind the horizon: as long as few events are pending, the front is all there is; and what comes before all others begins
// an empty one.
bool EventQueue::belongs_in_front(SimTime time) const {
  const std::size_t in_front = front_.size() - first_;
  return (size_ < kShortFront && size_ == in_front) || (in_front == 0 && time < next_time_);
}

// Schedules an event whose entry stays where it is; says whether it can.
bool EventQueue::moved_on(Event& event, SimTime time) {
  if (event.place_ == Event::kInFront || instant(time) < horizon_ || time < buckets_[event.place_].filed())
    return false;
  if (!event.pending()) ++size_;
  if (event.time_ == next_time_) exact_ = false;
  event.time_ = time;
  if (event.order_ >= Event::kRanks) event.order_ = next_order_++;
  buckets_.make_stale(event.place_);
  if (time <= next_time_) {
    next_time_ = time;
    exact_ = true;
  }
  return true;
}

void EventQueue::cancel(Event& event) {
  if (!event.pending()) return;
  if (event.place_ == Event::kInFront) return take_out(event);
  if (event.time_ == next_time_) exact_ = false;
  event.time_ = Event::kNever;
  buckets_.make_stale(event.place_);
  --size_;
}

// Takes out its entry too.
void EventQueue::take_out(Event& event) {
  if (event.place_ == Event::kInFront) {
    const auto place = std::lower_bound(front_.begin() + static_cast<std::ptrdiff_t>(first_), front_.end(),
                                        Entry{event.time_, &event}, before);
    front_.erase(place);
    event.place_ = Event::kNotQueued;
  } else {
    take_out_of_bucket(event);
  }
  if (!event.pending()) return;
  const bool next = event.time_ == next_time_;
  event.time_ = Event::kNever;
  --size_;
  if (next) look_at_next();
}

void EventQueue::take_out_of_bucket(Event& event) {
  const std::size_t bucket = buckets_.bucket_of(event.place_);
  if (Event* const moved = buckets_.remove(event.place_)) moved->place_ = event.place_;
  if (&event == known_) known_ = nullptr;
  if (buckets_.count(bucket) == 0) mark_empty(bucket);
  event.place_ = Event::kNotQueued;
}

std::vector<EventQueue::Due> EventQueue::earliest(std::size_t most) const {
  std::vector<Entry> found(front_.begin() + static_cast<std::ptrdiff_t>(first_), front_.end());
  const auto in_front = static_cast<std::ptrdiff_t>(found.size());
  std::size_t certain = found.size();  // so many are before whatever has not been looked at
  // Levels, and the buckets of each, lie one after the other in time.
  for (std::size_t bucket = 0; bucket < BucketStore::kBuckets && certain < most; ++bucket) {
    if (buckets_.count(bucket) == 0) continue;
    buckets_.for_each(bucket, [&found](const Entry& entry) {
      if (entry.event->pending()) found.push_back({entry.event->time_, entry.event});
    });
    std::sort(found.begin() + in_front, found.end(), before);
    const auto later =
        std::upper_bound(found.begin() + in_front, found.end(), end_of(bucket) - 1,
                         [](std::uint64_t last, const Entry& entry) { return last < instant(entry.time); });
    certain = static_cast<std::size_t>(later - found.begin());
  }
  if (certain < most) certain = found.size();
  found.resize(std::min(most, certain));
  std::vector<Due> due;
  due.reserve(found.size());
  for (const Entry& entry : found) due.push_back({entry.time, entry.event});
  return due;
}

bool EventQueue::before(const Entry& a, const Entry& b) {
  return a.time != b.time ? a.time < b.time : a.event->order_ < b.event->order_;
}

// Moves the others aside: where they are many, on the nearer side. Before them there is room where events have fired, so that
// one that is due before all others moves none.
void EventQueue::insert_into_front(SimTime time, Event* event) {
  event->place_ = Event::kInFront;
  const std::size_t in_front = front_.size() - first_;
  const std::size_t middle = first_ + (in_front > kShortFront ? in_front / 2 : 0);
  if (first_ > 0 && in_front > 0 && time < front_[middle].time) {
    Entry* place = front_.data() + --first_;
    for (; place[1].time < time; ++place) *place = place[1];
    for (; place[1].time == time && place[1].event->order_ < event->order_; ++place) *place = place[1];
    *place = {time, event};
  } else {
    insert_behind(time, event);
  }
  if (front_.size() - first_ > kLongFront) shorten_front();
}

// Gives the later half of the front back to the buckets. Events of one instant stay together.
void EventQueue::shorten_front() {
  const auto begin = front_.begin() + static_cast<std::ptrdiff_t>(first_);
  const auto earlier = [](const Entry& entry, SimTime time) { return entry.time < time; };
  auto cut = std::lower_bound(begin, front_.end(), front_[(first_ + front_.size()) / 2].time, earlier);
  if (cut == begin) {
    cut = std::upper_bound(begin, front_.end(), begin->time,
                           [](SimTime time, const Entry& entry) { return time < entry.time; });
    if (cut == front_.end()) return;
  }
  horizon_ = instant(cut->time);
  for (auto entry = cut; entry != front_.end(); ++entry) put_into_bucket(entry->time, entry->event);
  front_.erase(cut, front_.end());
}

// Of an event that has just lost its entry.
void EventQueue::file_again(Event* event) {
  if (event->pending()) {
    put_into_bucket(event->time_, event);
  } else {
    event->place_ = Event::kNotQueued;
  }
}

// Refills the empty front, or else finds out before what the full bucket that comes next has nothing.
void EventQueue::look_at_buckets() {
  refill_front();
  exact_ = true;
  if (first_ < front_.size()) {
    next_time_ = front_[first_].time;
  } else if (size_ == 0) {
    next_time_ = SimTime::never();
  } else {
    const std::size_t bucket = earliest_bucket();
    next_time_ = buckets_.none_before(bucket);
    exact_ = bucket == known_bucket_ && known_ != nullptr && known_->time_ == next_time_;
  }
}

void EventQueue::find_next_time() {
  for (look_at_buckets(); !exact_; look_at_buckets()) file_stale_again(earliest_bucket());
}

// Takes buckets into the empty front as long as they hold few events. One with many is dealt out only when its first
// event fires: until then events may come before it, and base_ must not pass them.
void EventQueue::refill_front() {
  front_.clear();
  first_ = 0;
  while (front_.size() < kShortFront && front_.size() < size_) {
    const std::size_t bucket = earliest_bucket();
    if (buckets_.count(bucket) > kFewEvents) return;
    sort_into_front(bucket);
  }
}

// Fills the empty front from the bucket whose first event fires now.
void EventQueue::deal_out_earliest() {
  const std::size_t next = bucket_of(next_time_);
  std::size_t bucket = earliest_bucket();
  // All entries before are stale; base_ must not pass them.
  for (; bucket != next; bucket = earliest_bucket()) {
    mark_empty(bucket);
    buckets_.drain(bucket, [this](const Entry& entry) { file_again(entry.event); });
  }
  base_ = instant(next_time_);
  while (bucket >= kBucketsOfLevel && buckets_.count(bucket) > kFewEvents) {
    mark_empty(bucket);
    buckets_.drain(bucket, [this](const Entry& entry) {
      // Who only writes to an event does not wait for the memory.
      if (entry.stale()) return file_again(entry.event);
      put_into_bucket(entry.time, entry.event);
    });
    bucket = earliest_bucket();
  }
  sort_into_front(bucket);
}

// Precondition: there is one.
std::size_t EventQueue::earliest_bucket() const {
  assert(occupied_words_ != 0);
  const auto word = static_cast<std::size_t>(std::countr_zero(occupied_words_));
  return word * kWord + static_cast<std::size_t>(std::countr_zero(occupied_[word]));
}

// The first instant behind the bucket, which is not empty.
std::uint64_t EventQueue::end_of(std::size_t bucket) const {
  const int shift = kBitsOfLevel * static_cast<int>(bucket / kBucketsOfLevel);
  return ((instant(buckets_.any(bucket).filed()) >> shift) + 1) << shift;
}

void EventQueue::mark_empty(std::size_t bucket) {
  if (bucket == known_bucket_) known_bucket_ = kNoBucket;
  std::uint64_t& word = occupied_[bucket / kWord];
  word &= ~(std::uint64_t{1} << (bucket % kWord));
  if (word == 0) occupied_words_ &= ~(std::uint32_t{1} << (bucket / kWord));
}

// Appends a bucket that comes after all that is in the front.
void EventQueue::sort_into_front(std::size_t bucket) {
  const auto sorted = static_cast<std::ptrdiff_t>(front_.size());
  mark_empty(bucket);
  horizon_ = end_of(bucket);
  buckets_.drain(bucket, [this](const Entry& entry) {
    Event* const event = entry.event;
    if (entry.stale()) {
      if (!event->pending() || instant(event->time_) >= horizon_) return file_again(event);
      front_.push_back({event->time_, event});
    } else {
      front_.push_back(entry);
    }
    event->place_ = Event::kInFront;
  });
  std::sort(front_.begin() + sorted, front_.end(), before);
}

// Looks through a full bucket for its earliest event. What is stale on the way goes where it belongs, so that what stays has
// no entry before that event.
void EventQueue::file_stale_again(std::size_t bucket) {
  Entry earliest;
  buckets_.for_each(bucket, [&](const Entry& entry) {
    if (earliest.event != nullptr && entry.filed() >= earliest.time) return;
    if (entry.stale()) {
      stale_.push_back(entry.event);
    } else {
      earliest = entry;
    }
  });
  for (Event* const event : stale_) take_out_of_bucket(*event);
  known_bucket_ = bucket;
  known_ = earliest.event;
  if (known_ != nullptr) buckets_.set_none_before(bucket, earliest.time);
  for (Event* const event : stale_) file_again(event);
  stale_.clear();
}

}  // namespace simcore
