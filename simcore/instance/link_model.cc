// SPDX-License-Identifier: MIT
#include "simcore/instance/link_model.h"

#include "simcore/link/drop_tail.h"
#include "simcore/link/probability.h"

namespace simcore {

namespace {

constexpr ByteCount kTypicalPacket = ByteCount::bytes(1'500);

LossModel loss_or_none(const LossModel& model) { return model ? model : independent_loss(0.0); }

ErrorModel errors_or_none(const ErrorModel& model) { return model ? model : independent_bit_errors(0.0); }

}  // namespace

bool LinkModel::served() const {
  return !std::holds_alternative<DropTailQueue>(queue) || std::holds_alternative<TokenBucket>(wire) ||
         std::holds_alternative<Opportunities>(wire);
}

ModelledLink::ModelledLink(Simulation& simulation, PacketPool& pool, const std::string& name,
                           const LinkModel& model, PacketSink& sink)
    : simulation_(simulation), pool_(pool), name_(name), model_(model) {
  check(model);
  if (model.extra_delay) {
    delay_ = std::make_unique<VariableDelay>(simulation, pool, name + "/delay", model.extra_delay,
                                             model.in_order, sink);
  }
  PacketSink& behind = delay_ ? static_cast<PacketSink&>(*delay_) : sink;
  if (model.served()) {
    served_ =
        std::make_unique<ServedLink>(simulation, pool, name,
                                     ServedLink::Config{.propagation_delay = model.link.propagation_delay,
                                                        .overhead = model.link.overhead},
                                     make_queue(), make_server(), behind);
    entrance_ = served_.get();
  } else {
    link_ = std::make_unique<Link>(simulation, pool, name, model.link, behind);
    entrance_ = link_.get();
  }
  if (const auto* slots = std::get_if<LinkModel::Slots>(&model.wire)) {
    schedule_ = std::make_unique<RateSchedule>(simulation, *slots, [this](DataRate rate) {
      model_.link.rate = rate;
      if (served_) return served_->change_rate(rate);
      link_->change(model_.link);
    });
  }
  if (model.impaired()) impair();
}

void ModelledLink::check(const LinkModel& model) const {
  const std::string attempt = "make link " + name_ + ": ";
  require_probability("link " + name_, "duplicate", model.duplicate);
  const bool by_rate = !std::holds_alternative<LinkModel::Opportunities>(model.wire);
  const bool needs_rate = model.served() || std::holds_alternative<LinkModel::Slots>(model.wire);
  if (by_rate && needs_rate && !model.link.rate) {
    throw ConfigError(attempt + "it has no rate, so nothing waits; a queue, token bucket or slots need one");
  }
  const bool codel = std::holds_alternative<LinkModel::CodelQueue>(model.queue) ||
                     std::holds_alternative<FqCodel::Config>(model.queue);
  if (codel && model.link.queue_bytes) {
    throw ConfigError(attempt + "the bound of CoDel's queues is in packets; leave the one in bytes out");
  }
  if (!by_rate && model.link.rate) {
    throw ConfigError(attempt + "it has a rate and opportunities; leave one of them out");
  }
}

std::unique_ptr<QueueDiscipline> ModelledLink::make_queue() const {
  const std::string stream = name_ + "/queue";
  if (const auto* red = std::get_if<Red::Config>(&model_.queue)) {
    Red::Config config = *red;
    if (config.typical == Duration::zero() && model_.link.rate) {
      config.typical = serialization(kTypicalPacket, *model_.link.rate);
    }
    return std::make_unique<Red>(config, simulation_.stream(stream));
  }
  if (const auto* codel = std::get_if<LinkModel::CodelQueue>(&model_.queue)) {
    return std::make_unique<Codel>(codel->config, model_.link.queue_packets);
  }
  if (const auto* flows = std::get_if<FqCodel::Config>(&model_.queue)) {
    return std::make_unique<FqCodel>(*flows, simulation_.stream(stream));
  }
  return std::make_unique<DropTail>(
      DropTail::Config{.packets = model_.link.queue_packets, .bytes = model_.link.queue_bytes});
}

std::unique_ptr<Server> ModelledLink::make_server() const {
  if (const auto* bucket = std::get_if<LinkModel::TokenBucket>(&model_.wire)) {
    return std::make_unique<TokenBucketServer>(
        TokenBucketServer::Config{.rate = *model_.link.rate, .burst = bucket->burst, .peak = bucket->peak});
  }
  if (const auto* opportunities = std::get_if<LinkModel::Opportunities>(&model_.wire)) {
    return std::make_unique<OpportunityServer>(opportunities->trace, opportunities->bytes);
  }
  return std::make_unique<RateServer>(*model_.link.rate);
}

// Puts the impairments in front of the link.
void ModelledLink::impair() {
  before_impairments_ = served_ ? served_->counters() : link_->counters();
  corrupt_ = std::make_unique<Corrupt>(simulation_, pool_, name_ + "/corrupt", errors_or_none(model_.errors),
                                       *entrance_);
  duplicate_ =
      std::make_unique<Duplicate>(simulation_, pool_, name_ + "/duplicate", model_.duplicate, *corrupt_);
  loss_ =
      std::make_unique<Loss>(simulation_, pool_, "loss of " + name_, loss_or_none(model_.loss), *duplicate_);
  entrance_ = loss_.get();
}

void ModelledLink::change(const LinkModel& model) {
  check(model);
  const auto refuse = [this](const std::string& what) {
    throw ConfigError("change link " + name_ + ": " + what +
                      " cannot be changed while it runs; make it anew");
  };
  if (model.queue != model_.queue) refuse("its queue");
  if (model.wire != model_.wire) refuse("its wire");
  if (!model.extra_delay != !model_.extra_delay) refuse("whether it has an extra delay");
  if (served_) {
    const Link::Config& now = model_.link;
    const Link::Config& then = model.link;
    if (then.propagation_delay != now.propagation_delay) refuse("the delay before such a queue");
    if (then.queue_packets != now.queue_packets || then.queue_bytes != now.queue_bytes)
      refuse("its queue's limit");
    if (then.overhead != now.overhead) refuse("its overhead");
    if (then.rate && then.rate != now.rate) served_->change_rate(*then.rate);
  } else {
    link_->change(model.link);
  }
  model_ = model;
  if (delay_) delay_->change(model.extra_delay);
  if (!loss_) {
    if (model.impaired()) impair();
    return;
  }
  loss_->change(loss_or_none(model.loss));
  duplicate_->change(model.duplicate);
  corrupt_->change(errors_or_none(model.errors));
}

Link::Counters ModelledLink::counters() const {
  Link::Counters all = served_ ? served_->counters() : link_->counters();
  const auto add = [&all](const DropCounters& dropped) {
    for (std::size_t i = 0; i < kDropReasons; ++i) {
      const auto reason = static_cast<DropReason>(i);
      all.dropped.add(reason, dropped.of(reason));
    }
  };
  if (loss_) {
    all.accepted_packets = before_impairments_.accepted_packets + loss_->accepted();
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
