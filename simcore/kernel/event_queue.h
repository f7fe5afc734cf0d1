// SPDX-License-Identifier: MIT
//
// EventQueue: the pending events, in the total order (time, rank, sequence).
//
// Two events at the same instant fire in the order of their ranks (Event::set_rank), and then in the order in which they
// were scheduled, so a run is repeatable byte for byte.
//
//   front   [ the next few events, sorted ]                     everything before horizon_
//   level 0 [ 256 buckets of 1 ns      ]                        everything later, unsorted
//   level 1 [ 256 buckets of 256 ns    ]
//   ...     [ 256 buckets of 256^l ns  ]
//
// The buckets are those of a radix heap (Ahuja, Mehlhorn, Orlin and Tarjan 1990): an event lies at the level of the
// highest byte in which its time differs from `base_`, the time of an event that has fired, in the bucket of that byte.
// The earliest bucket is sorted into the front when it is small, and dealt out to the levels below it when it is not; so
// an event moves a few times, whatever the number of events, and an event due soon goes to the front at once. Where the
// front grows too long to insert into, its later half goes back to the buckets. While few events are pending, all are in
// the front.
//
// Timers are moved again and again, and seldom fire. So an event in a bucket that is cancelled, or moved to a later instant,
// stays where it is: its entry there is stale. Whoever empties the bucket puts the event where it belongs. The earliest
// entry of a full bucket may be stale; then next_time_ is only a bound, until somebody asks or reaches it.
//
// Chosen by measurement: benchmarks/simcore/kernel/event_queue_bench.cc.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "simcore/kernel/bucket_store.h"
#include "simcore/kernel/event.h"
#include "simcore/units/time.h"

namespace simcore {

class EventQueue {
 public:
  EventQueue() = default;
  EventQueue(const EventQueue&) = delete;
  EventQueue& operator=(const EventQueue&) = delete;
  ~EventQueue();

  // Puts `event` into the queue for `time`, by its rank, or after all others of that instant; moves it when it is pending
  // already.
  // Preconditions: time >= zero and time >= that of the last event popped; no other queue has had the event.
  void schedule(Event& event, SimTime time) {
    if (event.place_ != Event::kNotQueued || size_ >= kShortFront || size_ != front_.size() - first_) {
      schedule_among_others(event, time);
    } else if (size_ == 0) {
      schedule_alone(event, time);
    } else {
      schedule_among_few(event, time);
    }
  }

  // `event` will not fire; does nothing when it is not pending.
  void cancel(Event& event);

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }

  // The instant of the earliest event, SimTime::never() when there is none. May look through a bucket.
  SimTime next_time() {
    if (!exact_) find_next_time();
    return next_time_;
  }

  // No event is due before this instant; the earliest may be due later. Takes no time.
  SimTime none_before() const { return next_time_; }

  // Whether an event is due at or before `limit`.
  bool due(SimTime limit) { return next_time_ <= limit && size_ != 0 && next_time() <= limit; }

  // The events to come, in the order in which they will fire as things are, at most `most`; they may change it. Looks at
  // all events of the buckets that it needs.
  struct Due {
    SimTime time;
    const Event* event;
  };
  std::vector<Due> earliest(std::size_t most) const;

  // Takes out the earliest event. Precondition: not empty.
  Event& pop() {
    assert(!empty());
    if (!exact_) find_next_time();
    if (first_ == front_.size()) deal_out_earliest();
    Event& event = *front_[first_++].event;
    fetch_ahead();
    event.place_ = Event::kNotQueued;
    event.time_ = Event::kNever;
    --size_;
    look_at_next();
    return event;
  }

 private:
  friend class Event;

  using Entry = BucketStore::Entry;

  static constexpr std::size_t kLevels = 8;
  static constexpr std::size_t kBucketsOfLevel = 256;
  static constexpr std::size_t kWord = 64;        // buckets
  static constexpr std::size_t kShortFront = 16;  // below this, the front takes another bucket
  static constexpr std::size_t kFewEvents =
      128;  // a bucket of so many or fewer is sorted, one of more is dealt out
  static constexpr std::size_t kFitIntoCache = 256;  // events, with what they use
  static constexpr std::size_t kCacheLine = 64;      // bytes

  static bool before(const Entry& a, const Entry& b);

  // Nothing else is pending, so nothing has to be compared: most of the time of small simulations goes here, and in
  // schedule_among_few().
  void schedule_alone(Event& event, SimTime time) {
    put_into_front(event, time);
    front_.push_back({time, &event});
    size_ = 1;
    next_time_ = time;
    exact_ = true;
  }

