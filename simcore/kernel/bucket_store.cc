// SPDX-License-Identifier: MIT
#include "simcore/kernel/bucket_store.h"

namespace simcore {

Event* BucketStore::remove(Place place) {
  const auto at = static_cast<std::uint32_t>(place / kStride);
  Bucket& bucket = buckets_[chunks_[at].bucket];
  const std::uint32_t first = bucket.chunk;
  const std::size_t last = --bucket.count % kEntries;
  const Entry moved = chunks_[first].entries[last];
  chunks_[at].entries[place % kStride] = moved;
  const bool is_last = at == first && place % kStride == last;
  if (last == 0) {
    bucket.chunk = chunks_[first].next;
    give_back(first);
  }
  return is_last ? nullptr : moved.event;
}

std::uint32_t BucketStore::take_chunk(std::uint32_t bucket, std::uint32_t next) {
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
  return taken;
}

}  // namespace simcore
