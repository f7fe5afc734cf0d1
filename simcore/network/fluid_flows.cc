// SPDX-License-Identifier: MIT
#include "simcore/network/fluid_flows.h"

#include <algorithm>
#include <cmath>
#include <variant>

namespace simcore {

namespace {

constexpr Duration kLeastStep = Duration::us(10);
constexpr Duration kMostStep = Duration::ms(10);
constexpr Duration kMostStepOfOthers = Duration::ms(1);  // than TCP
constexpr double kStepsOfRoundTrip = 10;

std::int64_t whole_bytes(double bits) { return std::llround(bits / 8); }

}  // namespace

double FluidFlows::Queue::delay() const {
  return link == nullptr ? 0.0 : link->model().link.propagation_delay.in_seconds();
}

std::size_t FluidFlows::queue_of(ModelledLink& link, bool fed) {
  const auto found = std::ranges::find(queues_, &link, &Queue::link);
  const auto place = static_cast<std::size_t>(found - queues_.begin());
  if (found == queues_.end()) queues_.push_back({.link = &link});
  queues_[place].fed = queues_[place].fed || fed;
  return place;
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
  double step = kMostStep.in_seconds();
  for (const auto& flow : flows_) {
    step =
        std::min(step, flow->source ? kMostStepOfOthers.in_seconds() : round_trip(*flow) / kStepsOfRoundTrip);
  }
  step_ = std::max(kLeastStep, Duration::ns(std::llround(step * 1e9)));
  h_ = step_.in_seconds();
  for (const auto& flow : flows_) {
    if (flow->source) flow->piece.until = simulation_.now();
  }
  simulation_.schedule(next_, simulation_.now());
}

void FluidFlows::forget(const ModelledLink& link) {
  const auto found = std::ranges::find(queues_, &link, &Queue::link);
  if (found != queues_.end()) found->link = nullptr;
}

void FluidFlows::move() {
  observe();
  for (const auto& flow : flows_) {
    leave(*flow);
    send(*flow);
  }
  feed();
  simulation_.schedule_in(next_, step_);
}

void FluidFlows::observe() {
  for (Queue& queue : queues_) {
    queue.before = queue.waiting;
    queue.waiting = 0;
    queue.lost = 1;
    queue.coming = 0;
    if (queue.link == nullptr || !queue.fed) continue;
    const FluidFeedback seen = queue.link->observe();
    queue.waiting = seen.waiting.in_seconds();
    if (queue.link->up()) queue.lost = seen.lost + (1 - seen.lost) * queue.refused;
  }
}

// How long it takes from the transmitter of a hop to the destination, and what the destination says to the source, s.
double FluidFlows::behind(const Flow& flow, std::size_t hop) const {
  double time = queues_[flow.forward[hop]].delay();
  for (std::size_t next = hop + 1; next < flow.forward.size(); ++next) {
    time += queues_[flow.forward[next]].delay() + queues_[flow.forward[next]].waiting;
  }
  for (const std::size_t back : flow.back) time += queues_[back].delay() + queues_[back].waiting;
  return time;
}

double FluidFlows::round_trip(const Flow& flow) const {
  const Queue& first = queues_[flow.forward.front()];
  double time = first.waiting + behind(flow, 0);
  for (const std::size_t hop : flow.forward) {
    if (queues_[hop].link == nullptr) continue;
    time += static_cast<double>(flow.config.segment.bits()) /
            static_cast<double>(queues_[hop].link->model().link.rate->bits_per_second());
  }
  return std::max(time, kLeastStep.in_seconds() * kStepsOfRoundTrip);
}

// What came in the step that is over goes on. The last hop first: the step must be over where something comes to.
void FluidFlows::leave(Flow& flow) const {
  flow.delivered += flow.coming.back().next();
  for (std::size_t hop = flow.forward.size(); hop-- > 0;) {
    const Queue& queue = queues_[flow.forward[hop]];
    const double came = flow.coming[hop].next();
    const double lost = came * queue.lost;
    const double from = (queue.before + queue.delay()) / h_ - 1;
    const double to = std::max(from, (queue.waiting + queue.delay()) / h_);
    flow.coming[hop + 1].spread(came - lost, from, to);
    if (lost <= 0) continue;
    flow.lost += lost;
    const double known = (queue.waiting + behind(flow, hop)) / h_;
    if (!flow.source) flow.losses.spread(lost, known - 1, known);
  }
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
  flow.tcp.follow(h_, flow.round_trip, flow.losses.next() / (segment * flows * h_));
  return std::min(flows * flow.tcp.window() * segment / flow.round_trip,
                  static_cast<double>(kMostFluidRate)) *
         h_;
}

void FluidFlows::feed() {
  for (const auto& flow : flows_) {
    for (std::size_t hop = 0; hop < flow->forward.size(); ++hop) {
      queues_[flow->forward[hop]].coming += flow->coming[hop].now();
    }
  }
  for (Queue& queue : queues_) {
    if (queue.link == nullptr || !queue.fed) continue;
    const double wanted = queue.link->up() ? queue.coming + queue.carried : 0.0;
    const double most = static_cast<double>(kMostFluidRate) * h_;
    queue.refused = wanted > most ? 1 - most / wanted : 0.0;
    const std::int64_t rate = std::clamp<std::int64_t>(
        std::llround(std::min(wanted / h_, static_cast<double>(kMostFluidRate))), 0, kMostFluidRate);
    queue.carried = std::clamp(wanted - static_cast<double>(rate) * h_, -h_, h_);
    queue.link->pass(rate);
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
