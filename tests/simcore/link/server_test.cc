// SPDX-License-Identifier: MIT
#include "simcore/link/server.h"

#include <gtest/gtest.h>

#include "simcore/units/error.h"

namespace simcore {
namespace {

SimTime at_ms(std::int64_t ms) { return SimTime::at_ns(ms * 1'000'000); }

TEST(RateServer, keepsItsRateExactly) {
  // 100 bytes at 3 Gbit/s take 266 + 2/3 ns.
  RateServer server(DataRate::gbps(3));
  SimTime free = SimTime::zero();
  for (int i = 0; i < 3'000; ++i) free = server.serve(ByteCount::bytes(100), free);
  EXPECT_EQ(free, SimTime::at_ns(800'000));
  EXPECT_EQ(server.serve(ByteCount::bytes(100), at_ms(1)), SimTime::at_ns(1'000'267));
}

TEST(RateServer, whatIsLeftOfAFrameTakesTheNewRate) {
  RateServer server(DataRate::mbps(8));  // 1000 bytes: 1 ms
  const SimTime departure = server.serve(ByteCount::bytes(1'000), SimTime::zero());
  EXPECT_EQ(departure, at_ms(1));
  EXPECT_EQ(server.change(DataRate::mbps(4), departure, SimTime::at_ns(250'000)), SimTime::at_ns(1'750'000));
  EXPECT_EQ(server.serve(ByteCount::bytes(1'000), SimTime::at_ns(1'750'000)), SimTime::at_ns(3'750'000));
  EXPECT_THROW(server.change(DataRate::bps(0), at_ms(9), at_ms(9)), ConfigError);
}

TEST(TokenBucketServer, aFullBucketLeavesAtOnceAndThenTheRateHolds) {
  // 3000 bytes of tokens; 1000 bytes more each ms.
  TokenBucketServer server({.rate = DataRate::mbps(8), .burst = ByteCount::bytes(3'000)});
  SimTime time = at_ms(5);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(time = server.serve(ByteCount::bytes(1'000), time), at_ms(5));
  for (int i = 1; i <= 4; ++i) EXPECT_EQ(time = server.serve(ByteCount::bytes(1'000), time), at_ms(5 + i));
  // After 1.5 ms of silence there are tokens for one and a half.
  EXPECT_EQ(server.serve(ByteCount::bytes(1'000), SimTime::at_ns(10'500'000)), SimTime::at_ns(10'500'000));
  EXPECT_EQ(server.serve(ByteCount::bytes(1'000), SimTime::at_ns(10'500'000)), at_ms(11));
}

TEST(TokenBucketServer, carriesFractionsOfANanosecond) {
  TokenBucketServer server({.rate = DataRate::gbps(3), .burst = ByteCount::bytes(100)});
  SimTime time = server.serve(ByteCount::bytes(100), SimTime::zero());
  for (int i = 0; i < 3'000; ++i) time = server.serve(ByteCount::bytes(100), time);
  EXPECT_EQ(time, SimTime::at_ns(800'000));
}

TEST(TokenBucketServer, neverHoldsMoreThanItsBurstAndSendsAtItsPeak) {
  TokenBucketServer server(
      {.rate = DataRate::mbps(8), .burst = ByteCount::bytes(2'000), .peak = DataRate::mbps(80)});
  SimTime time = at_ms(1'000);
  EXPECT_EQ(time = server.serve(ByteCount::bytes(1'000), time), SimTime::at_ns(1'000'100'000));
  EXPECT_EQ(time = server.serve(ByteCount::bytes(1'000), time), SimTime::at_ns(1'000'200'000));
  // 200 us have brought 200 bytes; 800 more take 800 us, and the wire 100 us.
  EXPECT_EQ(server.serve(ByteCount::bytes(1'000), time), SimTime::at_ns(1'001'100'000));
  EXPECT_FALSE(server.carries(ByteCount::bytes(2'001)));
}

TEST(TokenBucketServer, refusesWhatCannotBe) {
  EXPECT_THROW(TokenBucketServer({.rate = DataRate::bps(0), .burst = ByteCount::bytes(1)}), ConfigError);
  EXPECT_THROW(TokenBucketServer({.rate = DataRate::bps(1), .burst = ByteCount::zero()}), ConfigError);
}

TEST(OpportunityServer, framesLeaveAtOpportunitiesAndSmallOnesShareThem) {
  OpportunityServer server(OpportunityTrace::parse("2\n5\n5\n10\n", "t"));
  const ByteCount full = ByteCount::bytes(1'514);
  EXPECT_EQ(server.serve(full, SimTime::zero()), at_ms(2));
  EXPECT_EQ(server.serve(ByteCount::bytes(1'000), at_ms(2)), at_ms(5));
  EXPECT_EQ(server.serve(ByteCount::bytes(514), at_ms(5)), at_ms(5));  // the rest of the same opportunity
  EXPECT_EQ(server.serve(full, at_ms(5)), at_ms(5));                   // the other one
  EXPECT_EQ(server.serve(full, at_ms(5)), at_ms(10));
  EXPECT_EQ(server.serve(ByteCount::bytes(1'515), at_ms(10)), at_ms(15));  // at 12, and a byte at 15
  // An opportunity that nobody needs is lost, with what is left of others: 15, 15 and 20 pass unused.
  EXPECT_EQ(server.serve(full, at_ms(21)), at_ms(22));
}

TEST(OpportunityServer, refusesOpportunitiesForNothing) {
  EXPECT_THROW(OpportunityServer(OpportunityTrace::parse("1", "t"), ByteCount::zero()), ConfigError);
}

}  // namespace
}  // namespace simcore
