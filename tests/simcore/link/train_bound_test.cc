// SPDX-License-Identifier: MIT
//
// The error bound of trains: two flows of trains and one of single frames meet on a link, and go on over a
// faster and a slower one, where another flow of trains may join them, once as trains and once as single segments. No
// segment is displaced by more than the bound that link.h states, summed over the links on its way.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "simcore/kernel/random.h"
#include "simcore/link/link.h"
#include "simcore/units/data.h"
#include "tests/simcore/link/traffic.h"

namespace simcore {
namespace {

struct Path {
  std::vector<DataRate> hops;  // behind the first link, on which the flows meet
  Duration limit;
  std::size_t joined = 0;  // the hop at which a fourth flow joins; 0: there is none
};

// The instants at which the segments of the three flows reach the end of `path`.
std::vector<std::vector<std::int64_t>> arrivals(const Path& path, bool trains) {
  Simulation sim(1);
  PacketPool pool;
  Recorder far(sim);
  std::vector<std::unique_ptr<Link>> links;
  PacketSink* next = &far;
  const Duration limit = trains ? path.limit : Duration::zero();
  for (auto rate = path.hops.rbegin(); rate != path.hops.rend(); ++rate) {
    links.push_back(std::make_unique<Link>(
        sim, pool, "hop", Link::Config{.rate = *rate, .queue_packets = 1'000'000, .train_limit = limit},
        *next));
    next = links.back().get();
  }
  // Every flow comes over a link of its own, the first two at 2 and at 5 Gbit/s.
  Link slow(sim, pool, "in 1", {.rate = DataRate::gbps(2), .queue_packets = 1'000'000, .train_limit = limit},
            *next);
  Link fast(sim, pool, "in 2", {.rate = DataRate::gbps(5), .queue_packets = 1'000'000, .train_limit = limit},
            *next);
  Link third(sim, pool, "in 3", {.rate = DataRate::gbps(1), .train_limit = limit}, *next);
  PacketSink& join = path.joined > 0 ? *links[path.hops.size() - 1 - path.joined] : *next;
  Link fourth(sim, pool, "in 4",
              {.rate = DataRate::gbps(2), .queue_packets = 1'000'000, .train_limit = limit}, join);

  RandomStream random(7, "train bound");
  std::vector<std::unique_ptr<At>> sends;
  const auto poisson = [&](Duration mean, const std::function<void()>& send) {
    SimTime when = SimTime::zero();
    while ((when = when + Duration::ns(static_cast<std::int64_t>(random.exponential(
                              static_cast<double>(mean.count_ns()))))) < SimTime::at_ns(5'000'000)) {
      sends.push_back(std::make_unique<At>(sim, when, send));
    }
  };
  poisson(Duration::us(150), [&] { slow.accept(train(pool, sim.now(), sim.now(), 14, 1'500, 1'500, 1)); });
  poisson(Duration::us(90), [&] { fast.accept(train(pool, sim.now(), sim.now(), 20, 1'500, 1'500, 2)); });
  poisson(Duration::us(25), [&] { third.accept(frame(pool, sim.now(), 1'500, 3)); });
  if (path.joined > 0) {
    poisson(Duration::us(200),
            [&] { fourth.accept(train(pool, sim.now(), sim.now(), 10, 1'500, 1'500, 4)); });
  }
  sim.run_until(SimTime::zero() + Duration::seconds(1));

  std::vector<std::vector<std::int64_t>> times;
  for (const std::uint8_t flow : {std::uint8_t{1}, std::uint8_t{2}, std::uint8_t{3}, std::uint8_t{4}})
    times.push_back(far.segment_times(flow));
  return times;
}

// The largest displacement of any segment of any flow, in nanoseconds.
std::int64_t displacement(const Path& path) {
  const auto exact = arrivals(path, false);
  const auto with_trains = arrivals(path, true);
  std::int64_t worst = 0;
  for (std::size_t flow = 0; flow < exact.size(); ++flow) {
    EXPECT_EQ(exact[flow].size(), with_trains[flow].size());
    for (std::size_t i = 0; i < std::min(exact[flow].size(), with_trains[flow].size()); ++i) {
      worst = std::max(worst, std::abs(exact[flow][i] - with_trains[flow][i]));
    }
  }
  return worst;
}

// At most two other trains are arriving at the link where the flows meet; behind it the trains follow each
// other, and where the fourth flow joins, at most one other is arriving. On every link each piece may besides be spread
// evenly where single segments are not: again one limit.
std::int64_t bound(const Path& path) {
  std::int64_t sum = 0;
  for (std::size_t hop = 0; hop < path.hops.size(); ++hop) {
    const Duration two_segments = serialization(ByteCount::bytes(1'500), path.hops[hop]) * 2;
    const std::int64_t limit = std::max(path.limit, two_segments).count_ns();
    const bool joined = hop > 0 && hop == path.joined;
    sum += (hop == 0 ? 3 : joined ? 2 : 1) * limit;
  }
  return sum;
}

TEST(TrainBound, holdsWhereFlowsMeet) {
  const Path path{{DataRate::gbps(10)}, Duration::us(50)};
  EXPECT_LE(displacement(path), bound(path));
}

TEST(TrainBound, holdsOverAFasterNextHop) {
  const Path path{{DataRate::gbps(8), DataRate::gbps(40)}, Duration::us(20)};
  EXPECT_LE(displacement(path), bound(path));
}

TEST(TrainBound, holdsOverASlowerNextHop) {
  const Path path{{DataRate::gbps(10), DataRate::mbps(4'500)}, Duration::us(20)};
  EXPECT_LE(displacement(path), bound(path));
}

TEST(TrainBound, holdsWhereAnotherFlowJoinsOnASlowerNextHop) {
  const Path path{{DataRate::gbps(10), DataRate::mbps(6'500)}, Duration::us(20), 1};
  EXPECT_LE(displacement(path), bound(path));
  EXPECT_GT(displacement(path), 0);
}

TEST(TrainBound, holdsWhereAnotherFlowJoinsOnAFasterNextHop) {
  const Path path{{DataRate::gbps(8), DataRate::gbps(40), DataRate::gbps(9)}, Duration::us(20), 1};
  EXPECT_LE(displacement(path), bound(path));
}

TEST(TrainBound, aSmallerLimitComesCloser) {
  const Path wide{{DataRate::gbps(10), DataRate::mbps(4'500), DataRate::gbps(40)}, Duration::us(50)};
  const Path narrow{wide.hops, Duration::us(5)};
  EXPECT_LE(displacement(narrow), bound(narrow));
  EXPECT_LT(displacement(narrow), displacement(wide));
  EXPECT_GT(displacement(wide), 0);
}

TEST(TrainBound, aLimitOfZeroIsExact) {
  const Path exact{{DataRate::gbps(10), DataRate::mbps(4'500), DataRate::gbps(40)}, Duration::zero()};
  EXPECT_EQ(displacement(exact), 0);
}

// Trains that meet a link with no limit on their way in must come out as single segments would have.
TEST(TrainBound, aSlowTrainCutToSingleSegmentsIsTreatedAsThose) {
  const auto run = [](Duration limit_before) {
    Simulation sim(1);
    PacketPool pool;
    Recorder far(sim);
    Link meet(sim, pool, "meet",
              {.rate = DataRate::gbps(3), .queue_packets = 3, .train_limit = Duration::zero()}, far);
    Link a(sim, pool, "a", {.rate = DataRate::gbps(2), .train_limit = limit_before}, meet);
    Link b(sim, pool, "b", {.rate = DataRate::gbps(2), .train_limit = limit_before}, meet);
    At first(sim, SimTime::at_ns(0),
             [&] { a.accept(train(pool, sim.now(), sim.now(), 30, 1'000, 1'000, 1)); });
    At second(sim, SimTime::at_ns(1'001),
              [&] { b.accept(train(pool, sim.now(), sim.now(), 30, 1'500, 1'500, 2)); });
    sim.run_until(SimTime::at_ns(10'000'000));
    EXPECT_GT(meet.counters().dropped.of(DropReason::queue_full), 0U);
    EXPECT_EQ(pool.in_use(), 0U);
    return std::pair(far.segment_times(1), far.segment_times(2));
  };
  EXPECT_EQ(run(Duration::ms(1)), run(Duration::zero()));
}

}  // namespace
}  // namespace simcore
