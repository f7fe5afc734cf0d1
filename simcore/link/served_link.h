// SPDX-License-Identifier: MIT
//
// ServedLink: a link whose queue decides when a packet leaves it, or whose rate is not constant.
//
//   accept() --> [ queue discipline ] --> [ server ] --> [ propagation delay ] --> sink.accept()
//
// Link computes everything when a packet comes. What CoDel drops, or which flow is next, is known only when the transmitter is
// free; so here a packet costs two events: it has left the transmitter, and it arrives. Every frame is treated on its own:
// trains are taken apart, and each segment is offered to the queue when it arrives.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "simcore/kernel/simulation.h"
#include "simcore/link/backlog.h"
#include "simcore/link/delay_line.h"
#include "simcore/link/link.h"
#include "simcore/link/link_view.h"
#include "simcore/link/queue_discipline.h"
#include "simcore/link/queue_watcher.h"
#include "simcore/link/server.h"
#include "simcore/packet/packet.h"
#include "simcore/packet/packet_pool.h"

namespace simcore {

class ServedLink final : public PacketSink {
 public:
  struct Config {
    Duration propagation_delay = Duration::zero();  // >= 0
    ByteCount overhead = ByteCount::zero();         // >= 0, added to every frame on the wire
  };

  // Simulation, pool and sink must outlive it. Throws ConfigError when a value is out of its range.
  ServedLink(Simulation& simulation, PacketPool& pool, std::string name, const Config& config,
             std::unique_ptr<QueueDiscipline> queue, std::unique_ptr<Server> server, PacketSink& sink);

  void accept(PacketPtr packet) override;

  using MakeServer = std::function<std::unique_ptr<Server>()>;

  // From now on this configuration, this queue and this kind of server; null keeps what is there. What waits, waits in
  // the new queue since when it came. The frame being sent leaves when it would have, or when it would leave the new
  // server if it began now, whichever is sooner. What has left keeps its delay, and is not overtaken. A frame that the
  // new server cannot carry is dropped when its turn comes. Precondition: the configuration is in its range, and
  // make_server does not throw.
  void change(const Config& config, std::unique_ptr<QueueDiscipline> queue, const MakeServer& make_server);

  // Gives everything that has not left to somebody who sends it: nothing waits here any more, and what was handed over
  // counts as never accepted.
  Backlog hand_over();

  // Goes on for somebody else, from transmitter_free on; what waits is taken in whatever the queue thinks of it. Precondition:
  // nothing waits here, and the giver keeps what is being sent.
  void take_over(Backlog backlog);

  // From now on another rate, for what is being sent too. Throws ConfigError, and then nothing has changed, when the
  // rate is out of its range or the server has none that can be changed.
  void change_rate(DataRate rate);

  // Appends what is here. `then`: how long it takes from here to the far end.
  void look(LinkView& view, Duration then) const;

  const std::string& name() const { return name_; }
  std::string place() const { return name_; }
  // What the link's own elements counted: drops of the queue included, its figures besides in queue().
  Link::Counters counters() const;
  const QueueDiscipline& queue() const { return *queue_; }
  // From now on `watcher` is told of what leaves the queue, null: nobody. It must outlive the link.
  void watch(QueueWatcher* watcher) { watcher_ = watcher; }
  // Segments that were accepted and are neither delivered nor dropped yet.
  std::uint64_t in_flight() const;

 private:
  // Counts what comes out at the far end, then gives it away.
  class FarEnd final : public PacketSink {
   public:
    FarEnd(Link::Counters& counters, PacketSink& sink) : counters_(counters), sink_(sink) {}
    void accept(PacketPtr packet) override;

   private:
    Link::Counters& counters_;
    PacketSink& sink_;
  };

  // Takes a segment when it arrives.
  class Entrance final : public PacketSink {
   public:
    explicit Entrance(ServedLink& link) : link_(link) {}
    void accept(PacketPtr packet) override;

   private:
    ServedLink& link_;
  };

  void offer(PacketPtr packet);
  template <class Take>
  void for_each_segment(PacketPtr packet, Take take);
  void start();
  void leave();

  Simulation& simulation_;
  PacketPool& pool_;
  std::string name_;
  Config config_;
  std::unique_ptr<QueueDiscipline> queue_;
  std::unique_ptr<Server> server_;
  Link::Counters counters_;
  FarEnd far_end_;
  Entrance entrance_{*this};
  DelayLine line_;
  DelayLine arriving_;  // segments of trains, until they are here
  PacketPtr sending_;   // null: the transmitter is free, or busy with what another keeps
  SimTime departure_ = SimTime::zero();
  QueueWatcher* watcher_ = nullptr;
  EventFor<ServedLink, &ServedLink::leave, "a packet has been sent"> left_{*this};
};

}  // namespace simcore
