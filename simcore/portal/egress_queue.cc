// SPDX-License-Identifier: MIT
#include "simcore/portal/egress_queue.h"

#include <utility>

#include "simcore/packet/train.h"

namespace simcore {

bool EgressQueue::push(PacketPtr& packet) {
  if (segments_ + packet->segments > limit_) return false;
  segments_ += packet->segments;
  if (incomplete_.empty() && packet->last_arrival <= simulation_.now()) {
    ready_.push(std::move(packet));
    return true;
  }
  if (incomplete_.empty()) simulation_.schedule(completed_, packet->last_arrival);
  incomplete_.push(std::move(packet));
  return true;
}

PacketPtr EgressQueue::pop() {
  PacketPtr packet = ready_.pop();
  segments_ -= packet->segments;
  return packet;
}

PacketPtr EgressQueue::pop_segment(PacketPool& pool) {
  if (ready_.front()->segments == 1) return pop();
  PacketPtr segment = split_front(*ready_.front(), 1, pool);
  if (segment) --segments_;
  return segment;
}

void EgressQueue::clear() {
  simulation_.cancel(completed_);
  incomplete_ = {};
  ready_ = {};
  segments_ = 0;
}

// The first of the incomplete ones is complete, and with it every one behind that is not longer under way.
void EgressQueue::release() {
  while (!incomplete_.empty() && incomplete_.front()->last_arrival <= simulation_.now()) {
    ready_.push(incomplete_.pop());
  }
  if (!incomplete_.empty()) simulation_.schedule(completed_, incomplete_.front()->last_arrival);
}

}  // namespace simcore
