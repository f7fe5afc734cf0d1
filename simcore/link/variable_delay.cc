// SPDX-License-Identifier: MIT
#include "simcore/link/variable_delay.h"

#include <algorithm>
#include <utility>

#include "simcore/link/segment_runs.h"
#include "simcore/units/error.h"

namespace simcore {

void VariableDelay::change(DelayModel model, bool in_order, std::uint64_t after) {
  const std::uint64_t from = drawn_ + after;
  // One that no segment would meet.
  if (!changes_.empty() && changes_.back().from == from) changes_.pop_back();
  changes_.push_back({from, std::move(model), in_order});
}

void VariableDelay::check_change(std::uint64_t after) const {
  if (changes_.size() < kMostChanges || changes_.back().from == drawn_ + after) return;
  throw ConfigError(
      "change " + name_ + ": " + std::to_string(kMostChanges) +
      " changes wait for packets that are on their way; change it again when these have arrived");
}

VariableDelay::Fate VariableDelay::next_fate(const SegmentView& segment) {
  while (!changes_.empty() && changes_.front().from <= drawn_) {
    model_ = std::move(changes_.front().model);
    in_order_ = changes_.front().in_order;
    changes_.pop_front();
    ++change_;
  }
  ++drawn_;
  return {model_(random_, segment), change_};
}

void VariableDelay::give(PacketPtr piece, const Fate& fate) {
  if (fate.change != given_change_) {
    given_change_ = fate.change;
    not_before_ = latest_;
  }
  if (line_.held_bytes() >= pool_.share().count()) {
    pool_.count_refused_share(piece->segments);
    dropped_.add(DropReason::pool_share, piece->segments);
    return;
  }
  const SimTime release = std::max(piece->first_arrival + fate.delay, not_before_);
  latest_ = std::max(latest_, release);
  piece->last_arrival = piece->last_arrival + fate.delay;
  if (in_order_) {
    line_.push(std::move(piece), release);
  } else {
    line_.insert(std::move(piece), release);
  }
}

void VariableDelay::accept(PacketPtr packet) {
  accepted_ += packet->segments;
  const std::uint16_t lost = for_each_run(
      std::move(packet), pool_, [this](const SegmentView& segment) { return next_fate(segment); },
      [this](PacketPtr piece, const Fate& fate) { give(std::move(piece), fate); });
  if (lost > 0) dropped_.add(DropReason::pool_exhausted, lost);
}

void VariableDelay::look(LinkView& view) const {
  for (std::size_t place = 0; place < line_.packets(); ++place) {
    const Packet& packet = line_[place];
    if (!view.takes(LinkView::Place::delay, packet.segments)) continue;
    view.seen.push_back(
        {.place = LinkView::Place::delay, .arrives = packet.first_arrival, .packet = PacketView(packet)});
  }
}

}  // namespace simcore
