// SPDX-License-Identifier: MIT
#include "simcore/portal/peering_lane.h"

#include <algorithm>
#include <utility>

namespace simcore::peering {

Lane::Lane(std::size_t number, Transport& transport, const PeeringSender::Config& config,
           std::function<SimTime()> wall_now, LaneSink& sink)
    : number_(number), transport_(transport), sender_(transport_, config, std::move(wall_now)), sink_(sink) {}

void Lane::take_piece(const PieceHeader& header, std::span<const std::uint8_t> payload) {
  switch (reassembly_.take(header, payload)) {
    case Reassembly::Outcome::taken:
      break;
    case Reassembly::Outcome::duplicate:
      dropped_.add(DropReason::duplicate, 1);
      break;
    case Reassembly::Outcome::late:
      dropped_.add(DropReason::late_datagram, 1);
      break;
    case Reassembly::Outcome::too_early:
      dropped_.add(DropReason::early_datagram, 1);
      break;
    case Reassembly::Outcome::malformed:
      dropped_.add(DropReason::malformed, 1);
      break;
  }
}

void Lane::take_batch(const PieceHeader& header, std::span<const std::uint8_t> body) {
  ++received_batches_;
  const std::uint32_t segments = sink_.take_batch(number_, header, body);
  received_ += segments;
  if (segments < header.segments) dropped_.add(DropReason::malformed, 1);
}

void Lane::begin_session(const LaneSent& sent) {
  lost_before_ = lost_segments();
  received_before_ += received_;
  received_ = 0;
  first_ = told_ = sent.segments;
  reassembly_.begin(sent);
}

void Lane::told(const LaneSent& sent) {
  told_ = sent.segments;
  reassembly_.told(sent);
}

std::uint64_t Lane::lost_in_session() const {
  const std::uint64_t known = std::max(reassembly_.segments_known(), told_);
  const std::uint64_t here = first_ + received_ + reassembly_.pending_segments();
  return known > here ? known - here : 0;
}

std::uint64_t Lane::lost_segments() const { return lost_before_ + lost_in_session(); }

}  // namespace simcore::peering
