// SPDX-License-Identifier: MIT
//
// PeeringPortal: carries packets between this instance and one other.
//
//   channel 0 --\                                                          /--> channel 0 --> release at
//   channel 1 ----> [ PeeringSender ] == transport ==> [ Reassembly ] ---------> channel 1     departure + delay
//   ...       --/       batches                                            \--> ...
//
// What departs from a link here is released at the peer at its departure, mapped to the peer's clock, plus
// the link's delay, whatever the real transit took (PeeringChannel). The clocks are compared all the time
// over the same transport (ClockExchange). Until both sides know the other's clock nothing is sent and packets
// wait, bounded (PeeringSender); an instance reports ready once synchronized().
//
// Only datagrams with the run's token are taken. Whatever else comes is counted by reason and has no effect.
// A peer that falls silent blocks nothing: packets to it are sent as before, as long as the transport takes them, and
// counters() says since when nothing came. One that returns has another session, and is believed when it has told so
// kSessionProofs times without a word from the one before; then the two begin anew.
//
// A guest is a peer that may join, leave and return as it likes, from any address: it is believed by its key alone, and
// the portal speaks only when it has heard it. While it is silent, packets for it are dropped and counted (no_listener).
//
// Packets that need not hurry may have a lane of their own: another transport, other batches. Then what is in the first lane
// is sent first and taken in first, and waits for no batch of the second.
//
// Wire format: peering_wire.h.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "simcore/kernel/simulation.h"
#include "simcore/link/drop_counters.h"
#include "simcore/packet/packet_pool.h"
#include "simcore/portal/clock_exchange.h"
#include "simcore/portal/peering_channel.h"
#include "simcore/portal/peering_lane.h"
#include "simcore/portal/peering_options.h"
#include "simcore/portal/peering_sender.h"
#include "simcore/portal/peering_wire.h"
#include "simcore/portal/traffic_class.h"
#include "simcore/realtime/lateness.h"
#include "simcore/realtime/pollable.h"
#include "simcore/sys/epoll.h"

namespace simcore {

class PeeringPortal final : public Pollable, private peering::LaneSink {
 public:
  struct Config {
    static constexpr const char* kAnybody = "any";

    std::string name;  // of the peer; for errors and reports
    // Where this instance hears and where the peer does: addresses and ports; or files, of shared memory. Bulk has the
    // ports after these, or files with .bulk behind the name. The remote kAnybody: the peer is a guest.
    std::string local;
    std::string remote;
    std::uint64_t token = 0;    // the run's
    std::uint64_t session = 0;  // another one each time that an instance starts; 0: a number is drawn
    PeeringOptions options;
    bool kernel_cuts = true;    // where it can (UDP_SEGMENT); false only to compare
    bool kernel_stamps = true;  // of synchronizations; false when wall_now is not the wall clock
    bool one_clock = false;     // both instances read the same clock: there is nothing to measure
    bool begins_later = false;  // nothing is scheduled before begin(), so that another thread may make it
    // What CLOCK_MONOTONIC showed at SimTime zero, or CLOCK_REALTIME where the options have clocks told; 0 while that is
    // not known.
    std::function<std::int64_t()> clock_zero_ns = [] { return 0; };

    bool of_guest() const { return remote == kAnybody; }
  };

  // Packets are counted as segments, their bytes as on a wire without overhead.
  //   accepted = sent.sent_packets + sent.dropped + queued
  //   peer's sent = received + pending + lost
  //   received = delivered by the channels + dropped_received + in_flight
  struct Counters {
    peering::PeeringSender::Counters sent;
    std::uint64_t queued_packets = 0;  // in batches that the kernel has not taken yet

    std::uint64_t received_packets = 0;
    std::uint64_t received_bytes = 0;
    std::uint64_t received_frames = 0;  // a train is one
    std::uint64_t received_batches = 0;
    std::uint64_t received_datagrams = 0;
    std::uint64_t received_datagram_bytes = 0;
    std::uint64_t pending_packets = 0;  // in batches that are incomplete, or wait for an earlier one
    std::uint64_t lost_packets = 0;     // sent by the peer and not here, those still under way included
    std::uint64_t late_packets = 0;     // released after their instant
    std::uint64_t in_flight = 0;        // waiting for their release
    DropCounters dropped_received;      // packets
    DropCounters dropped_datagrams;     // malformed, duplicate, late, early, foreign, of another session ...
    std::uint64_t bulk_sent_packets = 0;  // of those that were sent
    std::uint64_t rekeyed = 0;            // keys that were replaced by the next
    std::uint64_t sessions = 0;           // of the peer: more than 1 when it returned

    std::uint64_t syscalls = 0;
    std::uint64_t kernel_drops = 0;  // for want of receive buffer; what was dropped is in lost_packets too
    std::uint64_t truncated = 0;     // messages larger than any datagram of ours
    std::uint64_t unreachable = 0;   // ICMP errors
    std::uint64_t compressed_raw_bytes = 0;      // of batches that were sent compressed: before
    std::uint64_t compressed_carried_bytes = 0;  // and after

    bool synchronized = false;
    Duration clock_offset = Duration::zero();  // the peer's clock minus this one
    double clock_drift_ppm = 0.0;
    Duration least_round_trip = Duration::zero();
    Duration asymmetry_bound = Duration::zero();  // the offset may be wrong by this
    bool peer_silent = true;                      // nothing came for kSilence
    std::optional<SimTime> last_heard;            // on this clock
  };

