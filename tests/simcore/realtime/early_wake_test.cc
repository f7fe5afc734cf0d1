// SPDX-License-Identifier: MIT
#include "simcore/realtime/early_wake.h"

#include <gtest/gtest.h>

namespace simcore {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

// A loop that sleeps once in `period_ns`, wakes up `late` after the instant asked for, and spins for what is left.
Duration after_sleeps(EarlyWake& early, int sleeps, std::int64_t period_ns, Duration late) {
  Duration lead = Duration::zero();
  for (int i = 1; i <= sleeps; ++i) {
    lead = early.lead(i * period_ns);
    early.woke(late);
    early.spun(lead > late ? lead - late : Duration::zero());
  }
  return lead;
}

TEST(EarlyWakeTest, the_lead_comes_to_what_waking_up_takes) {
  EarlyWake early(Duration::us(150));
  EXPECT_EQ(early.lead(kSecond), Duration::zero()) << "nothing is known yet";
  const Duration lead = after_sleeps(early, 100, kSecond, Duration::us(60));
  EXPECT_GE(lead, Duration::us(59));
  EXPECT_LE(lead, Duration::us(61));
}

TEST(EarlyWakeTest, a_stall_lengthens_it_to_the_most_that_is_allowed) {
  EarlyWake early(Duration::us(150));
  after_sleeps(early, 100, kSecond, Duration::us(60));
  early.woke(Duration::ms(9));
  // Mean 60 + (150 - 60) / 8, deviation (150 - 60) / 4.
  EXPECT_NEAR(static_cast<double>(early.lead(101 * kSecond).count_ns()), (60 + 90.0 / 8 + 90.0 / 4) * 1e3,
              500);
  for (int i = 0; i < 100; ++i) early.woke(Duration::ms(9));
  EXPECT_EQ(early.lead(102 * kSecond), Duration::us(150));
}

TEST(EarlyWakeTest, no_more_than_a_fiftieth_of_the_time_is_spent_spinning) {
  EarlyWake early(Duration::us(150));
  after_sleeps(early, 100, kSecond, Duration::us(60));
  // Every 200 us a sleep, whose whole lead is spun: 2 % of a second are 20 ms, and 1 ms had been saved.
  Duration spun = Duration::zero();
  for (std::int64_t now = 200 * kSecond; now < 201 * kSecond; now += 200'000) {
    const Duration lead = early.lead(now);
    early.woke(Duration::us(60));
    early.spun(lead);
    spun = spun + lead;
  }
  EXPECT_LE(spun, Duration::ms(21) + Duration::us(150));
  EXPECT_GE(spun, Duration::ms(19));
}

TEST(EarlyWakeTest, without_a_lead_allowed_there_is_none) {
  EarlyWake early(Duration::zero());
  EXPECT_EQ(after_sleeps(early, 100, kSecond, Duration::us(60)), Duration::zero());
}

}  // namespace
}  // namespace simcore
