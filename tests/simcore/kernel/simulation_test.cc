// SPDX-License-Identifier: MIT
#include "simcore/kernel/simulation.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/simcore/kernel/call.h"

namespace simcore {
namespace {

TEST(Simulation, theClockStandsAtTheInstantOfTheEventThatFires) {
  Simulation sim(1);
  std::vector<std::int64_t> seen;
  Call late([&] { seen.push_back(sim.now().count_ns()); });
  Call early([&] { seen.push_back(sim.now().count_ns()); });
  sim.schedule(late, SimTime::at_ns(20));
  sim.schedule(early, SimTime::at_ns(10));
  sim.run_until(SimTime::at_ns(30));
  EXPECT_EQ(seen, (std::vector<std::int64_t>{10, 20}));
  EXPECT_EQ(sim.now(), SimTime::at_ns(30));
  EXPECT_EQ(sim.events_fired(), 2U);
}

TEST(Simulation, runUntilFiresWhatIsDueAtTheEndAndNothingLater) {
  Simulation sim(1);
  int fired = 0;
  Call at_end([&] { ++fired; });
  Call after([&] { ++fired; });
  sim.schedule(at_end, SimTime::at_ns(10));
  sim.schedule(after, SimTime::at_ns(11));
  sim.run_until(SimTime::at_ns(10));
  EXPECT_EQ(fired, 1);
  EXPECT_TRUE(after.pending());
  EXPECT_EQ(sim.next_event_time(), SimTime::at_ns(11));
}

TEST(Simulation, anEventMayScheduleItselfAgain) {
  Simulation sim(1);
  int ticks = 0;
  Call* self = nullptr;
  Call tick([&] {
    if (++ticks < 5) sim.schedule_in(*self, Duration::ms(1));
  });
  self = &tick;
  sim.schedule_in(tick, Duration::ms(1));
  sim.run_until(SimTime::zero() + Duration::seconds(1));
  EXPECT_EQ(ticks, 5);
  EXPECT_FALSE(tick.pending());
}

TEST(Simulation, anEventScheduledForNowFiresInThisInstantAfterTheOthers) {
  Simulation sim(1);
  std::vector<int> order;
  Call third([&] { order.push_back(3); });
  Call first([&] {
    order.push_back(1);
    sim.schedule_in(third, Duration::zero());
  });
  Call second([&] { order.push_back(2); });
  sim.schedule(first, SimTime::at_ns(5));
  sim.schedule(second, SimTime::at_ns(5));
  sim.run_until(SimTime::at_ns(5));
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
}

TEST(Simulation, aDestroyedEventDoesNotFire) {
  Simulation sim(1);
  {
    Call gone([] { FAIL() << "fired after its destruction"; });
    sim.schedule(gone, SimTime::at_ns(5));
  }
  EXPECT_EQ(sim.pending_events(), 0U);
  sim.run_until(SimTime::at_ns(10));
}

TEST(Simulation, eventsMayOutliveIt) {
  Call event([] {});
  {
    Simulation sim(1);
    sim.schedule(event, SimTime::at_ns(5));
  }
  EXPECT_FALSE(event.pending());
}

TEST(Simulation, severalLiveInOneProcessEachWithItsOwnClock) {
  Simulation a(1);
  Simulation b(1);
  a.advance_to(SimTime::at_ns(100));
  EXPECT_EQ(b.now(), SimTime::zero());
  EXPECT_EQ(a.stream("x")(), b.stream("x")());
}

TEST(Simulation, fireNextSaysWhetherSomethingWasDue) {
  Simulation sim(1);
  EXPECT_FALSE(sim.fire_next(SimTime::never()));
  Call event([] {});
  sim.schedule(event, SimTime::at_ns(5));
  EXPECT_FALSE(sim.fire_next(SimTime::at_ns(4)));
  EXPECT_TRUE(sim.fire_next(SimTime::at_ns(5)));
}

TEST(Simulation, fireFiresAtMostAsManyEventsAsItIsToldTo) {
  Simulation sim(1);
  int fired = 0;
  Call first([&] { ++fired; });
  Call second([&] { ++fired; });
  Call late([&] { ++fired; });
  sim.schedule(first, SimTime::at_ns(1));
  sim.schedule(second, SimTime::at_ns(2));
  sim.schedule(late, SimTime::at_ns(9));
  EXPECT_EQ(sim.fire(SimTime::at_ns(5), 1), 1U);
  EXPECT_EQ(sim.fire(SimTime::at_ns(5), 10), 1U);
  EXPECT_EQ(sim.fire(SimTime::at_ns(5), 10), 0U);
  EXPECT_EQ(fired, 2);
}

TEST(Simulation, anEventGoesOnToWhatWouldFireNextAnyway) {
  Simulation sim(1);
  std::vector<std::int64_t> seen;
  Call* self = nullptr;
  Call tick([&] {
    do seen.push_back(sim.now().count_ns());
    while (sim.go_on_to(sim.now() + Duration::ns(10)));
    sim.schedule_in(*self, Duration::ns(10));
  });
  self = &tick;
  Call other([&] { seen.push_back(-sim.now().count_ns()); });
  sim.schedule(tick, SimTime::at_ns(10));
  sim.schedule(other,
               SimTime::at_ns(30));  // of the same instant as the third tick, and scheduled before that
  sim.run_until(SimTime::at_ns(45));
  EXPECT_EQ(seen, (std::vector<std::int64_t>{10, 20, -30, 30, 40}));
  EXPECT_EQ(sim.events_fired(), 5U);
  EXPECT_EQ(sim.next_event_time(), SimTime::at_ns(50));
}

TEST(Simulation, anEventGoesOnNoFurtherThanTheCallerOfFireWanted) {
  Simulation sim(1);
  int ticks = 0;
  Call* self = nullptr;
  Call tick([&] {
    do ++ticks;
    while (sim.go_on_to(sim.now() + Duration::ns(1)));
    sim.schedule_in(*self, Duration::ns(1));
  });
  self = &tick;
  sim.schedule(tick, SimTime::zero());
  EXPECT_EQ(sim.fire(SimTime::at_ns(100), 4), 4U);
  EXPECT_EQ(ticks, 4);
  EXPECT_TRUE(sim.fire_next(SimTime::at_ns(100)));
  EXPECT_EQ(ticks, 5);
}

}  // namespace
}  // namespace simcore
