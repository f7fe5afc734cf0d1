// SPDX-License-Identifier: MIT
#include "simcore/link/delay_line.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace simcore {

namespace {
constexpr std::size_t kAhead = 8;  // packets, about as many as are delivered during one access to memory
}

void DelayLine::push(PacketPtr packet, SimTime release) {
  if (!line_.empty()) release = std::max(release, line_.back()->first_arrival);
  append(std::move(packet), release);
  if (!head_.pending()) simulation_.schedule(head_, release);
}

void DelayLine::insert(PacketPtr packet, SimTime release) {
  append(std::move(packet), release);
  std::size_t place = line_.size() - 1;
  for (; place > 0 && line_[place - 1]->first_arrival > release; --place) {
    std::swap(line_[place - 1], line_[place]);
  }
  if (place == 0) simulation_.schedule(head_, release);
}

void DelayLine::append(PacketPtr packet, SimTime release) {
  packet->first_arrival = release;
  packet->last_arrival = std::max(packet->last_arrival, release);
  segments_ += packet->segments;
  line_.push(std::move(packet));
}

void DelayLine::deliver() {
  // A long line does not fit into the cache; its packets come back in an order that is known.
  if (line_.size() > kAhead) {
    const auto* const coming = reinterpret_cast<const char*>(line_[kAhead].get());
    __builtin_prefetch(coming, 1);
    __builtin_prefetch(coming + 64, 1);
  }
  PacketPtr packet = line_.pop();
  segments_ -= packet->segments;
  if (!line_.empty()) simulation_.schedule(head_, line_.front()->first_arrival);
  sink_.accept(std::move(packet));
}

}  // namespace simcore
