// SPDX-License-Identifier: MIT
#include "simcore/link/served_link.h"

#include <utility>

#include "simcore/link/framing.h"
#include "simcore/packet/train.h"
#include "simcore/units/error.h"

namespace simcore {

ServedLink::ServedLink(Simulation& simulation, PacketPool& pool, std::string name, const Config& config,
                       std::unique_ptr<QueueDiscipline> queue, std::unique_ptr<Server> server,
                       PacketSink& sink)
    : simulation_(simulation),
      pool_(pool),
      name_(std::move(name)),
      config_(config),
      queue_(std::move(queue)),
      server_(std::move(server)),
      far_end_(counters_, sink),
      line_(simulation, far_end_),
      arriving_(simulation, entrance_) {
  const auto require = [this](bool holds, const std::string& what, std::int64_t value) {
    if (holds) return;
    throw ConfigError("make link " + name_ + ": " + what + " is " + std::to_string(value) +
                      "; it must not be negative");
  };
  require(config.propagation_delay >= Duration::zero(), "propagation delay (ns)",
          config.propagation_delay.count_ns());
  require(config.overhead >= ByteCount::zero(), "overhead (bytes)", config.overhead.count());
  line_.name(name_);
  arriving_.name(name_);
}

void ServedLink::accept(PacketPtr packet) {
  counters_.accepted_packets += packet->segments;
  counters_.accepted_bytes += static_cast<std::uint64_t>(packet->wire_size().count());
  for_each_segment(std::move(packet), [this](PacketPtr segment) { entrance_.accept(std::move(segment)); });
}

template <class Take>
void ServedLink::for_each_segment(PacketPtr packet, Take take) {
  while (packet->segments > 1) {
    PacketPtr first = split_front(*packet, 1, pool_);
    if (!first) return counters_.dropped.add(DropReason::pool_exhausted, packet->segments);
    take(std::move(first));
  }
  take(std::move(packet));
}

void ServedLink::Entrance::accept(PacketPtr packet) {
  const SimTime arrival = packet->first_arrival;
  if (arrival > link_.simulation_.now()) return link_.arriving_.insert(std::move(packet), arrival);
  link_.offer(std::move(packet));
}

void ServedLink::offer(PacketPtr packet) {
  if (!server_->carries(framed(packet->wire_size(), config_.overhead))) {
    return counters_.dropped.add(DropReason::too_big, packet->segments);
  }
  const ByteCount sending = sending_ ? sending_->wire_size() : ByteCount::zero();
  queue_->enqueue(std::move(packet), simulation_.now(), sending);
  if (!left_.pending()) start();
}

void ServedLink::start() {
  for (;;) {
    sending_ = queue_->dequeue(simulation_.now());
    if (!sending_) return;
    if (watcher_ != nullptr)
      watcher_->waited(simulation_.now() - sending_->first_arrival, queue_->packets(), sending_->segments);
    if (server_->carries(framed(sending_->wire_size(), config_.overhead))) break;
    counters_.dropped.add(DropReason::too_big, sending_->segments);  // came before this server did
  }
  server_->announce(*sending_, simulation_.now());
  departure_ = server_->serve(framed(sending_->wire_size(), config_.overhead), simulation_.now());
  simulation_.schedule(left_, departure_);
}

void ServedLink::leave() {
  PacketPtr packet = std::move(sending_);
  start();
  if (!packet) return;
  const SimTime arrival = simulation_.now() + config_.propagation_delay;
  packet->last_arrival = arrival;
  if (arrival > simulation_.now() || !line_.empty()) return line_.push(std::move(packet), arrival);
  packet->first_arrival = arrival;
  far_end_.accept(std::move(packet));
}

void ServedLink::change(const Config& config, std::unique_ptr<QueueDiscipline> queue,
                        const MakeServer& make_server) {
  config_ = config;
  if (queue) {
    queue->replace(*queue_);
    queue_ = std::move(queue);
  }
  if (!make_server) return;
  std::unique_ptr<Server> server = make_server();
  if (sending_) {
    const ByteCount size = framed(sending_->wire_size(), config_.overhead);
    server->announce(*sending_, simulation_.now());
    const SimTime departure =
        server->carries(size) ? server->serve(size, simulation_.now()) : SimTime::never();
    if (departure < departure_) {
      departure_ = departure;
      simulation_.schedule(left_, departure_);
    } else {
      server = make_server();  // it leaves by the old server
    }
  }
  server_ = std::move(server);
}

Backlog ServedLink::hand_over() {
  Backlog backlog;
  backlog.sending = std::move(sending_);
  backlog.transmitter_free = left_.pending() ? departure_ : simulation_.now();
  backlog.waiting = queue_->surrender();
  backlog.arriving = arriving_.take_back(arriving_.packets());
  simulation_.cancel(left_);
  const auto forget = [this](const Packet& packet) {
    counters_.accepted_packets -= packet.segments;
    counters_.accepted_bytes -= static_cast<std::uint64_t>(packet.wire_size().count());
  };
  if (backlog.sending) forget(*backlog.sending);
  for (const PacketPtr& packet : backlog.waiting) forget(*packet);
  for (const PacketPtr& packet : backlog.arriving) forget(*packet);
  return backlog;
}

void ServedLink::take_over(Backlog backlog) {
  const auto count = [this](const Packet& packet) {
    counters_.accepted_packets += packet.segments;
    counters_.accepted_bytes += static_cast<std::uint64_t>(packet.wire_size().count());
  };
  for (PacketPtr& packet : backlog.waiting) {
    count(*packet);
    for_each_segment(std::move(packet), [this](PacketPtr segment) { queue_->adopt(std::move(segment)); });
  }
  if (backlog.transmitter_free > simulation_.now()) {
    departure_ = backlog.transmitter_free;
    simulation_.schedule(left_, departure_);
  } else {
    start();
  }
  for (PacketPtr& packet : backlog.arriving) {
    count(*packet);
    for_each_segment(std::move(packet), [this](PacketPtr segment) { entrance_.accept(std::move(segment)); });
  }
}

void ServedLink::change_rate(DataRate rate) {
  auto* const server = dynamic_cast<RateServer*>(server_.get());
  if (!server) {
    throw ConfigError("change the rate of link " + name_ + ": its rate follows a trace or a token bucket");
  }
  if (!sending_) {
    server->change(rate, simulation_.now(), simulation_.now());
    return;
  }
  departure_ = server->change(rate, departure_, simulation_.now());
  simulation_.schedule(left_, departure_);
}

Link::Counters ServedLink::counters() const {
  Link::Counters all = counters_;
  for (std::size_t i = 0; i < kDropReasons; ++i) {
    const auto reason = static_cast<DropReason>(i);
    all.dropped.add(reason, queue_->counters().dropped.of(reason));
  }
  return all;
}

std::uint64_t ServedLink::in_flight() const {
  return line_.segments() + arriving_.segments() + static_cast<std::uint64_t>(queue_->packets()) +
         (sending_ ? 1 : 0);
}

void ServedLink::FarEnd::accept(PacketPtr packet) {
  counters_.delivered_packets += packet->segments;
  counters_.delivered_bytes += static_cast<std::uint64_t>(packet->wire_size().count());
  sink_.accept(std::move(packet));
}

void ServedLink::look(LinkView& view, Duration then) const {
  if (sending_ && view.takes(LinkView::Place::sending, sending_->segments)) {
    view.seen.push_back(
        {LinkView::Place::sending, SimTime::never(), departure_, departure_ + then, PacketView(*sending_)});
  }
  queue_->look([&view](const Packet& packet) {
    if (!view.takes(LinkView::Place::waiting, packet.segments)) return;
    view.seen.push_back({.place = LinkView::Place::waiting, .packet = PacketView(packet)});
  });
}

}  // namespace simcore
