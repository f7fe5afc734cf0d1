// SPDX-License-Identifier: MIT
#include "simcore/trace/message_trace.h"

#include <algorithm>
#include <utility>

namespace simcore {

PacketSink& MessageTrace::tap(const std::string& place, PacketSink& next, FrameDirection direction) {
  taps_.push_back(std::make_unique<Tap>(*this, place, next, direction));
  return *taps_.back();
}

void MessageTrace::follow(const std::vector<std::string>& places) {
  for (const auto& tap : taps_) {
    tap->followed_ = places.empty() || std::ranges::find(places, tap->place_) != places.end();
  }
}

std::vector<MessageTrace::Message> MessageTrace::latest(std::uint64_t from, std::size_t most) const {
  const std::uint64_t shown = std::min<std::uint64_t>(most, ring_.size());
  std::vector<Message> messages;
  for (std::uint64_t number = std::max(from, written_ - shown); number < written_; ++number) {
    messages.push_back(ring_[number % most_]);
  }
  return messages;
}

void MessageTrace::write(const std::string& place, FrameDirection direction, const Packet& packet) {
  const Message message{written_, simulation_.now(), &place, direction, PacketView(packet)};
  if (ring_.size() < most_) {
    ring_.push_back(message);
  } else {
    ring_[written_ % most_] = message;
  }
  ++written_;
}

}  // namespace simcore
