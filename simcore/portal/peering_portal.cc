// SPDX-License-Identifier: MIT
#include "simcore/portal/peering_portal.h"

#include <algorithm>
#include <array>
#include <utility>

#include "simcore/units/error.h"

namespace simcore {

using peering::DatagramKind;
using peering::PieceHeader;
using peering::Record;

namespace {

// A departure that lies further ahead than clocks can be wrong did not happen. Nor does a datagram wait that
// long in the socket, unless CLOCK_REALTIME was set meanwhile.
constexpr Duration kMostAhead = Duration::seconds(1);

PeeringPortal::Config checked_config(PeeringPortal::Config config) {
  const auto wrong = [&config](const std::string& what) {
    return ConfigError("make the peering portal to " + config.name + ": " + what);
  };
  if (config.datagram_size < peering::kSmallestDatagram ||
      config.datagram_size > UdpSocket::kLargestMessage) {
    throw wrong("datagrams of " + std::to_string(config.datagram_size) + " bytes; " +
                std::to_string(peering::kSmallestDatagram) + " to " +
                std::to_string(UdpSocket::kLargestMessage) + " are possible, and the MTU less 28 is right");
  }
  if (config.batch.longest_wait <= Duration::zero()) {
    throw wrong("a batch waits at most " + std::to_string(config.batch.longest_wait.count_ns()) +
                " ns; it must be more than 0");
  }
  if (config.batch.size <= ByteCount::zero()) {
    throw wrong("a batch of " + std::to_string(config.batch.size.count()) + " bytes; it must be more than 0");
  }
  return config;
}

std::size_t fitting_datagram(const PeeringPortal::Config& config, const UdpSocket& socket) {
  const std::size_t fits = std::min(config.datagram_size, socket.largest_datagram());
  if (fits >= peering::kSmallestDatagram) return fits;
  throw EnvironmentError("make the peering portal to " + config.name + ": the way to " +
                         config.remote.text() + " carries datagrams of " + std::to_string(fits) +
                         " bytes; raise its MTU to at least " +
                         std::to_string(peering::kSmallestDatagram + 28));
}

}  // namespace

PeeringPortal::PeeringPortal(Simulation& simulation, PacketPool& pool, std::function<SimTime()> wall_now,
                             const Config& config)
    : simulation_(simulation),
      pool_(pool),
      wall_now_(std::move(wall_now)),
      config_(checked_config(config)),
      socket_(config_.local, config_.remote, config_.socket_buffer),
      sender_(socket_,
              {config_.token, config_.batch, config_.compression, fitting_datagram(config_, socket_)},
              wall_now_),
      exchange_(socket_, config_.token, wall_now_),
      raw_(peering::kLargestBody) {
  if (!config_.kernel_cuts) socket_.give_up_segments();
  simulation_.schedule(sync_due_, simulation_.now());
}

PeeringChannel& PeeringPortal::channel(std::uint32_t id, Duration incoming_delay) {
  const std::string attempt = "make channel " + std::to_string(id) + " to " + config_.name + ": ";
  if (incoming_delay < Duration::zero()) {
    throw ConfigError(attempt + "its delay is " + std::to_string(incoming_delay.count_ns()) +
                      " ns; it must not be negative");
  }
  if (channels_.contains(id))
    throw ConfigError(attempt + "there is one already; give each cut link its own number");
  least_delay_ = std::min(least_delay_, incoming_delay);
  return *channels_.emplace(id, std::make_unique<PeeringChannel>(simulation_, *this, id, incoming_delay))
              .first->second;
}

void PeeringPortal::remove_channel(std::uint32_t id) {
  const auto gone = channels_.find(id);
  counts_.late_packets += gone->second->counters().late_packets;
  counts_.dropped_received.add(DropReason::removed, gone->second->in_flight());
  channels_.erase(gone);
  delay_changed();
}

void PeeringPortal::delay_changed() {
  least_delay_ = Duration::infinite();
  for (const auto& [id, channel] : channels_)
    least_delay_ = std::min(least_delay_, channel->incoming_delay());
  watch_held();
}

void PeeringPortal::send(std::uint32_t channel, const Packet& packet) {
  const bool first = sender_.append(channel, packet);
  if (first && config_.batch.flush != peering::BatchPolicy::Flush::turn) {
    simulation_.schedule_in(batch_due_, config_.batch.longest_wait);
  }
}

Pollable::Flushed PeeringPortal::flush() {
  const std::uint64_t before = sender_.counters().sent_frames;
  if (synchronized()) sender_.open();
  sender_.end_of_turn();
  return {.frames = sender_.counters().sent_frames - before, .left = sender_.blocked()};
}

std::size_t PeeringPortal::poll() {
  const std::uint64_t before = counts_.received_datagrams;
  const std::span<const UdpSocket::Received> messages = socket_.receive();
  received_at_ = wall_now_();
  for (const UdpSocket::Received& message : messages) {
    const SimTime arrived =
        config_.kernel_stamps ? received_at_ - std::min(message.waited, kMostAhead) : received_at_;
    for (std::size_t at = 0; at < message.bytes.size(); at += message.segment_size) {
      take_datagram(message.bytes.subspan(at, std::min(message.segment_size, message.bytes.size() - at)),
                    arrived);
    }
  }
  watch_held();
  return counts_.received_datagrams - before;
}

void PeeringPortal::take_datagram(std::span<const std::uint8_t> datagram, SimTime arrived) {
  ++counts_.received_datagrams;
  counts_.received_datagram_bytes += datagram.size();
  const auto header = peering::read_datagram(datagram);
  if (!header) {
    counts_.dropped_datagrams.add(DropReason::malformed, 1);
  } else if (header->token != config_.token) {
    counts_.dropped_datagrams.add(DropReason::foreign, 1);
  } else if (header->kind == DatagramKind::piece) {
    take_piece(datagram);
  } else {
    take_sync(datagram, arrived);
  }
}

void PeeringPortal::take_piece(std::span<const std::uint8_t> datagram) {
  const auto header = peering::read_piece(datagram);
  // A peer sends no packets before it was told that its clock is known here.
  if (!header || !clock().synchronized()) {
    counts_.dropped_datagrams.add(DropReason::malformed, 1);
    return;
  }
  last_heard_ = received_at_;
  switch (reassembly_.take(*header, peering::payload_of(datagram))) {
    case peering::Reassembly::Outcome::taken:
      break;
    case peering::Reassembly::Outcome::duplicate:
      counts_.dropped_datagrams.add(DropReason::duplicate, 1);
      break;
    case peering::Reassembly::Outcome::late:
      counts_.dropped_datagrams.add(DropReason::late_datagram, 1);
      break;
    case peering::Reassembly::Outcome::too_early:
      counts_.dropped_datagrams.add(DropReason::early_datagram, 1);
      break;
    case peering::Reassembly::Outcome::malformed:
      counts_.dropped_datagrams.add(DropReason::malformed, 1);
      break;
  }
}

void PeeringPortal::take_batch(const PieceHeader& header, std::span<const std::uint8_t> body) {
  ++counts_.received_batches;
  counts_.received_packets += header.segments;
  if (!header.compressed()) {
    take_records(header, body);
    return;
  }
  const std::span<std::uint8_t> raw = std::span<std::uint8_t>(raw_).first(header.raw_size);
  if (peering::decompress(body, raw)) {
    take_records(header, raw);
  } else {
    counts_.dropped_received.add(DropReason::malformed, header.segments);
  }
}

void PeeringPortal::take_records(const PieceHeader& header, std::span<const std::uint8_t> body) {
  std::uint32_t left = header.segments;
  peering::RecordReader reader(body);
  while (left > 0) {
    const auto record = reader.next();
    if (!record || record->segments > left) break;
    take_record(header, *record, reader.stored());
    left -= record->segments;
  }
  counts_.dropped_received.add(DropReason::malformed, left);  // announced, and not there
}

void PeeringPortal::take_record(const PieceHeader& header, const Record& record,
                                std::span<const std::uint8_t> stored) {
  const SimTime departure =
      clock().to_local(SimTime::at_ns(header.base_time_ns) + Duration::ns(record.departure_ns));
  if (departure > received_at_ + kMostAhead) {
    counts_.dropped_received.add(DropReason::malformed, record.segments);
    return;
  }
  const auto channel = channels_.find(record.channel);
  if (channel == channels_.end()) {
    counts_.dropped_received.add(DropReason::no_listener, record.segments);
    return;
  }
  if (channel->second->held_bytes() >= pool_.share().count()) {
    pool_.count_refused_share(record.segments);
    counts_.dropped_received.add(DropReason::pool_share, record.segments);
    return;
  }
  PacketPtr packet = pool_.copy_of(stored);
  if (!packet) {
    counts_.dropped_received.add(DropReason::pool_exhausted, record.segments);
    return;
  }
  if (!peering::describe_packet(*packet, record)) {
    counts_.dropped_received.add(DropReason::malformed, record.segments);
    return;
  }
  ++counts_.received_frames;
  counts_.received_bytes += static_cast<std::uint64_t>(packet->wire_size().count());
  transit_.record(received_at_ - departure);
  packet->first_arrival = departure;
  packet->last_arrival = departure + Duration::ns(record.train_span_ns);
  channel->second->receive(std::move(packet));
}

// A batch that waits for a missing one is waited with until the first packet in it may be due.
void PeeringPortal::watch_held() {
  const auto held = reassembly_.first_held();
  if (!held) {
    simulation_.cancel(held_due_);
    return;
  }
  const SimTime due = clock().to_local(SimTime::at_ns(held->base_time_ns)) +
                      (channels_.empty() ? Duration::zero() : least_delay_);
  simulation_.schedule(held_due_, std::clamp(due, simulation_.now(), simulation_.now() + kMostAhead));
}

void PeeringPortal::give_up_missing() {
  const auto held = reassembly_.first_held();
  if (held) {
    received_at_ = wall_now_();
    reassembly_.give_up_before(held->batch);
  }
  watch_held();
}

void PeeringPortal::request_sync() {
  exchange_.request(sender_.counters().sent_packets);
  simulation_.schedule_in(sync_due_, exchange_.pace());
}

void PeeringPortal::take_sync(std::span<const std::uint8_t> datagram, SimTime arrived) {
  if (exchange_.take(datagram, arrived, sender_.counters().sent_packets)) {
    last_heard_ = received_at_;
  } else {
    counts_.dropped_datagrams.add(DropReason::malformed, 1);
  }
}

PeeringPortal::Counters PeeringPortal::counters() const {
  Counters c = counts_;
  c.sent = sender_.counters();
  c.queued_packets = sender_.queued_packets();
  c.pending_packets = reassembly_.pending_segments();
  const std::uint64_t known = std::max(reassembly_.segments_known(), exchange_.peer_sent_segments());
  const std::uint64_t here = c.received_packets + c.pending_packets;
  c.lost_packets = known > here ? known - here : 0;
  for (const auto& [id, channel] : channels_) {
    c.late_packets += channel->counters().late_packets;
    c.in_flight += channel->in_flight();
  }
  c.syscalls = socket_.syscalls();
  c.kernel_drops = socket_.kernel_drops();
  c.truncated = socket_.truncated();
  c.unreachable = socket_.unreachable();
  c.compressed_raw_bytes = sender_.compressor().raw_bytes();
  c.compressed_carried_bytes = sender_.compressor().carried_bytes();
  c.synchronized = synchronized();
  c.clock_offset = clock().offset();
  c.clock_drift_ppm = clock().drift_ppm();
  c.least_round_trip = clock().least_round_trip();
  c.asymmetry_bound = clock().asymmetry_bound();
  c.last_heard = last_heard_;
  c.peer_silent = !last_heard_ || wall_now_() - *last_heard_ > kSilence;
  return c;
}

}  // namespace simcore
