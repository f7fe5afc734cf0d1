// SPDX-License-Identifier: MIT
#include "simcore/network/standstill.h"

#include <gtest/gtest.h>

#include "tests/simcore/kernel/call.h"

namespace simcore {
namespace {

TEST(Standstill, timeThatGoesOnIsNone) {
  Simulation sim(1);
  std::uint64_t ticks = 0;
  Call* self = nullptr;
  Call tick([&] {
    if (++ticks < 20'000) sim.schedule_in(*self, Duration::ns(1));
  });
  self = &tick;
  sim.schedule(tick, SimTime::zero());
  Standstill standstill;
  standstill.run_until(sim, SimTime::at_ns(1'000'000));
  EXPECT_EQ(ticks, 20'000U);
  EXPECT_EQ(sim.now(), SimTime::at_ns(1'000'000));
}

TEST(Standstill, eventsThatCauseOthersAtTheSameInstantWithoutEndAreAnError) {
  Simulation sim(1);
  Call* self = nullptr;
  Call endless([&] { sim.schedule_in(*self, Duration::zero()); });
  self = &endless;
  sim.schedule(endless, SimTime::at_ns(7));
  Standstill standstill(10'000);
  try {
    standstill.run_until(sim, SimTime::at_ns(8));
    FAIL() << "it ended";
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find("at 7 ns"), std::string::npos) << error.what();
  }
  EXPECT_LE(sim.events_fired(), 15'000U);
}

TEST(Standstill, manyEventsAtDifferentInstantsAreNone) {
  Standstill standstill(5);
  for (std::int64_t at = 0; at < 3; ++at) standstill.look(SimTime::at_ns(at), 5);
  EXPECT_THROW(standstill.look(SimTime::at_ns(2), 1), ConfigError);
}

}  // namespace
}  // namespace simcore
