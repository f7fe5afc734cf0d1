// SPDX-License-Identifier: MIT
//
// FluidFlows: fluid that goes through several links of one simulation, and shares the queue of each with packets.
//
//   source --> [ queue 1 ] --delay 1--> [ queue 2 ] --delay 2--> ... --> destination
//      <------------- TCP: losses, after the rest of the way and the way back -------------
//
// A flow is a class: any number of equal flows cost what one does. All move by one fixed step h, in one event:
//
//   1. each queue says what waits in it now, w(t), and which share p of the step's fluid found no room;
//   2. what came to it in [t - h, t) leaves it, thinned by p, from t - h + w(t - h) to t + w(t): first in, first out. It
//      comes to the next queue a propagation delay later. For all classes of a queue that is the link's rate at
//      most, because what waits grows by what came less what left;
//   3. each source says what it sends in [t, t + h);
//   4. each queue gets the sum of what comes to it in [t, t + h) as its rate (FluidQueue::pass), less what is taken of TCP's so
//      that it loses what packets lose there (fair_losses.h).
//
// These are the equations of Liu, Lo Presti, Misra, Towsley and Gu ("Fluid Models and Solutions for Large-Scale IP
// Networks", SIGMETRICS 2003) for what leaves a queue, as amounts and not as rates, so that nothing is lost or made by the steps:
//
//   offered = delivered + lost + under way
//
// TCP (tcp_fluid.h) has as its round trip the propagation and what waits, there and back (back where fluid passes, too),
// and a segment's time on each link there; 100 us at least. A loss at a queue is known to the source when what is behind it has
// come to the destination, and the way back is over.
//
// The step is a tenth of the least round trip of TCP, without what waits, and at most 1 ms where anything
// else flows, else 10 ms; at least 10 us. A hop that takes less than a step takes a step, for what flows, not for TCP's round
// trip; one that takes longer than FluidVolumes::kMostSteps takes as many.
//
// Links change as they do for packets (ModelledLink::apply): what has left the queue keeps its delay, what waits leaves
// at the new rate and has the new delay, and nothing overtakes. When one has changed, and the step is then too long or more
// than twice as short as it may be, the next one is another, and what is under way is shared by the new steps.
//
// A link that is down, or is taken out, loses all that comes to it, and all that comes out of it, from the next step on. TCP
// with such a link there or back has its least window after a round trip, until the link is up again. The ways stay as they are.
//
// Of more than 10 Tbit/s that come to one queue the rest is lost before it, and the queue's own counters do not have it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "simcore/kernel/event.h"
#include "simcore/kernel/simulation.h"
#include "simcore/link/fair_losses.h"
#include "simcore/link/tcp_fluid.h"
#include "simcore/network/fluid_model.h"
#include "simcore/network/fluid_volumes.h"
#include "simcore/network/link_model.h"
#include "simcore/network/snapshot.h"

namespace simcore {

class FluidFlows {
 public:
  explicit FluidFlows(Simulation& simulation) : simulation_(simulation) {}

  // Of one flow, whole bytes, up to now: offered = delivered + lost + under_way.
  struct Counters {
    std::int64_t offered_bytes = 0;
    std::int64_t delivered_bytes = 0;
    std::int64_t lost_bytes = 0;
    std::int64_t under_way_bytes = 0;
    Duration round_trip = Duration::zero();  // of TCP, now; else zero
    std::int64_t window_bytes = 0;           // of TCP, the mean of a flow now; else zero
  };

  // Adds a flow through the links of `forward`, in this order, all of which carry fluid; `back`: the way of what it is told
  // of. Before begin(). Preconditions: no other has that name; forward is not empty. Throws ConfigError where a value of the model is out of its
  // range.
  void add(const std::string& name, const FluidModel& model, const std::vector<ModelledLink*>& forward,
           const std::vector<ModelledLink*>& back);

  // From now on they flow.
  void begin();

  // The link is about to go: what comes there is lost.
  void forget(ModelledLink& link);

