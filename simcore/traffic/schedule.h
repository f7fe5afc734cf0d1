// SPDX-License-Identifier: MIT
//
// Schedule: when the frames of a programmed schedule are due.
//
//   steps      | rate 1 for a while | rate 2 for a while | ...
//   constant   |  |  |  |  |  |  |  | | | | | | | | | |      the n-th of a step is due n gaps after the step began
//   poisson    | ||   |  |     |  |  ||| | | |  |            exponential gaps
//   on_off     |  |  |           |  || | |      | | |        constant gaps while on; on and off last exponential times
//
// Constant gaps count from the beginning of their step (or of their "on"), so they do not drift.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "simcore/kernel/random.h"
#include "simcore/units/time.h"

namespace simcore {

class Schedule {
 public:
  enum class Gaps : std::uint8_t { constant, poisson, on_off };

  // `frames` are due in each `per`: 12,500 per second, or for 1 Gbit/s of 100-byte frames 10^9 per 800 s.
  struct Step {
    std::int64_t frames;  // 0: a pause
    Duration per;
    Duration length;  // infinite() for the last one: no end
  };

  struct Config {
    std::vector<Step> steps;
    Gaps gaps = Gaps::constant;
    Duration mean_on = Duration::ms(10);  // of on_off
    Duration mean_off = Duration::ms(10);
  };

  // Throws ConfigError: no step, a step that can have no frame before it ends, a value out of its range.
  Schedule(Config config, RandomStream random);

  // When the next frame is due, from the beginning of the schedule; never() after the last.
  SimTime next() const { return next_; }

  // Goes on to the one behind it. Precondition: next() != never().
  void advance();

  // When the last step ends; never() when it has no end.
  SimTime end() const { return end_; }

 private:
  const Step& step() const { return config_.steps[step_]; }
  Duration gaps(std::int64_t count) const;
  Duration exponential(Duration mean);
  SimTime candidate();
  void find();
  void enter_step(SimTime begin);

  Config config_;
  RandomStream random_;
  std::size_t step_ = 0;
  SimTime step_end_ = SimTime::zero();
  SimTime origin_ = SimTime::zero();     // constant gaps count from here
  std::int64_t since_origin_ = 0;        // frames due since then
  SimTime on_until_ = SimTime::never();  // of on_off
  SimTime next_ = SimTime::zero();
  SimTime end_ = SimTime::zero();
};

}  // namespace simcore
