// SPDX-License-Identifier: MIT
#include "simcore/link/delay_line.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace simcore {

namespace {

constexpr std::size_t kAhead = 6;  // packets: about as many as are delivered during one access to memory
constexpr std::size_t kCacheLine = 64;
constexpr std::size_t kLargestFetched = 2'048;  // bytes; the processor finds the rest of a train by itself

}  // namespace

void DelayLine::insert(PacketPtr packet, SimTime release) {
  append(std::move(packet), release);
  last_release_ = std::max(last_release_, release);
  std::size_t place = line_.size() - 1;
  for (; place > 0 && line_[place - 1]->first_arrival > release; --place) {
    std::swap(line_[place - 1], line_[place]);
  }
  if (place == 0) simulation_.schedule(head_, release);
}

void DelayLine::keep_order(std::size_t changed) {
  if (line_.empty()) return;
  for (std::size_t place = line_.size() - changed; place < line_.size(); ++place) {
    Packet& packet = *line_[place];
    if (place > 0) packet.first_arrival = std::max(packet.first_arrival, line_[place - 1]->first_arrival);
    packet.last_arrival = std::max(packet.last_arrival, packet.first_arrival);
  }
  last_release_ = line_.back()->first_arrival;
  simulation_.schedule(head_, line_.front()->first_arrival);
}

std::vector<PacketPtr> DelayLine::take_back(std::size_t count) {
  std::vector<PacketPtr> taken(count);
  for (std::size_t place = count; place-- > 0;) {
    taken[place] = line_.pop_back();
    forget(*taken[place]);
  }
  if (line_.empty()) simulation_.cancel(head_);
  last_release_ = line_.empty() ? SimTime::zero() : line_.back()->first_arrival;
  return taken;
}

// What came out before `release` does not hold it back, so there is no need to know whether it has.
void DelayLine::give(PacketPtr packet, SimTime release) {
  last_release_ = std::max(last_release_, release);
  packet->first_arrival = last_release_;
  packet->last_arrival = std::max(packet->last_arrival, last_release_);
  sink_->accept(std::move(packet));
}

// What comes out next is delivered at once when it is what happens next anyway. That is known only when the sink has done
// what it does, so the event is not pending until then.
void DelayLine::deliver() {
  do {
    fetch_ahead();
    PacketPtr packet = line_.pop();
    forget(*packet);
    sink_->accept(std::move(packet));
    if (line_.empty() || head_.pending()) return;
  } while (simulation_.go_on_to(line_.front()->first_arrival));
  simulation_.schedule(head_, line_.front()->first_arrival);
}

void DelayLine::fetch(int step) const {
  if (step == 0) {
    __builtin_prefetch(&line_.front());
    __builtin_prefetch(sink_);
    return;
  }
  if (step == 1) {
    const auto* const packet = reinterpret_cast<const std::byte*>(line_.front().get());
    __builtin_prefetch(packet, 1);
    __builtin_prefetch(packet + kCacheLine);
    if (line_.size() > 1) __builtin_prefetch(line_[1].get());  // which says when it comes out
  }
  sink_->expect(step);
}

// A long line does not fit into the cache; but who comes out when is known.
void DelayLine::fetch_ahead() {
  if (line_.size() <= 2 * kAhead) return;
  __builtin_prefetch(line_[2 * kAhead].get(), 1);
  const std::span<const std::uint8_t> bytes = line_[kAhead]->bytes();
  const std::size_t fetched = std::min(bytes.size(), kLargestFetched);
  // The first of them lie beside the Packet.
  for (std::size_t at = kCacheLine - sizeof(Packet); at < fetched; at += kCacheLine) {
    __builtin_prefetch(bytes.data() + at);
  }
}

}  // namespace simcore
