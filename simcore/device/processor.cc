// SPDX-License-Identifier: MIT
#include "simcore/device/processor.h"

#include <algorithm>
#include <string>
#include <utility>

#include "simcore/device/node.h"
#include "simcore/packet/train.h"
#include "simcore/units/error.h"

namespace simcore {

Processor::Processor(Simulation& simulation, Node& node, const Config& config)
    : simulation_(simulation), node_(node), config_(config) {
  const std::string attempt = "make the processor of " + node.name() + ": ";
  if (config_.delay <= Duration::zero()) {
    throw ConfigError(attempt + "the processing delay is " + std::to_string(config_.delay.count_ns()) +
                      " ns; it must be above 0, and without one there is no processor");
  }
  if (config_.queue_packets < 1) {
    throw ConfigError(attempt + "its queue holds " + std::to_string(config_.queue_packets) +
                      " packets; it must hold at least 1");
  }
}

void Processor::accept(Interface& arrival, PacketPtr packet) {
  forget_handled();
  const std::int64_t room = config_.queue_packets - packets_;
  if (room <= 0) return node_.drop(DropReason::processor_full, *packet);
  if (packet->segments > room) {
    const auto excess = static_cast<std::uint16_t>(packet->segments - room);
    node_.dropped().add(DropReason::processor_full, excess);
    drop_back(*packet, excess);
  }
  packets_ += packet->segments;
  // The last segment is done when the one before it is and it has come, whichever is later.
  const SimTime first = std::max(free_, packet->first_arrival) + config_.delay;
  const SimTime last =
      std::max(first + config_.delay * (packet->segments - 1), packet->last_arrival + config_.delay);
  packet->first_arrival = first;
  packet->last_arrival = last;
  free_ = last;
  jobs_.push({std::move(packet), &arrival});
  if (!finish_.pending()) simulation_.schedule(finish_, first);
}

std::string Processor::place() const { return node_.name(); }

void Processor::finish() {
  Job job = jobs_.pop();
  handled_.push({job.packet->last_arrival, job.packet->segments});
  if (!jobs_.empty()) simulation_.schedule(finish_, jobs_.front().packet->first_arrival);
  node_.receive(*job.arrival, std::move(job.packet));
}

std::uint64_t Processor::held_segments() const {
  std::uint64_t held = 0;
  for (std::size_t place = 0; place < jobs_.size(); ++place) held += jobs_[place].packet->segments;
  return held;
}

std::uint64_t Processor::drop_from(const Interface& arrival) {
  std::uint64_t dropped = 0;
  Ring<Job> kept;
  while (!jobs_.empty()) {
    Job job = jobs_.pop();
    if (job.arrival == &arrival) {
      dropped += job.packet->segments;
      packets_ -= job.packet->segments;
    } else {
      kept.push(std::move(job));
    }
  }
  jobs_ = std::move(kept);
  if (jobs_.empty()) {
    simulation_.cancel(finish_);
  } else {
    simulation_.schedule(finish_, jobs_.front().packet->first_arrival);
  }
  return dropped;
}

void Processor::forget_handled() {
  while (!handled_.empty() && handled_.front().done <= simulation_.now()) {
    packets_ -= handled_.front().packets;
    handled_.drop_front();
  }
}

}  // namespace simcore
