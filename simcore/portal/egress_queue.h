// SPDX-License-Identifier: MIT
//
// EgressQueue: what a portal has taken from the simulation and has not yet written to its device.
//
//   push() --> [ waits for its last segment ] --> [ ready ] --> pop()
//
// A train comes when its first segment arrives, and is written as one frame, so it waits until its last one
// has arrived. First in, first out; one pending event. What both parts hold together is bounded.
#pragma once

#include <cstdint>

#include "simcore/kernel/simulation.h"
#include "simcore/link/ring.h"
#include "simcore/packet/packet.h"
#include "simcore/packet/packet_pool.h"

namespace simcore {

class EgressQueue {
 public:
  // `simulation` must outlive the queue. `limit` is in segments.
  EgressQueue(Simulation& simulation, std::uint64_t limit) : simulation_(simulation), limit_(limit) {}

  // Takes `packet`, unless the queue would then hold more than its limit. False: the packet
  // is still the caller's.
  bool push(PacketPtr& packet);

  // The packets that may be written now, in order.
  std::size_t ready() const { return ready_.size(); }
  Packet& ready(std::size_t place) { return *ready_[place]; }

  // Takes out the first of them. Precondition: ready() > 0.
  PacketPtr pop();

  // Takes the first segment of the first of them, as a single frame. Null when the pool is exhausted; the
  // queue is then unchanged. Precondition: ready() > 0.
  PacketPtr pop_segment(PacketPool& pool);

  // Frees all of them.
  void clear();

  std::uint64_t segments() const { return segments_; }  // held now

 private:
  void release();

  Simulation& simulation_;
  std::uint64_t limit_;
  std::uint64_t segments_ = 0;
  Ring<PacketPtr> incomplete_;  // their last segments have yet to arrive
  Ring<PacketPtr> ready_;
  EventFor<EgressQueue, &EgressQueue::release> completed_{*this};
};

}  // namespace simcore
