// SPDX-License-Identifier: MIT
//
// PeeringSender: the sending half of a peering portal.
//
//   append() --> [ open batch ] --close--> [ closed, at most kBacklog batches ] --pieces--> transport
//
// A batch is closed when the next packet does not fit into what one system call carries, and besides that as
// the policy says. It is sent at once; batches wait only while the transport is full or the portal is
// not synchronized, and then the open one goes on filling. When all are full, packets are dropped and
// counted (portal_backlog).
//
// Batches are numbered when the transport takes them, so what is dropped here leaves no gap for
// the receiver to report.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "simcore/link/drop_counters.h"
#include "simcore/packet/packet.h"
#include "simcore/portal/peering_compressor.h"
#include "simcore/portal/peering_transport.h"
#include "simcore/portal/peering_wire.h"
#include "simcore/portal/shown_clock.h"
#include "simcore/units/data.h"
#include "simcore/units/time.h"

namespace simcore::peering {

struct BatchPolicy {
  enum class Flush : std::uint8_t {
    packet,  // at once: each alone
    turn,    // at the end of each turn of the run loop: batches grow with the load, and add no delay
    time,    // `longest_wait` after the first packet
    size,    // when `size` is reached, or after `longest_wait`
  };

  Flush flush = Flush::turn;
  Duration longest_wait = Duration::us(100);  // > 0; of `time` and `size`
  ByteCount size = ByteCount::bytes(1'400);   // of records; > 0; of `size`
};

class PeeringSender {
 public:
  static constexpr std::size_t kBacklog = 64;  // batches

  struct Config {
    std::uint64_t token = 0;
    std::uint64_t session = 0;
    BatchPolicy batch;
    Compression compression = Compression::off;
    std::size_t datagram_size = 1'472;
    ShownClock clock;
  };

  // Packets are counted as segments.
  struct Counters {
    std::uint64_t accepted_packets = 0;  // sent + dropped + queued
    std::uint64_t sent_packets = 0;
    std::uint64_t sent_bytes = 0;   // wire bytes of those packets, without overhead
    std::uint64_t sent_frames = 0;  // a train is one
    std::uint64_t sent_batches = 0;
    std::uint64_t sent_datagrams = 0;
    std::uint64_t sent_datagram_bytes = 0;
    DropCounters dropped;

    Counters& operator+=(const Counters& more);
  };

  // `transport` must outlive the sender. Precondition: kSmallestDatagram <= datagram_size <=
  // transport.largest_datagram().
  PeeringSender(Transport& transport, const Config& config, std::function<SimTime()> wall_now);

  // Copies `packet`, whose first segment departs at its first_arrival, into the open batch. True when that
  // made an empty batch non-empty: the longest wait begins.
  bool append(std::uint32_t channel, const Packet& packet);

  // Counts `packet` as accepted and dropped: nobody is there to get it.
  void refuse(const Packet& packet, DropReason reason);

  // The peer is ready for batches, or is not any more: then they wait.
  void set_ready(bool ready) { ready_ = ready; }
  // Nobody wants what waits: it is dropped (portal_backlog).
  void discard();

  // End of turn: closes the open batch if that is the policy, and hands the kernel what it takes.
  void end_of_turn();
  // The longest wait is over: likewise.
  void end_of_wait();

  // Batches wait because the transport is full.
  bool blocked() const { return ready_ && (closed_ > 0 || overdue_); }

  const Counters& counters() const { return counters_; }
  LaneSent sent() const { return {counters_.sent_packets, next_batch_}; }
  const Compressor& compressor() const { return compressor_; }
  std::uint64_t queued_packets() const { return queued_packets_; }

 private:
  struct Batch {
    std::vector<std::uint8_t> body;
    std::int64_t base_time_ns = 0;
    std::uint32_t segments = 0;
    std::uint32_t frames = 0;
    std::uint64_t wire_bytes = 0;
    std::uint32_t raw_size = 0;
    bool compressed = false;
    std::size_t pieces_sent = 0;
  };

  Batch& open_batch() { return batches_[(first_ + closed_) % kBacklog]; }
  bool fits(const Batch& batch, const Packet& packet) const;
  void close();
  void send_closed();
  void close_if_nothing_waits();
  int send_pieces(Batch& batch);
  std::size_t pieces_of(const Batch& batch) const;
  void count_taken(Batch& batch, std::size_t pieces);
  void finish_first(std::optional<DropReason> dropped = std::nullopt);

  Transport& transport_;
  Config config_;
  std::function<SimTime()> wall_now_;
  Compressor compressor_;
  std::size_t piece_size_;
  std::size_t full_body_;  // what one system call carries
  Counters counters_;
  bool ready_ = false;

  std::vector<Batch> batches_;  // a ring: first_ ... closed, then the open one
  std::size_t first_ = 0;
  std::size_t closed_ = 0;
  std::uint64_t queued_packets_ = 0;
  std::uint64_t next_batch_ = 0;
  bool overdue_ = false;  // the open batch should have been closed, had nothing been waiting

  std::array<PieceHeader, kMostPieces> headers_;
  std::array<Transport::Datagram, kMostPieces> datagrams_;
};

}  // namespace simcore::peering
