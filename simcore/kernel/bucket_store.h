// SPDX-License-Identifier: MIT
//
// BucketStore: unordered buckets of pending events that share their memory.
//
// A bucket is a list of chunks, all full but the first. Chunks that become empty go to a free list, last in first out,
// so the memory grows with the number of events that were here together, however they are spread over the buckets, and
// what is used is what the cache holds. An event is found by its place (chunk and position in it) and taken out by
// moving the bucket's last event into the gap.
//
// A bucket knows before what it has nothing, so that nobody looks through a full one for each event that comes before it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "simcore/units/time.h"

namespace simcore {

class Event;

class BucketStore {
 public:
  struct Entry {
    SimTime time = SimTime::zero();  // of a stale entry, less than zero
    Event* event = nullptr;

    // Somebody knows better when the event is due.
    bool stale() const { return time < SimTime::zero(); }
    // The instant for which it was added.
    SimTime filed() const { return stale() ? SimTime::at_ns(~time.count_ns()) : time; }
  };
  using Place = std::uint64_t;

  static constexpr std::size_t kBuckets = 2'048;

  std::size_t count(std::size_t bucket) const { return buckets_[bucket].count; }

  // No entry of the bucket, which is not empty, is earlier. The earliest may be later, when one was taken out.
  SimTime none_before(std::size_t bucket) const { return buckets_[bucket].none_before; }
  // Somebody has looked the bucket through. Precondition: no entry is earlier.
  void set_none_before(std::size_t bucket, SimTime time) { buckets_[bucket].none_before = time; }

  // Some entry of the bucket, which is not empty.
  const Entry& any(std::size_t bucket) const { return (*this)[buckets_[bucket].end - 1]; }

  std::size_t chunks() const { return chunks_.size(); }  // memory, in chunks of 512 bytes

  std::size_t bucket_of(Place place) const { return chunks_[place / kStride].bucket; }

  const Entry& operator[](Place place) const { return chunks_[place / kStride].entries[place % kStride - 1]; }

  // From now on the entry at `place` is stale.
  void make_stale(Place place) {
    Entry& known = entry(place);
    if (!known.stale()) known.time = SimTime::at_ns(~known.time.count_ns());
  }

  // Adds an event and returns its place, which holds until the event is taken out or another of its bucket is.
  Place add(std::size_t bucket, SimTime time, Event* event) {
    Bucket& b = buckets_[bucket];
    if (b.count++ == 0 || time < b.none_before) b.none_before = time;
    if (b.end % kStride == 0) b.end = open_chunk(static_cast<std::uint32_t>(bucket), b.end);
    entry(b.end) = {time, event};
    return b.end++;
  }

  // Takes out the event at `place`. Returns the event that has moved there, or null when none has.
  Event* remove(Place place);

  // Calls visit(entry) for every event of the bucket.
  template <class Visit>
  void for_each(std::size_t bucket, Visit visit) const {
    for (std::uint32_t end = buckets_[bucket].end; end != 0; end = chunk_before(end).next) {
      for (std::uint32_t place = begin_of(end); place < end; ++place) visit((*this)[place]);
    }
  }

  // Empties the bucket, calling visit(entry) for each of its events; `visit` may add to other buckets.
  template <class Visit>
  void drain(std::size_t bucket, Visit visit) {
    std::uint32_t end = buckets_[bucket].end;
    buckets_[bucket].count = 0;
    buckets_[bucket].end = 0;
    fetch_events(end);
    while (end != 0) {
      const std::uint32_t next = chunk_before(end).next;
      fetch_events(next);
      for (std::uint32_t place = begin_of(end); place < end; ++place) visit(Entry(entry(place)));
      give_back(end);
      end = next;
    }
  }

 private:
  static constexpr std::uint32_t kStride = 32;
  static constexpr std::uint32_t kEntries = 31;  // with the header a chunk is eight cache lines

  // The entries of chunk c have the places c * kStride + 1 and on. `next` and Bucket::end are behind the last entry of a
  // chunk, or 0: there is none.
  struct Chunk {
    std::uint32_t next = 0;
    std::uint32_t bucket = 0;
    std::uint64_t unused = 0;
    std::array<Entry, kEntries> entries;
  };
  struct Bucket {
    std::uint32_t end = 0;
    std::uint32_t count = 0;
    SimTime none_before = SimTime::zero();
  };

  Entry& entry(Place place) { return chunks_[place / kStride].entries[place % kStride - 1]; }
  static std::uint32_t begin_of(std::uint32_t end) { return (end - 1) / kStride * kStride + 1; }
  const Chunk& chunk_before(std::uint32_t end) const { return chunks_[(end - 1) / kStride]; }

  // Whoever empties a bucket looks at its events, which are anywhere in memory.
  void fetch_events(std::uint32_t end) const {
    if (end == 0) return;
    for (std::uint32_t place = begin_of(end); place < end; ++place)
      __builtin_prefetch((*this)[place].event, 1);
  }

  std::uint32_t open_chunk(std::uint32_t bucket, std::uint32_t next);
  void give_back(std::uint32_t end) { free_.push_back((end - 1) / kStride); }

  std::array<Bucket, kBuckets> buckets_{};
  std::vector<Chunk> chunks_;
  std::vector<std::uint32_t> free_;
};

}  // namespace simcore
