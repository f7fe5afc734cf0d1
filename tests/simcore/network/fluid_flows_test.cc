// SPDX-License-Identifier: MIT
#include "simcore/network/fluid_flows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "simcore/link/codel.h"
#include "simcore/link/constant_background.h"
#include "simcore/link/loss.h"
#include "simcore/link/on_off_background.h"
#include "simcore/link/red.h"
#include "simcore/network/simulated_network.h"
#include "simcore/units/error.h"

namespace simcore {
namespace {

FluidModel constant(std::int64_t bits_per_second) {
  return constant_background({.rate = DataRate::bps(bits_per_second)});
}

// Sends at a rate for a while, and then nothing.
FluidModel lasting(std::int64_t bits_per_second, Duration length) {
  class Source final : public BackgroundSource {
   public:
    Source(std::int64_t rate, Duration length) : rate_(rate), length_(length) {}
    FluidPiece next(SimTime now, const FluidFeedback&) override {
      const std::int64_t rate = std::exchange(rate_, 0);
      return {.bits_per_second = rate, .until = rate > 0 ? now + length_ : SimTime::never()};
    }

   private:
    std::int64_t rate_;
    Duration length_;
  };
  return [=](const RandomStream&) { return std::make_unique<Source>(bits_per_second, length); };
}

// Routers in a row, r0 - r1 - ..., and fluid from the first on. Link n goes from rn by the interface "rn-out".
class FluidFlowsTest : public testing::Test {
 protected:
  struct Hop {
    std::int64_t mbps;
    std::int64_t delay_ms = 1;
    std::int64_t packets = 100;
  };

  void row(const std::vector<Hop>& hops) {
    network.add_node(NodeKind::learning_switch, "r0");
    for (std::size_t n = 0; n < hops.size(); ++n) {
      const std::string from = "r" + std::to_string(n);
      const std::string to = "r" + std::to_string(n + 1);
      network.add_node(NodeKind::learning_switch, to);
      network.add_interface(from, {.name = from + "-out"});
      network.add_interface(to, {.name = to + "-in"});
      network.add_link(from + "-" + to, network.end(from + "-out", ""), network.end(to + "-in", ""),
                       model(hops[n]), model(hops[n]));
      there.push_back(from + "-out");
      back.insert(back.begin(), to + "-in");
    }
  }
  void add(const std::string& name, const FluidModel& model, std::size_t first = 0, std::size_t hops = 99) {
    const std::size_t last = std::min(there.size(), first + hops);
    const auto part = [](const std::vector<std::string>& of, std::size_t from, std::size_t to) {
      return std::vector<std::string>(of.begin() + static_cast<std::ptrdiff_t>(from),
                                      of.begin() + static_cast<std::ptrdiff_t>(to));
    };
    network.add_fluid(name, model, part(there, first, last),
                      part(back, back.size() - last, back.size() - first));
  }
  void run(std::int64_t seconds) { run_for(Duration::seconds(seconds)); }
  void run_for(Duration time) {
    if (!begun) network.begin("test", 0);
    begun = true;
    network.simulation().run_until(network.simulation().now() + time);
  }
  double delivered_in(Duration time, std::size_t flow = 0) {
    const std::int64_t before = counters(flow).delivered_bytes;
    run_for(time);
    return static_cast<double>(counters(flow).delivered_bytes - before);
  }
  static LinkModel model(const Hop& hop) {
    return Link::Config{.rate = DataRate::mbps(hop.mbps),
                        .propagation_delay = Duration::ms(hop.delay_ms),
                        .queue_packets = hop.packets};
  }
  // From the first router on, there.
  void change(const Hop& hop, const std::string& link = "r0-r1") {
    network.change_link(link, model(hop), std::nullopt);
  }
  FluidFlows::Counters counters(std::size_t flow = 0) { return network.fluids().counters(flow); }
  double delivered_mbps(std::size_t flow, std::int64_t seconds) {
    const std::int64_t before = counters(flow).delivered_bytes;
    run(seconds);
    return static_cast<double>(counters(flow).delivered_bytes - before) * 8 / 1e6 /
           static_cast<double>(seconds);
  }
  FluidQueue::Counters queue(std::size_t hop) {
    return *network.links().leaving(there[hop], "read").background();
  }

