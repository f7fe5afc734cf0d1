// SPDX-License-Identifier: MIT
#include "simcore/tcp/reassembly.h"

#include <algorithm>
#include <cassert>

namespace simcore {

Reassembly::Taken Reassembly::take(std::int64_t position, std::int64_t length,
                                   std::span<const std::uint8_t> data) {
  Taken taken;
  const Range all{position, position + length};
  if (all.right <= next_) {
    taken.duplicate = length;
    if (length > 0) duplicate_ = all;
    return taken;
  }
  if (all.left < next_) {
    taken.duplicate = next_ - all.left;
    duplicate_ = Range{all.left, next_};
  }
  const Range fresh{std::max(all.left, next_), all.right};
  if (fresh.left > next_) {
    insert(fresh, taken);
    if (taken.refused) {
      ++refused_;
      return taken;
    }
    store(position, length, data);
    return taken;
  }
  store(position, length, data);
  const std::int64_t before = next_;
  next_ = fresh.right;
  std::size_t joined = 0;
  while (joined < ranges_.size() && ranges_[joined].left <= next_) {
    const Range& held = ranges_[joined];
    // What it brings again of what lay behind the gap (RFC 2883 section 4.2; Linux: tcp_ofo_queue).
    const Range again{held.left, std::min(held.right, fresh.right)};
    if (again.left < again.right) {
      if (taken.duplicate == 0) duplicate_ = again;
      taken.duplicate += again.right - again.left;
    }
    next_ = std::max(next_, held.right);
    ++joined;
  }
  if (joined > 0) {
    ranges_.erase(ranges_.begin(), ranges_.begin() + static_cast<std::ptrdiff_t>(joined));
    taken.filled_gap = true;
  }
  taken.in_order = next_ - before;
  return taken;
}

void Reassembly::store(std::int64_t position, std::int64_t length, std::span<const std::uint8_t> data) {
  if (!keep_) return;
  const std::int64_t skip = std::max<std::int64_t>(0, next_ - position);
  position += skip;
  length -= skip;
  data = data.subspan(std::min(data.size(), static_cast<std::size_t>(skip)));
  data = data.first(std::min(data.size(), static_cast<std::size_t>(length)));
  bytes_.reserve(read_, position + length);
  bytes_.store(position, data);
  const auto stored = static_cast<std::int64_t>(data.size());
  bytes_.store_zeros(position + stored, length - stored);
}

// Puts an out-of-order range in, merged with those it touches.
void Reassembly::insert(Range range, Taken& taken) {
  // The first range that ends at or after our left, and the first that begins after our right: between lie the touched.
  auto first = std::lower_bound(ranges_.begin(), ranges_.end(), range.left,
                                [](const Range& r, std::int64_t left) { return r.right < left; });
  auto last = first;
  while (last != ranges_.end() && last->left <= range.right) {
    const std::int64_t overlap = std::min(last->right, range.right) - std::max(last->left, range.left);
    if (overlap > 0 && taken.duplicate == 0) {
      duplicate_ = Range{std::max(last->left, range.left), std::min(last->right, range.right)};
    }
    taken.duplicate += std::max<std::int64_t>(overlap, 0);
    ++last;
  }
  if (first == last) {
    if (ranges_.size() >= limit_) {
      taken.refused = true;
      return;
    }
    ranges_.insert(first, range);
  } else {
    first->left = std::min(first->left, range.left);
    first->right = std::max((last - 1)->right, range.right);
    ranges_.erase(first + 1, last);
  }
  remember(range.left);
}

// Moves the range that holds `position` to the front of the recent ones.
void Reassembly::remember(std::int64_t position) {
  const Range* range = range_with(position);
  std::uint8_t kept = 0;
  std::array<std::int64_t, SackBlocks::kMost> order{};
  order[kept++] = position;
  for (std::uint8_t i = 0; i < recent_count_ && kept < order.size(); ++i) {
    const bool same = recent_[i] >= range->left && recent_[i] < range->right;
    if (!same && recent_[i] >= next_) order[kept++] = recent_[i];
  }
  recent_ = order;
  recent_count_ = kept;
}

const Reassembly::Range* Reassembly::range_with(std::int64_t position) const {
  const auto after = std::upper_bound(ranges_.begin(), ranges_.end(), position,
                                      [](std::int64_t p, const Range& r) { return p < r.left; });
  if (after == ranges_.begin()) return nullptr;
  const Range& candidate = *(after - 1);
  return position < candidate.right ? &candidate : nullptr;
}

std::int64_t Reassembly::read(std::span<std::uint8_t> out) {
  assert(keep_);
  const std::int64_t count = std::min<std::int64_t>(static_cast<std::int64_t>(out.size()), unread());
  if (count == 0) return 0;
  bytes_.load(read_, out.first(static_cast<std::size_t>(count)));
  read_ += count;
  return count;
}

std::int64_t Reassembly::discard(std::int64_t bytes) {
  const std::int64_t count = std::min(bytes, unread());
  read_ += count;
  return count;
}

SackBlocks Reassembly::sack_blocks(std::size_t most, SeqNum initial) {
  SackBlocks blocks;
  most = std::min(most, SackBlocks::kMost);
  if (duplicate_ && most > 0) blocks.add({wrap(duplicate_->left, initial), wrap(duplicate_->right, initial)});
  duplicate_.reset();
  for (std::uint8_t i = 0; i < recent_count_ && blocks.count < most; ++i) {
    const Range* range = range_with(recent_[i]);
    if (range != nullptr) blocks.add({wrap(range->left, initial), wrap(range->right, initial)});
  }
  return blocks;
}

}  // namespace simcore
