// SPDX-License-Identifier: MIT
#include "simcore/link/link.h"

#include <algorithm>
#include <utility>

#include "simcore/link/framing.h"
#include "simcore/packet/train.h"
#include "simcore/units/error.h"

namespace simcore {

namespace {

// A train shorter than this saves nothing; even on a slow link trains are not cut below it (unless
// train_limit is zero).
constexpr std::int64_t kFewSegments = 2;

std::string out_of_range(const std::string& name, const std::string& what) {
  return "make link " + name + ": " + what;
}

// Precondition: divisor > 0.
std::int64_t divided_rounding_up(std::int64_t dividend, std::int64_t divisor) {
  return (dividend + divisor - 1) / divisor;
}

}  // namespace

Link::Link(Simulation& simulation, PacketPool& pool, std::string name, const Config& config, PacketSink& sink)
    : simulation_(simulation),
      pool_(pool),
      name_(std::move(name)),
      config_(config),
      far_end_(counters_, sink),
      line_(simulation, far_end_),
      most_held_bytes_(pool.share().count()),
      arriving_(simulation, entrance_) {
  check(name_, config);
  line_.name(name_);
  arriving_.name(name_);
}

void Link::check(const std::string& name, const Config& config) {
  const auto require = [&name](bool holds, const std::string& what, std::int64_t value,
                               const std::string& cure) {
    if (!holds) throw ConfigError(out_of_range(name, what + " is " + std::to_string(value) + cure));
  };
  if (config.rate) {
    require(config.rate->bits_per_second() >= 1, "rate", config.rate->bits_per_second(),
            " bit/s; it must be at least 1 bit/s, or absent for no limit");
  }
  if (config.queue_bytes) {
    require(config.queue_bytes->count() >= 1, "queue limit", config.queue_bytes->count(),
            " bytes; it must be at least 1, enough for one frame, or absent");
  }
  require(config.propagation_delay >= Duration::zero(), "propagation delay",
          config.propagation_delay.count_ns(), " ns; it must not be negative");
  require(config.queue_packets >= 1, "queue limit", config.queue_packets,
          " packets; it must be at least 1, the one being sent");
  require(config.overhead >= ByteCount::zero(), "overhead", config.overhead.count(),
          " bytes; it must not be negative");
  require(config.train_limit >= Duration::zero(), "train limit", config.train_limit.count_ns(),
          " ns; it must not be negative, and zero for single segments");
}

void Link::accept(PacketPtr packet) {
  counters_.accepted_packets += packet->segments;
  counters_.accepted_bytes += static_cast<std::uint64_t>(packet->wire_size().count());
  admit(std::move(packet));
}

void Link::Entrance::accept(PacketPtr packet) { link_.admit(std::move(packet)); }

// Without a rate nothing waits.
void Link::pass(PacketPtr packet) {
  const SimTime release = packet->first_arrival + config_.propagation_delay;
  packet->last_arrival = packet->last_arrival + config_.propagation_delay;
  line_.push(std::move(packet), release);
}

inline void Link::admit(PacketPtr packet) {
  if (line_.held_bytes() >= most_held_bytes_) [[unlikely]] {
    pool_.count_refused_share(packet->segments);
    return drop(std::move(packet), DropReason::pool_share);
  }
  if (!config_.rate) return pass(std::move(packet));
  forget_departed();
  if (packet->segments > 1) return admit_train(std::move(packet));
  if (room_for(*packet) == 0) return drop(std::move(packet), DropReason::queue_full);
  send_frame(std::move(packet));
}

void Link::admit_train(PacketPtr train) {
  const std::int64_t longest = longest_train(*train);
  for (;;) {
    const std::int64_t room = room_for(*train);
    if (room == 0) return refuse(std::move(train));
    const std::int64_t take = std::min(room, longest);
    if (take >= train->segments) return send(std::move(train));
    PacketPtr front = split_front(*train, static_cast<std::uint16_t>(take), pool_);
    if (!front) return drop(std::move(train), DropReason::pool_exhausted);
    send(std::move(front));
    if (train->first_arrival > simulation_.now()) {
      const SimTime arrival = train->first_arrival;
      return arriving_.insert(std::move(train), arrival);
    }
  }
}

// The queue is full: drops the segments that have arrived, and lets the others come and try for themselves.
void Link::refuse(PacketPtr train) {
  const SimTime now = simulation_.now();
  if (train->last_arrival <= now) return drop(std::move(train), DropReason::queue_full);
  PacketPtr first = split_front(*train, 1, pool_);
  if (!first) return drop(std::move(train), DropReason::pool_exhausted);
  drop(std::move(first), DropReason::queue_full);
  const SimTime arrival = std::max(train->first_arrival, now);
  arriving_.insert(std::move(train), arrival);
}

void Link::drop(PacketPtr packet, DropReason reason) { counters_.dropped.add(reason, packet->segments); }

std::int64_t Link::backlog_packets() {
  forget_departed();
  return backlog_segments_;
}

ByteCount Link::backlog_bytes() {
  forget_departed();
  return ByteCount::bytes(backlog_bytes_);
}

void Link::forget_departed() {
  if (watcher_ != nullptr) tell_watcher();
  while (!waiting_.empty() && waiting_.front().departed <= simulation_.now()) {
    backlog_segments_ -= waiting_.front().segments;
    backlog_bytes_ -= waiting_.front().bytes;
    waiting_.drop_front();
  }
  if (!waiting_.empty() && waiting_.front().segments > 1) forget_departed_of_train(waiting_.front());
}

void Link::forget_departed_of_train(Waiting& head) {
  const std::int64_t gone = head.segments - still_here(head);
  head.segments -= static_cast<std::int32_t>(gone);
  head.bytes -= gone * head.segment_bytes;
  backlog_segments_ -= gone;
  backlog_bytes_ -= gone * head.segment_bytes;
}

// How many segments of a train have not left the queue, from the work that the transmitter still has with it.
std::int64_t Link::still_here(const Waiting& head) const {
  const std::int64_t time_left = (head.departed - simulation_.now()).count_ns();
  const std::int64_t last_bytes = head.bytes - (head.segments - 1) * std::int64_t{head.segment_bytes};
  const std::int64_t work_left = time_left * config_.rate->bits_per_second() - head.fraction;
  const std::int64_t before_last = work_left - last_bytes * 8 * kNanosecondsPerSecond;
  if (before_last <= 0) return 1;
  const std::int64_t segment_work = std::int64_t{head.segment_bytes} * 8 * kNanosecondsPerSecond;
  return std::min<std::int64_t>(head.segments, 1 + divided_rounding_up(before_last, segment_work));
}

// How many segments of `packet` the queue takes.
inline std::int64_t Link::room_for(const Packet& packet) const {
  // A limit that was lowered may be exceeded.
  const std::int64_t places = std::max<std::int64_t>(config_.queue_packets - backlog_segments_, 0);
  const std::int64_t room = std::min<std::int64_t>(places, packet.segments);
  if (!config_.queue_bytes) return room;
  const std::int64_t bytes = std::max<std::int64_t>(config_.queue_bytes->count() - backlog_bytes_, 0);
  if (packet.segments == 1) return framed(packet.wire_size(), config_.overhead).count() <= bytes ? room : 0;
  if (framed_train(packet, config_.overhead).count() <= bytes) return room;
  return std::min(room, bytes / framed_segment(packet, config_.overhead).count());
}

// How many segments may stay together on this link.
std::int64_t Link::longest_train(const Packet& packet) const {
  if (config_.train_limit == Duration::zero()) return 1;
  const ByteCount segment = framed_segment(packet, config_.overhead);
  return std::max(kFewSegments, config_.train_limit / serialization(segment, *config_.rate));
}

void Link::send(PacketPtr packet) {
  if (packet->segments == 1) return send_frame(std::move(packet));
  const std::int64_t segments = packet->segments;
  const ByteCount size = framed_train(*packet, config_.overhead);
  const ByteCount segment = framed_segment(*packet, config_.overhead);
  const ByteCount last_segment = size - segment * (segments - 1);
  wait_for_transmitter(packet->first_arrival);
  if (watcher_ != nullptr) watch_wait_of(*packet);
  const SimTime first_departure = transmit(segment);
  SimTime last_departure = transmit(size - segment);
  backlog_segments_ += segments;
  backlog_bytes_ += size.count();
  waiting_.push({last_departure, free_fraction_, size.count(), static_cast<std::int32_t>(segments),
                 static_cast<std::int32_t>(segment.count())});

  const SimTime last_arrival = packet->last_arrival;
  const SimTime earliest = last_arrival + serialization(last_segment, *config_.rate);
  if (earliest > last_departure) {
    last_departure = earliest;
    slow_train_arrived_ = last_arrival;
    slow_train_departed_ = last_departure;
  }
  packet->last_arrival = last_departure + config_.propagation_delay;
  line_.push(std::move(packet), first_departure + config_.propagation_delay);
}

inline void Link::send_frame(PacketPtr frame) {
  const ByteCount size = framed(frame->wire_size(), config_.overhead);
  wait_for_transmitter(frame->first_arrival);
  if (watcher_ != nullptr) watch_wait_of(*frame);
  const SimTime departure = transmit(size);
  ++backlog_segments_;
  backlog_bytes_ += size.count();
  waiting_.push({departure, free_fraction_, size.count(), 1, 0});
  frame->last_arrival = departure + config_.propagation_delay;
  line_.push(std::move(frame), departure + config_.propagation_delay);
}

void Link::watch(QueueWatcher* watcher) {
  if (watcher == nullptr) watched_ = {};
  watcher_ = watcher;
}

void Link::watch_wait_of(const Packet& packet) {
  watched_.push({packet.first_arrival, link_free_, free_fraction_, backlog_segments_, packet.segments});
  tell_watcher();
}

// Tells the watcher of what the transmitter has begun with by now. What still waits may wait longer or shorter than it
// seems now.
void Link::tell_watcher() {
  while (!watched_.empty() && watched_.front().begins <= simulation_.now()) {
    const Watched& begun = watched_.front();
    watcher_->waited(std::max(begun.begins - begun.arrived, Duration::zero()), begun.others, begun.segments);
    watched_.drop_front();
  }
}

// What arrives at `arrival` starts when the transmitter is free, or at once.
inline void Link::wait_for_transmitter(SimTime arrival) {
  const SimTime start = arrival < slow_train_arrived_ ? arrival : std::max(arrival, slow_train_departed_);
  if (start < link_free_) return;
  link_free_ = start;
  free_fraction_ = 0;
}

// Data and acknowledgements are of two sizes, and so are the first segment of a train and the rest; and dividing is slow.
inline const Link::Serialization& Link::serialization_of(ByteCount size) {
  for (const Serialization& known : serialized_) {
    if (known.size == size) return known;
  }
  const std::int64_t rate = config_.rate->bits_per_second();
  Serialization& computed = serialized_[older_];
  older_ ^= 1;
  const std::int64_t work = size.bits() * kNanosecondsPerSecond;
  computed = {size, work / rate, work % rate};
  return computed;
}

// Keeps the transmitter busy with `size` from when it is free; returns when it is free again, rounded up.
inline SimTime Link::transmit(ByteCount size) {
  const Serialization& takes = serialization_of(size);
  // The transmitter was free free_fraction_ / rate before link_free_, which pays for a remainder
  // that is not greater.
  const bool another = takes.remainder > free_fraction_;
  free_fraction_ += (another ? config_.rate->bits_per_second() : 0) - takes.remainder;
  link_free_ = link_free_ + Duration::ns(takes.whole_ns + (another ? 1 : 0));
  return link_free_;
}

void Link::FarEnd::accept(PacketPtr packet) {
  counters_.delivered_packets += packet->segments;
  counters_.delivered_bytes += static_cast<std::uint64_t>(packet->wire_size().count());
  sink_->accept(std::move(packet));
}

void Link::FarEnd::expect(int step) const {
  if (step == 1) {
    __builtin_prefetch(sink_, 1);
  } else {
    sink_->expect(step);
  }
}

void Link::look(LinkView& view) const {
  const SimTime now = simulation_.now();
  for (std::size_t place = 0; place < line_.packets(); ++place) {
    const Packet& packet = line_[place];
    const SimTime first_departs = packet.first_arrival - config_.propagation_delay;
    const SimTime begins =
        config_.rate ? first_departs - serialization(framed_segment(packet, config_.overhead), *config_.rate)
                     : first_departs;
    const SimTime departs = packet.last_arrival - config_.propagation_delay;
    LinkView::Place where = LinkView::Place::wire;
    if (departs > now) where = begins > now ? LinkView::Place::waiting : LinkView::Place::sending;
    if (!view.takes(where, packet.segments)) continue;
    view.seen.push_back({where, begins, departs, packet.first_arrival, PacketView(packet)});
  }
}

}  // namespace simcore
