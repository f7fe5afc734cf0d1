// SPDX-License-Identifier: MIT
#include "simcore/units/time.h"

#include <gtest/gtest.h>

#include <type_traits>

namespace simcore {
namespace {

template <class A, class B>
concept Addable = requires(A a, B b) {
  a + b;
};

TEST(Duration, unitsAgree) {
  EXPECT_EQ(Duration::seconds(3), Duration::ms(3'000));
  EXPECT_EQ(Duration::ms(3), Duration::us(3'000));
  EXPECT_EQ(Duration::us(3), Duration::ns(3'000));
  EXPECT_DOUBLE_EQ(Duration::ms(1'500).in_seconds(), 1.5);
}

TEST(Duration, dividesIntoAWholeNumber) {
  EXPECT_EQ(Duration::us(50) / Duration::ns(1'200), 41);
  EXPECT_EQ(Duration::us(50) / 4, Duration::ns(12'500));
}

TEST(Duration, isSigned) {
  EXPECT_LT(Duration::ms(1) - Duration::ms(2), Duration::zero());
  EXPECT_EQ(-Duration::ms(1), Duration::ms(1) - Duration::ms(2));
}

TEST(SimTime, anInstantPlusAnIntervalIsAnInstant) {
  const SimTime t = SimTime::at_ns(10) + Duration::ns(5);
  EXPECT_EQ(t, SimTime::at_ns(15));
  EXPECT_EQ(t - SimTime::at_ns(10), Duration::ns(5));
  EXPECT_EQ(t - Duration::ns(15), SimTime::zero());
}

TEST(SimTime, instantsCannotBeAdded) {
  static_assert(!Addable<SimTime, SimTime>);
  static_assert(Addable<SimTime, Duration>);
  static_assert(!std::is_convertible_v<Duration, SimTime>);
  static_assert(!std::is_convertible_v<std::int64_t, SimTime>);
}

TEST(SimTime, neverIsAfterEverything) {
  EXPECT_GT(SimTime::never(), SimTime::zero() + Duration::seconds(9'000'000'000));
}

}  // namespace
}  // namespace simcore
