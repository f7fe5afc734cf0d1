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

// How often a transport is asked for more at the end of a gathering: more is for the next one.
constexpr std::size_t kMostTakenIn = 64;

PeeringPortal::Config checked_config(PeeringPortal::Config config) {
  const std::string attempt = "make the peering portal to " + config.name;
  PeeringOptions::table().check(config.options, attempt);
  const PeeringOptions& options = config.options;
  if (config.of_guest() && options.key.empty())
    throw ConfigError(attempt + ": a guest is known by its key alone; give it one");
  if (config.of_guest() && (options.transport != PeeringOptions::Transport::udp || options.bulk()))
    throw ConfigError(attempt +
                      ": a guest comes over UDP, without a lane for bulk; leave transport and bulk out");
  while (config.session == 0) config.session = random_u64();
  return config;
}

std::vector<std::unique_ptr<peering::Transport>> make_transports(const PeeringPortal::Config& config) {
  std::vector<std::unique_ptr<peering::Transport>> transports;
  const std::size_t lanes = config.options.bulk() ? peering::kLanes : 1;
  transports.reserve(lanes);
  for (std::size_t lane = 0; lane < lanes; ++lane)
    transports.push_back(peering::make_transport(config, lane));
  return transports;
}

peering::ShownClock shown_clock(const PeeringOptions& options) {
  return {options.clock_ahead, options.clock_drift_ppm * 1e-6};
}

peering::PeeringSender::Config sender_config(const PeeringPortal::Config& config,
                                             const peering::Transport& transport) {
  return {config.token,
          config.session,
          config.options.batch,
          config.options.compression,
          peering::datagram_size(config, transport),
          shown_clock(config.options)};
}

std::vector<std::unique_ptr<peering::Lane>> make_lanes(
    const std::vector<std::unique_ptr<peering::Transport>>& transports, const PeeringPortal::Config& config,
    const std::function<SimTime()>& wall_now, peering::LaneSink& sink) {
  std::vector<std::unique_ptr<peering::Lane>> lanes;
  lanes.reserve(transports.size());
  for (const auto& transport : transports) {
    lanes.push_back(std::make_unique<peering::Lane>(lanes.size(), *transport,
                                                    sender_config(config, *transport), wall_now, sink));
  }
  return lanes;
}

}  // namespace

PeeringPortal::PeeringPortal(Simulation& simulation, PacketPool& pool, std::function<SimTime()> wall_now,
                             const Config& config)
    : simulation_(simulation),
      pool_(pool),
      wall_now_(std::move(wall_now)),
      config_(checked_config(config)),
      shown_(shown_clock(config_.options)),
      bulk_(config_.options.bulk_dscps, config_.options.bulk_filter),
      transports_(make_transports(config_)),
      lanes_(make_lanes(transports_, config_, wall_now_, *this)),
      exchange_(*transports_[0],
                {.token = config_.token,
                 .session = config_.session,
                 .wall_now = [this] { return shown_.shown(wall_now_()); },
                 .clock_zero_ns = config_.clock_zero_ns,
                 .told = config_.one_clock || config_.options.clocks == PeeringOptions::Clocks::told}),
      raw_(peering::kLargestBody) {
  if (lanes_.size() > 1 || gathers()) {
    watched_.emplace();
    watch_lanes();
  }
  if (!config_.begins_later) begin();
}

void PeeringPortal::begin() { simulation_.schedule(sync_due_, simulation_.now()); }

void PeeringPortal::end() {
  for (const auto& lane : lanes_) lane->sender().discard();
  simulation_.cancel(sync_due_);
  simulation_.cancel(batch_due_);
  simulation_.cancel(held_due_);
  simulation_.cancel(gathered_);
}

