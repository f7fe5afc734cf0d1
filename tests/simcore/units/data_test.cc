// SPDX-License-Identifier: MIT
#include "simcore/units/data.h"

#include <gtest/gtest.h>

#include <type_traits>

namespace simcore {
namespace {

TEST(Serialization, isBitsDividedByRate) {
  EXPECT_EQ(serialization(ByteCount::bytes(1'250), DataRate::mbps(1)), Duration::ms(10));
  EXPECT_EQ(serialization(ByteCount::bytes(1'500), DataRate::gbps(1)), Duration::us(12));
}

TEST(Serialization, roundsUpSoThatAWireNeverCarriesMoreThanItsRate) {
  // 64 bytes are 512 bits: 5.12 ns at 100 Gbit/s.
  EXPECT_EQ(serialization(ByteCount::bytes(64), DataRate::gbps(100)), Duration::ns(6));
  EXPECT_EQ(serialization(ByteCount::bytes(1), DataRate::gbps(8)), Duration::ns(1));
  EXPECT_EQ(serialization(ByteCount::zero(), DataRate::bps(1)), Duration::zero());
}

TEST(Serialization, reachesFromOneBitPerSecondToALongTrain) {
  EXPECT_EQ(serialization(ByteCount::bytes(1'000'000), DataRate::bps(1)), Duration::seconds(8'000'000));
  EXPECT_EQ(serialization(ByteCount::bytes(999'999'999), DataRate::gbps(1)), Duration::ns(7'999'999'992));
}

TEST(Carried, isTheInverseOfSerialization) {
  EXPECT_EQ(carried(DataRate::mbps(1), Duration::ms(10)), ByteCount::bytes(1'250));
  EXPECT_EQ(carried(DataRate::gbps(100), Duration::ns(6)), ByteCount::bytes(75));
  // 400 Gbit/s for a day: more than 64 bits of bit-nanoseconds.
  EXPECT_EQ(carried(DataRate::gbps(400), Duration::seconds(86'400)), ByteCount::bytes(4'320'000'000'000'000));
}

TEST(DataRate, unitsAgreeAndBareNumbersDoNotConvert) {
  EXPECT_EQ(DataRate::gbps(1), DataRate::mbps(1'000));
  EXPECT_EQ(DataRate::mbps(1), DataRate::kbps(1'000));
  static_assert(!std::is_convertible_v<std::int64_t, DataRate>);
  static_assert(!std::is_convertible_v<std::int64_t, ByteCount>);
}

TEST(ByteCount, countsBytesAndBits) {
  EXPECT_EQ((ByteCount::bytes(10) + ByteCount::bytes(5) - ByteCount::bytes(1)).bits(), 112);
  EXPECT_EQ(ByteCount::bytes(24) * 3, ByteCount::bytes(72));
}

}  // namespace
}  // namespace simcore
