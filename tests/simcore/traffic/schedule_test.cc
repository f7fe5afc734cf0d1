// SPDX-License-Identifier: MIT
#include "simcore/traffic/schedule.h"

#include <gtest/gtest.h>

#include <vector>

#include "simcore/units/error.h"

namespace simcore {
namespace {

Schedule departures(const Schedule::Config& config, std::uint64_t seed = 1) {
  return Schedule(config, RandomStream(seed, "departures"));
}

std::vector<std::int64_t> all(Schedule of) {
  std::vector<std::int64_t> due;
  for (; of.next() != SimTime::never(); of.advance()) due.push_back(of.next().count_ns());
  return due;
}

TEST(Schedule, constant_gaps_do_not_drift_when_the_gap_is_no_whole_number_of_nanoseconds) {
  // 3 frames in 10 ns: the third is due at 6.67, the fourth at 10 exactly.
  EXPECT_EQ(all(departures({.steps = {{.frames = 3, .per = Duration::ns(10), .length = Duration::ns(20)}}})),
            (std::vector<std::int64_t>{0, 3, 6, 10, 13, 16}));
}

TEST(Schedule, steps_follow_each_other_and_a_rate_of_zero_is_a_pause) {
  const Duration second = Duration::seconds(1);
  const Schedule of = departures({.steps = {{.frames = 2, .per = second, .length = second},
                                            {.frames = 0, .per = second, .length = second * 3},
                                            {.frames = 4, .per = second, .length = second / 2}}});
  EXPECT_EQ(all(of), (std::vector<std::int64_t>{0, 500'000'000, 4'000'000'000, 4'250'000'000}));
  EXPECT_EQ(of.end(), SimTime::zero() + second * 9 / 2);
}

TEST(Schedule, a_last_step_without_end_goes_on) {
  Schedule of =
      departures({.steps = {{.frames = 1, .per = Duration::ns(7), .length = Duration::infinite()}}});
  for (int i = 0; i < 1'000; ++i) of.advance();
  EXPECT_EQ(of.next(), SimTime::at_ns(7'000));
  EXPECT_EQ(of.end(), SimTime::never());
}

TEST(Schedule, poisson_gaps_have_the_mean_and_the_deviation_of_exponential_ones) {
  const std::vector<std::int64_t> due = all(
      departures({.steps = {{.frames = 1'000, .per = Duration::seconds(1), .length = Duration::seconds(100)}},
                  .gaps = Schedule::Gaps::poisson}));
  // Of 100,000 expected the count has a deviation of 316.
  EXPECT_NEAR(static_cast<double>(due.size()), 100'000, 4 * 316);
  double squares = 0;
  for (std::size_t i = 1; i < due.size(); ++i) {
    const double gap_ms = static_cast<double>(due[i] - due[i - 1]) / 1e6;
    squares += gap_ms * gap_ms;
  }
  EXPECT_NEAR(squares / static_cast<double>(due.size()), 2.0, 0.1);  // E[X^2] = 2 / rate^2
}

TEST(Schedule, on_and_off_last_as_long_on_average_and_gaps_are_constant_while_on) {
  const std::vector<std::int64_t> due = all(departures(
      {.steps = {{.frames = 10'000, .per = Duration::seconds(1), .length = Duration::seconds(100)}},
       .gaps = Schedule::Gaps::on_off,
       .mean_on = Duration::ms(30),
       .mean_off = Duration::ms(10)}));
  // On for three quarters of the time; 2,500 periods, so the part has a deviation of about half a percent.
  EXPECT_NEAR(static_cast<double>(due.size()), 750'000, 20'000);
  std::size_t longer = 0;
  for (std::size_t i = 1; i < due.size(); ++i) {
    const std::int64_t gap = due[i] - due[i - 1];
    if (gap > 100'000) {
      ++longer;
    } else if (gap < 100'000) {
      // Only where a burst follows the end of another at once.
      EXPECT_GT(gap, 0);
    }
  }
  EXPECT_NEAR(static_cast<double>(longer), 2'500, 250);
}

TEST(Schedule, the_same_seed_gives_the_same_instants) {
  const Schedule::Config config{
      .steps = {{.frames = 1'000, .per = Duration::seconds(1), .length = Duration::seconds(1)}},
      .gaps = Schedule::Gaps::poisson};
  EXPECT_EQ(all(departures(config, 7)), all(departures(config, 7)));
  EXPECT_NE(all(departures(config, 7)), all(departures(config, 8)));
}

TEST(Schedule, a_schedule_that_makes_no_sense_is_refused) {
  const Duration second = Duration::seconds(1);
  const auto refused = [](const Schedule::Config& config) { EXPECT_THROW(departures(config), ConfigError); };
  refused({});
  refused({.steps = {{.frames = -1, .per = second, .length = second}}});
  refused({.steps = {{.frames = 1, .per = Duration::zero(), .length = second}}});
  refused({.steps = {{.frames = 1, .per = second, .length = Duration::zero()}}});
  refused({.steps = {{.frames = 0, .per = second, .length = Duration::infinite()}}});
  refused({.steps = {{.frames = 1, .per = second, .length = Duration::infinite()},
                     {.frames = 1, .per = second, .length = second}}});
  refused({.steps = {{.frames = 1, .per = second, .length = second}},
           .gaps = Schedule::Gaps::on_off,
           .mean_on = Duration::zero()});
  refused({.steps = std::vector<Schedule::Step>(501, {.frames = 1, .per = second, .length = second})});
}

}  // namespace
}  // namespace simcore
