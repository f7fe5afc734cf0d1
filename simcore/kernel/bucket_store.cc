// SPDX-License-Identifier: MIT
#include "simcore/kernel/bucket_store.h"

namespace simcore {

Event* BucketStore::remove(Place place) {
  Bucket& bucket = buckets_[bucket_of(place)];
  const std::uint32_t last = bucket.end - 1;
  const Entry moved = entry(last);
  entry(place) = moved;
  --bucket.count;
  if (last == begin_of(bucket.end)) {
    bucket.end = chunk_before(bucket.end).next;
    give_back(last);
  } else {
    bucket.end = last;
  }
  return place == last ? nullptr : moved.event;
}

std::uint32_t BucketStore::open_chunk(std::uint32_t bucket, std::uint32_t next) {
  std::uint32_t taken;
  if (free_.empty()) {
    taken = static_cast<std::uint32_t>(chunks_.size());
    chunks_.emplace_back();
  } else {
    taken = free_.back();
    free_.pop_back();
  }
  chunks_[taken].bucket = bucket;
  chunks_[taken].next = next;
  return taken * kStride + 1;
}

}  // namespace simcore