  // From now on a class of TCP sends nothing, and what is under way comes to its end; or it goes on, with this window of a
  // flow (segments). When all classes rest, and nothing is under way, nothing happens any more. Precondition: the model of
  // the flow is TCP.
  void rest(std::size_t flow) { flows_[flow]->resting = true; }
  void go_on(std::size_t flow, double window);
  double window(std::size_t flow) const { return flows_[flow]->tcp.window(); }
  // Whether fluid of both passes one.
  bool share_a_link(std::size_t one, std::size_t other) const;
  // Links of the way there.
  std::size_t hops(std::size_t flow) const { return flows_[flow]->forward.size(); }
  // Of all flows of a class of TCP together, per second: what they send now, and what its narrowest link carries.
  double segments(std::size_t flow) const;
  double most_segments(std::size_t flow) const;
  // A round trip without what waits.
  Duration propagation(std::size_t flow) const;

  std::size_t size() const { return flows_.size(); }
  const std::string& name(std::size_t flow) const { return flows_[flow]->name; }
  Counters counters(std::size_t flow) const;
  Duration step() const { return step_; }

 private:
  // One direction of a link, for all flows that pass it.
  struct Queue {
    ModelledLink* link;     // null: it is gone
    bool fed = false;       // it carries fluid; else it only delays what a flow is told
    bool up = true;         // during the step
    double delay = 0.0;     // propagation, s
    double rate = 0.0;      // bit/s; of one that is fed
    double waiting = 0.0;   // what waits now, s
    double lost = 0.0;      // share of what came in the step that is over
    double tcp_lost = 0.0;  // the same of what TCP sent, with what was taken of it before the queue
    double coming = 0.0;    // bits, in the step that begins
    double taken = 0.0;     // of these, before the queue; see FairLosses
    double carried = 0.0;   // bits, of earlier steps, by which the whole rate was too low
    double refused = 0.0;   // share of these beyond kMostFluidRate: lost before the queue
    FairLosses fair;
    double tcp_came = 0.0;  // bits, in the step that is over
    double packets = 0.0;   // that came until then, and that were dropped
    double dropped = 0.0;
    // Between which instants what came in the step that is over leaves it, and is at its other end: steps from now.
    struct Passage {
      double from = 0.0;
      double to = 0.0;
    };
    Passage leaves = {};
    Passage arrives = {};
  };

  struct Flow {
    std::string name;
    std::vector<std::size_t> forward;  // of queues_
    std::vector<std::size_t> back;
    std::vector<FluidVolumes> coming;  // to each queue of the way, and to the destination: bits
    // What it sends: as a source says, whose piece ends at `until`, or as TCP.
    std::unique_ptr<BackgroundSource> source;
    FluidPiece piece;
    TcpBackground::Config config;
    TcpFluid tcp;
    bool resting = false;
    FluidVolumes losses = {};  // of which the source learns: bits
    double round_trip = 0.0;   // s
    double cut = 0.0;          // for how long a link of the way there or back has been down, s
    double offered = 0.0;      // bits, as the next two
    double delivered = 0.0;
    double lost = 0.0;
  };

  std::size_t queue_of(ModelledLink& link, bool fed);
  static void take_in(Queue& queue);
  void changed(std::size_t queue);
  Duration fitting_step() const;
  void move();
  void start();
  void stop();
  bool all_rest() const;
  void observe();
  void pass_on(Queue& queue) const;
  void leave(Flow& flow);
  static void count_packets(Queue& queue);
  void be_fair(Queue& queue) const;
  void fit_step();
  void lose_what_comes_out(Flow& flow) const;
  void send(Flow& flow) const;
  double sent_as_told(Flow& flow) const;
  double sent_by_tcp(Flow& flow) const;
  double round_trip(const Flow& flow) const;
  double propagation(const Flow& flow) const;
  double behind(const Flow& flow, std::size_t hop) const;
  void lose(Flow& flow, double bits, double known) const;
  void feed();

  Simulation& simulation_;
  std::vector<Queue> queues_;
  std::vector<std::unique_ptr<Flow>> flows_;
  Duration step_ = Duration::zero();
  double h_ = 0.0;                   // the same in seconds
  SimTime began_ = SimTime::zero();  // the step that is now
  bool unfit_ = false;               // perhaps: a link has changed
  bool begun_ = false;
  EventFor<FluidFlows, &FluidFlows::move, "moves fluid"> next_{*this};
};

}  // namespace simcore
