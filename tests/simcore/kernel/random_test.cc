// SPDX-License-Identifier: MIT
#include "simcore/kernel/random.h"

#include <gtest/gtest.h>

#include <cmath>

namespace simcore {
namespace {

constexpr int kDraws = 200'000;

// Mean and variance of `kDraws` draws.
template <class Draw>
std::pair<double, double> moments(Draw draw) {
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double x = draw();
    sum += x;
    squares += x * x;
  }
  const double mean = sum / kDraws;
  return {mean, squares / kDraws - mean * mean};
}

TEST(RandomStream, theSameSeedAndNameGiveTheSameNumbers) {
  RandomStream a(7, "loss s1-s2");
  RandomStream b(7, "loss s1-s2");
  for (int i = 0; i < 100; ++i) EXPECT_EQ(a(), b());
}

TEST(RandomStream, anotherNameOrSeedGivesOtherNumbers) {
  RandomStream a(7, "loss");
  RandomStream b(7, "delay");
  RandomStream c(8, "loss");
  const auto first = a();
  EXPECT_NE(first, b());
  EXPECT_NE(first, c());
}

TEST(RandomStream, theGeneratorIsTheSameOnEveryMachine) {
  // Guards old traces: these numbers must never change. First draws of seed 1, stream "reference".
  RandomStream stream(1, "reference");
  const std::uint64_t first = stream();
  const std::uint64_t second = stream();
  EXPECT_EQ(first, 4'971'050'354'908'258'677U);
  EXPECT_EQ(second, 12'390'384'170'716'186'559U);
}

TEST(RandomStream, uniformLiesInTheUnitIntervalWithItsMoments) {
  RandomStream stream(1, "uniform");
  const auto [mean, variance] = moments([&] {
    const double u = stream.uniform();
    EXPECT_GE(u, 0.0);
    EXPECT_LT(u, 1.0);
    return u;
  });
  // Five standard errors: the standard deviation of one draw is sqrt(1/12).
  EXPECT_NEAR(mean, 0.5, 5 * std::sqrt(1.0 / 12 / kDraws));
  EXPECT_NEAR(variance, 1.0 / 12, 0.001);
}

TEST(RandomStream, exponentialHasItsMeanAsDeviation) {
  RandomStream stream(1, "exponential");
  const auto [mean, variance] = moments([&] { return stream.exponential(3.0); });
  EXPECT_NEAR(mean, 3.0, 5 * 3.0 / std::sqrt(kDraws));
  EXPECT_NEAR(std::sqrt(variance), 3.0, 0.06);
}

TEST(RandomStream, normalHasItsMeanAndDeviation) {
  RandomStream stream(1, "normal");
  const auto [mean, variance] = moments([&] { return stream.normal(-2.0, 0.5); });
  EXPECT_NEAR(mean, -2.0, 5 * 0.5 / std::sqrt(kDraws));
  EXPECT_NEAR(std::sqrt(variance), 0.5, 0.01);
}

TEST(RandomStream, bernoulliIsNeverAtZeroAndAlwaysAtOne) {
  RandomStream stream(1, "bernoulli");
  int hits = 0;
  for (int i = 0; i < kDraws; ++i) {
    EXPECT_FALSE(stream.bernoulli(0.0));
    EXPECT_TRUE(stream.bernoulli(1.0));
    hits += stream.bernoulli(0.1) ? 1 : 0;
  }
  EXPECT_NEAR(hits, 0.1 * kDraws, 5 * std::sqrt(0.1 * 0.9 * kDraws));
}

}  // namespace
}  // namespace simcore
