// SPDX-License-Identifier: MIT
#include "simcore/network/link_options.h"

#include <limits>
#include <utility>
#include <vector>

#include "simcore/network/load_model.h"
#include "simcore/options/option_table.h"

namespace simcore {

namespace {

using RateModel = LinkModel::RateModel;

const OptionTable<LinkModel::TokenBucket>& token_bucket() {
  using T = LinkModel::TokenBucket;
  static const OptionTable<T> table(
      "token_bucket", "a bucket of bytes that is filled at the rate",
      {.burst = ByteCount::zero(), .peak = {}},
      {
          {"burst",
           &T::burst,
           {.help = "size of the token bucket: bytes that may leave at once", .least = 1, .required = true}},
          {"peak", &T::peak, {.help = "rate of a burst; none: it leaves at once"}},
      });
  return table;
}

const OptionTable<RateSchedule::Slot>& slot() {
  using S = RateSchedule::Slot;
  static const OptionTable<S> table(
      "slot", "a rate for some time", {Duration::zero(), DataRate::bps(1)},
      {
          {"duration", &S::length, {.help = "of the slot", .least = 1, .required = true}},
          {"rate", &S::rate, {.help = "while it lasts", .required = true}},
      });
  return table;
}

struct Slots {
  LinkModel::Slots slots = {};
};

const OptionTable<Slots>& slots() {
  static const OptionTable<Slots> table(
      "slots", "rates that take turns", {},
      {{"slots",
        slot(),
        [](Slots& of, LinkModel::Slots given) { of.slots = std::move(given); },
        {.help = "rates that take turns, instead of a rate: pairs of a duration and a rate",
         .least_items = 1,
         .required = true}}});
  return table;
}

struct Opportunities {
  std::string file;
  std::string text;
  ByteCount bytes = ByteCount::bytes(1'514);
};

const OptionTable<Opportunities>& opportunities() {
  using O = Opportunities;
  static const OptionTable<O> table(
      "opportunities", "when a frame can leave, as recorded on a real wire", {},
      {
          {"trace",
           &O::file,
           {.help = "path of a Mahimahi trace on the link's machine, instead of a rate: a line for each "
                    "frame that "
                    "can leave, with the time in ms",
            .key = "file",
            .required = true}},
          {"trace_bytes",
           &O::bytes,
           {.help = "how much each line of a trace carries", .key = "bytes", .least = 1}},
          {"text",
           &O::text,
           {.help = "what the file says; in records, which must do without it", .plan_only = true}},
      });
  return table;
}

const OptionFamily<RateModel>& rate_models() {
  static const OptionFamily<RateModel> family(
      "rate_model", "model",
      {
          model<RateModel>(token_bucket()),
          model<RateModel>(slots(), [](const Slots& values) { return values.slots; }),
          model<RateModel>(opportunities(),
                           [](const Opportunities& values) {
                             return LinkModel::Opportunities{
                                 OpportunityTrace::parse(values.text, values.file), values.bytes};
                           }),
      });
  return family;
}

const OptionTable<LinkOptions::Reorder>& reorder_table() {
  using R = LinkOptions::Reorder;
  static const OptionTable<R> table(
      "reorder", "packets that overtake others", {},
      {
          {"reorder",
           &R::probability,
           {.help = "share of the packets that skip the delay, and so overtake others",
            .unit = "%",
            .key = "probability",
            .required = true}},
          {"reorder_gap",
           &R::gap,
           {.help = "only the last of this many packets may overtake others",
            .key = "gap",
            .least = 1,
            .most = 1'000'000}},
      });
  return table;
}

const OptionTable<UserModel::Config>& plugin_table() {
  using C = UserModel::Config;
  static const OptionTable<C> table(
      "plugin", "a plug-in of your own", {},
      {
          {"model",
           &C::file,
           {.help = "a plug-in of your own that decides loss, delay or rate: its path, or its name in "
                    "HYBRIDNET_PLUGIN_PATH",
            .key = "file",
            .required = true}},
          {"model_args", &C::arguments, {.help = "its arguments", .key = "arguments", .required = true}},
          {"backward", &C::backward, {.help = "from the link's second end to its first", .plan_only = true}},
      });
  return table;
}

}  // namespace

const OptionTable<LinkOptions>& LinkOptions::options() {
  using L = LinkOptions;
  using M = LinkModel;
  const auto of_model = [](const Option<M>& option) { return option.within(&L::model); };
  static const OptionTable<L> table(
      "direction", "one direction of a link", L{},
      joined<L>(
          {within(Link::Config::options().within(&M::link), &L::model),
           {
               {"rate_model",
                rate_models(),
                [](L& of, RateModel given, const OptionValue&) { of.model.rate_model = std::move(given); },
                {.help = "instead of the rate alone", .nullable = true, .spread = true}},
               {"jitter",
                delay_models(),
                [](L& of, DelayModel delay, const OptionValue& given) {
                  of.model.extra_delay = std::move(delay);
                  of.model.extra_delay_origin = given.text();
                },
                {.help = "the delay varies by this much, drawn for each packet, and packets overtake each "
                         "other; or a "
                         "model of what is added to the delay",
                 .key = "extra_delay",
                 .nullable = true}},
               Option<L>::said("jitter_distribution", OptionKind::choice,
                               {.help = "uniform: within delay ± jitter; normal: jitter is the deviation; "
                                        "exponential: jitter is the "
                                        "mean of what is added to the delay"},
                               {"uniform", "normal", "exponential"}),
               of_model({"keep_order",
                         &M::in_order,
                         {.help = "packets of different delay do not overtake each other"}}),
               {"loss",
                loss_models(),
                [](L& of, LossModel loss, const OptionValue& given) {
                  of.model.loss = std::move(loss);
                  of.model.loss_origin = given.text();
                },
                {.help = "share of the packets that are lost; or a model", .nullable = true}},
               of_model({"duplicate",
                         &M::duplicate,
                         {.help = "share of the packets that are sent twice", .unit = "%"}}),
               {"corrupt",
                &L::corrupt,
                {.help = "share of the packets in which one bit is flipped", .unit = "%"}},
               {"bit_error_rate",
                &L::bit_error_rate,
                {.help = "instead of corrupt: the share of all bits that are flipped, such as 1e-6",
                 .least = 0,
                 .most = 1,
                 .below = true}},
               {"reorder",
                reorder_table(),
                [](L& of, const Reorder& given) { of.reorder = given; },
                {.help = "packets that overtake others", .nullable = true, .spread = true}},
               {"aqm",
                queue_models(),
                [](L& of, QueueModel queue, const OptionValue&) { of.model.queue = std::move(queue); },
                {.help = "instead of drop-tail: its name, or a model with parameters",
                 .key = "queue",
                 .nullable = true}},
               {"background",
                background_models(),
                [](L& of, BackgroundModel background, const OptionValue& given) {
                  of.model.background = std::move(background);
                  of.model.background_origin = given.text();
                },
                {.help = "traffic that shares the queue with the packets without being packets: a model",
                 .nullable = true}},
               Option<L>::said("ecn", OptionKind::flag,
                               {.help = "mark ECN-capable packets instead of dropping them"}),
               Option<L>::said("enable_red", OptionKind::flag,
                               {.help = "Mininet's option: RED with the parameters that Mininet gives to tc",
                                .mininet = "enable_red"}),
               Option<L>::said("enable_ecn", OptionKind::flag,
                               {.help = "Mininet's option: the same as enable_red, and the queue marks",
                                .mininet = "enable_ecn"}),
               of_model({"watch_queue",
                         &M::watched,
                         {.help = "the queue keeps histograms of sojourn time and occupancy"}}),
               {"plugin",
                plugin_table(),
                [](L& of, UserModel::Config given) { of.plugin = std::move(given); },
                {.help = "a plug-in of your own", .nullable = true, .spread = true}},
           }}));
  return table;
}

LinkModel LinkOptions::link_model(const std::string& place) const {
  LinkModel made = model;
  const bool unbounded = made.link.queue_packets == std::numeric_limits<std::int64_t>::max();
  if (unbounded && !made.link.queue_bytes)
    throw ConfigError(place + ": its queue has no bound; set queue_packets or queue_bytes");
  if (corrupt > 0 && bit_error_rate > 0)
    throw ConfigError(place + ": corrupt and bit_error_rate both damage packets; leave one of them out");
  if (corrupt > 0) made.errors = one_bit_errors(corrupt);
  if (bit_error_rate > 0) made.errors = independent_bit_errors(bit_error_rate);
  if (reorder) {
    made.extra_delay = reordering(made.extra_delay ? made.extra_delay : constant_delay(Duration::zero()),
                                  reorder->probability, reorder->gap);
    made.extra_delay_origin +=
        " reorder " + OptionValue(reorder->probability).text() + " " + std::to_string(reorder->gap);
  }
  if (plugin) follow(made, load_model(*plugin));
  return made;
}

}  // namespace simcore
