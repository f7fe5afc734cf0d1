// SPDX-License-Identifier: MIT
#include "simcore/link/delay_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "simcore/packet/packet_pool.h"
#include "simcore/units/error.h"

namespace simcore {
namespace {

constexpr int kDraws = 100'000;

struct Moments {
  double mean = 0;
  double deviation = 0;
  std::int64_t least = 0;
  std::int64_t most = 0;
};

// These models do not look at the packet.
const SegmentView any = [] {
  static PacketPool pool;
  static const PacketPtr packet = pool.make(100);
  return SegmentView{*packet, 0};
}();

Moments moments_of(DelayModel model) {
  RandomStream random(7, "delay");
  Moments result{.least = std::numeric_limits<std::int64_t>::max()};
  double squares = 0;
  for (int i = 0; i < kDraws; ++i) {
    const std::int64_t ns = model(random, any).count_ns();
    result.mean += static_cast<double>(ns) / kDraws;
    squares += static_cast<double>(ns) * static_cast<double>(ns) / kDraws;
    result.least = std::min(result.least, ns);
    result.most = std::max(result.most, ns);
  }
  result.deviation = std::sqrt(squares - result.mean * result.mean);
  return result;
}

TEST(DelayModel, constantIsConstant) {
  const Moments m = moments_of(constant_delay(Duration::us(5)));
  EXPECT_EQ(m.least, 5'000);
  EXPECT_EQ(m.most, 5'000);
}

TEST(DelayModel, uniformFillsItsRange) {
  const Moments m = moments_of(uniform_delay(Duration::us(8), Duration::us(12)));
  EXPECT_NEAR(m.mean, 10'000, 5 * 4'000 / std::sqrt(12.0 * kDraws));
  EXPECT_NEAR(m.deviation, 4'000 / std::sqrt(12.0), 20);
  EXPECT_GE(m.least, 8'000);
  EXPECT_LT(m.most, 12'000);
}

TEST(DelayModel, nothingIsBelowZero) {
  // Uniform in [-1, 3): a quarter is zero, and the mean is 9/8.
  const Moments m = moments_of(uniform_delay(-Duration::ms(1), Duration::ms(3)));
  EXPECT_EQ(m.least, 0);
  EXPECT_NEAR(m.mean, 1e6 * 9 / 8, 2e4);
}

TEST(DelayModel, normalHasItsMomentsAndEndsAtTheLeast) {
  const Moments m = moments_of(normal_delay(Duration::ms(10), Duration::ms(1)));
  EXPECT_NEAR(m.mean, 1e7, 5 * 1e6 / std::sqrt(double{kDraws}));
  EXPECT_NEAR(m.deviation, 1e6, 2e4);
  EXPECT_EQ(moments_of(normal_delay(Duration::ms(1), Duration::ms(5), Duration::us(10))).least, 10'000);
}

TEST(DelayModel, exponentialStartsAtItsMinimum) {
  const Moments m = moments_of(exponential_delay(Duration::ms(2), Duration::ms(1)));
  EXPECT_GE(m.least, 2'000'000);
  EXPECT_NEAR(m.mean, 3e6, 5 * 1e6 / std::sqrt(double{kDraws}));
  EXPECT_NEAR(m.deviation, 1e6, 3e4);
}

TEST(DelayModel, aTableIsTheInverseOfTheDistribution) {
  // Half of the delays in [0, 10), half in [10, 100): the mean is (5 + 55) / 2.
  const Moments m = moments_of(table_delay({Duration::us(0), Duration::us(10), Duration::us(100)}));
  EXPECT_NEAR(m.mean, 30'000, 500);
  EXPECT_LE(m.most, 100'000);
}

TEST(DelayModel, aTraceRepeats) {
  RandomStream random(1, "t");
  DelayModel model = trace_delay({Duration::us(1), Duration::us(2), Duration::us(3)});
  std::vector<std::int64_t> drawn;
  for (int i = 0; i < 5; ++i) drawn.push_back(model(random, any).count_ns());
  EXPECT_EQ(drawn, (std::vector<std::int64_t>{1'000, 2'000, 3'000, 1'000, 2'000}));
}

TEST(DelayModel, reorderingLetsTheLastOfEachGapGoAtOnce) {
  RandomStream random(1, "r");
  DelayModel model = reordering(constant_delay(Duration::ms(1)), 1.0, 4);
  std::vector<std::int64_t> drawn;
  for (int i = 0; i < 8; ++i) drawn.push_back(model(random, any).count_ns() / 1'000'000);
  EXPECT_EQ(drawn, (std::vector<std::int64_t>{1, 1, 1, 0, 1, 1, 1, 0}));
  const Moments m = moments_of(reordering(constant_delay(Duration::ms(1)), 0.25, 1));
  EXPECT_NEAR(m.mean, 750'000, 5e6 * std::sqrt(0.25 * 0.75 / kDraws));
}

TEST(DelayModel, refusesWhatCannotBe) {
  EXPECT_THROW(constant_delay(-Duration::ns(1)), ConfigError);
  EXPECT_THROW(uniform_delay(Duration::ns(2), Duration::ns(1)), ConfigError);
  EXPECT_THROW(normal_delay(Duration::ns(2), -Duration::ns(1)), ConfigError);
  EXPECT_THROW(exponential_delay(Duration::zero(), Duration::zero()), ConfigError);
  EXPECT_THROW(table_delay({Duration::ns(1)}), ConfigError);
  EXPECT_THROW(table_delay({Duration::ns(2), Duration::ns(1)}), ConfigError);
  EXPECT_THROW(trace_delay({}), ConfigError);
  EXPECT_THROW(trace_delay({-Duration::ns(1)}), ConfigError);
  EXPECT_THROW(reordering(constant_delay(Duration::zero()), 0.5, 0), ConfigError);
}

}  // namespace
}  // namespace simcore
