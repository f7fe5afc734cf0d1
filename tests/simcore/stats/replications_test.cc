// SPDX-License-Identifier: MIT
#include "simcore/stats/replications.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "simcore/kernel/simulation.h"

namespace simcore {
namespace {

TEST(Replicate, resultsDoNotDependOnTheNumberOfThreads) {
  const auto run = [](std::uint64_t seed) { return Simulation(seed).stream("x")(); };
  const auto alone = replicate(100, 40, 1, run);
  EXPECT_EQ(alone.size(), 40U);
  EXPECT_EQ(alone[7], run(107));
  EXPECT_EQ(replicate(100, 40, 4, run), alone);
  EXPECT_TRUE(replicate(100, 0, 4, run).empty());
}

TEST(Replicate, anExceptionOfAReplicationComesOutHere) {
  const auto run = [](std::uint64_t seed) -> int {
    if (seed == 5) throw std::runtime_error("seed 5");
    return 0;
  };
  EXPECT_THROW(replicate(0, 20, 3, run), std::runtime_error);
}

}  // namespace
}  // namespace simcore
