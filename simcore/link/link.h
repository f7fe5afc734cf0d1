// SPDX-License-Identifier: MIT
//
// Link: one direction between two ports: a drop-tail queue and the transmitter that empties it.
//
//   accept() --> [ queue | serialization ] --> [ propagation delay ] --> sink.accept()
//
// The formula of TLEM (Rizzo and Lettieri 2016), computed once, when a packet comes:
//
//   link_free = max(link_free, arrival) + n * segment / rate       the transmitter is free again
//   release   = departure + propagation_delay                      the far end sees it
//
// so there is no second enqueue and one pending event per link. How full the queue is follows from the
// departure times of the packets that are still ahead. Fractions of a nanosecond are carried from packet to
// packet, so that a busy link keeps its rate exactly.
//
// Trains: n segments arrive between first_arrival and last_arrival.
//
//   1. The transmitter's work advances by n segments from the first arrival, so other flows fill the gaps of a train
//      that comes slower than the link sends. Its last segment leaves no earlier than it arrived plus its
//      serialization, and what arrives after that segment leaves after it.
//   2. A train takes its place in the queue whole, when its first segment comes. Its segments leave the queue
//      one by one. Where the queue cannot take it whole, it takes the segments that fit and decides about the
//      others when they arrive, as it would about single frames.
//   3. A train longer than `train_limit` is cut, and each piece is treated when it arrives. So a packet is
//      displaced, against single-segment simulation, by at most `train_limit` (or one segment, if that is
//      longer) for every other train that is arriving while it does.
//
// A link that holds its share of the pool takes nothing more until some of it is delivered (PacketPool::share()).
//
// Not modelled: preamble and inter-frame gap; put them into `overhead`.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "simcore/kernel/simulation.h"
#include "simcore/link/backlog.h"
#include "simcore/link/delay_line.h"
#include "simcore/link/drop_counters.h"
#include "simcore/link/link_view.h"
#include "simcore/link/queue_watcher.h"
#include "simcore/link/ring.h"
#include "simcore/packet/packet.h"
#include "simcore/packet/packet_pool.h"
#include "simcore/units/data.h"

namespace simcore {

template <class T>
class OptionTable;

class Link final : public PacketSink {
 public:
  struct Config {
    std::optional<DataRate> rate = std::nullopt;    // none: serialization takes no time and nothing queues
    Duration propagation_delay = Duration::zero();  // >= 0
    std::int64_t queue_packets = 1'000;  // segments that may wait, the one being sent included; >= 1
    std::optional<ByteCount> queue_bytes = std::nullopt;  // a limit in bytes besides, overhead included; >= 1
    ByteCount overhead =
        ByteCount::zero();  // >= 0, added to every frame on the wire; Ethernet in full: 24; see framing.h
    Duration train_limit = Duration::us(50);  // >= 0; zero: single segments, exact

    static const OptionTable<Config>& options();
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

  // From now on this configuration holds; nothing in flight is lost or overtaken. What waits goes on at
  // the new rate. What was accepted keeps its delay, and its place in a queue that is now too short. Throws
  // ConfigError, and then nothing has changed. Takes time in proportion to what waits.
  void change(const Config& config);

  // Throws ConfigError, which names the link, when a value is out of its range.
  static void check(const std::string& name, const Config& config);

  // Gives what has not begun to leave to somebody who sends it from transmitter_free on; what is being sent leaves as it would
  // have. From now on the link has no rate: it only delays, and counts what was handed over as never accepted. A train
  // counts as here with its first segment, and what waited has waited since now.
  Backlog hand_over();

  // Goes on for somebody else, with the configuration that holds now; what waits is taken in whatever the limit.
  // Precondition: nothing waits here.
  void take_over(Backlog backlog);

  // From now on `watcher` is told of what is accepted, when the transmitter begins with it; null: nobody. It must outlive
  // the link.
  void watch(QueueWatcher* watcher);

  // From now on what comes out at the far end goes there. It must outlive the link.
  void lead_to(PacketSink& sink) { far_end_.lead_to(sink); }

  // See DelayLine.
  void set_rank(std::uint64_t rank) { line_.set_rank(rank); }
  void give_ahead() { line_.give_ahead(); }

  // Frees at most `most` of the packets that are on their way, the last ones, uncounted: the link is of no use afterwards.
  // Says how many.
  std::size_t shed(std::size_t most) { return line_.take_back(std::min(most, line_.packets())).size(); }

