// SPDX-License-Identifier: MIT
#include "simcore/network/link_model.h"

#include <limits>

#include "simcore/link/drop_tail.h"
#include "simcore/link/probability.h"
#include "simcore/link/red.h"

namespace simcore {

namespace {

LossModel loss_or_none(const LossModel& model) { return model ? model : independent_loss(0.0); }

ErrorModel errors_or_none(const ErrorModel& model) { return model ? model : independent_bit_errors(0.0); }

// What a part of a link says against its options, with the name of the link.
template <class Make>
auto made_for(const std::string& link, const Make& make) {
  try {
    return make();
  } catch (const ConfigError& error) {
    throw ConfigError("link " + link + ": " + error.what());
  }
}

// What only delays, behind a ServedLink.
Link::Config delaying(const Link::Config& config) { return {.propagation_delay = config.propagation_delay}; }

// Precondition: the link has a rate. RED's only limit is its own.
FluidLink::Config of_fluid(const LinkModel& model) {
  const Link::Config& link = model.link;
  FluidLink::Config config{.queue = {.rate = *link.rate}, .overhead = link.overhead};
  if (const auto* const red = model.queue.as<RedControl::Config>()) {
    config.queue.packets = std::numeric_limits<std::int64_t>::max();
    config.queue.bytes = red->limit;
  } else {
    config.queue.packets = link.queue_packets;
    config.queue.bytes = link.queue_bytes;
  }
  return config;
}

}  // namespace

bool LinkModel::served() const {
  return !queue.drop_tail() || std::holds_alternative<TokenBucket>(rate_model) ||
         std::holds_alternative<Opportunities>(rate_model) || std::holds_alternative<UserRate>(rate_model);
}

ModelledLink::ModelledLink(Simulation& simulation, PacketPool& pool, const std::string& name,
                           const LinkModel& model, PacketSink& sink)
    : simulation_(simulation),
      pool_(pool),
      name_(name),
      model_(model),
      sink_(&sink),
      link_(simulation, pool, name, middle_of(model) == Middle::link ? model.link : delaying(model.link),
            sink) {
  Change first = prepare(model);
  delay_further(model);
  middle_ = middle_of(model);
  if (middle_ == Middle::served) serve(first);
  if (middle_ == Middle::fluid) flow(first);
  direct_ = &middle();
  if (model.impaired()) impair();
  watch(model.watched);
  follow_slots();
}

PacketSink& ModelledLink::middle() {
  switch (middle_) {
    case Middle::served:
      return *served_;
    case Middle::fluid:
      return *fluid_;
    case Middle::link:
      break;
  }
  return link_;
}

void ModelledLink::check(const LinkModel& model) const {
  const std::string attempt = "make link " + name_ + ": ";
  Link::check(name_, model.link);
  if (const auto* slots = std::get_if<LinkModel::Slots>(&model.rate_model)) RateSchedule::check(*slots);
  require_probability("link " + name_, "duplicate", model.duplicate);
  const bool by_rate = !std::holds_alternative<LinkModel::Opportunities>(model.rate_model) &&
                       !std::holds_alternative<LinkModel::UserRate>(model.rate_model);
  const bool needs_rate = model.served() || std::holds_alternative<LinkModel::Slots>(model.rate_model);
  if (by_rate && needs_rate && !model.link.rate) {
    throw ConfigError(attempt + "it has no rate, so nothing waits; a queue, token bucket or slots need one");
  }
  if (model.background && !model.link.rate) {
    throw ConfigError(attempt + "it has no rate, so a background has nothing to fill; give it a rate");
  }
  if (model.background && model.served()) {
    const std::string what = model.queue.drop_tail() ? "rate model" : "queue";
    throw ConfigError(attempt + "a background shares a drop-tail queue and a rate, and its " + what +
                      " is another one; leave one of them out");
  }
  if (!by_rate && model.link.rate) {
    throw ConfigError(
        attempt +
        "it has a rate, and a trace or plug-in that decides when packets leave; leave one of them out");
  }
  if (carries_fluid_) check_carries_fluid(model);
}

void ModelledLink::check_carries_fluid(const LinkModel& model) const {
  const auto require = [this](bool holds, const std::string& what) {
    if (holds) return;
    throw ConfigError(
        "make link " + name_ + ": fluid flows pass it, and " + what +
        "; a fluid passes a drop-tail or RED queue with a rate (bw) and a constant delay, and nothing else");
  };
  require(model.link.rate.has_value(), "it has no rate");
  require(model.queue.drop_tail() || model.queue.as<RedControl::Config>() != nullptr,
          "its queue is neither drop-tail nor RED");
  require(std::holds_alternative<std::monostate>(model.rate_model) ||
              std::holds_alternative<LinkModel::Slots>(model.rate_model),
          "a token bucket, trace or plug-in says when packets leave");
  require(!model.loss, "it loses packets by chance");
  require(model.duplicate == 0 && !model.errors, "it duplicates or corrupts packets");
  require(!model.extra_delay, "its delay changes");
}

void ModelledLink::carry_fluid() {
  check_carries_fluid(model_);
  if (carries_fluid_) return;
  carries_fluid_ = true;
  if (middle_ != Middle::fluid) change(model_);
}

std::unique_ptr<QueueDiscipline> ModelledLink::make_queue(const LinkModel& model) const {
  const Link::Config& link = model.link;
  if (!model.queue.drop_tail()) {
    return model.queue.make({.packets = link.queue_packets, .bytes = link.queue_bytes, .rate = link.rate},
                            simulation_.stream(name_ + "/queue"));
  }
  return std::make_unique<DropTail>(
      DropTail::Config{.packets = link.queue_packets, .bytes = link.queue_bytes});
}

std::unique_ptr<Server> ModelledLink::make_server(const LinkModel& model) const {
  if (const auto* bucket = std::get_if<LinkModel::TokenBucket>(&model.rate_model)) {
    return std::make_unique<TokenBucketServer>(
        TokenBucketServer::Config{.rate = *model.link.rate, .burst = bucket->burst, .peak = bucket->peak});
  }
  if (const auto* opportunities = std::get_if<LinkModel::Opportunities>(&model.rate_model)) {
    return std::make_unique<OpportunityServer>(opportunities->trace, opportunities->bytes);
  }
  if (const auto* rate = std::get_if<LinkModel::UserRate>(&model.rate_model)) {
    return std::make_unique<UserServer>(rate->model, simulation_.stream(name_ + "/rate"));
  }
  return std::make_unique<RateServer>(*model.link.rate);
}

// Whether the server that is there can go on, perhaps at another rate.
bool ModelledLink::keeps_server(const LinkModel& model) const {
  const auto by_rate = [](const LinkModel& each) {
    return std::holds_alternative<std::monostate>(each.rate_model) ||
           std::holds_alternative<LinkModel::Slots>(each.rate_model);
  };
  if (by_rate(model_) || by_rate(model)) return by_rate(model_) && by_rate(model);
  return model_.rate_model == model.rate_model && model_.link.rate == model.link.rate;
}

ModelledLink::Change ModelledLink::prepare(const LinkModel& model) const {
  check(model);
  if (delay_) delay_->check_change(link_.on_their_way());
  Change change(model);
  // Slots that go on have the rate of the one that holds now.
  if (schedule_ && model.rate_model == model_.rate_model) change.model.link.rate = model_.link.rate;
  const bool same_background = middle_ == Middle::fluid && !model.background_origin.empty() &&
                               model.background_origin == model_.background_origin;
  if (model.background && !same_background) {
    change.source =
        made_for(name_, [&] { return model.background(simulation_.stream(name_ + "/background")); });
  }
  if (const auto* const red = model.queue.as<RedControl::Config>();
      red != nullptr && middle_of(model) == Middle::fluid) {
    if (middle_ != Middle::fluid || model.queue != model_.queue) {
      change.red = made_for(name_, [&] {
        return std::make_unique<RedControl>(with_typical_packet(*red, *model.link.rate),
                                            simulation_.stream(name_ + "/queue"));
      });
    }
  }
  if (middle_of(model) != Middle::served) return change;
  const bool serving = middle_ == Middle::served;
  const bool same_limits = model.link.queue_packets == model_.link.queue_packets &&
                           model.link.queue_bytes == model_.link.queue_bytes;
  if (!serving || model.queue != model_.queue || !same_limits)
    change.queue = made_for(name_, [&] { return make_queue(model); });
  if (!serving || !keeps_server(model)) {
    change.make_server = [this, to = change.model] {
      return made_for(name_, [&] { return make_server(to); });
    };
    change.first_server = change.make_server();
  }
  return change;
}

void ModelledLink::apply(Change change) {
  const LinkModel& model = change.model;
  const bool other_rate_model = model.rate_model != model_.rate_model;
  const bool toggles = middle_of(model) != middle_;
  Backlog backlog;
  if (toggles) {
    count_here();
    if (middle_ != Middle::link && middle_of(model) != Middle::link) pass_through_plain(model);
    backlog = hand_over();
    middle_ = middle_of(model);
  }
  delay_further(model);
  link_.change(middle_ == Middle::link ? model.link : delaying(model.link));
  if (middle_ == Middle::served) serve(change);
  if (middle_ == Middle::fluid) flow(change);
  watch(model.watched);
  if (toggles) take_over(std::move(backlog));
  if (model.impaired() && !loss_) impair();
  if (loss_) {
    if (model.loss_origin.empty() || model.loss_origin != model_.loss_origin) {
      loss_->change(loss_or_none(model.loss));
    }
    duplicate_->change(model.duplicate);
    corrupt_->change(errors_or_none(model.errors));
  }
  model_ = model;
  if (other_rate_model) follow_slots();
  if (changed_) changed_();
}

// Lets a plain link take over before another element than a Link does: what is being sent is then its own, and stays there.
void ModelledLink::pass_through_plain(const LinkModel& model) {
  Link::Config plain = model.link;
  if (!plain.rate) plain.rate = model_.link.rate;
  plain.propagation_delay = model_.link.propagation_delay;
  Backlog backlog = hand_over();
  middle_ = Middle::link;
  link_.change(plain);
  take_over(std::move(backlog));
}

Backlog ModelledLink::hand_over() {
  if (middle_ == Middle::served) return served_->hand_over();
  if (middle_ == Middle::fluid) return fluid_->hand_over();
  return link_.hand_over();
}

void ModelledLink::take_over(Backlog backlog) {
  if (middle_ == Middle::served) return served_->take_over(std::move(backlog));
  if (middle_ == Middle::fluid) return fluid_->take_over(std::move(backlog));
  link_.take_over(std::move(backlog));
}

// Makes the queue that is shared with the background before the link, or changes the one that is there.
void ModelledLink::flow(Change& change) {
  const FluidLink::Config config = of_fluid(change.model);
  if (!fluid_) {
    fluid_ = std::make_unique<FluidLink>(simulation_, pool_, name_, config, std::move(change.source), link_);
  } else {
    fluid_->change(config);
    if (change.source || !change.model.background) fluid_->change_source(std::move(change.source));
  }
  if (change.red || change.model.queue.drop_tail()) fluid_->control(std::move(change.red));
}

// Makes the queue and the server before the link, or changes those that are there.
void ModelledLink::serve(Change& change) {
  const LinkModel& model = change.model;
  const ServedLink::Config config{.propagation_delay = Duration::zero(), .overhead = model.link.overhead};
  if (!served_) {
    served_ = std::make_unique<ServedLink>(simulation_, pool_, name_, config, std::move(change.queue),
                                           std::move(change.first_server), link_);
    return;
  }
  served_->change(config, std::move(change.queue), change.make_server);
  if (!change.make_server && model.link.rate && model.link.rate != model_.link.rate) {
    served_->change_rate(*model.link.rate);
  }
}

// Follows the slots of the model, from the first one, or none.
void ModelledLink::follow_slots() {
  schedule_ = nullptr;
  const auto* slots = std::get_if<LinkModel::Slots>(&model_.rate_model);
  if (slots == nullptr) return;
  schedule_ = std::make_unique<RateSchedule>(simulation_, *slots, [this](DataRate rate) {
    model_.link.rate = rate;
    if (middle_ == Middle::served) {
      served_->change_rate(rate);
    } else if (middle_ == Middle::fluid) {
      fluid_->change(of_fluid(model_));
    } else {
      link_.change(model_.link);
    }
    if (changed_) changed_();
  });
}

// Puts the impairments in front of the link.
void ModelledLink::impair() {
  corrupt_ =
      std::make_unique<Corrupt>(simulation_, pool_, name_ + "/corrupt", errors_or_none(model_.errors), core_);
  duplicate_ =
      std::make_unique<Duplicate>(simulation_, pool_, name_ + "/duplicate", model_.duplicate, *corrupt_);
  loss_ =
      std::make_unique<Loss>(simulation_, pool_, "loss of " + name_, loss_or_none(model_.loss), *duplicate_);
  count_here();
}

// Puts the extra delay behind the link, or changes the one that is there; what is on its way to it keeps the one
// that it was accepted with.
void ModelledLink::delay_further(const LinkModel& model) {
  if (!delay_ && !model.extra_delay) return;
  const DelayModel none = constant_delay(Duration::zero());
  if (!delay_) {
    delay_ = std::make_unique<VariableDelay>(simulation_, pool_, name_ + "/delay", none, true, far_end());
    link_.lead_to(*delay_);
  } else if (!model.extra_delay_origin.empty() && model.extra_delay_origin == model_.extra_delay_origin &&
             model.in_order == model_.in_order) {
    return;
  }
  delay_->change(model.extra_delay ? model.extra_delay : none, model.extra_delay ? model.in_order : true,
                 link_.on_their_way());
}

void ModelledLink::watch(bool watched) {
  if (watched && !statistics_) statistics_ = std::make_unique<QueueStatistics>();
  QueueStatistics* const watcher = watched ? statistics_.get() : nullptr;
  link_.watch(middle_ == Middle::link ? watcher : nullptr);
  if (served_) served_->watch(watcher);
  if (fluid_) fluid_->watch(watcher);
}

// From now on what is accepted is counted here, and not by the only element.
void ModelledLink::count_here() {
  if (direct_ == nullptr) return;
  const Link::Counters before = counters_of_elements();
  accepted_packets_ = before.accepted_packets;
  accepted_bytes_ = before.accepted_bytes;
  direct_ = nullptr;
}

void ModelledLink::accept(PacketPtr packet) {
  accepted_packets_ += packet->segments;
  accepted_bytes_ += static_cast<std::uint64_t>(packet->wire_size().count());
  if (loss_) return loss_->accept(std::move(packet));
  core_.accept(std::move(packet));
}

void ModelledLink::Core::accept(PacketPtr packet) { owner_.middle().accept(std::move(packet)); }

void ModelledLink::set_up(bool up) {
  up_ = up;
  if (delay_) return delay_->lead_to(far_end());
  link_.lead_to(far_end());
}

void ModelledLink::retire() {
  set_up(false);
  schedule_.reset();
}

bool ModelledLink::shed(std::size_t most) {
  const std::size_t of_link = link_.shed(most);
  const std::size_t of_delay = delay_ ? delay_->shed(most - of_link) : 0;
  return of_link + of_delay == most;
}

void ModelledLink::look(LinkView& view) const {
  link_.look(view);
  if (served_) served_->look(view, link_.config().propagation_delay);
  if (fluid_) fluid_->look(view, link_.config().propagation_delay);
  if (delay_) delay_->look(view);
}

Link::Counters ModelledLink::counters() const {
  Link::Counters all = counters_of_elements();
  all.accepted_packets += refused_.packets();
  all.accepted_bytes += refused_.bytes();
  all.delivered_packets -= lost_.packets();
  all.delivered_bytes -= lost_.bytes();
  all.dropped.add(DropReason::link_down, refused_.packets() + lost_.packets());
  return all;
}

Link::Counters ModelledLink::counters_of_elements() const {
  Link::Counters all = link_.counters();
  const auto add = [&all](const DropCounters& dropped) {
    for (std::size_t i = 0; i < kDropReasons; ++i) {
      const auto reason = static_cast<DropReason>(i);
      all.dropped.add(reason, dropped.of(reason));
    }
  };
  if (served_) {
    const Link::Counters served = served_->counters();
    add(served.dropped);
    all.accepted_packets = served.accepted_packets;
    all.accepted_bytes = served.accepted_bytes;
  }
  if (fluid_) {
    add(fluid_->counters().dropped);
    all.accepted_packets = fluid_->counters().accepted_packets;
    all.accepted_bytes = fluid_->counters().accepted_bytes;
  }
  if (direct_ == nullptr) {
    all.accepted_packets = accepted_packets_;
    all.accepted_bytes = accepted_bytes_;
  }
  if (loss_) {
    add(loss_->dropped());
    add(duplicate_->dropped());
    add(corrupt_->dropped());
  }
  if (delay_) {
    add(delay_->dropped());
    all.delivered_packets -= delay_->in_flight() + delay_->dropped().total();
  }
  return all;
}

std::uint64_t ModelledLink::in_flight() const {
  // Pieces of trains that wait in an impairment for their instant are on their way too.
  const Link::Counters all = counters();
  return all.accepted_packets + duplicated() - all.delivered_packets - all.dropped.total();
}

}  // namespace simcore
