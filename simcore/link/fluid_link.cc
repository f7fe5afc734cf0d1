// SPDX-License-Identifier: MIT
#include "simcore/link/fluid_link.h"

#include <cmath>
#include <utility>

#include "simcore/link/ecn.h"
#include "simcore/link/framing.h"
#include "simcore/packet/train.h"

namespace simcore {

FluidLink::FluidLink(Simulation& simulation, PacketPool& pool, const std::string& name, const Config& config,
                     std::unique_ptr<BackgroundSource> source, PacketSink& sink)
    : simulation_(simulation),
      pool_(pool),
      name_(name),
      config_(config),
      queue_(config.queue, std::move(source), simulation.stream(name + "/background places"),
             simulation.now()),
      sink_(sink),
      waiting_(simulation, exit_),
      arriving_(simulation, entrance_),
      most_held_bytes_(pool.share().count()) {
  waiting_.name(name_);
  arriving_.name(name_);
}

void FluidLink::count(const Packet& packet) {
  counters_.accepted_packets += packet.segments;
  counters_.accepted_bytes += static_cast<std::uint64_t>(packet.wire_size().count());
}

void FluidLink::accept(PacketPtr packet) {
  count(*packet);
  take_apart(std::move(packet));
}

void FluidLink::take_apart(PacketPtr packet) {
  while (packet->segments > 1) {
    PacketPtr first = split_front(*packet, 1, pool_);
    if (!first) return drop(*packet, DropReason::pool_exhausted);
    enter(std::move(first));
  }
  enter(std::move(packet));
}

void FluidLink::enter(PacketPtr packet) {
  const SimTime now = simulation_.now();
  const SimTime arrival = packet->first_arrival;
  if (arrival > now) return arriving_.insert(std::move(packet), arrival);
  if (waiting_.held_bytes() >= most_held_bytes_) [[unlikely]] {
    pool_.count_refused_share(packet->segments);
    return drop(*packet, DropReason::pool_share);
  }
  if (red_ && red_->chosen(now, waiting_bytes())) {
    if (!red_->config().ecn || !mark_congestion(*packet)) return drop(*packet, DropReason::aqm);
    ++marked_;
  }
  const auto place = queue_.admit(framed(packet->wire_size(), config_.overhead), now);
  if (!place) return drop(*packet, DropReason::queue_full);
  send(std::move(packet), *place);
}

void FluidLink::send(PacketPtr packet, FluidQueue::Place place) {
  const SimTime now = simulation_.now();
  waits_.push({now, place.begins, queue_.packets(now) - 1});
  packet->first_arrival = packet->last_arrival = place.departs;
  waiting_.push(std::move(packet), place.departs);
}

void FluidLink::leave(PacketPtr packet) {
  const Wait wait = waits_.front();
  waits_.drop_front();
  if (watcher_ != nullptr) {
    watcher_->waited(std::max(wait.begins - wait.arrived, Duration::zero()), wait.others, packet->segments);
  }
  counters_.delivered_packets += packet->segments;
  counters_.delivered_bytes += static_cast<std::uint64_t>(packet->wire_size().count());
  packet->last_arrival = packet->first_arrival;
  sink_.accept(std::move(packet));
}

void FluidLink::change(const Config& config) {
  const SimTime now = simulation_.now();
  queue_.change(config.queue, now);
  config_ = config;
  // One that leaves at this very instant may have left the queue and still be here; those behind it are the same.
  const auto behind = static_cast<std::size_t>(queue_.packets(now));
  for (std::size_t place = 0; place < behind; ++place) {
    const FluidQueue::Place times = queue_.place(place);
    Packet& packet = waiting_.from_back(behind - 1 - place);
    packet.first_arrival = packet.last_arrival = times.departs;
    waits_[waits_.size() - behind + place].begins = times.begins;
  }
  waiting_.keep_order(behind);
}

void FluidLink::change_source(std::unique_ptr<BackgroundSource> source) {
  queue_.change_source(std::move(source), simulation_.now());
}

void FluidLink::pass(std::int64_t bits_per_second, std::int64_t lost) {
  const std::int64_t dropped = std::llround(static_cast<double>(bits_per_second) * dropped_share_);
  queue_.pass(bits_per_second - dropped, lost + dropped, simulation_.now());
}

FluidFeedback FluidLink::observe() {
  const SimTime now = simulation_.now();
  if (red_) {
    const std::int64_t offered = queue_.counters(now).offered_bytes;
    const std::int64_t came = offered - std::exchange(seen_bytes_, offered);
    dropped_share_ =
        red_->flow(now, static_cast<double>(came) / static_cast<double>(FluidQueue::kPacketSize.count()),
                   waiting_bytes());
  }
  return queue_.observe(now);
}

void FluidLink::control(std::unique_ptr<RedControl> red) {
  red_ = std::move(red);
  dropped_share_ = 0.0;
  seen_bytes_ = background().offered_bytes;
  if (red_) red_->begin_with(waiting_bytes());
}

// Of packets and fluid.
ByteCount FluidLink::waiting_bytes() {
  return carried(config_.queue.rate, queue_.waiting(simulation_.now()));
}

Backlog FluidLink::hand_over() {
  const SimTime now = simulation_.now();
  const auto behind = static_cast<std::size_t>(queue_.packets(now));
  Backlog backlog;
  backlog.transmitter_free = now;
  const bool sending = behind > 0 && queue_.place(0).begins <= now;
  backlog.waiting = waiting_.take_back(behind - (sending ? 1 : 0));
  if (sending) {
    backlog.transmitter_free = queue_.place(0).departs;
    backlog.sending = std::move(waiting_.take_back(1).front());
  }
  for (std::size_t packet = 0; packet < behind; ++packet) waits_.pop_back();
  backlog.arriving = arriving_.take_back(arriving_.packets());
  const auto forget = [this](const Packet& packet) {
    counters_.accepted_packets -= packet.segments;
    counters_.accepted_bytes -= static_cast<std::uint64_t>(packet.wire_size().count());
  };
  if (backlog.sending) forget(*backlog.sending);
  for (const PacketPtr& packet : backlog.arriving) forget(*packet);
  for (const PacketPtr& packet : backlog.waiting) {
    forget(*packet);
    packet->first_arrival = packet->last_arrival = now;
  }
  queue_.clear(now);
  return backlog;
}

void FluidLink::take_over(Backlog backlog) {
  const SimTime now = simulation_.now();
  queue_.block_until(backlog.transmitter_free, now);
  const auto hold = [this, now](PacketPtr one) {
    const FluidQueue::Place place = queue_.hold(framed(one->wire_size(), config_.overhead), now);
    send(std::move(one), place);
  };
  for (PacketPtr& packet : backlog.waiting) {
    count(*packet);
    while (packet->segments > 1) {
      PacketPtr one = split_front(*packet, 1, pool_);
      if (!one) break;
      hold(std::move(one));
    }
    if (packet->segments > 1) {
      drop(*packet, DropReason::pool_exhausted);
    } else {
      hold(std::move(packet));
    }
  }
  for (PacketPtr& packet : backlog.arriving) {
    count(*packet);
    take_apart(std::move(packet));
  }
}

void FluidLink::look(LinkView& view, Duration then) const {
  const SimTime now = simulation_.now();
  for (std::size_t place = 0; place < waiting_.packets(); ++place) {
    const Packet& packet = waiting_[place];
    const SimTime begins = waits_[place].begins;
    const LinkView::Place where = begins > now ? LinkView::Place::waiting : LinkView::Place::sending;
    if (!view.takes(where, packet.segments)) continue;
    const SimTime departs = packet.first_arrival;
    view.seen.push_back({where, begins, departs, departs + then, PacketView(packet)});
  }
}

}  // namespace simcore
