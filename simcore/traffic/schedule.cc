// SPDX-License-Identifier: MIT
#include "simcore/traffic/schedule.h"

#include <string>
#include <utility>

#include "simcore/units/error.h"

namespace simcore {

namespace {

// So that all steps together end within the range of SimTime.
constexpr Duration kLongest = Duration::seconds(10'000'000);
constexpr std::size_t kMostSteps = 500;
constexpr std::int64_t kMostFrames = 1'000'000'000'000;

void check(bool fine, std::size_t number, const std::string& what) {
  if (!fine) throw ConfigError("schedule frames, step " + std::to_string(number) + ": " + what);
}

}  // namespace

Schedule::Schedule(Config config, RandomStream random) : config_(std::move(config)), random_(random) {
  if (config_.steps.empty()) throw ConfigError("schedule frames: there is no step; give at least one rate");
  if (config_.steps.size() > kMostSteps) {
    throw ConfigError("schedule frames: there are " + std::to_string(config_.steps.size()) +
                      " steps; at most " + std::to_string(kMostSteps) + " are possible");
  }
  if (config_.gaps == Gaps::on_off &&
      (config_.mean_on <= Duration::zero() || config_.mean_off <= Duration::zero())) {
    throw ConfigError("schedule frames on and off: a mean time on or off is 0; both must be above");
  }
  for (std::size_t i = 0; i < config_.steps.size(); ++i) {
    const Step& each = config_.steps[i];
    check(each.frames >= 0 && each.frames <= kMostFrames, i + 1, "its rate is out of range");
    check(each.per > Duration::zero() && each.per <= kLongest, i + 1, "its rate is out of range");
    check(each.length > Duration::zero(), i + 1, "it lasts no time; write more than 0 s");
    const bool last = i + 1 == config_.steps.size();
    if (each.length == Duration::infinite()) {
      check(last && each.frames > 0, i + 1, "only a last step with a rate above 0 can be without end");
      end_ = SimTime::never();
    } else {
      check(each.length <= kLongest, i + 1, "it is longer than 10,000,000 s");
      end_ = end_ + each.length;
    }
  }
  enter_step(SimTime::zero());
  find();
}

void Schedule::advance() {
  ++since_origin_;
  find();
}

// The next departure is the first candidate that lies within its step; a step without one is left.
void Schedule::find() {
  while (step_ < config_.steps.size()) {
    if (step().frames > 0) {
      next_ = candidate();
      if (next_ < step_end_) return;
    }
    ++step_;
    if (step_ < config_.steps.size()) enter_step(step_end_);
  }
  next_ = SimTime::never();
}

void Schedule::enter_step(SimTime begin) {
  const Duration length = step().length;
  step_end_ = length == Duration::infinite() ? SimTime::never() : begin + length;
  origin_ = begin;
  since_origin_ = 0;
  next_ = begin;
  on_until_ = SimTime::never();
  if (config_.gaps == Gaps::on_off && step().frames > 0) on_until_ = begin + exponential(config_.mean_on);
}

SimTime Schedule::candidate() {
  if (config_.gaps == Gaps::poisson) return next_ + exponential(gaps(1));
  SimTime due = origin_ + gaps(since_origin_);
  while (due >= on_until_ && due < step_end_) {
    origin_ = on_until_ + exponential(config_.mean_off);
    on_until_ = origin_ + exponential(config_.mean_on);
    since_origin_ = 0;
    due = origin_;
  }
  return due;
}

// How long so many gaps last.
Duration Schedule::gaps(std::int64_t count) const {
  const auto whole = static_cast<__int128>(count) * step().per.count_ns() / step().frames;
  return whole > kLongest.count_ns() ? kLongest : Duration::ns(static_cast<std::int64_t>(whole));
}

Duration Schedule::exponential(Duration mean) {
  return Duration::ns(1 +
                      static_cast<std::int64_t>(random_.exponential(static_cast<double>(mean.count_ns()))));
}

}  // namespace simcore
