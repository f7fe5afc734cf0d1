// SPDX-License-Identifier: MIT
//
// Changes of a link while packets are in flight.
//
// What waits is work that the transmitter still has to do, in bits; at another rate the same work takes another
// time. So every departure that is still to come is computed anew from the work before it, exactly as if the
// packets had been accepted at the old rate and served at the new one. Arrivals move with the departures, and
// never out of order. What has departed is on its way: neither the rate nor the delay concerns it any more.
#include <algorithm>
#include <limits>

#include "simcore/link/framing.h"
#include "simcore/link/link.h"

namespace simcore {

namespace {

using Work = __int128;  // bits times nanoseconds per second: a long queue at a high rate exceeds 64 bits

constexpr std::int64_t kFarAway = std::numeric_limits<std::int64_t>::max() / 8;  // nanoseconds: 36 years

// When an amount of work is done, rounded up, and by how much (over the rate).
struct Done {
  SimTime time;
  std::int64_t fraction;
};

Done done_after(SimTime now, Work work, const std::optional<DataRate>& rate) {
  if (!rate || work <= 0) return {now, 0};
  const Work per_second = rate->bits_per_second();
  const Work whole = (work + per_second - 1) / per_second;
  if (whole > kFarAway) return {now + Duration::ns(kFarAway), 0};
  return {now + Duration::ns(static_cast<std::int64_t>(whole)),
          static_cast<std::int64_t>(whole * per_second - work)};
}

}  // namespace

void Link::change(const Config& config) {
  check(name_, config);
  forget_departed();
  if (config_.rate && config.rate != config_.rate) serve_at(config.rate);
  config_ = config;
  forget_departed();
}

// Computes the departures of what waits, and its arrivals, for another rate.
void Link::serve_at(const std::optional<DataRate>& rate) {
  const SimTime now = simulation_.now();
  const auto work_until = [&](SimTime time, std::int64_t fraction) {
    return Work{(time - now).count_ns()} * config_.rate->bits_per_second() - fraction;
  };

  // The packets that wait are the last of the line, in the same order; a train whose first segment has left
  // the queue may have left the line too.
  const std::size_t both = std::min(waiting_.size(), line_.packets());
  for (std::size_t behind = both; behind-- > 0;) {
    const Waiting& entry = waiting_[waiting_.size() - 1 - behind];
    Packet& packet = line_.from_back(behind);
    const Work work = work_until(entry.departed, entry.fraction);
    const Done last = done_after(now, work, rate);
    const bool first_has_left = entry.segments < packet.segments;
    Duration delay = config_.propagation_delay;
    if (!first_has_left) {
      const std::int64_t bits_behind = entry.segments > 1 ? (entry.bytes - entry.segment_bytes) * 8 : 0;
      const Work first = work - Work{bits_behind} * kNanosecondsPerSecond;
      delay = packet.first_arrival - done_after(now, first, config_.rate).time;
      packet.first_arrival = done_after(now, first, rate).time + delay;
    }
    const bool arrives_slowly = packet.last_arrival > entry.departed + delay;  // its own sender holds it up
    packet.last_arrival =
        arrives_slowly ? std::max(packet.last_arrival, last.time + delay) : last.time + delay;
  }
  line_.keep_order(both);

  for (std::size_t place = 0; place < waiting_.size(); ++place) {
    Waiting& entry = waiting_[place];
    const Done last = done_after(now, work_until(entry.departed, entry.fraction), rate);
    entry.departed = last.time;
    entry.fraction = last.fraction;
  }
  for (std::size_t place = 0; place < watched_.size(); ++place) {
    Watched& entry = watched_[place];
    const Done free = done_after(now, work_until(entry.begins, entry.fraction), rate);
    entry.begins = free.time;
    entry.fraction = free.fraction;
  }
  if (link_free_ > now) {
    const Done free = done_after(now, work_until(link_free_, free_fraction_), rate);
    link_free_ = free.time;
    free_fraction_ = free.fraction;
  } else {
    free_fraction_ = 0;
  }
  serialized_.fill({});
}

Backlog Link::hand_over() {
  forget_departed();
  const SimTime now = simulation_.now();
  Backlog backlog;
  backlog.transmitter_free = now;
  if (!waiting_.empty()) {
    backlog.transmitter_free = waiting_.front().departed;
    // The head is being sent; the others are the last of the line.
    backlog.waiting = line_.take_back(waiting_.size() - 1);
    if (backlog.waiting.empty())
      backlog.transmitter_free = std::max(backlog.transmitter_free, slow_train_departed_);
  }
  for (const PacketPtr& packet : backlog.waiting) packet->first_arrival = packet->last_arrival = now;
  backlog.arriving = arriving_.take_back(arriving_.packets());
  for (const auto* packets : {&backlog.waiting, &backlog.arriving}) {
    for (const PacketPtr& packet : *packets) {
      counters_.accepted_packets -= packet->segments;
      counters_.accepted_bytes -= static_cast<std::uint64_t>(packet->wire_size().count());
    }
  }
  while (!waiting_.empty()) waiting_.drop_front();
  watched_ = {};  // whoever takes over has the same watcher
  backlog_segments_ = 0;
  backlog_bytes_ = 0;
  link_free_ = slow_train_arrived_ = slow_train_departed_ = SimTime::zero();
  free_fraction_ = 0;
  config_.rate = std::nullopt;
  return backlog;
}

void Link::take_over(Backlog backlog) {
  const SimTime now = simulation_.now();
  const auto count = [this](const Packet& packet) {
    counters_.accepted_packets += packet.segments;
    counters_.accepted_bytes += static_cast<std::uint64_t>(packet.wire_size().count());
  };
  const auto send_now = [&](PacketPtr packet) {
    count(*packet);
    packet->first_arrival = packet->last_arrival = now;
    if (config_.rate) return send(std::move(packet));
    pass(std::move(packet));
  };
  link_free_ = std::max(now, backlog.sending ? now : backlog.transmitter_free);
  free_fraction_ = 0;
  if (backlog.sending) {
    PacketPtr frame = std::move(backlog.sending);
    const ByteCount size = framed(frame->wire_size(), config_.overhead);
    send_now(std::move(frame));
    // It leaves when it would have, unless it leaves sooner when it begins anew at this rate.
    if (config_.rate && backlog.transmitter_free < link_free_) {
      Packet& last = line_.from_back(0);
      const Duration sooner = link_free_ - backlog.transmitter_free;
      last.first_arrival = last.first_arrival - sooner;
      last.last_arrival = last.first_arrival;
      line_.keep_order(1);
      waiting_.back() = {backlog.transmitter_free, 0, size.count(), 1, 0};
      link_free_ = backlog.transmitter_free;
      free_fraction_ = 0;
    }
  }
  for (PacketPtr& packet : backlog.waiting) send_now(std::move(packet));
  for (PacketPtr& packet : backlog.arriving) {
    count(*packet);
    const SimTime arrival = packet->first_arrival;
    arriving_.insert(std::move(packet), arrival);
  }
}

}  // namespace simcore
