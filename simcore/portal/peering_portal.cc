// SPDX-License-Identifier: MIT
#include "simcore/portal/peering_portal.h"

#include <algorithm>
#include <array>
#include <utility>

#include "simcore/portal/peering_transport_factory.h"
#include "simcore/sys/random.h"
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
  PeeringOptions::table().check(config.options, "make the peering portal to " + config.name);
  while (config.session == 0) config.session = random_u64();
  return config;
}

peering::PeeringSender::Config sender_config(const PeeringPortal::Config& config,
                                             const peering::Transport& transport) {
  return {config.token, config.session, config.options.batch, config.options.compression,
          peering::datagram_size(config, transport)};
}

}  // namespace

PeeringPortal::PeeringPortal(Simulation& simulation, PacketPool& pool, std::function<SimTime()> wall_now,
                             const Config& config)
    : simulation_(simulation),
      pool_(pool),
      wall_now_(std::move(wall_now)),
      config_(checked_config(config)),
      transport_(peering::make_transport(config_)),
      lane_(0, *transport_, sender_config(config_, *transport_), wall_now_, *this),
      exchange_(*transport_, {config_.token, config_.session, wall_now_, config_.clock_zero_ns}),
      raw_(peering::kLargestBody) {
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
  const bool first = lane_.sender().append(channel, packet);
  if (first && config_.options.batch.flush != peering::BatchPolicy::Flush::turn) {
    simulation_.schedule_in(batch_due_, config_.options.batch.longest_wait);
  }
}

Pollable::Flushed PeeringPortal::flush() {
  peering::PeeringSender& sender = lane_.sender();
  const std::uint64_t before = sender.counters().sent_frames;
  sender.set_ready(synchronized());
  sender.end_of_turn();
  // Nobody empties what a silent peer left full: it is looked at again when something else happens.
  return {.frames = sender.counters().sent_frames - before, .left = sender.blocked() && !silent()};
}

std::size_t PeeringPortal::poll() {
  const std::uint64_t before = counts_.received_datagrams;
  const std::span<const peering::Transport::Received> datagrams = transport_->receive();
  received_at_ = wall_now_();
  for (const peering::Transport::Received& datagram : datagrams)
    take_datagram(datagram.bytes, received_at_ - std::min(datagram.waited, kMostAhead));
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
  if (!header) {
    counts_.dropped_datagrams.add(DropReason::malformed, 1);
    return;
  }
  // A peer sends no packets before it was told that its clock is known here: these are for the one that was here before.
  if (header->datagram.session != peer_session_ || !clock().synchronized()) {
    counts_.dropped_datagrams.add(DropReason::stale_session, 1);
    return;
  }
  proofs_ = 0;
  last_heard_ = received_at_;
  lane_.take_piece(*header, peering::payload_of(datagram));
}

void PeeringPortal::take_batch(std::size_t lane, const PieceHeader& header,
                               std::span<const std::uint8_t> body) {
  if (!header.compressed()) {
    take_records(lane, header, body);
    return;
  }
  const std::span<std::uint8_t> raw = std::span<std::uint8_t>(raw_).first(header.raw_size);
  if (peering::decompress(body, raw)) {
    take_records(lane, header, raw);
  } else {
    counts_.dropped_received.add(DropReason::malformed, header.segments);
  }
}

void PeeringPortal::take_records(std::size_t lane, const PieceHeader& header,
                                 std::span<const std::uint8_t> body) {
  std::uint32_t left = header.segments;
  peering::RecordReader reader(body);
  while (left > 0) {
    const auto record = reader.next();
    if (!record || record->segments > left) break;
    take_record(lane, header, *record, reader.stored());
    left -= record->segments;
  }
  counts_.dropped_received.add(DropReason::malformed, left);  // announced, and not there
}

void PeeringPortal::take_record(std::size_t lane, const PieceHeader& header, const Record& record,
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
  channel->second->receive(std::move(packet), lane);
}

