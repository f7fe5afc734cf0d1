// SPDX-License-Identifier: MIT
#include "simcore/portal/peering_reassembly.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace simcore::peering {

Reassembly::Outcome Reassembly::take(const PieceHeader& header, std::span<const std::uint8_t> payload) {
  if (header.batch < next_) {
    if (was_handed_on(header.batch)) return Outcome::duplicate;
    if (!confirmed(header.batch, kRunLate)) return Outcome::late;
    move_to(header);
  } else if (header.batch >= std::max(beyond_, told_twice_) + kWindow) {
    if (!confirmed(header.batch, kRunAhead)) return Outcome::too_early;
    move_to(header);
  } else if (header.batch >= next_ + kWindow) {
    give_up_before(header.batch - kWindow + 1);
  }
  run_length_ = 0;
  segments_known_ = std::max(segments_known_, header.first_segment + header.segments);
  beyond_ = std::max(beyond_, header.batch + 1);

  Slot& s = slot(header.batch);
  if (header.batch == next_ && !s.used && header.pieces() == 1) {
    sink_.take_batch(header, payload);
    pass_next(true);
    hand_on_complete();
    return Outcome::taken;
  }
  if (!s.used) {
    s.used = true;
    s.header = header;
    s.pieces = 0;
    s.came.reset();
    take_memory(s, header.body_size);
    pending_segments_ += header.segments;
  } else if (!s.header.same_batch(header)) {
    return Outcome::malformed;
  } else if (s.came[header.index]) {
    return Outcome::duplicate;
  }
  std::memcpy(s.body.data() + header.offset(), payload.data(), payload.size());
  s.came.set(header.index);
  ++s.pieces;
  hand_on_complete();
  return Outcome::taken;
}

void Reassembly::begin(const LaneSent& sent) {
  for (Slot& s : slots_) s.used = false;
  handed_on_.reset();
  pending_segments_ = 0;
  next_ = beyond_ = told_ = told_twice_ = sent.batches;
  segments_known_ = sent.segments;
  run_length_ = 0;
  contradicted_ = 0;
}

void Reassembly::told(const LaneSent& sent) {
  told_twice_ = std::min(told_, sent.batches);
  told_ = sent.batches;
  if (next_ > sent.batches) {  // or the message was overtaken
    if (++contradicted_ == kRunAhead) begin(sent);
    return;
  }
  contradicted_ = 0;
  if (sent.batches >= beyond_) segments_known_ = sent.segments;
}

// Whether `batch`, which lies outside of the window, is the last of `run` with consecutive numbers.
bool Reassembly::confirmed(std::uint64_t batch, std::size_t run) {
  if (run_length_ > 0 && batch == run_last_) return false;  // another piece of it
  run_length_ = run_length_ > 0 && batch == run_last_ + 1 ? run_length_ + 1 : 1;
  run_last_ = batch;
  return run_length_ >= run;
}

// The window begins anew with this batch.
void Reassembly::move_to(const PieceHeader& header) {
  give_up_before(beyond_);
  handed_on_.reset();
  next_ = beyond_ = header.batch;
  segments_known_ = header.first_segment;
}

std::optional<Reassembly::Held> Reassembly::first_held() const {
  for (std::uint64_t batch = next_; batch < beyond_; ++batch) {
    const Slot& s = slot(batch);
    if (s.complete()) return Held{batch, s.header.base_time_ns};
  }
  return std::nullopt;
}

void Reassembly::give_up_before(std::uint64_t batch) {
  while (next_ < std::min(batch, beyond_)) finish_next();
  if (next_ < batch) {  // nothing came of what lies between
    handed_on_.reset();
    next_ = beyond_ = batch;
  }
  hand_on_complete();
}

bool Reassembly::was_handed_on(std::uint64_t batch) const {
  return next_ - batch <= kWindow && handed_on_[batch % kWindow];
}

void Reassembly::pass_next(bool handed_on) {
  handed_on_.set(next_ % kWindow, handed_on);
  ++next_;
}

void Reassembly::hand_on_complete() {
  while (next_ < beyond_ && slot(next_).complete()) finish_next();
}

// Hands the next batch on if it is complete, gives it up if not.
void Reassembly::finish_next() {
  Slot& s = slot(next_);
  const bool complete = s.complete();
  if (complete) sink_.take_batch(s.header, std::span<const std::uint8_t>(s.body).first(s.header.body_size));
  if (s.used) {
    pending_segments_ -= s.header.segments;
    spare_.push_back(std::move(s.body));
  }
  s.used = false;
  pass_next(complete);
}

// The latest that was in use: the processor's caches hold it.
void Reassembly::take_memory(Slot& s, std::size_t size) {
  if (!spare_.empty()) {
    s.body = std::move(spare_.back());
    spare_.pop_back();
  }
  if (s.body.size() < size) s.body.resize(size);
}

}  // namespace simcore::peering