void PeeringPortal::watch_lanes() {
  for (const auto& transport : transports_) watched_->watch(transport->fd(), 0);
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

std::vector<const PeeringChannel*> PeeringPortal::channels() const {
  std::vector<const PeeringChannel*> all;
  for (const auto& [id, channel] : channels_) all.push_back(channel.get());
  return all;
}

void PeeringPortal::delay_changed() {
  least_delay_ = Duration::infinite();
  for (const auto& [id, channel] : channels_)
    least_delay_ = std::min(least_delay_, channel->incoming_delay());
  watch_held();
}

void PeeringPortal::send(std::uint32_t channel, const Packet& packet) {
  const std::size_t lane = bulk_.any() && bulk_.has(packet) ? 1 : 0;
  if (absent()) {
    lanes_[lane]->sender().refuse(packet, DropReason::no_listener);
    return;
  }
  const bool first = lanes_[lane]->sender().append(channel, packet);
  if (first && config_.options.batch.flush != peering::BatchPolicy::Flush::turn && !batch_due_.pending()) {
    simulation_.schedule_in(batch_due_, config_.options.batch.longest_wait);
  }
}

void PeeringPortal::batch_due() {
  for (const auto& lane : lanes_) lane->sender().end_of_wait();
}

Pollable::Flushed PeeringPortal::flush() {
  const auto frames = [this] {
    std::uint64_t sum = 0;
    for (const auto& lane : lanes_) sum += lane->sender().counters().sent_frames;
    return sum;
  };
  if (gathering_ && config_.options.receive_size > ByteCount::zero()) {
    std::size_t waiting = 0;
    for (const auto& transport : transports_) waiting += transport->waiting_bytes();
    if (waiting >= static_cast<std::size_t>(config_.options.receive_size.count())) end_gathering();
  }
  const std::uint64_t before = frames();
  bool left = false;
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
    peering::PeeringSender& sender = lanes_[lane]->sender();
    sender.set_ready(synchronized());
    sender.end_of_turn();
    left = !transports_[lane]->flush() || sender.blocked() || left;
  }
  // Nobody empties what a silent peer left full: it is looked at again when something else happens.
  return {.frames = frames() - before, .left = left && !silent()};
}

std::size_t PeeringPortal::poll() {
  const std::uint64_t before = counts_.received_datagrams;
  if (gathers()) {
    if (!gathering_) begin_gathering();
    return 0;
  }
  take_in(0);
  if (lanes_.size() > 1) {
    take_in(1);
    take_in(0);
  }
  watch_held();
  return counts_.received_datagrams - before;
}

void PeeringPortal::take_in(std::size_t lane) {
  const std::span<const peering::Transport::Received> datagrams = transports_[lane]->receive();
  received_at_ = wall_now_();
  for (const peering::Transport::Received& datagram : datagrams)
    take_datagram(lane, datagram.bytes, received_at_ - std::min(datagram.waited, kMostAhead));
}

// What comes from now on wakes nobody.
void PeeringPortal::begin_gathering() {
  gathering_ = true;
  for (const auto& transport : transports_) watched_->unwatch(transport->fd());
  simulation_.schedule_in(gathered_, config_.options.receive_wait);
}

void PeeringPortal::end_gathering() {
  simulation_.cancel(gathered_);
  gathering_ = false;
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
    std::size_t times = 0;
    do take_in(lane);  // also what is not counted as waiting: a connection
    while (++times < kMostTakenIn && transports_[lane]->waiting_bytes() > 0);
  }
  watch_held();
  watch_lanes();
}

void PeeringPortal::take_datagram(std::size_t lane, std::span<const std::uint8_t> datagram, SimTime arrived) {
  ++counts_.received_datagrams;
  counts_.received_datagram_bytes += datagram.size();
  const auto header = peering::read_datagram(datagram);
  if (!header || (lane > 0 && header->kind != DatagramKind::piece)) {
    counts_.dropped_datagrams.add(DropReason::malformed, 1);
  } else if (header->token != config_.token) {
    counts_.dropped_datagrams.add(DropReason::foreign, 1);
  } else if (header->kind == DatagramKind::piece) {
    take_piece(lane, datagram);
  } else {
    take_sync(datagram, arrived);
  }
}

void PeeringPortal::take_piece(std::size_t lane, std::span<const std::uint8_t> datagram) {
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
  lanes_[lane]->take_piece(*header, peering::payload_of(datagram));
}

std::uint32_t PeeringPortal::take_batch(std::size_t lane, const PieceHeader& header,
                                        std::span<const std::uint8_t> body) {
  if (!header.compressed()) return take_records(lane, header, body);
  const std::span<std::uint8_t> raw = std::span<std::uint8_t>(raw_).first(header.raw_size);
  return peering::decompress(body, raw) ? take_records(lane, header, raw) : 0;
}

std::uint32_t PeeringPortal::take_records(std::size_t lane, const PieceHeader& header,
                                          std::span<const std::uint8_t> body) {
  std::uint32_t left = header.segments;
  peering::RecordReader reader(body);
  while (left > 0) {
    const auto record = reader.next();
    if (!record || record->segments > left) break;
    take_record(lane, header, *record, reader.stored());
    left -= record->segments;
  }
  return header.segments - left;
}

