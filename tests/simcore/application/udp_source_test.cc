// SPDX-License-Identifier: MIT
#include "simcore/application/udp_source.h"

#include <cmath>

#include "simcore/units/error.h"
#include "tests/simcore/stack/host_pair.h"

namespace simcore {
namespace {

class UdpSourceTest : public testing::HostPair {
 protected:
  UdpSourceTest() { server_.udp().bind(9, sink_); }
  UdpSource::Config config() const {
    return {.destination = at_server_, .port = 9, .rate = DataRate::mbps(8), .payload = 1'000};
  }

  UdpSink sink_;
};

TEST_F(UdpSourceTest, a_constant_bit_rate_has_equal_gaps_and_neither_loses_nor_drifts) {
  // 1000 bytes at 8 Mbit/s are one datagram per ms: the first at 0, the last before 10 s at 9.999 s.
  UdpSource::Config limited = config();
  limited.stop = SimTime::zero() + Duration::seconds(10);
  UdpSource source(simulation_, client_, "source", limited);
  run(Duration::seconds(11));
  EXPECT_EQ(source.datagrams(), 10'000);
  EXPECT_EQ(sink_.datagrams(), 10'000);
  EXPECT_EQ(sink_.bytes(), 10'000'000);
  EXPECT_EQ(sink_.missing(), 0);
  EXPECT_EQ(sink_.out_of_order(), 0);
}

TEST_F(UdpSourceTest, a_rate_that_no_whole_number_of_nanoseconds_gives_is_kept_in_the_long_run) {
  UdpSource::Config odd = config();
  odd.rate =
      DataRate::bps(7'000'003);  // a gap of 1.142856 ms: 30 s hold 7000003 * 30 / 8000 = 26250.01 of them
  UdpSource source(simulation_, client_, "source", odd);
  simulation_.run_until(SimTime::zero() + Duration::seconds(30));
  EXPECT_EQ(source.datagrams(), 26'251);
}

TEST_F(UdpSourceTest, what_does_not_fit_through_the_link_is_missing_at_the_sink) {
  UdpSource::Config fast = config();
  fast.rate = DataRate::mbps(200);
  fast.stop = SimTime::zero() + Duration::seconds(1);
  UdpSource source(simulation_, client_, "source", fast);
  run(Duration::seconds(5));
  EXPECT_EQ(source.datagrams(), 25'000);
  EXPECT_LT(sink_.datagrams(), 15'000);
  // The tail after the last one that came is unknown to the sink.
  EXPECT_LE(sink_.datagrams() + sink_.missing(), 25'000);
  EXPECT_GT(sink_.datagrams() + sink_.missing(), 24'900);
}

TEST_F(UdpSourceTest, poisson_arrivals_have_a_variance_equal_to_their_mean) {
  UdpSource::Config poisson = config();
  poisson.arrivals = UdpSource::Arrivals::poisson;
  UdpSource source(simulation_, client_, "source", poisson);
  // Counts in intervals of 10 ms: mean 10, variance 10; over 4000 intervals their standard errors are 0.05 and 0.23.
  constexpr int kIntervals = 4'000;
  double sum = 0;
  double squares = 0;
  std::int64_t before = 0;
  for (int i = 0; i < kIntervals; ++i) {
    run(Duration::ms(10));
    const auto count = static_cast<double>(source.datagrams() - before);
    before = source.datagrams();
    sum += count;
    squares += count * count;
  }
  const double mean = sum / kIntervals;
  EXPECT_NEAR(mean, 10, 5 * 0.05);
  EXPECT_NEAR(squares / kIntervals - mean * mean, 10, 5 * 0.23);
}

TEST_F(UdpSourceTest, an_on_off_source_sends_for_its_share_of_the_time) {
  UdpSource::Config bursts = config();
  bursts.arrivals = UdpSource::Arrivals::on_off;
  bursts.mean_on = Duration::ms(10);
  bursts.mean_off = Duration::ms(30);
  UdpSource source(simulation_, client_, "source", bursts);
  run(Duration::seconds(400));
  // A quarter of the time, and half a datagram more per burst, as each begins with one: 10,000 bursts, whose share
  // of 0.25 has a standard error near 0.25 * 0.75 * sqrt(2 / 10000) = 0.0027.
  const double share = static_cast<double>(source.datagrams() - 5'000) / 400'000;
  EXPECT_NEAR(share, 0.25, 5 * 0.0027);
}

TEST_F(UdpSourceTest, the_same_seed_gives_the_same_departures_and_another_name_others) {
  UdpSource::Config poisson = config();
  poisson.arrivals = UdpSource::Arrivals::poisson;
  Simulation other(1);
  Host host(other, pool_, "client");
  UdpSource a(simulation_, client_, "source", poisson);
  UdpSource same(other, host, "source", poisson);
  UdpSource different(other, host, "another", poisson);
  run(Duration::seconds(2));
  other.run_until(simulation_.now());
  EXPECT_EQ(a.datagrams(), same.datagrams());
  EXPECT_NE(a.datagrams(), different.datagrams());
  EXPECT_EQ(host.dropped().of(DropReason::no_route),
            static_cast<std::uint64_t>(same.datagrams() + different.datagrams()));
}

TEST_F(UdpSourceTest, values_out_of_range_are_refused) {
  const auto refused = [&](auto change) {
    UdpSource::Config wrong = config();
    change(wrong);
    EXPECT_THROW(UdpSource(simulation_, client_, "source", wrong), ConfigError);
  };
  refused([](auto& c) { c.payload = 15; });
  refused([](auto& c) { c.payload = 65'508; });
  refused([](auto& c) { c.rate = DataRate::bps(0); });
  refused([](auto& c) { c.stop = c.start; });
  refused([](auto& c) { c.arrivals = UdpSource::Arrivals::on_off, c.mean_off = Duration::zero(); });
}

TEST(UdpFlow, jitter_is_a_sixteenth_of_the_change_in_transit_and_clocks_need_not_agree) {
  UdpFlow flow;
  const SimTime decades_ahead = SimTime::at_ns(1'800'000'000'000'000'000);
  flow.add(1, decades_ahead, SimTime::at_ns(1'000), 10);
  flow.add(2, decades_ahead + Duration::ns(1'000), SimTime::at_ns(2'160), 10);
  EXPECT_DOUBLE_EQ(flow.jitter_ns(), 10);  // 160 / 16
}

TEST(UdpFlow, one_that_comes_late_is_out_of_order_and_no_longer_missing) {
  UdpFlow flow;
  for (const std::int64_t number : {1, 2, 5, 3}) flow.add(number, SimTime::zero(), SimTime::zero(), 10);
  EXPECT_EQ(flow.missing(), 1);  // 4
  EXPECT_EQ(flow.out_of_order(), 1);
  EXPECT_EQ(flow.highest(), 5);
}

}  // namespace
}  // namespace simcore