  // Appends what is here.
  void look(LinkView& view) const;

  const std::string& name() const { return name_; }
  const Config& config() const { return config_; }
  const Counters& counters() const { return counters_; }
  // Segments that were accepted and are neither delivered nor dropped yet.
  std::uint64_t in_flight() const { return line_.segments() + arriving_.segments(); }
  // Those of them whose instant at the far end is decided.
  std::uint64_t on_their_way() const { return line_.segments(); }

  // What waits for the transmitter now; a frame counts, with all its bytes, until its last bit has been sent.
  std::int64_t backlog_packets();
  ByteCount backlog_bytes();

 private:
  struct Waiting {
    SimTime departed = SimTime::zero();  // when the last of these segments has left the queue, rounded up ...
    std::int64_t fraction = 0;           // ... by fraction / rate nanoseconds
    std::int64_t bytes = 0;              // of the segments still here
    std::int32_t segments = 0;           // still here
    std::int32_t segment_bytes = 0;      // of every one but the last
  };

  // What the watcher will be told of: how long it waits may change with the rate.
  struct Watched {
    SimTime arrived = SimTime::zero();
    SimTime begins = SimTime::zero();  // when the transmitter is free for it, rounded up ...
    std::int64_t fraction = 0;         // ... by fraction / rate nanoseconds
    std::int64_t others = 0;
    std::uint32_t segments = 0;
  };

  // How long the transmitter takes for a size, in nanoseconds and a remainder / rate.
  struct Serialization {
    ByteCount size = ByteCount::zero();
    std::int64_t whole_ns = 0;
    std::int64_t remainder = 0;
  };

  // Counts what comes out at the far end, then gives it away.
  class FarEnd final : public PacketSink {
   public:
    FarEnd(Counters& counters, PacketSink& sink) : counters_(counters), sink_(&sink) {}
    void accept(PacketPtr packet) override;
    void expect(int step) const override;
    void lead_to(PacketSink& sink) { sink_ = &sink; }

   private:
    Counters& counters_;
    PacketSink* sink_;
  };

  // Takes the rest of a train when its first segment arrives.
  class Entrance final : public PacketSink {
   public:
    explicit Entrance(Link& link) : link_(link) {}
    void accept(PacketPtr packet) override;

   private:
    Link& link_;
  };

  void serve_at(const std::optional<DataRate>& rate);
  void pass(PacketPtr packet);
  void admit(PacketPtr packet);
  void admit_train(PacketPtr train);
  void refuse(PacketPtr train);
  void drop(PacketPtr packet, DropReason reason);
  void forget_departed();
  void forget_departed_of_train(Waiting& head);
  std::int64_t still_here(const Waiting& head) const;
  std::int64_t room_for(const Packet& packet) const;
  std::int64_t longest_train(const Packet& packet) const;
  void send(PacketPtr packet);
  void send_frame(PacketPtr frame);
  void wait_for_transmitter(SimTime arrival);
  void watch_wait_of(const Packet& packet);
  void tell_watcher();
  const Serialization& serialization_of(ByteCount size);
  SimTime transmit(ByteCount size);

  Simulation& simulation_;
  PacketPool& pool_;
  std::string name_;
  Config config_;
  Counters counters_;
  FarEnd far_end_;
  Entrance entrance_{*this};
  DelayLine line_;
  std::int64_t most_held_bytes_;  // by line_: its share of the pool
  DelayLine arriving_;            // rests of trains, until their first segment is here

  SimTime link_free_ = SimTime::zero();
  std::int64_t free_fraction_ = 0;  // link_free_ was rounded up by free_fraction_ / rate nanoseconds
  std::array<Serialization, 2> serialized_{};  // of the sizes that were sent last
  std::uint8_t older_ = 0;                     // of the two, the one that was computed first
  // Of the latest train that comes slower than the link sends: who arrives after its last
  // segment leaves after it.
  SimTime slow_train_arrived_ = SimTime::zero();
  SimTime slow_train_departed_ = SimTime::zero();

  Ring<Waiting> waiting_;
  QueueWatcher* watcher_ = nullptr;
  Ring<Watched> watched_;  // empty without a watcher
  std::int64_t backlog_segments_ = 0;
  std::int64_t backlog_bytes_ = 0;
};

}  // namespace simcore
