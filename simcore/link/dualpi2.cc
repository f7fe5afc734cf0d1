// SPDX-License-Identifier: MIT
#include "simcore/link/dualpi2.h"

#include <algorithm>
#include <string>
#include <utility>

#include "simcore/link/ecn.h"
#include "simcore/options/option_table.h"
#include "simcore/units/error.h"

namespace simcore {

namespace {

constexpr std::int64_t kFrameBytes = 1'514;
constexpr std::int64_t kClassicWeight = 10;  // of 100
constexpr std::int64_t kScalableWeight = 100 - kClassicWeight;
constexpr std::int64_t kFirstCredit = kFrameBytes * (kClassicWeight - kScalableWeight);

}  // namespace

DualPi2::DualPi2(const Config& config, std::int64_t limit, RandomStream random)
    : config_(config), limit_(limit), random_(random), credit_(kFirstCredit) {
  const auto require = [](bool holds, const std::string& what, const std::string& value,
                          const std::string& range) {
    if (!holds) throw ConfigError("make DualPI2 queue: " + what + " is " + value + "; it must be " + range);
  };
  require(config.target > Duration::zero(), "target (ns)", std::to_string(config.target.count_ns()),
          "positive");
  require(config.interval > Duration::zero(), "interval (ns)", std::to_string(config.interval.count_ns()),
          "positive");
  require(config.alpha >= 0, "alpha", std::to_string(config.alpha), "at least 0");
  require(config.beta >= 0, "beta", std::to_string(config.beta), "at least 0");
  require(config.step >= Duration::zero(), "step (ns)", std::to_string(config.step.count_ns()), "at least 0");
  require(config.coupling > 0, "coupling", std::to_string(config.coupling), "positive");
  require(limit >= 1, "the limit (packets)", std::to_string(limit), "at least 1");
}

void DualPi2::admit(PacketPtr packet, SimTime now, ByteCount) {
  advance(now);
  if (packets() >= limit_) return drop(std::move(packet), DropReason::queue_full);
  hold(std::move(packet));
}

void DualPi2::hold(PacketPtr packet) {
  PacketFifo& queue = has_scalable_codepoint(*packet) ? scalable_ : classic_;
  queue.push(std::move(packet));
}

std::vector<PacketPtr> DualPi2::drain() {
  std::vector<PacketPtr> all = classic_.drain();
  for (PacketPtr& packet : scalable_.drain()) all.push_back(std::move(packet));
  std::ranges::stable_sort(all, {}, [](const PacketPtr& packet) { return packet->first_arrival; });
  return all;
}

PacketPtr DualPi2::release(SimTime now) {
  advance(now);
  for (;;) {
    if (packets() == 0) {
      credit_ = kFirstCredit;
      return nullptr;
    }
    const bool scalable = !scalable_.empty() && (classic_.empty() || credit_ <= 0);
    const ByteCount backlog = bytes();
    PacketPtr packet = (scalable ? scalable_ : classic_).pop();
    if (judge(*packet, scalable, backlog)) {
      drop(std::move(packet), DropReason::aqm);
      continue;
    }
    if (scalable && now - packet->first_arrival > config_.step) mark(*packet);
    const std::int64_t size = packet->wire_size().count();
    if (scalable && !classic_.empty()) credit_ += kClassicWeight * size;
    if (!scalable && !scalable_.empty()) credit_ -= kScalableWeight * size;
    return packet;
  }
}

// Whether the packet that is about to leave is dropped; it may be marked.
bool DualPi2::judge(Packet& packet, bool scalable, ByteCount backlog) {
  if (backlog.count() < 2 * kFrameBytes) return false;
  const double coupled = config_.coupling * probability_;
  const bool overload = coupled > 1;
  if (!scalable) {
    if (!roll(probability_) || !roll(probability_)) return false;
    if (overload || !mark_congestion(packet)) return true;
    ++counters_.marked;
    return false;
  }
  if (overload && roll(probability_) && roll(probability_)) return true;
  if (overload || roll(coupled)) mark(packet);
  return false;
}

// Once, whoever finds a reason.
void DualPi2::mark(Packet& packet) {
  if (has_mark(packet)) return;
  if (mark_congestion(packet)) ++counters_.marked;
}

Duration DualPi2::delay_at(SimTime time) const {
  Duration delay = Duration::zero();
  for (const PacketFifo* const queue : {&classic_, &scalable_}) {
    if (!queue->empty()) delay = std::max(delay, time - queue->front().first_arrival);
  }
  return delay;
}

void DualPi2::advance(SimTime now) {
  if (next_step_ == SimTime::never()) next_step_ = now + config_.interval;
  while (next_step_ <= now) {
    take_step(next_step_);
    next_step_ = next_step_ + config_.interval;
    // Those that follow change nothing until the last one: the queue is empty, or nobody has left and all are chosen.
    const bool forgotten = packets() == 0 && probability_ == 0;
    const bool all = probability_ == 1 && delay_before_ >= config_.target && delay_before_ > Duration::zero();
    if ((forgotten || all) && next_step_ <= now) {
      const std::int64_t more = (now - next_step_) / config_.interval;
      next_step_ = next_step_ + config_.interval * more;
    }
  }
}

void DualPi2::take_step(SimTime at) {
  const Duration delay = delay_at(at);
  probability_ += config_.alpha * (delay - config_.target).in_seconds() +
                  config_.beta * (delay - delay_before_).in_seconds();
  probability_ = std::clamp(probability_, 0.0, 1.0);
  delay_before_ = delay;
}

const OptionTable<DualPi2::Config>& DualPi2::Config::options() {
  using C = Config;
  static const OptionTable<C> table(
      "dualpi2", "coupled queues for L4S and for all others (RFC 9332), as Linux's", C{},
      {
          {"target", &C::target, {.help = "how long packets are to stand in the queues", .least = 1}},
          {"interval", &C::interval, {.help = "between two steps of the probability", .least = 1}},
          {"alpha", &C::alpha, {.help = "of a step, per second above the target", .least = 0}},
          {"beta", &C::beta, {.help = "of a step, per second that the delay grew", .least = 0}},
          {"step", &C::step, {.help = "who waited for longer in the queue for L4S is marked"}},
          {"coupling",
           &C::coupling,
           {.help = "marks for L4S as often as this times the root of the others' share",
            .least = 0,
            .above = true}},
      });
  return table;
}

std::unique_ptr<QueueDiscipline> make_queue(const DualPi2::Config& config, const QueuePlace& place,
                                            RandomStream random) {
  require_no_bytes(place, "DualPI2");
  return std::make_unique<DualPi2>(config, place.packets, random);
}

}  // namespace simcore