  // All that is pending is in the front, and the front is short.
  void schedule_among_few(Event& event, SimTime time) {
    put_into_front(event, time);
    insert_behind(time, &event);
    ++size_;
    if (time < next_time_) next_time_ = time;
  }

  // Its entry is the caller's.
  void put_into_front(Event& event, SimTime time) {
    const auto instant = static_cast<std::uint64_t>(time.count_ns());
    assert(instant >= base_);
    event.queue_ = this;
    event.place_ = Event::kInFront;
    event.time_ = time;
    if (event.order_ >= Event::kRanks) event.order_ = next_order_++;
    if (instant >= horizon_) horizon_ = instant + 1;
  }
  void schedule_among_others(Event& event, SimTime time);
  bool belongs_in_front(SimTime time) const;
  bool moved_on(Event& event, SimTime time);
  void take_out(Event& event);
  void take_out_of_bucket(Event& event);
  void insert_into_front(SimTime time, Event* event);

  // Moves aside what comes later. Only events of the same instant are looked at: each look is likely to miss the cache.
  void insert_behind(SimTime time, Event* event) {
    if (first_ > kFewEvents && first_ > front_.size() / 2) {
      front_.erase(front_.begin(), front_.begin() + static_cast<std::ptrdiff_t>(first_));
      first_ = 0;
    }
    front_.emplace_back();
    Entry* const begin = front_.data() + first_;
    Entry* place = &front_.back();
    for (; place != begin && time < place[-1].time; --place) *place = place[-1];
    for (; place != begin && time == place[-1].time && event->order_ < place[-1].event->order_; --place)
      *place = place[-1];
    *place = {time, event};
  }
  void shorten_front();
  std::size_t bucket_of(SimTime time) const;
  void put_into_bucket(SimTime time, Event* event);
  void file_again(Event* event);

  // Pending events lie all over the memory, and so does what they use; but which come next is known. Those in the front are
  // pending, so whatever they point to is there.
  void fetch_ahead() {
    if (first_ + 1 < front_.size()) __builtin_prefetch(front_[first_ + 1].event, 1);
    if (size_ <= kFitIntoCache || first_ + Event::kFetchSteps >= front_.size()) return;
    const Entry* const next = front_.data() + first_;
    // An event is a member of what it happens to.
    const auto* const event = reinterpret_cast<const std::byte*>(next[Event::kFetchSteps].event);
    __builtin_prefetch(event, 1);
    __builtin_prefetch(event - kCacheLine, 1);
    for (int step = 0; step < Event::kFetchSteps; ++step)
      next[Event::kFetchSteps - 1 - step].event->fetch(step);
  }

  // Sets next_time_ when the earliest event has gone.
  void look_at_next() {
    if (first_ < front_.size()) {
      next_time_ = front_[first_].time;
    } else if (size_ == 0) {
      front_.clear();
      first_ = 0;
      next_time_ = SimTime::never();
      exact_ = true;
    } else {
      look_at_buckets();
    }
  }
  void look_at_buckets();
  void find_next_time();
  void refill_front();
  void deal_out_earliest();

  std::size_t earliest_bucket() const;
  std::uint64_t end_of(std::size_t bucket) const;
  void mark_empty(std::size_t bucket);
  void sort_into_front(std::size_t bucket);
  void file_stale_again(std::size_t bucket);

  std::vector<Entry> front_;  // sorted from first_ on; what is before has fired
  std::size_t first_ = 0;
  std::uint64_t horizon_ = 0;  // everything before is in the front, everything else in a bucket
  std::uint64_t base_ = 0;
  SimTime next_time_ = SimTime::never();
  bool exact_ =
      true;  // next_time_ is that of an event, and not only before all; so it is while the front has one

  BucketStore buckets_;
  std::array<std::uint64_t, BucketStore::kBuckets / kWord> occupied_{};  // a bit for each bucket in use
  std::uint32_t occupied_words_ = 0;                                     // a bit for each word that has one

  // Of the bucket that was looked through last, kNoBucket: none. Its earliest event, as long as that is due before what the
  // bucket has nothing; null: it has been taken out.
  static constexpr std::size_t kNoBucket = BucketStore::kBuckets;
  std::size_t known_bucket_ = kNoBucket;
  const Event* known_ = nullptr;
  std::vector<Event*> stale_;  // of file_stale_again(), whose memory it keeps

  std::size_t size_ = 0;
  std::uint64_t next_order_ = Event::kRanks;  // of an event without a rank
};

}  // namespace simcore
