// SPDX-License-Identifier: MIT
#include "simcore/link/pie.h"

#include <algorithm>
#include <string>
#include <utility>

#include "simcore/link/ecn.h"
#include "simcore/options/option_table.h"
#include "simcore/units/error.h"

namespace simcore {

namespace {

constexpr ByteCount kTwoFrames = ByteCount::bytes(2 * 1'514);
constexpr double kLittle = 0.2;  // of drops, which are left out while the delay is short
constexpr double kFewestAddedUp = 0.85;
constexpr double kMostAddedUp = 8.5;
constexpr double kLargestStep = 0.02;  // from 10 % on, and what is added where the delay is long
constexpr Duration kLongDelay = Duration::ms(250);
constexpr double kMostMarked = 0.1;
constexpr double kIdleFade = 1.0 / 64;

}  // namespace

void check(const PieConfig& config) {
  const auto require = [](bool holds, const std::string& what, const std::string& value) {
    if (!holds) throw ConfigError("make PIE queue: " + what + " is " + value + "; it must be positive");
  };
  require(config.target > Duration::zero(), "target (ns)", std::to_string(config.target.count_ns()));
  require(config.interval > Duration::zero(), "interval (ns)", std::to_string(config.interval.count_ns()));
  require(config.alpha >= 0, "alpha", std::to_string(config.alpha));
  require(config.beta >= 0, "beta", std::to_string(config.beta));
}

double PieControl::scale(double probability) {
  if (probability >= 0.1) return 1;
  double scale = 0.5;
  for (double bound = 0.01; bound > 0.5e-6 && probability < bound; bound /= 10) scale /= 4;
  return scale;
}

void PieControl::advance(const PieConfig& config, SimTime now, ByteCount backlog) {
  if (next_step_ == SimTime::never()) next_step_ = now + config.interval;
  while (next_step_ <= now) {
    const bool stands = step(config, backlog);
    next_step_ = next_step_ + config.interval;
    // Those that follow change nothing.
    if (stands && next_step_ <= now)
      next_step_ = next_step_ + config.interval * ((now - next_step_) / config.interval + 1);
  }
}

// Says whether the next step, without a packet until then, would change nothing.
bool PieControl::step(const PieConfig& config, ByteCount backlog) {
  const double before = probability_;
  const double size = scale(probability_);
  double change = size * (config.alpha * (delay_ - config.target).in_seconds() +
                          config.beta * (delay_ - delay_before_).in_seconds());
  if (probability_ >= 0.1) change = std::min(change, kLargestStep);
  if (delay_ > kLongDelay) change += kLargestStep;
  probability_ = std::clamp(probability_ + change, 0.0, 1.0);
  const bool idle = delay_ == Duration::zero() && delay_before_ == Duration::zero();
  if (idle && backlog == ByteCount::zero()) probability_ -= probability_ * kIdleFade;
  const bool stands = probability_ == before && delay_ == delay_before_;
  if (delay_ < config.target / 2 && delay_before_ < config.target / 2 && probability_ == 0) {
    burst_ = kBurst;
    accumulated_ = 0;
    left_at_ = SimTime::never();
  }
  delay_before_ = delay_;
  return stands;
}

bool PieControl::chosen(const PieConfig& config, ByteCount backlog, RandomStream& random) {
  if (burst_ > Duration::zero()) return false;
  if (delay_ < config.target / 2 && probability_ < kLittle) return false;
  if (backlog < kTwoFrames) return false;
  accumulated_ = probability_ == 0 ? 0 : accumulated_ + probability_;
  if (accumulated_ < kFewestAddedUp) return false;
  if (accumulated_ >= kMostAddedUp) return true;
  if (!random.bernoulli(probability_)) return false;
  accumulated_ = 0;
  return true;
}

bool PieControl::admits(const PieConfig& config, Packet& packet, ByteCount backlog, RandomStream& random,
                        std::uint64_t& marked) {
  if (!chosen(config, backlog, random)) return true;
  if (!config.ecn || probability_ > kMostMarked || !mark_congestion(packet)) return false;
  ++marked;
  return true;
}

void PieControl::left(SimTime now, Duration sojourn, ByteCount backlog) {
  delay_ = backlog == ByteCount::zero() ? Duration::zero() : sojourn;
  if (left_at_ != SimTime::never()) burst_ = std::max(burst_ - (now - left_at_), Duration::zero());
  left_at_ = now;
}

Pie::Pie(const PieConfig& config, std::int64_t limit, RandomStream random)
    : config_(config), limit_(limit), random_(random) {
  check(config);
  if (limit < 1) {
    throw ConfigError("make PIE queue: the limit is " + std::to_string(limit) +
                      " packets; it must be at least 1");
  }
}

void Pie::admit(PacketPtr packet, SimTime now, ByteCount) {
  control_.advance(config_, now, waiting_.bytes());
  const bool full = waiting_.packets() >= limit_;
  if (full || !control_.admits(config_, *packet, waiting_.bytes(), random_, counters_.marked)) {
    control_.dropped();
    return drop(std::move(packet), full ? DropReason::queue_full : DropReason::aqm);
  }
  waiting_.push(std::move(packet));
}

PacketPtr Pie::release(SimTime now) {
  control_.advance(config_, now, waiting_.bytes());
  PacketPtr packet = waiting_.pop();
  if (packet) control_.left(now, now - packet->first_arrival, waiting_.bytes());
  return packet;
}

const OptionTable<PieConfig>& PieConfig::options() {
  using C = PieConfig;
  static const OptionTable<C> table(
      "pie", "proportional integral controller enhanced (RFC 8033), as Linux's", C{},
      {
          {"target", &C::target, {.help = "how long packets are to stand in the queue", .least = 1}},
          {"interval", &C::interval, {.help = "between two steps of the probability of drops", .least = 1}},
          {"alpha", &C::alpha, {.help = "of a step, per second above the target", .least = 0}},
          {"beta", &C::beta, {.help = "of a step, per second that the delay grew", .least = 0}},
          {"ecn", &C::ecn, {.help = "mark instead of dropping, where the sender understands it, up to 10 %"}},
      });
  return table;
}

std::unique_ptr<QueueDiscipline> make_queue(const PieConfig& config, const QueuePlace& place,
                                            RandomStream random) {
  require_no_bytes(place, "PIE");
  return std::make_unique<Pie>(config, place.packets, random);
}

}  // namespace simcore
