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
  // Preconditions: time >= zero and time >= that of the last event popped.
  void schedule(Event& event, SimTime time);

  // Takes `event` out; does nothing when it is not pending.
  void cancel(Event& event) {
    if (event.pending()) take_out(event);
  }

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }

  // The instant of the earliest event, SimTime::never() when there is none.
  SimTime next_time() const { return next_time_; }

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
    if (first_ == front_.size()) deal_out_earliest();
    Event& event = *front_[first_++].event;
    // Pending events lie all over the memory; but which comes next is known.
    if (first_ + 1 < front_.size()) __builtin_prefetch(front_[first_ + 1].event, 1);
    event.place_ = Event::kNotQueued;
    --size_;
    if (first_ < front_.size()) {
      next_time_ = front_[first_].time;
    } else {
      find_next_time();
    }
    return event;
  }

 private:
  using Entry = BucketStore::Entry;

  static constexpr std::size_t kLevels = 8;
  static constexpr std::size_t kBucketsOfLevel = 256;

  static bool before(const Entry& a, const Entry& b);

  void take_out(Event& event);
  void insert_into_front(SimTime time, Event* event);
  void shorten_front();
  void put_into_bucket(SimTime due, Event* event);
  void find_next_time();
  void refill_front();
  void deal_out_earliest();

  std::size_t earliest_bucket() const;
  void mark_empty(std::size_t bucket);
  void sort_into_front(std::size_t bucket);

  std::vector<Entry> front_;  // sorted from first_ on; what is before has fired
  std::size_t first_ = 0;
  std::uint64_t horizon_ = 0;  // everything before is in the front, everything else in a bucket
  std::uint64_t base_ = 0;
  SimTime next_time_ = SimTime::never();

  BucketStore buckets_;
  std::array<std::array<std::uint64_t, kBucketsOfLevel / 64>, kLevels>
      occupied_{};  // a bit for each bucket in use

  // The earliest instant in the bucket that was looked through last, so that events before a full bucket do not look
  // through it again and again. kNoBucket: it is not known.
  static constexpr std::size_t kNoBucket = BucketStore::kBuckets;
  std::size_t known_bucket_ = kNoBucket;
  SimTime known_earliest_ = SimTime::never();

  std::size_t size_ = 0;
  std::uint64_t next_order_ = Event::kRanks;  // of an event without a rank
};

}  // namespace simcore