void PeeringPortal::take_record(std::size_t lane, const PieceHeader& header, const Record& record,
                                std::span<const std::uint8_t> stored) {
  const SimTime departure = to_local(header.base_time_ns + record.departure_ns);
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
  SimTime earliest = SimTime::never();
  for (const auto& lane : lanes_) {
    if (const auto held = lane->reassembly().first_held()) earliest = std::min(earliest, due(*held));
  }
  if (earliest == SimTime::never()) {
    simulation_.cancel(held_due_);
  } else {
    simulation_.schedule(held_due_, std::clamp(earliest, simulation_.now(), simulation_.now() + kMostAhead));
  }
}

SimTime PeeringPortal::due(const peering::Reassembly::Held& held) const {
  return to_local(held.base_time_ns) + (channels_.empty() ? Duration::zero() : least_delay_);
}

void PeeringPortal::give_up_missing() {
  received_at_ = wall_now_();
  const SimTime bound = simulation_.now() + kMostAhead;  // no batch is waited with for longer
  for (const auto& lane : lanes_) {
    const auto held = lane->reassembly().first_held();
    if (held && (due(*held) <= simulation_.now() || due(*held) > bound || lanes_.size() == 1))
      lane->reassembly().give_up_before(held->batch);
  }
  watch_held();
}

// A guest that is not there is not called: there may be somebody else at its address by now. Its own word begins it again.
void PeeringPortal::request_sync() {
  if (absent()) return;
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
  if (!exchange_.take(*message, shown_.shown(arrived), sent())) {
    counts_.dropped_datagrams.add(DropReason::malformed, 1);
    return;
  }
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane) lanes_[lane]->told(message->sent[lane]);
  last_heard_ = received_at_;
  if (!sync_due_.pending()) simulation_.schedule(sync_due_, simulation_.now());
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
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
    if (peer_session_ != 0) lanes_[lane]->sender().discard();
    lanes_[lane]->begin_session(message.sent[lane]);
  }
  peer_session_ = message.datagram.session;
  proofs_ = 0;
  ++counts_.sessions;
  exchange_.forget_peer();
  simulation_.schedule(sync_due_, simulation_.now());
}

peering::ClockExchange::Sent PeeringPortal::sent() const {
  peering::ClockExchange::Sent sent;
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane) sent[lane] = lanes_[lane]->sender().sent();
  return sent;
}

// When the peer's clock shows that.
SimTime PeeringPortal::to_local(std::int64_t peer_ns) const {
  return shown_.own(clock().to_local(SimTime::at_ns(peer_ns)));
}

// By simulated time, which is near enough, and costs nothing for each packet.
bool PeeringPortal::absent() const {
  return config_.of_guest() && (!last_heard_ || simulation_.now() - *last_heard_ > kSilence);
}

bool PeeringPortal::silent() const { return !last_heard_ || wall_now_() - *last_heard_ > kSilence; }

PeeringPortal::Counters PeeringPortal::counters() const {
  Counters c = counts_;
  for (const auto& lane : lanes_) {
    const peering::PeeringSender& sender = lane->sender();
    c.sent += sender.counters();
    c.queued_packets += sender.queued_packets();
    c.received_packets += lane->received_segments();
    c.received_batches += lane->received_batches();
    c.pending_packets += lane->pending_segments();
    c.lost_packets += lane->lost_segments();
    c.dropped_datagrams.add(lane->dropped());
    c.compressed_raw_bytes += sender.compressor().raw_bytes();
    c.compressed_carried_bytes += sender.compressor().carried_bytes();
  }
  if (lanes_.size() > 1) c.bulk_sent_packets = lanes_[1]->sender().counters().sent_packets;
  for (const auto& each : transports_) {
    const peering::Transport::Counters transport = each->counters();
    c.syscalls += transport.syscalls;
    c.kernel_drops += transport.kernel_drops;
    c.truncated += transport.truncated;
    c.unreachable += transport.unreachable;
    c.rekeyed += transport.rekeyed;
    c.dropped_datagrams.add(transport.dropped);
  }
  for (const auto& [id, channel] : channels_) {
    c.late_packets += channel->counters().late_packets;
    c.in_flight += channel->in_flight();
  }
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
