// SPDX-License-Identifier: MIT
#include "simcore/network/fluid_flows.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

namespace simcore {

namespace {

constexpr Duration kLeastStep = Duration::us(10);
constexpr Duration kMostStep = Duration::ms(10);
constexpr Duration kMostStepOfOthers = Duration::ms(1);  // than TCP
constexpr double kStepsOfRoundTrip = 10;
constexpr double kNothing = 1;  // bit

std::int64_t whole_bytes(double bits) { return std::llround(bits / 8); }

}  // namespace

std::size_t FluidFlows::queue_of(ModelledLink& link, bool fed) {
  const auto found = std::ranges::find(queues_, &link, &Queue::link);
  const auto place = static_cast<std::size_t>(found - queues_.begin());
  if (found == queues_.end()) {
    queues_.emplace_back().link = &link;
    link.tell_of_changes([this, place] { changed(place); });
  }
  queues_[place].fed = queues_[place].fed || fed;
  take_in(queues_[place]);
  return place;
}

void FluidFlows::take_in(Queue& queue) {
  const Link::Config& link = queue.link->model().link;
  queue.delay = link.propagation_delay.in_seconds();
  if (queue.fed) queue.rate = static_cast<double>(link.rate->bits_per_second());
}

// The link has another delay or rate.
void FluidFlows::changed(std::size_t place) {
  Queue& queue = queues_[place];
  const double delay = queue.delay;
  const double rate = queue.rate;
  take_in(queue);
  if (queue.delay == delay && queue.rate == rate) return;
  unfit_ = true;
  if (!queue.fed || h_ == 0) return;
  const double now = (simulation_.now() - began_).in_seconds() / h_;
  const double stretch = rate / queue.rate;
  if (queue.leaves.to > now) queue.leaves.to = now + (queue.leaves.to - now) * stretch;
  // What comes in this step the next queue has been told of.
  const double out = now + delay / h_;
  const double from = std::max(out, 1.0);
  const double to = now + queue.delay / h_ + (from - out) * stretch;
  if (queue.arrives.to > from) {
    queue.arrives.to = std::max(from, to + (queue.arrives.to - from) * stretch);
  }
  for (const auto& flow : flows_) {
    for (std::size_t hop = 0; hop < flow->forward.size(); ++hop) {
      if (flow->forward[hop] == place) flow->coming[hop + 1].retime(from, to, stretch);
    }
  }
}

void FluidFlows::add(const std::string& name, const FluidModel& model,
                     const std::vector<ModelledLink*>& forward, const std::vector<ModelledLink*>& back) {
  auto flow = std::make_unique<Flow>();
  flow->name = name;
  if (const auto* const tcp = std::get_if<TcpBackground::Config>(&model)) {
    flow->config = *tcp;
    flow->tcp = TcpFluid(tcp->congestion);
  } else {
    flow->source = std::get<BackgroundModel>(model)(simulation_.stream("fluid " + name));
  }
  for (ModelledLink* const link : forward) flow->forward.push_back(queue_of(*link, true));
  for (ModelledLink* const link : back) flow->back.push_back(queue_of(*link, false));
  flow->coming.resize(forward.size() + 1);
  flows_.push_back(std::move(flow));
}

void FluidFlows::begin() {
  if (flows_.empty()) return;
  begun_ = true;
  for (const auto& flow : flows_) {
    if (flow->source) flow->piece.until = simulation_.now();
  }
  if (!all_rest()) start();
}

void FluidFlows::start() {
  step_ = fitting_step();
  h_ = step_.in_seconds();
  began_ = simulation_.now();
  unfit_ = false;
  for (Queue& queue : queues_) {
    queue.leaves = queue.arrives = {};
    if (queue.link != nullptr && queue.fed) count_packets(queue);
  }
  simulation_.schedule(next_, simulation_.now());
}

void FluidFlows::go_on(std::size_t place, double window) {
  Flow& flow = *flows_[place];
  flow.tcp.go_on(window);
  flow.losses = {};  // of before: this window was learned since
  flow.resting = false;
  if (begun_ && !next_.pending()) start();
}

bool FluidFlows::all_rest() const {
  return std::ranges::all_of(flows_, [](const auto& flow) {
    return flow->resting && std::ranges::all_of(flow->coming, [](const FluidVolumes& coming) {
             return coming.all() < kNothing;
           });
  });
}

void FluidFlows::stop() {
  for (Queue& queue : queues_) {
    if (queue.link != nullptr && queue.fed) queue.link->pass(0, 0);
  }
}

Duration FluidFlows::fitting_step() const {
  double step = kMostStep.in_seconds();
  for (const auto& flow : flows_) {
    step = std::min(step,
                    flow->source ? kMostStepOfOthers.in_seconds() : propagation(*flow) / kStepsOfRoundTrip);
  }
  return std::max(kLeastStep, Duration::ns(std::llround(step * 1e9)));
}

void FluidFlows::forget(ModelledLink& link) {
  const auto found = std::ranges::find(queues_, &link, &Queue::link);
  if (found == queues_.end()) return;
  link.tell_of_changes(nullptr);
  found->link = nullptr;
}

void FluidFlows::move() {
  began_ = simulation_.now();
  observe();
  for (const auto& flow : flows_) leave(*flow);
  fit_step();
  for (const auto& flow : flows_) {
    send(*flow);
    lose_what_comes_out(*flow);
  }
  if (all_rest()) return stop();
  feed();
  simulation_.schedule_in(next_, step_);
}

void FluidFlows::observe() {
  for (Queue& queue : queues_) {
    const bool was_up = std::exchange(queue.up, queue.link != nullptr && queue.link->up());
    queue.waiting = 0;
    const double came = std::exchange(queue.coming, 0.0);
    const double taken = std::exchange(queue.taken, 0.0) / std::max(came, kNothing);
    queue.lost = queue.tcp_lost = 1;
    queue.tcp_came = 0;
    if (queue.link == nullptr || !queue.fed) continue;
    const FluidFeedback seen = queue.link->observe();
    queue.waiting = seen.waiting.in_seconds();
    if (was_up) {
      // The queue counts what was taken before it as lost.
      const double in_queue = taken < 1 ? std::max(0.0, (seen.lost - taken) / (1 - taken)) : 0.0;
      queue.lost = in_queue + (1 - in_queue) * queue.refused;
      queue.tcp_lost = queue.lost + (1 - queue.lost) * queue.fair.share();
    }
    pass_on(queue);
  }
}

void FluidFlows::pass_on(Queue& queue) const {
  const double delay = queue.delay / h_;
  queue.leaves.from = queue.leaves.to - 1;
  queue.leaves.to = std::max(queue.leaves.from, queue.waiting / h_);
  queue.arrives.from = std::max(queue.arrives.to - 1, queue.leaves.from + delay);
  queue.arrives.to = std::max(queue.arrives.from, queue.leaves.to + delay);
}

// The steps to come fit the links as they are now.
void FluidFlows::fit_step() {
  if (!std::exchange(unfit_, false)) return;
  const Duration fitting = fitting_step();
  if (step_ <= fitting && fitting < step_ * 2) return;
  const double steps = h_ / fitting.in_seconds();
  step_ = fitting;
  h_ = step_.in_seconds();
  for (Queue& queue : queues_) {
    queue.leaves.to *= steps;
    queue.arrives.to *= steps;
  }
  for (const auto& flow : flows_) {
    for (FluidVolumes& coming : flow->coming) coming.regrid(steps);
    flow->losses.regrid(steps);
  }
}

// How long it takes from the transmitter of a hop to the destination, and what the destination says to the source, s.
double FluidFlows::behind(const Flow& flow, std::size_t hop) const {
  double time = queues_[flow.forward[hop]].delay;
  for (std::size_t next = hop + 1; next < flow.forward.size(); ++next) {
    time += queues_[flow.forward[next]].delay + queues_[flow.forward[next]].waiting;
  }
  for (const std::size_t back : flow.back) time += queues_[back].delay + queues_[back].waiting;
  return time;
}

bool FluidFlows::share_a_link(std::size_t one, std::size_t other) const {
  const std::vector<std::size_t>& way = flows_[other]->forward;
  return std::ranges::any_of(
      flows_[one]->forward, [&way](std::size_t queue) { return std::ranges::find(way, queue) != way.end(); });
}

double FluidFlows::segments(std::size_t flow) const {
  const Flow& of = *flows_[flow];
  return static_cast<double>(of.config.flows) * of.tcp.rate(round_trip(of));
}

double FluidFlows::most_segments(std::size_t flow) const {
  const Flow& of = *flows_[flow];
  double narrowest = static_cast<double>(kMostFluidRate);
  for (const std::size_t hop : of.forward) narrowest = std::min(narrowest, queues_[hop].rate);
  return narrowest / static_cast<double>(of.config.segment.bits());
}

Duration FluidFlows::propagation(std::size_t flow) const {
  return Duration::ns(std::llround(propagation(*flows_[flow]) * 1e9));
}

// A round trip without what waits, s.
double FluidFlows::propagation(const Flow& flow) const {
  const auto segment = static_cast<double>(flow.config.segment.bits());
  double time = 0;
  for (const std::size_t hop : flow.forward) time += queues_[hop].delay + segment / queues_[hop].rate;
  for (const std::size_t back : flow.back) time += queues_[back].delay;
  return time;
}

double FluidFlows::round_trip(const Flow& flow) const {
  double time = propagation(flow);
  for (const std::size_t hop : flow.forward) time += queues_[hop].waiting;
  for (const std::size_t back : flow.back) time += queues_[back].waiting;
  return std::max(time, kLeastStep.in_seconds() * kStepsOfRoundTrip);
}

// What came in the step that is over goes on. The last hop first: the step must be over where something comes to.
void FluidFlows::leave(Flow& flow) {
  flow.delivered += flow.coming.back().next();
  for (std::size_t hop = flow.forward.size(); hop-- > 0;) {
    Queue& queue = queues_[flow.forward[hop]];
    const double came = flow.coming[hop].next();
    const double lost = came * (flow.source ? queue.lost : queue.tcp_lost);
    if (!flow.source) queue.tcp_came += came;
    flow.coming[hop + 1].spread(came - lost, queue.arrives.from, queue.arrives.to);
    lose(flow, lost, queue.waiting + behind(flow, hop));
  }
}

// What would come out of a link that is down in the step that begins.
void FluidFlows::lose_what_comes_out(Flow& flow) const {
  for (std::size_t hop = 0; hop < flow.forward.size(); ++hop) {
    const Queue& queue = queues_[flow.forward[hop]];
    if (!queue.up) lose(flow, flow.coming[hop + 1].take_now(), behind(flow, hop) - queue.delay);
  }
}

// The source knows of it in `known` seconds.
void FluidFlows::lose(Flow& flow, double bits, double known) const {
  if (bits <= 0) return;
  flow.lost += bits;
  if (!flow.source) flow.losses.spread(bits, known / h_ - 1, known / h_);
}

// What it sends in the step that begins.
void FluidFlows::send(Flow& flow) const {
  const double sent = flow.source ? sent_as_told(flow) : sent_by_tcp(flow);
  flow.offered += sent;
  flow.coming.front().spread(sent, 0, 0);
}

double FluidFlows::sent_as_told(Flow& flow) const {
  SimTime now = simulation_.now();
  const SimTime end = now + step_;
  double sent = 0;
  while (now < end) {
    if (flow.piece.until <= now) {
      flow.piece = flow.source->next(now, {});
      sent += static_cast<double>(flow.piece.at_once.bits());
    }
    const SimTime until = std::min(end, flow.piece.until);
    sent += static_cast<double>(flow.piece.bits_per_second) * (until - now).in_seconds();
    now = until;
  }
  return sent;
}

double FluidFlows::sent_by_tcp(Flow& flow) const {
  const auto segment = static_cast<double>(flow.config.segment.bits());
  const auto flows = static_cast<double>(flow.config.flows);
  flow.round_trip = round_trip(flow);
  const double losses = flow.losses.next() / (segment * flows * h_);
  if (flow.resting) return 0;
  flow.tcp.follow(h_, flow.round_trip, losses);
  const auto down = [this](std::size_t queue) { return !queues_[queue].up; };
  const bool cut = std::ranges::any_of(flow.forward, down) || std::ranges::any_of(flow.back, down);
  flow.cut = cut ? flow.cut + h_ : 0.0;
  if (flow.cut > flow.round_trip) flow.tcp.stall();
  return std::min(flows * flow.tcp.rate(flow.round_trip) * segment, static_cast<double>(kMostFluidRate)) * h_;
}

void FluidFlows::count_packets(Queue& queue) {
  const Link::Counters& counters = queue.link->beside_fluid();
  queue.packets = static_cast<double>(counters.accepted_packets);
  queue.dropped = static_cast<double>(counters.dropped.total());
}

// What is taken of TCP's fluid from now on.
void FluidFlows::be_fair(Queue& queue) const {
  const double packets = queue.packets;
  const double dropped = queue.dropped;
  count_packets(queue);
  queue.fair.observe({.length = h_,
                      .packets = std::max(0.0, queue.packets - packets),
                      .lost_packets = std::max(0.0, queue.dropped - dropped),
                      .fluid = queue.tcp_came,
                      .lost_fluid = queue.tcp_came * queue.tcp_lost});
}

void FluidFlows::feed() {
  for (Queue& queue : queues_) {
    if (queue.link != nullptr && queue.fed && queue.up) be_fair(queue);
  }
  for (const auto& flow : flows_) {
    for (std::size_t hop = 0; hop < flow->forward.size(); ++hop) {
      Queue& queue = queues_[flow->forward[hop]];
      const double comes = flow->coming[hop].now();
      queue.coming += comes;
      if (!flow->source) queue.taken += comes * queue.fair.share();
    }
  }
  for (Queue& queue : queues_) {
    if (queue.link == nullptr || !queue.fed) continue;
    const double wanted = queue.up ? queue.coming - queue.taken + queue.carried : 0.0;
    const double most = static_cast<double>(kMostFluidRate) * h_;
    queue.refused = wanted > most ? 1 - most / wanted : 0.0;
    const std::int64_t rate = std::clamp<std::int64_t>(
        std::llround(std::min(wanted / h_, static_cast<double>(kMostFluidRate))), 0, kMostFluidRate);
    queue.carried = std::clamp(wanted - static_cast<double>(rate) * h_, -h_, h_);
    const double taken = queue.up ? queue.taken / h_ : 0.0;
    queue.link->pass(rate, std::llround(std::min(taken, static_cast<double>(kMostFluidRate - rate))));
  }
}

FluidFlows::Counters FluidFlows::counters(std::size_t flow) const {
  const Flow& of = *flows_[flow];
  Counters all;
  all.delivered_bytes = whole_bytes(of.delivered);
  all.lost_bytes = whole_bytes(of.lost);
  // Where nothing is under way both may have been rounded up.
  all.offered_bytes = std::max(whole_bytes(of.offered), all.delivered_bytes + all.lost_bytes);
  all.under_way_bytes = all.offered_bytes - all.delivered_bytes - all.lost_bytes;
  if (!of.source) {
    all.round_trip = Duration::ns(std::llround(of.round_trip * 1e9));
    all.window_bytes = whole_bytes(of.tcp.window() * static_cast<double>(of.config.segment.bits()));
  }
  return all;
}

}  // namespace simcore
