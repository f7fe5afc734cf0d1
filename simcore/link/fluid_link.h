// SPDX-License-Identifier: MIT
//
// FluidLink: a queue and a transmitter that packets share with a background (background.h), in front of what delays.
//
//   accept() --> [ queue | serialization, beside the fluid (fluid_queue.h) ] --> sink.accept()
//
// When a packet comes it is known when its last bit leaves, as in Link; it is kept here until then, so a packet costs two
// events, here and where it is delayed, and the background none. Every frame is treated on its own: trains are taken
// apart, and each segment is offered to the queue when it arrives.
//
// The queue is drop-tail, or RED before it (red_control.h), for packets and for fluid that passes: the average follows what
// waits of both, when packets come, and when somebody observes, by as many packets of 1,500 bytes as the fluid is that came.
// The share of the fluid that is then dropped holds until the next time. Fluid does not understand marks.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "simcore/kernel/simulation.h"
#include "simcore/link/backlog.h"
#include "simcore/link/delay_line.h"
#include "simcore/link/fluid_queue.h"
#include "simcore/link/link.h"
#include "simcore/link/link_view.h"
#include "simcore/link/queue_watcher.h"
#include "simcore/link/red_control.h"
#include "simcore/link/ring.h"
#include "simcore/packet/packet.h"
#include "simcore/packet/packet_pool.h"

namespace simcore {

class FluidLink final : public PacketSink {
 public:
  struct Config {
    FluidQueue::Config queue;
    ByteCount overhead = ByteCount::zero();  // >= 0, added to every frame on the wire
  };

  // Simulation, pool and sink must outlive it. `source`: null: none. Preconditions: the configuration is in its range.
  FluidLink(Simulation& simulation, PacketPool& pool, const std::string& name, const Config& config,
            std::unique_ptr<BackgroundSource> source, PacketSink& sink);

  void accept(PacketPtr packet) override;

  // From now on this configuration; what waits goes on at the new rate, whatever the limit.
  void change(const Config& config);
  // From now on another background, or none; the fluid that waits goes on.
  void change_source(std::unique_ptr<BackgroundSource> source);
  // Of what comes from other links; see FluidQueue.
  void pass(std::int64_t bits_per_second, std::int64_t lost = 0);
  FluidFeedback observe();
  // From now on this, or none. Precondition of one: there is no background.
  void control(std::unique_ptr<RedControl> red);
  bool controlled() const { return red_ != nullptr; }
  std::uint64_t marked() const { return marked_; }  // packets, by RED

  // Gives everything that has not left to somebody who sends it: nothing waits here any more, and what was handed over
  // counts as never accepted. What waited has waited since now. The fluid is gone.
  Backlog hand_over();
  // Goes on for somebody else, from transmitter_free on; what waits is taken in whatever the limit. Precondition: nothing
  // waits here, and the giver keeps what is being sent.
  void take_over(Backlog backlog);

  // Appends what is here. `then`: how long it takes from here to the far end.
  void look(LinkView& view, Duration then) const;

  // From now on `watcher` is told of what has left the queue; null: nobody. It must outlive the link.
  void watch(QueueWatcher* watcher) { watcher_ = watcher; }

  // What was offered here and dropped here; `delivered`: what has left the transmitter.
  const Link::Counters& counters() const { return counters_; }
  // Of the background, with what earlier ones counted that were handed over.
  FluidQueue::Counters background() { return queue_.counters(simulation_.now()); }
  std::int64_t backlog_packets() { return queue_.packets(simulation_.now()); }
  ByteCount backlog_bytes() { return queue_.bytes(simulation_.now()); }

 private:
  // Of a packet that waits.
  struct Wait {
    SimTime arrived = SimTime::zero();
    SimTime begins = SimTime::zero();
    std::int64_t others = 0;
  };

  // Counts what has been sent, then gives it away.
  class Exit final : public PacketSink {
   public:
    explicit Exit(FluidLink& link) : link_(link) {}
    void accept(PacketPtr packet) override { link_.leave(std::move(packet)); }

   private:
    FluidLink& link_;
  };

  // Takes a segment when it arrives.
  class Entrance final : public PacketSink {
   public:
    explicit Entrance(FluidLink& link) : link_(link) {}
    void accept(PacketPtr packet) override { link_.enter(std::move(packet)); }

   private:
    FluidLink& link_;
  };

  void count(const Packet& packet);
  void take_apart(PacketPtr packet);
  void enter(PacketPtr packet);
  void send(PacketPtr packet, FluidQueue::Place place);
  void leave(PacketPtr packet);
  ByteCount waiting_bytes();
  void drop(const Packet& packet, DropReason reason) { counters_.dropped.add(reason, packet.segments); }

  Simulation& simulation_;
  PacketPool& pool_;
  std::string name_;
  Config config_;
  FluidQueue queue_;
  PacketSink& sink_;
  Link::Counters counters_;
  Exit exit_{*this};
  Entrance entrance_{*this};
  DelayLine waiting_;             // and being sent; each comes out when its last bit has left
  DelayLine arriving_;            // segments of trains, until they are here
  std::int64_t most_held_bytes_;  // by waiting_: its share of the pool
  Ring<Wait> waits_;              // of the packets in waiting_
  QueueWatcher* watcher_ = nullptr;
  std::unique_ptr<RedControl> red_;  // null: drop-tail
  double dropped_share_ = 0.0;       // of the fluid, by RED
  std::int64_t seen_bytes_ = 0;      // of fluid, by RED
  std::uint64_t marked_ = 0;
};

}  // namespace simcore
