// SPDX-License-Identifier: MIT
#include "simcore/kernel/event_queue.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace simcore {

namespace {

constexpr int kBitsOfLevel = 8;
constexpr std::size_t kFewEvents = 128;  // a bucket of so many or fewer is sorted, one of more is dealt out
constexpr std::size_t kShortFront = 16;  // below this, the front takes another bucket
constexpr std::size_t kLongFront = 256;  // above this, inserting takes longer than a bucket does

std::uint64_t instant(SimTime time) { return static_cast<std::uint64_t>(time.count_ns()); }

}  // namespace

Event::~Event() {
  if (pending()) queue_->cancel(*this);
}

EventQueue::~EventQueue() {
  for (std::size_t i = first_; i < front_.size(); ++i) front_[i].event->place_ = Event::kNotQueued;
  for (std::size_t bucket = 0; bucket < BucketStore::kBuckets; ++bucket) {
    buckets_.for_each(bucket, [](const Entry& entry) { entry.event->place_ = Event::kNotQueued; });
  }
}

void EventQueue::schedule(Event& event, SimTime time) {
  assert(instant(time) >= base_);
  cancel(event);
  event.queue_ = this;
  event.time_ = time;
  if (event.order_ >= Event::kRanks) event.order_ = next_order_++;
  // As long as few events are pending, the sorted front is all there is.
  if (size_ < kShortFront && size_ == front_.size() - first_)
    horizon_ = std::max(horizon_, instant(time) + 1);
  if (instant(time) < horizon_) {
    insert_into_front(time, &event);
  } else {
    put_into_bucket(time, &event);
  }
  next_time_ = std::min(next_time_, time);
  ++size_;
}

void EventQueue::take_out(Event& event) {
  if (event.place_ == Event::kInFront) {
    const auto place = std::lower_bound(front_.begin() + static_cast<std::ptrdiff_t>(first_), front_.end(),
                                        Entry{event.time_, &event}, before);
    front_.erase(place);
  } else {
    const std::size_t bucket = buckets_.bucket_of(event.place_);
    if (Event* const moved = buckets_.remove(event.place_)) moved->place_ = event.place_;
    if (bucket == known_bucket_ && event.time_ == known_earliest_) known_bucket_ = kNoBucket;
    if (buckets_.count(bucket) == 0) mark_empty(bucket);
  }
  event.place_ = Event::kNotQueued;
  --size_;
  if (event.time_ == next_time_) find_next_time();
}

std::vector<EventQueue::Due> EventQueue::earliest(std::size_t most) const {
  std::vector<Entry> found(front_.begin() + static_cast<std::ptrdiff_t>(first_), front_.end());
  // Levels, and the buckets of each, lie one after the other in time.
  for (std::size_t bucket = 0; bucket < BucketStore::kBuckets && found.size() < most; ++bucket) {
    const auto sorted = static_cast<std::ptrdiff_t>(found.size());
    buckets_.for_each(bucket, [&found](const Entry& entry) { found.push_back(entry); });
    std::sort(found.begin() + sorted, found.end(), before);
  }
  found.resize(std::min(most, found.size()));
  std::vector<Due> due;
  due.reserve(found.size());
  for (const Entry& entry : found) due.push_back({entry.time, entry.event});
  return due;
}

bool EventQueue::before(const Entry& a, const Entry& b) {
  return a.time != b.time ? a.time < b.time : a.event->order_ < b.event->order_;
}

void EventQueue::insert_into_front(SimTime time, Event* event) {
  event->place_ = Event::kInFront;
  if (first_ > kFewEvents && first_ > front_.size() / 2) {
    front_.erase(front_.begin(), front_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
  }
  front_.emplace_back();
  // Only those of the same instant are looked at: each look is likely to miss the cache.
  Entry* const begin = front_.data() + first_;
  Entry* place = &front_.back();
  for (; place != begin && time < place[-1].time; --place) *place = place[-1];
  for (; place != begin && time == place[-1].time && event->order_ < place[-1].event->order_; --place)
    *place = place[-1];
  *place = {time, event};
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

void EventQueue::put_into_bucket(SimTime due, Event* event) {
  const std::uint64_t time = instant(due);
  const std::uint64_t differs = (time ^ base_) | 1;
  const auto level = static_cast<std::size_t>(63 - std::countl_zero(differs)) / kBitsOfLevel;
  const std::size_t index = (time >> (level * kBitsOfLevel)) % kBucketsOfLevel;
  occupied_[level][index / 64] |= std::uint64_t{1} << (index % 64);
  const std::size_t bucket = level * kBucketsOfLevel + index;
  if (bucket == known_bucket_) known_earliest_ = std::min(known_earliest_, due);
  event->place_ = buckets_.add(bucket, due, event);
}

// Finds the earliest instant when an event has gone.
void EventQueue::find_next_time() {
  if (first_ == front_.size()) refill_front();
  if (first_ < front_.size()) {
    next_time_ = front_[first_].time;
    return;
  }
  next_time_ = SimTime::never();
  if (size_ == 0) return;
  if (const std::size_t bucket = earliest_bucket(); bucket != known_bucket_) {
    known_bucket_ = bucket;
    known_earliest_ = SimTime::never();
    buckets_.for_each(bucket,
                      [this](const Entry& e) { known_earliest_ = std::min(known_earliest_, e.time); });
  }
  next_time_ = known_earliest_;
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

// Fills the empty front from a bucket with many events, the first of which fires now.
void EventQueue::deal_out_earliest() {
  base_ = instant(next_time_);
  std::size_t bucket = earliest_bucket();
  while (bucket >= kBucketsOfLevel && buckets_.count(bucket) > kFewEvents) {
    mark_empty(bucket);
    buckets_.drain(bucket, [this](const Entry& entry) { put_into_bucket(entry.time, entry.event); });
    bucket = earliest_bucket();
  }
  sort_into_front(bucket);
}

// Precondition: there is one.
std::size_t EventQueue::earliest_bucket() const {
  for (std::size_t level = 0;; ++level) {
    for (std::size_t word = 0; word < kBucketsOfLevel / 64; ++word) {
      if (const std::uint64_t bits = occupied_[level][word]; bits != 0) {
        return level * kBucketsOfLevel + word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
      }
    }
  }
}

void EventQueue::mark_empty(std::size_t bucket) {
  if (bucket == known_bucket_) known_bucket_ = kNoBucket;
  const std::size_t index = bucket % kBucketsOfLevel;
  occupied_[bucket / kBucketsOfLevel][index / 64] &= ~(std::uint64_t{1} << (index % 64));
}

// Appends a bucket that comes after all that is in the front.
void EventQueue::sort_into_front(std::size_t bucket) {
  const auto sorted = static_cast<std::ptrdiff_t>(front_.size());
  mark_empty(bucket);
  buckets_.drain(bucket, [this](const Entry& entry) {
    entry.event->place_ = Event::kInFront;
    front_.push_back(entry);
  });
  std::sort(front_.begin() + sorted, front_.end(), before);
  const int shift = kBitsOfLevel * static_cast<int>(bucket / kBucketsOfLevel);
  horizon_ = ((instant(front_.back().time) >> shift) + 1) << shift;
}

}  // namespace simcore
