// SPDX-License-Identifier: MIT
#include "simcore/application/ping.h"

#include "simcore/units/error.h"
#include "tests/simcore/stack/host_pair.h"

namespace simcore {
namespace {

using PingTest = testing::HostPair;

TEST_F(PingTest, a_reply_takes_two_delays_and_two_serializations) {
  Ping ping(simulation_, client_,
            {.destination = at_server_, .count = 5, .start = SimTime::at_ns(1'000'000'000)});
  client_.announce();
  server_.announce();
  run(Duration::seconds(10));
  EXPECT_EQ(ping.sent(), 5);
  EXPECT_EQ(ping.received(), 5);
  EXPECT_EQ(ping.duplicates(), 0);
  // 56 bytes and headers of 8 + 20 + 14 are 98 bytes: 7.84 us at 100 Mbit/s.
  EXPECT_EQ(ping.least_rtt(), Duration::ns(2 * (5'000'000 + 7'840)));
}

TEST_F(PingTest, two_pings_do_not_take_each_others_replies) {
  Ping one(simulation_, client_, {.destination = at_server_, .count = 3});
  Ping two(simulation_, client_, {.destination = at_server_, .interval = Duration::ms(100), .count = 20});
  run(Duration::seconds(5));
  EXPECT_EQ(one.received(), 3);
  EXPECT_EQ(two.received(), 20);
}

TEST_F(PingTest, a_host_that_is_not_there_does_not_answer) {
  Ping ping(simulation_, client_, {.destination = Ipv4Address::parse("10.0.0.9"), .count = 3});
  run(Duration::seconds(10));
  EXPECT_EQ(ping.sent(), 3);
  EXPECT_EQ(ping.received(), 0);
  EXPECT_EQ(ping.mean_rtt(), Duration::zero());
}

TEST_F(PingTest, numbers_that_wrap_still_find_their_requests) {
  Ping first(simulation_, client_, {.destination = at_server_, .count = 1});
  run(Duration::ms(100));  // more than the neighbour's queue holds would wait for its address
  Ping ping(simulation_, client_,
            {.destination = at_server_,
             .interval = Duration::us(100),
             .count = 70'000,
             .start = simulation_.now()});
  run(Duration::seconds(8));
  EXPECT_EQ(ping.received(), 70'000);
  EXPECT_EQ(ping.duplicates(), 0);
}

TEST_F(PingTest, values_out_of_range_are_refused) {
  EXPECT_THROW(
      Ping(simulation_, client_, {.destination = at_server_, .interval = Duration::zero(), .count = {}}),
      ConfigError);
  EXPECT_THROW(Ping(simulation_, client_, {.destination = at_server_, .count = {}, .payload = 70'000}),
               ConfigError);
}

}  // namespace
}  // namespace simcore
