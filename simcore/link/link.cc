// SPDX-License-Identifier: MIT
#include "simcore/link/link.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "simcore/units/error.h"
#include "simcore/wire/train.h"

namespace simcore {

namespace {

// A train shorter than this saves nothing; even on a slow link trains are not cut below it (unless train_limit is zero).
constexpr std::int64_t kFewSegments = 2;

std::string out_of_range(const std::string& name, const std::string& what) {
  return "make link " + name + ": " + what;
}

}  // namespace

Link::Link(Simulation& simulation, PacketPool& pool, std::string name, const Config& config, PacketSink& sink)
    : simulation_(simulation),
      pool_(pool),
      name_(std::move(name)),
      config_(config),
      far_end_(counters_, sink),
      line_(simulation, far_end_) {
  if (config.rate && config.rate->bits_per_second() < 1) {
    throw ConfigError(out_of_range(name_, "rate is " + std::to_string(config.rate->bits_per_second()) +
                                              " bit/s; it must be at least 1 bit/s, or absent for no limit"));
  }
  if (config.propagation_delay < Duration::zero()) {
    throw ConfigError(out_of_range(name_, "propagation delay is " +
                                              std::to_string(config.propagation_delay.count_ns()) +
                                              " ns; it must not be negative"));
  }
  if (config.queue_packets < 1) {
    throw ConfigError(out_of_range(name_, "queue holds " + std::to_string(config.queue_packets) +
                                              " packets; it must hold at least 1, the one on the wire"));
  }
}

void Link::accept(PacketPtr packet) {
  counters_.accepted_packets += packet->segments;
  counters_.accepted_bytes += static_cast<std::uint64_t>(packet->wire_size().count());
  if (!config_.rate) {
    const SimTime last = packet->last_arrival + config_.propagation_delay;
    const SimTime first = packet->first_arrival + config_.propagation_delay;
    packet->last_arrival = last;
    line_.push(std::move(packet), first);
    return;
  }
  forget_departed();
  const std::uint16_t room = room_for(*packet);
  if (room < packet->segments) {
    counters_.dropped.add(DropReason::queue_full, static_cast<std::uint64_t>(packet->segments - room));
    if (room == 0) return;
    drop_back(*packet, static_cast<std::uint16_t>(packet->segments - room));
  }
  const std::uint16_t longest = longest_train(*packet);
  while (packet->segments > longest) {
    PacketPtr front = split_front(*packet, longest, pool_);
    if (!front) {
      counters_.dropped.add(DropReason::pool_exhausted, packet->segments);
      return;
    }
    send(std::move(front));
  }
  send(std::move(packet));
}

std::int64_t Link::backlog_packets() {
  forget_departed();
  return backlog_segments_;
}

ByteCount Link::backlog_bytes() {
  forget_departed();
  return ByteCount::bytes(backlog_bytes_);
}

void Link::forget_departed() {
  while (!waiting_.empty() && waiting_.front().departed <= simulation_.now()) {
    const Waiting gone = waiting_.pop();
    backlog_segments_ -= gone.segments;
    backlog_bytes_ -= gone.bytes;
  }
}

// How many segments of `packet` the queue takes.
std::uint16_t Link::room_for(const Packet& packet) const {
  std::int64_t room = config_.queue_packets - backlog_segments_;
  if (config_.queue_bytes) {
    const std::int64_t segment = largest_segment(packet) + config_.overhead.count();
    room = std::min(room, (config_.queue_bytes->count() - backlog_bytes_) / segment);
  }
  return static_cast<std::uint16_t>(std::clamp<std::int64_t>(room, 0, packet.segments));
}

// How many segments may stay together on this link.
std::uint16_t Link::longest_train(const Packet& packet) const {
  if (packet.segments == 1) return 1;
  if (config_.train_limit == Duration::zero()) return 1;
  const ByteCount segment = ByteCount::bytes(largest_segment(packet)) + config_.overhead;
  const std::int64_t fit = config_.train_limit / serialization(segment, *config_.rate);
  return static_cast<std::uint16_t>(std::clamp<std::int64_t>(fit, kFewSegments, packet.segments));
}

void Link::send(PacketPtr packet) {
  const ByteCount size = packet->wire_size() + config_.overhead * packet->segments;
  const ByteCount last_segment = ByteCount::bytes(size.count() / packet->segments);
  const SimTime start = std::max(link_free_, packet->first_arrival);
  const SimTime last_arrival = packet->last_arrival;

  const SimTime busy_until = occupy_wire(packet->first_arrival, size.bits());
  const Duration one_segment = serialization(last_segment, *config_.rate);
  const SimTime first_departure = packet->segments == 1 ? busy_until : start + one_segment;
  const SimTime last_departure =
      packet->segments == 1 ? busy_until : std::max(busy_until, last_arrival + one_segment);

  waiting_.push({busy_until, packet->segments, size.count()});
  backlog_segments_ += packet->segments;
  backlog_bytes_ += size.count();

  packet->last_arrival = last_departure + config_.propagation_delay;
  line_.push(std::move(packet), first_departure + config_.propagation_delay);
}

// Keeps the wire busy with `bits` from `arrival` or from when it is free; returns when it is free again, rounded up.
SimTime Link::occupy_wire(SimTime arrival, std::int64_t bits) {
  const std::int64_t rate = config_.rate->bits_per_second();
  if (arrival >= link_free_) {
    link_free_ = arrival;
    free_fraction_ = 0;
  }
  const std::int64_t work = bits * 1'000'000'000 - free_fraction_;
  const std::int64_t whole = (work + rate - 1) / rate;
  free_fraction_ = whole * rate - work;
  link_free_ = link_free_ + Duration::ns(whole);
  return link_free_;
}

void Link::FarEnd::accept(PacketPtr packet) {
  counters_.delivered_packets += packet->segments;
  counters_.delivered_bytes += static_cast<std::uint64_t>(packet->wire_size().count());
  sink_.accept(std::move(packet));
}

}  // namespace simcore
