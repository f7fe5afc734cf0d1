// SPDX-License-Identifier: MIT
//
// What a wrong clock does: b's is shown 3 ms ahead of what it is. Where clocks are measured, nothing; where they are told,
// or are taken to be one, what goes to b comes 3 ms early, and what comes from b 3 ms late.
#include <cstdlib>

#include "simcore/portal/shown_clock.h"
#include "tests/simcore/portal/peering_pair.h"

namespace simcore {
namespace {

using testing::joined;
using Clocks = PeeringOptions::Clocks;

constexpr Duration kDelay = Duration::ms(10);
constexpr Duration kAhead = Duration::ms(3);
constexpr std::int64_t kZero = 1'000'000'000'000;  // of a; b began 5 s before

class PeeringClocksTest : public testing::PeeringPortalTest {
 protected:
  void start(Clocks clocks, bool one_clock = false) {
    PeeringPortal::Config of_a = joined(a_address, b_address);
    PeeringPortal::Config of_b = joined(b_address, a_address);
    of_a.options.clocks = of_b.options.clocks = clocks;
    of_a.one_clock = of_b.one_clock = one_clock;
    of_a.clock_zero_ns = [] { return kZero; };
    of_b.clock_zero_ns = [] { return kZero - Duration::seconds(5).count_ns(); };
    of_b.options.clock_ahead = kAhead;
    a.emplace(clock, Duration::zero(), of_a, kDelay);
    b.emplace(clock, Duration::seconds(5), of_b, kDelay);
    synchronize();
  }

  // From a departure to what comes out at the other end.
  Duration there() {
    a->send(100);
    const SimTime departure = clock;
    pass(Duration::ms(30));
    return b->sink.instants.back() - Duration::seconds(5) - departure;
  }
  Duration back() {
    b->send(100);
    const SimTime departure = clock;
    pass(Duration::ms(30));
    return a->sink.instants.back() - departure;
  }
};

TEST_F(PeeringClocksTest, an_error_of_a_clock_that_is_measured_is_none_of_the_delays) {
  start(Clocks::measured);
  EXPECT_LE(std::abs((there() - kDelay).count_ns()), 1'000);
  EXPECT_LE(std::abs((back() - kDelay).count_ns()), 1'000);
}

TEST_F(PeeringClocksTest, an_error_of_a_clock_that_is_told_is_one_of_the_delays) {
  start(Clocks::told);
  EXPECT_EQ(there(), kDelay - kAhead);
  EXPECT_EQ(back(), kDelay + kAhead);
}

TEST_F(PeeringClocksTest, where_there_is_one_clock_it_is_not_measured) {
  start(Clocks::measured, true);
  EXPECT_EQ(there(), kDelay - kAhead);
}

TEST(ShownClockTest, own_is_what_was_shown_to_a_nanosecond) {
  const peering::ShownClock clock(Duration::ms(100), 50e-6);
  for (const std::int64_t ns :
       {std::int64_t{0}, std::int64_t{1'234'567'890}, std::int64_t{3'600'000'000'000}}) {
    const SimTime own = SimTime::at_ns(ns);
    EXPECT_LE(std::abs((clock.own(clock.shown(own)) - own).count_ns()), 1);
  }
  EXPECT_EQ(clock.shown(SimTime::at_ns(1'000'000'000)).count_ns(), 1'000'000'000 + 100'000'000 + 50'000);
}

}  // namespace
}  // namespace simcore
