// SPDX-License-Identifier: MIT
//
// Link: one direction of a wire, with the drop-tail queue in front of it.
//
//   accept() --> [ queue | serialization ] --> [ propagation delay ] --> sink.accept()
//
// The formula of TLEM (Rizzo and Lettieri 2016), computed once, when a packet comes:
//
//   link_free = max(link_free, arrival) + n * segment / rate       the wire is free again
//   release   = departure + propagation_delay                      the far end sees it
//
// so there is no second enqueue and one pending event per link. How full the queue is follows from the departure times
// of the packets that are still ahead. Fractions of a nanosecond are carried from packet to packet, so that a busy link
// keeps its rate exactly.
//
// Trains: n segments arrive between first_arrival and last_arrival. The wire's work advances by n segments from the
// first arrival, so other flows fill the gaps of a train that comes slower than the link sends; its own last segment
// leaves no earlier than it arrived plus its serialization. Trains longer than `train_limit` are cut, so single-segment
// simulation is never further away than that.
//
// Not modelled: preamble and inter-frame gap; put them into `overhead`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "simcore/kernel/simulation.h"
#include "simcore/link/delay_line.h"
#include "simcore/link/drop_counters.h"
#include "simcore/link/ring.h"
#include "simcore/units/data.h"
#include "simcore/wire/packet.h"
#include "simcore/wire/packet_pool.h"

namespace simcore {

class Link final : public PacketSink {
 public:
  struct Config {
    std::optional<DataRate> rate;                         // none: serialization takes no time and nothing queues
    Duration propagation_delay = Duration::zero();        // >= 0
    std::int64_t queue_packets = 1'000;                   // segments that may wait, the one on the wire included; >= 1
    std::optional<ByteCount> queue_bytes;                 // a limit in bytes besides, overhead included
    ByteCount overhead = ByteCount::zero();               // added to every frame on the wire, 24 for Ethernet in full
    Duration train_limit = Duration::us(50);              // zero: single segments, exact
  };

  // Counts of segments and of their wire bytes (without overhead).
  struct Counters {
    std::uint64_t accepted_packets = 0;  // offered by the sender: delivered + dropped + in flight
    std::uint64_t accepted_bytes = 0;
    std::uint64_t delivered_packets = 0;
    std::uint64_t delivered_bytes = 0;
    DropCounters dropped;
  };

  // All three must outlive the link. Throws ConfigError when a value is out of its range.
  Link(Simulation& simulation, PacketPool& pool, std::string name, const Config& config, PacketSink& sink);

  void accept(PacketPtr packet) override;

  const std::string& name() const { return name_; }
  const Config& config() const { return config_; }
  const Counters& counters() const { return counters_; }
  std::uint64_t in_flight() const { return line_.segments(); }  // segments, waiting or on their way

  // What waits for the wire now, the frame on it included.
  std::int64_t backlog_packets();
  ByteCount backlog_bytes();

 private:
  struct Waiting {
    SimTime departed = SimTime::zero();  // when the last of these segments has left the queue
    std::int64_t segments = 0;
    std::int64_t bytes = 0;
  };

  // Counts what comes out at the far end, then gives it away.
  class FarEnd final : public PacketSink {
   public:
    FarEnd(Counters& counters, PacketSink& sink) : counters_(counters), sink_(sink) {}
    void accept(PacketPtr packet) override;

   private:
    Counters& counters_;
    PacketSink& sink_;
  };

  void forget_departed();
  std::uint16_t room_for(const Packet& packet) const;
  std::uint16_t longest_train(const Packet& packet) const;
  void send(PacketPtr packet);
  SimTime occupy_wire(SimTime start, std::int64_t bits);

  Simulation& simulation_;
  PacketPool& pool_;
  std::string name_;
  Config config_;
  Counters counters_;
  FarEnd far_end_;
  DelayLine line_;

  SimTime link_free_ = SimTime::zero();
  std::int64_t free_fraction_ = 0;  // link_free_ was rounded up by free_fraction_ / rate nanoseconds
  Ring<Waiting> waiting_;
  std::int64_t backlog_segments_ = 0;
  std::int64_t backlog_bytes_ = 0;
};

}  // namespace simcore