  SimulatedNetwork network{1};
  std::vector<std::string> there;
  std::vector<std::string> back;
  bool begun = false;
};

TEST_F(FluidFlowsTest, aConstantRateComesOutAtTheLeastRateOfItsWay) {
  row({{.mbps = 80}, {.mbps = 30}, {.mbps = 50}});
  add("f", constant(100'000'000));
  run(1);
  EXPECT_NEAR(delivered_mbps(0, 5), 30, 0.01);
  // Each queue gets what the one before it lets out.
  EXPECT_NEAR(static_cast<double>(queue(1).offered_bytes), 80e6 / 8 * 6, 80e6 / 8 * 0.01);
  EXPECT_NEAR(static_cast<double>(queue(2).offered_bytes), 30e6 / 8 * 6, 30e6 / 8 * 0.05);
  EXPECT_EQ(queue(2).lost_bytes, 0);
}

TEST_F(FluidFlowsTest, aRateBelowAllComesOutWhole) {
  row({{.mbps = 80}, {.mbps = 30}});
  add("f", constant(20'000'000));
  run(1);
  EXPECT_NEAR(delivered_mbps(0, 5), 20, 0.01);
  EXPECT_EQ(counters().lost_bytes, 0);
  // Two hops of 1 ms.
  EXPECT_NEAR(static_cast<double>(counters().under_way_bytes), 20e6 / 8 * 0.002, 20e6 / 8 * 0.0011);
}

TEST_F(FluidFlowsTest, classesShareAQueueInProportionToWhatTheyOfferIt) {
  row({{.mbps = 100}, {.mbps = 60}});
  add("small", constant(30'000'000));
  add("large", constant(90'000'000));
  run(1);
  // 120 on 100, then 100 on 60: a quarter and three quarters of 60.
  EXPECT_NEAR(delivered_mbps(0, 5), 15, 0.05);
  EXPECT_NEAR(delivered_mbps(1, 5), 45, 0.05);
}

TEST_F(FluidFlowsTest, whatJoinsOnTheWayCompetesWithWhatTheQueueBeforeLetThrough) {
  row({{.mbps = 40}, {.mbps = 60}});
  add("long", constant(80'000'000));
  add("short", constant(40'000'000), 1);
  run(1);
  // 80 on 40; then 40 and 40 on 60.
  EXPECT_NEAR(delivered_mbps(0, 5), 30, 0.05);
  EXPECT_NEAR(delivered_mbps(1, 5), 30, 0.05);
}

TEST_F(FluidFlowsTest, whatWasOfferedIsDeliveredLostOrUnderWay) {
  row({{.mbps = 50, .delay_ms = 3}, {.mbps = 20, .delay_ms = 7}, {.mbps = 40, .delay_ms = 2}});
  add("f", on_off_background({.rate = DataRate::mbps(2), .flows = 20}));
  add("g", on_off_background({.rate = DataRate::mbps(5), .flows = 10}), 1);
  for (int second = 0; second < 20; ++second) {
    run(1);
    for (std::size_t flow = 0; flow < 2; ++flow) {
      const FluidFlows::Counters c = counters(flow);
      EXPECT_GE(c.under_way_bytes, 0);
      // All queues full, and all links.
      EXPECT_LE(c.under_way_bytes, 3 * 100 * 1'500 + static_cast<std::int64_t>(50e6 / 8 * 0.014));
    }
  }
  // What the classes lost is what the queues lost. A queue tells of it a step later.
  const std::int64_t lost = counters(0).lost_bytes + counters(1).lost_bytes;
  std::int64_t of_queues = 0;
  for (std::size_t hop = 0; hop < 3; ++hop) of_queues += queue(hop).lost_bytes;
  EXPECT_GT(lost, 1'000'000);
  EXPECT_NEAR(static_cast<double>(lost), static_cast<double>(of_queues), 50e6 / 8 * 0.002);
}

TEST_F(FluidFlowsTest, neverLessThanNothingIsUnderWay) {
  row({{.mbps = 20, .packets = 10}});
  // Often silent for so long that all has come or is lost.
  add("f", on_off_background(
               {.rate = DataRate::mbps(30), .mean_on = Duration::ms(5), .mean_off = Duration::ms(20)}));
  run(0);
  for (int look = 0; look < 10'000; ++look) {
    network.simulation().run_until(network.simulation().now() + Duration::ms(1));
    const FluidFlows::Counters c = counters();
    ASSERT_GE(c.under_way_bytes, 0) << look;
    ASSERT_EQ(c.offered_bytes, c.delivered_bytes + c.lost_bytes + c.under_way_bytes) << look;
  }
  EXPECT_GT(counters().lost_bytes, 0);
}

TEST_F(FluidFlowsTest, theRoundTripIsWhatTheWayAndTheWayBackTake) {
  row({{.mbps = 12, .delay_ms = 10}, {.mbps = 6, .delay_ms = 20}});
  add("f", TcpBackground::Config{.flows = 1});
  run(1);
  // Propagation there and back, and 12,000 bits on 12 and on 6 Mbit/s; nothing waits yet at 1 + 1 / 0.063 segments.
  EXPECT_EQ(network.fluids().step(), Duration::us(6'300));
  EXPECT_EQ(counters().round_trip, Duration::us(63'000));
  EXPECT_NEAR(static_cast<double>(counters().window_bytes), 1'500 * (1 + 1 / 0.063), 1'500 * 0.2);
}

TEST_F(FluidFlowsTest, renoFillsTheNarrowestLinkAndLosesAsTheSquareRootLawSays) {
  row({{.mbps = 1'000, .delay_ms = 5, .packets = 1'000},
       {.mbps = 100, .delay_ms = 10, .packets = 333},
       {.mbps = 1'000, .delay_ms = 5, .packets = 1'000}});
  constexpr std::int64_t kFlows = 50;
  add("f", TcpBackground::Config{.flows = kFlows});
  run(50);
  const FluidFlows::Counters before = counters();
  double round_trip = 0;
  for (int second = 0; second < 100; ++second) {
    run(1);
    round_trip += counters().round_trip.in_seconds() / 100;
  }
  const auto delivered = static_cast<double>(counters().delivered_bytes - before.delivered_bytes);
  const auto lost = static_cast<double>(counters().lost_bytes - before.lost_bytes);
  EXPECT_GT(delivered, 0.97 * 100e6 / 8 * 100);
  EXPECT_EQ(queue(0).lost_bytes + queue(2).lost_bytes, 0);
  const double p = lost / (delivered + lost);
  const double window = delivered * 8 / 100 / kFlows / 12'000 * round_trip;
  // The loss comes in moments, in which windows are large: the mean window is a little below that of an even loss.
  EXPECT_NEAR(window, std::sqrt(2 / p), 0.15 * std::sqrt(2 / p));
}

TEST_F(FluidFlowsTest, flowsWithALongerRoundTripGetLessOfAQueue) {
  row({{.mbps = 1'000, .delay_ms = 30, .packets = 10'000}, {.mbps = 100, .delay_ms = 10, .packets = 200}});
  add("far", TcpBackground::Config{.flows = 20});
  add("near", TcpBackground::Config{.flows = 20}, 1);
  run(50);
  const double far = delivered_mbps(0, 50);
  const double near = delivered_mbps(1, 50);
  EXPECT_GT(near, 2 * far);
  // Each measured alone, one after the other.
  EXPECT_NEAR(near + far, 100, 8);
}

TEST_F(FluidFlowsTest, noMoreComesOutThanTheLinkCarriesHoweverMuchComes) {
  row({{.mbps = 1'000}});
  // Together twice what a queue is told of.
  add("f", constant(kMostFluidRate));
  add("g", constant(kMostFluidRate));
  run(1);
  EXPECT_NEAR(delivered_mbps(0, 1), 500, 1);
  EXPECT_NEAR(delivered_mbps(1, 1), 500, 1);
}

TEST_F(FluidFlowsTest, aMillionFlowsTakeAsManyEventsAsOne) {
  row({{.mbps = 100'000, .delay_ms = 10, .packets = 100'000}});
  add("f", TcpBackground::Config{.flows = 1'000'000});
  run(2);
  // A round trip of 20 ms and 120 ns: a step is 2 ms and 12 ns, and one more begins at zero.
  EXPECT_EQ(network.simulation().events_fired(), 1'000U);
}

TEST_F(FluidFlowsTest, aLinkThatIsDownLosesWhatComesToIt) {
  row({{.mbps = 100}, {.mbps = 100}});
  add("f", constant(10'000'000));
  run(1);
  network.set_link_up("r1-r2", false);
  run(1);
  EXPECT_NEAR(delivered_mbps(0, 5), 0, 0.001);
  EXPECT_NEAR(static_cast<double>(counters().lost_bytes), 10e6 / 8 * 6, 10e6 / 8 * 0.01);
  network.set_link_up("r1-r2", true);
  run(1);
  EXPECT_NEAR(delivered_mbps(0, 5), 10, 0.01);
}

TEST_F(FluidFlowsTest, aLinkThatIsTakenOutLosesWhatComesToIt) {
  row({{.mbps = 100}, {.mbps = 100}});
  add("f", constant(10'000'000));
  add("g", TcpBackground::Config{.flows = 3});
  run(1);
  network.remove_link("r1-r2");
  run(1);
  EXPECT_NEAR(delivered_mbps(0, 5), 0, 0.001);
  EXPECT_NEAR(delivered_mbps(1, 5), 0, 0.001);
}

TEST_F(FluidFlowsTest, aChangedRateHoldsFromThenOn) {
  row({{.mbps = 100}, {.mbps = 100}});
  add("f", constant(90'000'000));
  run(1);
  const LinkModel narrow = Link::Config{.rate = DataRate::mbps(25), .propagation_delay = Duration::ms(1)};
  network.change_link("r1-r2", narrow, std::nullopt);
  run(1);
  EXPECT_NEAR(delivered_mbps(0, 5), 25, 0.05);
}

TEST_F(FluidFlowsTest, whatWaitsWhenARateChangesLeavesAtTheNewOne) {
  row({{.mbps = 10, .packets = 1'000}, {.mbps = 100}});
  // Fills 1.5 MB in 1.2 s.
  add("f", lasting(20'000'000, Duration::ms(1'200)));
  run_for(Duration::ms(1'200));
  change({.mbps = 5, .packets = 1'000});
  EXPECT_NEAR(delivered_in(Duration::seconds(1)), 5e6 / 8, 5e6 / 8 * 0.01);
  run_for(Duration::ms(1'300));
  EXPECT_NEAR(static_cast<double>(counters().under_way_bytes), 5e6 / 8 * 0.1, 10e6 / 8 * 0.003);
  change({.mbps = 50, .packets = 1'000});
  // 62.5 kB in 10 ms, and two links of 1 ms.
  EXPECT_NEAR(delivered_in(Duration::ms(7)), 50e6 / 8 * 0.005, 50e6 / 8 * 0.002);
  run_for(Duration::ms(8));
  EXPECT_EQ(counters().under_way_bytes, 0);
}

TEST_F(FluidFlowsTest, slotsHoldForWhatWaits) {
  row({{.mbps = 10}, {.mbps = 100}});
  LinkModel slots = model({.mbps = 10});
  slots.rate_model = LinkModel::Slots{{.length = Duration::seconds(1), .rate = DataRate::mbps(10)},
                                      {.length = Duration::seconds(1), .rate = DataRate::mbps(5)}};
  network.change_link("r0-r1", slots, std::nullopt);
  add("f", constant(20'000'000));
  run(2);
  // Each slot is seen 2 ms later.
  EXPECT_NEAR(delivered_mbps(0, 1), 10, 0.03);
  EXPECT_NEAR(delivered_mbps(0, 1), 5, 0.03);
  EXPECT_NEAR(delivered_mbps(0, 1), 10, 0.03);
}

TEST_F(FluidFlowsTest, aChangedDelayHoldsForWhatLeavesTheQueueThen) {
  row({{.mbps = 100, .delay_ms = 10}});
  add("f", constant(8'000'000));
  run(1);
  change({.mbps = 100, .delay_ms = 300});
  // 10 kB are on the wire, then nothing comes for 290 ms.
  EXPECT_NEAR(delivered_in(Duration::ms(200)), 10e3, 2e3);
  EXPECT_NEAR(delivered_in(Duration::ms(800)), 700e3, 2e3);
  change({.mbps = 100, .delay_ms = 10});
  // Nothing overtakes: 300 kB as they were sent, and then at once all that left in 290 ms.
  EXPECT_NEAR(delivered_in(Duration::ms(290)), 290e3, 2e3);
  EXPECT_NEAR(delivered_in(Duration::ms(20)), 10e3 + 290e3 + 10e3, 2e3);
  EXPECT_NEAR(delivered_in(Duration::seconds(1)), 1e6, 2e3);
}

TEST_F(FluidFlowsTest, theStepFollowsTheRoundTrip) {
  row({{.mbps = 100, .delay_ms = 100}});
  add("f", TcpBackground::Config{.flows = 5});
  run(5);
  EXPECT_EQ(network.fluids().step(), Duration::ms(10));
  const LinkModel near = model({.mbps = 100, .delay_ms = 1});
  network.change_link("r0-r1", near, near);
  run(1);
  // A tenth of 2 ms and 120 us.
  EXPECT_EQ(network.fluids().step(), Duration::us(212));
  EXPECT_GT(delivered_mbps(0, 10), 98);
  // A fifth longer: not worth it.
  change({.mbps = 50, .delay_ms = 1});
  run(1);
  EXPECT_EQ(network.fluids().step(), Duration::us(212));
  // 41.12 ms and 120 us.
  change({.mbps = 100, .delay_ms = 40});
  run(1);
  EXPECT_EQ(network.fluids().step(), Duration::us(4'112));
}

TEST_F(FluidFlowsTest, changesLoseAndMakeNothing) {
  row({{.mbps = 50, .delay_ms = 30}, {.mbps = 30, .delay_ms = 20}, {.mbps = 100, .delay_ms = 5}});
  add("f", lasting(25'000'000, Duration::ms(1'000)));
  add("tcp", TcpBackground::Config{.flows = 3}, 1);
  const std::vector<Hop> models = {{.mbps = 10, .delay_ms = 1},
                                   {.mbps = 200, .delay_ms = 80},
                                   {.mbps = 40, .delay_ms = 5, .packets = 10},
                                   {.mbps = 26, .delay_ms = 30}};
  for (std::size_t n = 0; n < 40; ++n) {
    change(models[n % 4]);
    change(models[(n / 3) % 4], "r1-r2");
    network.set_link_up("r2-r3", n % 5 != 0);
    run_for(Duration::us(33'333));
    for (std::size_t flow = 0; flow < 2; ++flow) {
      const FluidFlows::Counters c = counters(flow);
      ASSERT_EQ(c.offered_bytes, c.delivered_bytes + c.lost_bytes + c.under_way_bytes) << n;
      ASSERT_GE(c.under_way_bytes, 0) << n;
    }
  }
  run(1);
  EXPECT_EQ(counters().offered_bytes, 25'000'000 / 8);
  EXPECT_EQ(counters().under_way_bytes, 0);
  EXPECT_GT(counters().lost_bytes, 0);
}

TEST_F(FluidFlowsTest, whatComesOutOfALinkThatIsDownIsLost) {
  row({{.mbps = 100, .delay_ms = 500}, {.mbps = 100}});
  add("f", constant(8'000'000));
  run(2);
  network.set_link_up("r0-r1", false);
  // 1 kB is on the second link.
  EXPECT_NEAR(delivered_in(Duration::seconds(2)), 1e3, 2e3);
  EXPECT_NEAR(static_cast<double>(counters().lost_bytes), 500e3 + 2e6, 2e3);
  // What came in the last step.
  EXPECT_EQ(counters().under_way_bytes, 1'000);
  EXPECT_EQ(queue(0).lost_bytes, 0);
  network.set_link_up("r0-r1", true);
  EXPECT_NEAR(delivered_in(Duration::seconds(1)), 499e3, 2e3);
}

TEST_F(FluidFlowsTest, whatIsOnItsWayWhileALinkIsDownForAMomentArrives) {
  row({{.mbps = 100, .delay_ms = 500}});
  add("f", constant(8'000'000));
  run(2);
  network.set_link_up("r0-r1", false);
  run_for(Duration::ms(100));
  network.set_link_up("r0-r1", true);
  run(1);
  // What would have arrived, and what would have begun.
  EXPECT_NEAR(static_cast<double>(counters().lost_bytes), 100e3 + 100e3, 2e3);
}

TEST_F(FluidFlowsTest, tcpHasItsLeastWindowWhileALinkThereOrBackIsDown) {
  row({{.mbps = 100, .delay_ms = 10}, {.mbps = 100, .delay_ms = 10}});
  network.add_fluid("reno", TcpBackground::Config{.flows = 4}, there, back);
  network.add_fluid("cubic", TcpBackground::Config{.flows = 4, .congestion = TcpFluid::Congestion::cubic},
                    there, back);
  run(20);
  EXPECT_GT(counters(0).window_bytes, 20 * 1'500);
  EXPECT_GT(counters(1).window_bytes, 20 * 1'500);
  network.set_link_up("r1-r2", false);
  run(1);
  for (const std::size_t flow : {0U, 1U}) EXPECT_EQ(counters(flow).window_bytes, 1'500);
  network.set_link_up("r1-r2", true);
  run(20);
  // One more in each round trip, which is 40 ms and what waits: 12 ms at most.
  EXPECT_GT(counters(0).window_bytes, 20 * 1'500);
}

TEST_F(FluidFlowsTest, aWayBackThatIsDownStopsTcpToo) {
  row({{.mbps = 100, .delay_ms = 10}});
  const LinkModel other = model({.mbps = 100, .delay_ms = 10});
  network.add_interface("r0", {.name = "r0-back"});
  network.add_interface("r1", {.name = "r1-back"});
  network.add_link("back", network.end("r0-back", ""), network.end("r1-back", ""), other, other);
  network.add_fluid("f", TcpBackground::Config{.flows = 4}, there, {"r1-back"});
  run(10);
  network.set_link_up("back", false);
  run(1);
  EXPECT_EQ(counters().window_bytes, 1'500);
  // 4 segments in 20 ms and 120 us.
  EXPECT_NEAR(delivered_mbps(0, 1), 4 * 12e3 / 0.02012 / 1e6, 0.01);
}

TEST_F(FluidFlowsTest, aQueueMayHaveABackgroundOfItsOwnBesides) {
  row({{.mbps = 100}, {.mbps = 100}});
  LinkModel shared = Link::Config{.rate = DataRate::mbps(100), .propagation_delay = Duration::ms(1)};
  shared.background = constant_background({.rate = DataRate::mbps(120)});
  network.change_link("r1-r2", shared, std::nullopt);
  add("f", constant(80'000'000));
  run(1);
  // 80 and 120 on 100.
  EXPECT_NEAR(delivered_mbps(0, 5), 40, 0.05);
  shared.background = nullptr;
  network.change_link("r1-r2", shared, std::nullopt);
  run(1);
  EXPECT_NEAR(delivered_mbps(0, 5), 80, 0.05);
}

RedControl::Config gentle_red() {
  return {.limit = ByteCount::bytes(1'000'000),
          .least = ByteCount::bytes(30'000),
          .most = ByteCount::bytes(120'000),
          .highest = 0.1,
          .gentle = true};
}

TEST_F(FluidFlowsTest, redDropsOfARateWhatTheLinkCannotCarry) {
  row({{.mbps = 10}, {.mbps = 100}});
  LinkModel red = model({.mbps = 10});
  red.queue = gentle_red();
  network.change_link("r0-r1", red, std::nullopt);
  add("f", constant(11'000'000));
  run(20);
  EXPECT_NEAR(delivered_mbps(0, 5), 10, 0.05);
  // A share s = 2 p / (1 + p) of 1 / 11: p = s / (2 - s) = 1 / 21, of 0.1 from 30 to 120 kB.
  EXPECT_NEAR(static_cast<double>(queue(0).waiting_bytes), 30e3 + 90e3 * 10 / 21, 1e3);
  // The link's own figures have what RED dropped.
  EXPECT_NEAR(static_cast<double>(queue(0).lost_bytes), static_cast<double>(counters().lost_bytes),
              11e6 / 8 * 0.002);
  EXPECT_NEAR(static_cast<double>(queue(0).offered_bytes), 11e6 / 8 * 25, 11e6 / 8 * 0.002);
}

TEST_F(FluidFlowsTest, renoAndRedComeToTheirEquilibrium) {
  constexpr double kFlows = 20;
  row({{.mbps = 20, .delay_ms = 20}});
  LinkModel red = model({.mbps = 20, .delay_ms = 20});
  red.queue = gentle_red();
  network.change_link("r0-r1", red, std::nullopt);
  add("f", TcpBackground::Config{.flows = 20});
  run(60);
  double queued = 0;
  const std::int64_t before = counters().delivered_bytes;
  for (int look = 0; look < 1'000; ++look) {
    run_for(Duration::ms(40));
    queued += static_cast<double>(queue(0).waiting_bytes) / 1'000;
  }
  EXPECT_GT(static_cast<double>(counters().delivered_bytes - before), 0.98 * 20e6 / 8 * 40);
  // Where the queue q gives flows that fill the link the loss 2 / W^2, and RED the same: found by halving.
  double low = 30e3;
  double high = 120e3;
  for (int n = 0; n < 50; ++n) {
    const double q = (low + high) / 2;
    const double window = (0.04 + 0.0006 + q * 8 / 20e6) * 20e6 / 12e3 / kFlows;
    const double p = 0.1 * (q - 30e3) / 90e3;
    (2 * p / (1 + p) < 2 / (window * window) ? low : high) = q;
  }
  EXPECT_NEAR(queued, low, 0.1 * low);
}

TEST_F(FluidFlowsTest, theQueueOfALinkOnTheWayMayBecomeRedAndDropTailAgain) {
  row({{.mbps = 10}, {.mbps = 100}});
  add("f", constant(11'000'000));
  run(2);
  EXPECT_EQ(queue(0).waiting_bytes, 150'000);
  LinkModel red = model({.mbps = 10});
  red.queue = gentle_red();
  network.change_link("r0-r1", red, std::nullopt);
  run(20);
  EXPECT_NEAR(static_cast<double>(queue(0).waiting_bytes), 30e3 + 90e3 * 10 / 21, 1e3);
  change({.mbps = 10});
  run(2);
  EXPECT_EQ(queue(0).waiting_bytes, 150'000);
  red.queue = RedControl::Config{.least = ByteCount::bytes(2), .most = ByteCount::bytes(1)};
  EXPECT_THROW(network.change_link("r0-r1", red, std::nullopt), ConfigError);
  EXPECT_EQ(delivered_in(Duration::seconds(1)), 10e6 / 8);
}

TEST_F(FluidFlowsTest, aLinkThatDoesMoreThanQueueAndDelayIsRefusedByName) {
  row({{.mbps = 100}});
  LinkModel other = Link::Config{.rate = DataRate::mbps(100)};
  other.loss = independent_loss(0.1);
  network.change_link("r0-r1", other, std::nullopt);
  try {
    add("f", constant(1));
    FAIL() << "it was added";
  } catch (const ConfigError& error) {
    EXPECT_EQ(
        std::string(error.what()),
        "add fluid f: make link r0-r1:r0-out>r1-in: fluid flows pass it, and it loses packets by chance; a "
        "fluid passes a drop-tail or RED queue with a rate (bw) and a constant delay, and nothing else");
  }
}

TEST_F(FluidFlowsTest, aLinkOnTheWayRefusesChangesThatNoFluidPasses) {
  row({{.mbps = 100}});
  add("f", constant(1'000'000));
  run(1);
  LinkModel codel = Link::Config{.rate = DataRate::mbps(100)};
  codel.queue = CodelConfig{};
  EXPECT_THROW(network.change_link("r0-r1", codel, std::nullopt), ConfigError);
  EXPECT_THROW(network.change_link("r0-r1", LinkModel(Link::Config{}), std::nullopt), ConfigError);
  network.change_link("r0-r1", std::nullopt, codel);  // nothing flows that way
  run(1);
}

}  // namespace
}  // namespace simcore
