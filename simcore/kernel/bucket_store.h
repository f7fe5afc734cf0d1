// SPDX-License-Identifier: MIT
//
// BucketStore: unordered buckets of pending events that share their memory.
//
// A bucket is a list of chunks, all full but the first. Chunks that become empty go to a free list, last in first out,
// so the memory grows with the number of events that were here together, however they are spread over the buckets, and
// what is used is what the cache holds. An event is found by its place (chunk and position in it) and taken out by
// moving the bucket's last event into the gap.
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
    SimTime time = SimTime::zero();
    Event* event = nullptr;
  };
  using Place = std::uint64_t;

  static constexpr std::size_t kBuckets = 2'048;

  std::size_t count(std::size_t bucket) const { return buckets_[bucket].count; }

  std::size_t chunks() const { return chunks_.size(); }  // memory, in chunks of 512 bytes

  std::size_t bucket_of(Place place) const { return chunks_[place / kStride].bucket; }

  // Adds an event and returns its place, which holds until the event is taken out or another of its bucket is.
  Place add(std::size_t bucket, SimTime time, Event* event) {
    Bucket& b = buckets_[bucket];
    const std::size_t used = b.count++ % kEntries;
    if (used == 0) b.chunk = take_chunk(static_cast<std::uint32_t>(bucket), b.chunk);
    Chunk& chunk = chunks_[b.chunk];
    chunk.entries[used] = {time, event};
    return std::uint64_t{b.chunk} * kStride + used;
  }

  // Takes out the event at `place`. Returns the event that has moved there, or null when none has.
  Event* remove(Place place);

  // Calls visit(entry) for every event of the bucket.
  template <class Visit>
  void for_each(std::size_t bucket, Visit visit) const {
    std::size_t used = used_in_first(bucket);
    std::uint32_t at = buckets_[bucket].chunk;
    for (std::size_t left = buckets_[bucket].count; left > 0; left -= used, used = kEntries) {
      const Chunk& chunk = chunks_[at];
      for (std::size_t i = 0; i < used; ++i) visit(chunk.entries[i]);
      at = chunk.next;
      if (left == used) break;
    }
  }

  // Empties the bucket, calling visit(entry) for each of its events; `visit` may add to other buckets.
  template <class Visit>
  void drain(std::size_t bucket, Visit visit) {
    std::size_t used = used_in_first(bucket);
    std::uint32_t at = buckets_[bucket].chunk;
    std::size_t left = buckets_[bucket].count;
    buckets_[bucket].count = 0;
    while (left > 0) {
      // Whoever empties a bucket writes to its events, which are anywhere in memory.
      for (std::size_t i = 0; i < used; ++i) __builtin_prefetch(chunks_[at].entries[i].event, 1);
      for (std::size_t i = 0; i < used; ++i) visit(Entry(chunks_[at].entries[i]));
      left -= used;
      used = kEntries;
      const std::uint32_t next = chunks_[at].next;
      give_back(at);
      at = next;
    }
  }

 private:
  static constexpr std::size_t kStride = 32;
  static constexpr std::size_t kEntries = 31;  // with the header a chunk is eight cache lines

  struct Chunk {
    std::uint32_t next = 0;
    std::uint32_t bucket = 0;
    std::uint64_t unused = 0;
    std::array<Entry, kEntries> entries;
  };
  struct Bucket {
    std::uint32_t chunk = 0;
    std::uint32_t count = 0;
  };

  // Of a bucket that is not empty.
  std::size_t used_in_first(std::size_t bucket) const {
    return (buckets_[bucket].count + kEntries - 1) % kEntries + 1;
  }

  std::uint32_t take_chunk(std::uint32_t bucket, std::uint32_t next);
  void give_back(std::uint32_t chunk) { free_.push_back(chunk); }

  std::array<Bucket, kBuckets> buckets_{};
  std::vector<Chunk> chunks_;
  std::vector<std::uint32_t> free_;
};

}  // namespace simcore
