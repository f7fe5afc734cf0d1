// SPDX-License-Identifier: MIT
#include "simcore/python/link_model.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "simcore/network/load_model.h"
#include "simcore/units/error.h"

namespace nb = nanobind;

namespace simcore::python {

namespace {

template <class T>
std::optional<T> value(const nb::dict& from, const char* key) {
  if (!from.contains(key) || from[key].is_none()) return std::nullopt;
  return nb::cast<T>(from[key]);
}

std::optional<std::int64_t> number(const nb::dict& from, const char* key) {
  return value<std::int64_t>(from, key);
}

Duration duration(const nb::dict& from, const char* key, Duration otherwise = Duration::zero()) {
  return Duration::ns(number(from, key).value_or(otherwise.count_ns()));
}

ByteCount bytes(const nb::dict& from, const char* key, ByteCount otherwise) {
  return ByteCount::bytes(number(from, key).value_or(otherwise.count()));
}

std::vector<Duration> durations(const nb::dict& from, const char* key) {
  std::vector<Duration> result;
  for (const std::int64_t ns : nb::cast<std::vector<std::int64_t>>(from[key]))
    result.push_back(Duration::ns(ns));
  return result;
}

std::string origin(const nb::dict& from) { return nb::cast<std::string>(nb::repr(from)); }

LossModel loss(const nb::dict& from) {
  const auto model = nb::cast<std::string>(from["model"]);
  if (model == "independent") {
    const auto probability = nb::cast<double>(from["probability"]);
    return probability == 0 ? LossModel{} : independent_loss(probability);
  }
  if (model == "gilbert_elliott") {
    return gilbert_elliott_loss({.to_bad = nb::cast<double>(from["to_bad"]),
                                 .to_good = nb::cast<double>(from["to_good"]),
                                 .loss_when_good = value<double>(from, "loss_when_good").value_or(0.0),
                                 .loss_when_bad = value<double>(from, "loss_when_bad").value_or(1.0)});
  }
  if (model == "scripted") return scripted_loss(nb::cast<std::vector<std::uint64_t>>(from["segments"]));
  throw ConfigError("make loss model " + model + ": there are independent, gilbert_elliott and scripted");
}

DelayModel delay(const nb::dict& from) {
  const auto model = nb::cast<std::string>(from["model"]);
  if (model == "constant") return constant_delay(duration(from, "delay_ns"));
  if (model == "uniform") return uniform_delay(duration(from, "low_ns"), duration(from, "high_ns"));
  if (model == "normal") {
    return normal_delay(duration(from, "mean_ns"), duration(from, "deviation_ns"),
                        duration(from, "least_ns"));
  }
  if (model == "exponential")
    return exponential_delay(duration(from, "least_ns"), duration(from, "mean_above_ns"));
  if (model == "table") return table_delay(durations(from, "quantiles_ns"));
  if (model == "trace") return trace_delay(durations(from, "delays_ns"));
  throw ConfigError("make delay model " + model +
                    ": there are constant, uniform, normal, exponential, table and trace");
}

CodelConfig codel(const nb::dict& from) {
  CodelConfig config;
  config.target = duration(from, "target_ns", config.target);
  config.interval = duration(from, "interval_ns", config.interval);
  config.ecn = value<bool>(from, "ecn").value_or(false);
  return config;
}

void set_queue(LinkModel& model, const nb::dict& from) {
  const auto kind = nb::cast<std::string>(from["model"]);
  if (kind == "drop_tail") return;
  if (kind == "red") {
    Red::Config config;
    config.limit = bytes(from, "limit_bytes", config.limit);
    config.least = bytes(from, "least_bytes", config.least);
    config.most = bytes(from, "most_bytes", config.most);
    config.highest = value<double>(from, "highest").value_or(config.highest);
    config.weight = value<double>(from, "weight").value_or(config.weight);
    config.ecn = value<bool>(from, "ecn").value_or(false);
    model.queue = config;
  } else if (kind == "codel") {
    model.queue = LinkModel::CodelQueue{codel(from)};
  } else if (kind == "fq_codel") {
    FqCodel::Config config;
    config.codel = codel(from);
    config.limit = model.link.queue_packets;
    config.flows = number(from, "flows").value_or(config.flows);
    config.quantum = bytes(from, "quantum_bytes", config.quantum);
    model.queue = config;
  } else {
    throw ConfigError("make queue " + kind + ": there are drop_tail, red, codel and fq_codel");
  }
}

void set_wire(LinkModel& model, const nb::dict& from) {
  const auto kind = nb::cast<std::string>(from["model"]);
  if (kind == "token_bucket") {
    LinkModel::TokenBucket bucket{.burst = ByteCount::bytes(nb::cast<std::int64_t>(from["burst_bytes"])),
                                  .peak = {}};
    if (const auto peak = number(from, "peak_bps")) bucket.peak = DataRate::bps(*peak);
    model.wire = bucket;
  } else if (kind == "slots") {
    LinkModel::Slots slots;
    for (const nb::handle slot : nb::cast<nb::list>(from["slots"])) {
      const auto each = nb::cast<nb::dict>(slot);
      slots.push_back(
          {duration(each, "duration_ns"), DataRate::bps(nb::cast<std::int64_t>(each["rate_bps"]))});
    }
    model.wire = slots;
  } else if (kind == "opportunities") {
    const auto file = nb::cast<std::string>(from["file"]);
    model.wire = LinkModel::Opportunities{OpportunityTrace::parse(nb::cast<std::string>(from["text"]), file),
                                          bytes(from, "bytes", ByteCount::bytes(1'514))};
  } else {
    throw ConfigError("make wire " + kind + ": there are token_bucket, slots and opportunities");
  }
}

Link::Config link(const nb::dict& from) {
  Link::Config config;
  if (const auto rate = number(from, "rate_bps")) config.rate = DataRate::bps(*rate);
  config.propagation_delay = duration(from, "delay_ns");
  config.queue_packets = number(from, "queue_packets").value_or(std::numeric_limits<std::int64_t>::max());
  if (const auto limit = number(from, "queue_bytes")) config.queue_bytes = ByteCount::bytes(*limit);
  config.overhead = bytes(from, "overhead_bytes", config.overhead);
  config.train_limit = duration(from, "train_limit_ns", config.train_limit);
  return config;
}

}  // namespace

LinkModel link_model(const nb::dict& from) {
  LinkModel model(link(from));
  if (const auto given = value<nb::dict>(from, "loss")) {
    model.loss = loss(*given);
    model.loss_origin = origin(*given);
  }
  model.watched = value<bool>(from, "watch_queue").value_or(false);
  model.duplicate = value<double>(from, "duplicate").value_or(0.0);
  if (const auto probability = value<double>(from, "corrupt")) model.errors = one_bit_errors(*probability);
  if (const auto rate = value<double>(from, "bit_error_rate")) model.errors = independent_bit_errors(*rate);
  if (const auto given = value<nb::dict>(from, "extra_delay")) {
    model.extra_delay = delay(*given);
    model.extra_delay_origin = origin(*given);
    model.in_order = value<bool>(*given, "in_order").value_or(false);
  }
  if (const auto given = value<nb::dict>(from, "reorder")) {
    model.extra_delay =
        reordering(model.extra_delay ? model.extra_delay : constant_delay(Duration::zero()),
                   nb::cast<double>((*given)["probability"]), number(*given, "gap").value_or(1));
    model.extra_delay_origin += origin(*given);
  }
  if (const auto given = value<nb::dict>(from, "queue")) set_queue(model, *given);
  if (const auto given = value<nb::dict>(from, "wire")) set_wire(model, *given);
  if (const auto given = value<nb::dict>(from, "plugin")) {
    follow(model,
           load_model({.file = nb::cast<std::string>((*given)["file"]),
                       .arguments = nb::cast<std::map<std::string, std::string>>((*given)["arguments"]),
                       .backward = value<bool>(*given, "backward").value_or(false)}));
  }
  return model;
}

}  // namespace simcore::python