  static constexpr Duration kSilence = Duration::seconds(1);
  static constexpr int kSessionProofs = 3;

  // `wall_now` is the run loop's wall_now(). `simulation` and `pool` must outlive the portal.
  // Throws ConfigError when a value is out of its range, EnvironmentError when the local address
  // cannot be had or the way does not carry datagrams of that size.
  PeeringPortal(Simulation& simulation, PacketPool& pool, std::function<SimTime()> wall_now,
                const Config& config);
  PeeringPortal(const PeeringPortal&) = delete;
  PeeringPortal& operator=(const PeeringPortal&) = delete;

  // Where the config says begins_later: tells the peer of itself from now on. On the loop's thread, as the next.
  void begin();
  // From now on it does nothing more, and another thread may destroy it; what waits for the peer is dropped.
  // Precondition: no channels.
  void end();

  // Makes this instance's end of cut link `id`; packets from the peer reach it `incoming_delay` after
  // they departed there. Before the loop runs, or on its thread, as the next. Throws ConfigError when it exists already or
  // the delay is negative.
  PeeringChannel& channel(std::uint32_t id, Duration incoming_delay);
  bool has_channel(std::uint32_t id) const { return channels_.contains(id); }
  // Takes it out: what waits in it for its release is dropped, and what the peer still sends it has no listener.
  // Precondition: it exists.
  void remove_channel(std::uint32_t id);
  std::vector<const PeeringChannel*> channels() const;

  int fd() const override { return watched_ ? watched_->fd() : transports_[0]->fd(); }
  std::size_t poll() override;
  Flushed flush() override;

  // Both sides know the other's clock: packets pass.
  bool synchronized() const { return exchange_.synchronized(); }
  bool of_guest() const { return config_.of_guest(); }

  // For channels: the delay of one is another, or one is gone.
  void delay_changed();

  // For channels: takes a copy of `packet`, which departs at its first_arrival.
  void send(std::uint32_t channel, const Packet& packet);

  const std::string& name() const { return config_.name; }
  Counters counters() const;
  const ClockSync& clock() const { return exchange_.clock(); }
  // From a packet's departure to its coming out of the socket here, batching and reassembly included.
  const Lateness& transit() const { return transit_; }

 private:
  void take_datagram(std::size_t lane, std::span<const std::uint8_t> datagram, SimTime arrived);
  void take_piece(std::size_t lane, std::span<const std::uint8_t> datagram);
  std::uint32_t take_batch(std::size_t lane, const peering::PieceHeader& header,
                           std::span<const std::uint8_t> body) override;
  std::uint32_t take_records(std::size_t lane, const peering::PieceHeader& header,
                             std::span<const std::uint8_t> body);
  void take_record(std::size_t lane, const peering::PieceHeader& header, const peering::Record& record,
                   std::span<const std::uint8_t> stored);
  void watch_held();
  void give_up_missing();
  SimTime due(const peering::Reassembly::Held& held) const;

  void take_in(std::size_t lane);
  bool gathers() const { return config_.options.receive_wait > Duration::zero(); }
  void begin_gathering();
  void end_gathering();
  void watch_lanes();

  void request_sync();
  void take_sync(std::span<const std::uint8_t> datagram, SimTime arrived);
  bool of_the_session(const peering::DatagramHeader& header);
  void begin_session(const peering::SyncMessage& message);
  peering::ClockExchange::Sent sent() const;
  bool silent() const;
  bool absent() const;
  void batch_due();
  SimTime to_local(std::int64_t peer_ns) const;

  Simulation& simulation_;
  PacketPool& pool_;
  std::function<SimTime()> wall_now_;
  Config config_;
  peering::ShownClock shown_;
  peering::BulkTraffic bulk_;
  std::vector<std::unique_ptr<peering::Transport>> transports_;
  std::vector<std::unique_ptr<peering::Lane>> lanes_;  // one, or two: then the second has what is bulk
  peering::ClockExchange exchange_;                    // over the first
  std::optional<Epoll> watched_;  // the transports, where there are two, or what comes is gathered
  bool gathering_ = false;
  std::unordered_map<std::uint32_t, std::unique_ptr<PeeringChannel>> channels_;
  Duration least_delay_ = Duration::infinite();  // of the channels
  std::vector<std::uint8_t> raw_;                // a decompressed body

  std::uint64_t peer_session_ = 0;  // 0: none yet
  std::uint64_t next_session_ = 0;  // that has told of itself `proofs_` times
  int proofs_ = 0;

  SimTime received_at_ = SimTime::zero();
  std::optional<SimTime> last_heard_;
  Counters counts_;  // of what is counted here; counters() adds the rest
  Lateness transit_;

  EventFor<PeeringPortal, &PeeringPortal::request_sync> sync_due_{*this};
  EventFor<PeeringPortal, &PeeringPortal::batch_due> batch_due_{*this};
  EventFor<PeeringPortal, &PeeringPortal::give_up_missing> held_due_{*this};
  EventFor<PeeringPortal, &PeeringPortal::end_gathering> gathered_{*this};
};

}  // namespace simcore