// A batch that waits for a missing one is waited with until the first packet in it may be due.
void PeeringPortal::watch_held() {
  const auto held = lane_.reassembly().first_held();
  if (!held) {
    simulation_.cancel(held_due_);
    return;
  }
  const SimTime due = clock().to_local(SimTime::at_ns(held->base_time_ns)) +
                      (channels_.empty() ? Duration::zero() : least_delay_);
  simulation_.schedule(held_due_, std::clamp(due, simulation_.now(), simulation_.now() + kMostAhead));
}

void PeeringPortal::give_up_missing() {
  const auto held = lane_.reassembly().first_held();
  if (held) {
    received_at_ = wall_now_();
    lane_.reassembly().give_up_before(held->batch);
  }
  watch_held();
}

void PeeringPortal::request_sync() {
  exchange_.request(sent());
  simulation_.schedule_in(sync_due_, exchange_.pace());
}

void PeeringPortal::take_sync(std::span<const std::uint8_t> datagram, SimTime arrived) {
  const auto message = peering::read_sync(datagram);
  if (!message) {
    counts_.dropped_datagrams.add(DropReason::malformed, 1);
    return;
  }
  if (!of_the_session(message->datagram)) {
    counts_.dropped_datagrams.add(DropReason::stale_session, 1);
    return;
  }
  if (message->datagram.session != peer_session_) begin_session(*message);
  if (!exchange_.take(*message, arrived, sent())) {
    counts_.dropped_datagrams.add(DropReason::malformed, 1);
    return;
  }
  lane_.told(message->sent[0]);
  last_heard_ = received_at_;
}

// Whether what a synchronization says is to be believed: it is of the peer's session, or proves that there is a new one.
bool PeeringPortal::of_the_session(const peering::DatagramHeader& header) {
  if (header.session == peer_session_ || peer_session_ == 0) {
    proofs_ = 0;
    return true;
  }
  proofs_ = header.session == next_session_ ? proofs_ + 1 : 1;
  next_session_ = header.session;
  return proofs_ >= kSessionProofs;
}

// What waits for the peer was for the one before.
void PeeringPortal::begin_session(const peering::SyncMessage& message) {
  if (peer_session_ != 0) lane_.sender().discard();
  peer_session_ = message.datagram.session;
  proofs_ = 0;
  ++counts_.sessions;
  exchange_.forget_peer();
  lane_.begin_session(message.sent[0]);
  simulation_.schedule(sync_due_, simulation_.now());
}

bool PeeringPortal::silent() const { return !last_heard_ || wall_now_() - *last_heard_ > kSilence; }

PeeringPortal::Counters PeeringPortal::counters() const {
  Counters c = counts_;
  c.sent = lane_.sender().counters();
  c.queued_packets = lane_.sender().queued_packets();
  c.received_packets = lane_.received_segments();
  c.received_batches = lane_.received_batches();
  c.pending_packets = lane_.pending_segments();
  c.lost_packets = lane_.lost_segments();
  c.dropped_datagrams.add(lane_.dropped());
  for (const auto& [id, channel] : channels_) {
    c.late_packets += channel->counters().late_packets;
    c.in_flight += channel->in_flight();
  }
  const peering::Transport::Counters transport = transport_->counters();
  c.syscalls = transport.syscalls;
  c.kernel_drops = transport.kernel_drops;
  c.truncated = transport.truncated;
  c.unreachable = transport.unreachable;
  c.dropped_datagrams.add(transport.dropped);
  c.compressed_raw_bytes = lane_.sender().compressor().raw_bytes();
  c.compressed_carried_bytes = lane_.sender().compressor().carried_bytes();
  c.synchronized = synchronized();
  c.clock_offset = clock().offset();
  c.clock_drift_ppm = clock().drift_ppm();
  c.least_round_trip = clock().least_round_trip();
  c.asymmetry_bound = clock().asymmetry_bound();
  c.last_heard = last_heard_;
  c.peer_silent = silent();
  return c;
}

}  // namespace simcore
