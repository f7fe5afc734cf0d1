// SPDX-License-Identifier: MIT
//
// DelayLine: packets on their way, each with the instant at which it comes out.
//
// One pending event, that of the head, however many packets are in flight. Packets come out in the order of
// push(): one that would overtake the one before it comes out at the same instant as that one. Only insert()
// lets a packet overtake.
//
// Where the far end is in another partition, packets are given to the sink as they are pushed, ahead of that instant: it
// keeps them until then.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "simcore/kernel/simulation.h"
#include "simcore/link/ring.h"
#include "simcore/packet/packet.h"

namespace simcore {

class DelayLine {
 public:
  // Both must outlive the delay line.
  DelayLine(Simulation& simulation, PacketSink& sink) : simulation_(simulation), sink_(&sink) {}

  // From now on what comes out goes to `sink`, which must outlive the delay line.
  void lead_to(PacketSink& sink) { sink_ = &sink; }

  // From now on events say that it is there. `place` must outlive the delay line.
  void name(const std::string& place) { place_ = &place; }
  std::string place() const { return place_ == nullptr ? std::string() : *place_; }

  // What comes out at one instant comes in the order of ranks; see Event::set_rank. Before the first packet.
  void set_rank(std::uint64_t rank) { head_.set_rank(rank); }

  // From now on push() gives each packet to the sink at once, with first_arrival being the instant at which it would come
  // out. Before the first packet; nothing is inserted afterwards.
  void give_ahead() { ahead_ = true; }

  // Hands `packet` to the sink at `release` or when the one before it comes out, whichever is later. The
  // packet's first_arrival becomes that instant; its last_arrival moves with it if it would lie before.
  // Precondition: release >= now.
  void push(PacketPtr packet, SimTime release) {
    if (ahead_) [[unlikely]]
      return give(std::move(packet), release);
    release = last_release_ = std::max(release, last_release_);
    // Otherwise the event is pending, or deliver() sees to it.
    const bool first = line_.empty();
    append(std::move(packet), release);
    if (first) simulation_.schedule(head_, release);
  }

  // Hands `packet` to the sink at `release`, before all that come out later, after all others. Takes time in
  // proportion to the number of packets overtaken. Precondition: release >= now.
  void insert(PacketPtr packet, SimTime release);

  // The packet that `place` others follow. Whoever changes when it comes out, its first_arrival, or its
  // last_arrival, calls keep_order() before anything else happens. Precondition: place < packets().
  Packet& from_back(std::size_t place) { return *line_[line_.size() - 1 - place]; }

  // After changes to the last `changed` packets: none comes out before the one ahead of it.
  void keep_order(std::size_t changed);

  // Takes the last `count` packets out of the line, in their order. Precondition: count <= packets().
  std::vector<PacketPtr> take_back(std::size_t count);

  // In the order in which they come out. Precondition: place < packets().
  const Packet& operator[](std::size_t place) const { return *line_[place]; }

  // For what comes out next; see Event::fetch().
  void fetch(int step) const;

  bool empty() const { return line_.empty(); }
  std::size_t packets() const { return line_.size(); }
  std::uint64_t segments() const { return segments_; }     // of all packets in flight
  std::int64_t held_bytes() const { return held_bytes_; }  // of the pool, by all packets in flight

 private:
  void append(PacketPtr packet, SimTime release) {
    packet->first_arrival = release;
    packet->last_arrival = std::max(packet->last_arrival, release);
    segments_ += packet->segments;
    held_bytes_ += static_cast<std::int64_t>(packet->block_bytes());
    line_.push(std::move(packet));
  }

  void give(PacketPtr packet, SimTime release);
  void deliver();
  void fetch_ahead();
  void forget(const Packet& packet) {
    segments_ -= packet.segments;
    held_bytes_ -= static_cast<std::int64_t>(packet.block_bytes());
  }

  Simulation& simulation_;
  PacketSink* sink_;
  Ring<PacketPtr> line_;  // each packet's first_arrival is its release time
  std::uint64_t segments_ = 0;
  std::int64_t held_bytes_ = 0;
  const std::string* place_ = nullptr;  // null: nobody has said
  bool ahead_ = false;
  // When what came last comes out, or what was before it if that is gone: the packet itself may be far from the cache.
  SimTime last_release_ = SimTime::zero();
  EventFor<DelayLine, &DelayLine::deliver, "a packet arrives"> head_{*this};
};

}  // namespace simcore
