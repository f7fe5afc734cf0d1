// SPDX-License-Identifier: MIT
#include "simcore/link/fluid_link.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "simcore/link/constant_background.h"
#include "simcore/link/on_off_background.h"
#include "tests/simcore/link/traffic.h"

namespace simcore {
namespace {

constexpr std::uint8_t kForeground = 1;
constexpr std::uint8_t kBackground = 2;

// Gives frames of one size to a link, each after the time that it is told.
class Sender final : public Event {
 public:
  Sender(Simulation& simulation, PacketPool& pool, PacketSink& sink, std::size_t size, std::uint8_t flow,
         std::function<Duration()> gap)
      : simulation_(simulation), pool_(pool), sink_(sink), size_(size), flow_(flow), gap_(std::move(gap)) {
    simulation_.schedule_in(*this, gap_());
  }

  std::deque<SimTime> sent;

 private:
  void fire() override {
    if (flow_ == kForeground) sent.push_back(simulation_.now());
    sink_.accept(frame(pool_, simulation_.now(), size_, flow_));
    simulation_.schedule_in(*this, gap_());
  }

  Simulation& simulation_;
  PacketPool& pool_;
  PacketSink& sink_;
  std::size_t size_;
  std::uint8_t flow_;
  std::function<Duration()> gap_;
};

// How long the foreground's frames take to the far end. Nothing is lost.
class Delays final : public PacketSink {
 public:
  explicit Delays(const Simulation& simulation) : simulation_(simulation) {}
  void accept(PacketPtr packet) override {
    if (packet->bytes()[29] != kForeground) return;
    total_ += (simulation_.now() - sender->sent.front()).in_seconds();
    sender->sent.pop_front();
    ++packets_;
  }
  double mean() const { return total_ / packets_; }

  Sender* sender = nullptr;

 private:
  const Simulation& simulation_;
  double total_ = 0;
  double packets_ = 0;
};

Duration seconds(double time) { return Duration::ns(std::max<std::int64_t>(1, std::llround(time * 1e9))); }

// The mean wait (s) of frames of `size` bytes that come at random, `per_second` of them, beside a background of packets
// or of fluid, whichever is given.
struct Foreground {
  DataRate rate;
  std::size_t size;
  double per_second;
  double length;  // s

  double wait_beside(const BackgroundModel& fluid) const {
    return wait(length,
                [&](Simulation& sim, PacketPool& pool, PacketSink& far) -> std::shared_ptr<PacketSink> {
                  return std::make_shared<FluidLink>(
                      sim, pool, "l", FluidLink::Config{.queue = {.rate = rate, .packets = kLong}},
                      fluid(sim.stream("l/background")), far);
                },
                0, {});
  }

  // For an eighth of the length: it takes a hundred times as long.
  double wait_beside_packets(std::size_t small, std::function<Duration()> gap) const {
    return wait(
        length / 8,
        [&](Simulation& sim, PacketPool& pool, PacketSink& far) -> std::shared_ptr<PacketSink> {
          return std::make_shared<Link>(sim, pool, "l", Link::Config{.rate = rate, .queue_packets = kLong},
                                        far);
        },
        small, std::move(gap));
  }

 private:
  static constexpr std::int64_t kLong = 1'000'000;

  template <class Make>
  double wait(double until, const Make& make, std::size_t small, std::function<Duration()> gap) const {
    Simulation sim(1);
    PacketPool pool;
    Delays far(sim);
    const std::shared_ptr<PacketSink> link = make(sim, pool, far);
    RandomStream random(1, "foreground");
    Sender sender(sim, pool, *link, size, kForeground,
                  [&] { return seconds(random.exponential(1 / per_second)); });
    far.sender = &sender;
    std::unique_ptr<Sender> background;
    if (small > 0)
      background = std::make_unique<Sender>(sim, pool, *link, small, kBackground, std::move(gap));
    sim.run_until(SimTime::zero() + seconds(until));
    return far.mean() - serialization(ByteCount::bytes(static_cast<std::int64_t>(size)), rate).in_seconds();
  }
};

class FluidLinkTest : public testing::Test {
 protected:
  std::unique_ptr<FluidLink> make(DataRate rate, std::unique_ptr<BackgroundSource> source,
                                  std::int64_t packets = 1'000) {
    return std::make_unique<FluidLink>(sim, pool, "l",
                                       FluidLink::Config{.queue = {.rate = rate, .packets = packets}},
                                       std::move(source), far);
  }
  static std::unique_ptr<BackgroundSource> constant(DataRate rate) {
    return std::make_unique<ConstantBackground>(ConstantBackground::Config{.rate = rate});
  }

  Simulation sim{1};
  PacketPool pool;
  Recorder far{sim};
};

TEST_F(FluidLinkTest, withNextToNoFluidItDoesWhatLinkDoesFrameByFrame) {
  Recorder other{sim};
  Link link(sim, pool, "link", {.rate = DataRate::mbps(7), .queue_packets = 9}, other);
  const auto shared = make(DataRate::mbps(7), constant(DataRate::bps(1)), 9);
  RandomStream random(2, "traffic");
  SimTime time = SimTime::zero();
  std::vector<std::unique_ptr<At>> sends;
  for (int i = 0; i < 2'000; ++i) {
    time = time + Duration::ns(static_cast<std::int64_t>(random.exponential(700'000)));
    const auto size = 64 + static_cast<std::size_t>(random.uniform() * 1'450);
    sends.push_back(std::make_unique<At>(sim, time, [&, size] {
      link.accept(frame(pool, sim.now(), size));
      shared->accept(frame(pool, sim.now(), size));
    }));
  }
  sim.run_until(SimTime::at_ns(10'000'000'000));
  // The fluid's millibits take the last of nine places now and then, and some nanoseconds.
  const auto differ = static_cast<double>(far.arrivals.size()) - static_cast<double>(other.arrivals.size());
  EXPECT_NEAR(differ, 0, 0.01 * static_cast<double>(other.arrivals.size()));
  const Link::Counters& counters = shared->counters();
  EXPECT_GT(counters.dropped.of(DropReason::queue_full), 100U);
  EXPECT_EQ(counters.accepted_packets, counters.delivered_packets + counters.dropped.total());
}

TEST_F(FluidLinkTest, aTrainIsTakenApartAndEachSegmentWaitsForTheFluidBeforeIt) {
  // 1,000 bytes take 1 ms; the fluid of 4 Mbit/s takes half the link.
  const auto link = make(DataRate::mbps(8), constant(DataRate::mbps(4)));
  link->accept(train(pool, sim.now(), SimTime::at_ns(2'000'000), 3, 1'000, 1'000));  // 1 ms apart
  sim.run_until(SimTime::at_ns(20'000'000));
  // The second finds 0.5 ms of fluid; the third half of the second, and 0.5 ms of fluid that came after that.
  EXPECT_EQ(far.segment_times(1), (std::vector<std::int64_t>{1'000'000, 2'500'000, 4'000'000}));
}

TEST_F(FluidLinkTest, anotherRateMovesWhatWaitsAndNothingIsOvertaken) {
  const auto link = make(DataRate::mbps(8), constant(DataRate::mbps(4)));
  for (int i = 0; i < 4; ++i) link->accept(frame(pool, sim.now(), 1'000));
  sim.run_until(SimTime::at_ns(1'500'000));
  link->change({.queue = {.rate = DataRate::mbps(16)}});  // 2.5 ms of work are left: 1.25 ms
  sim.run_until(SimTime::at_ns(20'000'000));
  EXPECT_EQ(far.segment_times(1), (std::vector<std::int64_t>{1'000'000, 1'750'000, 2'250'000, 2'750'000}));
}

TEST_F(FluidLinkTest, handsOverWhatItHasAndTakesItOverAgain) {
  const auto link = make(DataRate::mbps(8), constant(DataRate::mbps(4)));
  for (int i = 0; i < 3; ++i) link->accept(frame(pool, sim.now(), 1'000));
  sim.run_until(SimTime::at_ns(1'500'000));
  Backlog backlog = link->hand_over();
  ASSERT_TRUE(backlog.sending);
  EXPECT_EQ(backlog.transmitter_free, SimTime::at_ns(2'000'000));
  EXPECT_EQ(backlog.waiting.size(), 1U);
  EXPECT_EQ(link->backlog_packets(), 0);
  EXPECT_EQ(link->background().waiting_bytes, 0);
  backlog.sending.reset();
  link->take_over(std::move(backlog));
  sim.run_until(SimTime::at_ns(20'000'000));
  EXPECT_EQ(far.segment_times(1), (std::vector<std::int64_t>{1'000'000, 3'000'000}));
}

TEST_F(FluidLinkTest, redDropsOrMarksPacketsAndDropsFluidByWhatWaitsOfBoth) {
  const auto link = make(DataRate::mbps(8), nullptr);
  // Whoever finds more than a byte is chosen.
  link->control(std::make_unique<RedControl>(RedControl::Config{.least = ByteCount::zero(),
                                                                .most = ByteCount::bytes(1),
                                                                .highest = 1.0,
                                                                .weight = 1.0,
                                                                .ecn = true},
                                             sim.stream("red")));
  link->pass(16'000'000);
  sim.run_until(SimTime::at_ns(1'000'000));
  // 2,000 bytes came, and 1,000 wait.
  link->accept(frame(pool, sim.now(), 1'000));
  EXPECT_EQ(link->counters().dropped.of(DropReason::aqm), 1U);
  PacketPtr understands = frame(pool, sim.now(), 1'000);
  understands->bytes()[15] = 0b10;
  link->accept(std::move(understands));
  EXPECT_EQ(link->marked(), 1U);
  EXPECT_EQ(link->backlog_packets(), 1);
  link->observe();
  link->pass(16'000'000);
  sim.run_until(SimTime::at_ns(2'000'000));
  EXPECT_EQ(link->observe().lost, 1);
  EXPECT_EQ(link->background().offered_bytes, 4'000);
  EXPECT_EQ(link->background().lost_bytes, 2'000);
  link->control(nullptr);
  link->pass(8'000'000);
  link->accept(frame(pool, sim.now(), 1'000));
  sim.run_until(SimTime::at_ns(9'000'000));
  EXPECT_EQ(link->observe().lost, 0);
  EXPECT_EQ(far.segment_times(1).size(), 2U);
}

TEST(FluidLinkAgainstTheory, besideAConstantRatePacketsWaitAsInAnMD1QueueOfWhatItLeaves) {
  // The work that waits falls at C - r, and each frame adds to it: M/D/1 with the service time size / (C - r) (Pollaczek
  // and Khinchin); the frame that comes then waits for that work at the rate C.
  const Foreground frames{.rate = DataRate::mbps(10), .size = 1'000, .per_second = 312.5, .length = 400};
  const double left = 10e6 - 6e6;
  const double service = 8'000 / left;
  const double rho = 312.5 * service;
  const double expected = rho * service / (2 * (1 - rho)) * left / 10e6;
  const double fluid = frames.wait_beside(constant_background({.rate = DataRate::mbps(6)}));
  EXPECT_NEAR(fluid, expected, 0.03 * expected);
  // The same as packets of 60 bytes; a frame waits for half of one of them more, and is as unlucky with what is left.
  const double packets =
      frames.wait_beside_packets(60, [] { return serialization(ByteCount::bytes(60), DataRate::mbps(6)); });
  EXPECT_NEAR(fluid, packets, 0.06 * packets);
}

TEST(FluidLinkAgainstTheory, besideAnOnOffSourcePacketsWaitAsItsFluidQueueSays) {
  // One source of the rate h > C: P(work > x) = rho exp(-eta x), rho = h p_on / C, eta = 1 / (on (h - C)) - 1 / (off C)
  // (Anick, Mitra and Sondhi 1982, with one source). The foreground, a hundredth of the rate, takes a little of C.
  const double on = 0.010;
  const double off = 0.015;
  const double foreground = 12.5 * 8 * 100;
  const double rate = 1e6 - foreground;
  const double rho = 2e6 * on / (on + off) / rate;
  const double eta = 1 / (on * (2e6 - rate)) - 1 / (off * rate);
  const double expected = rho / eta / 1e6;
  const Foreground frames{.rate = DataRate::mbps(1), .size = 100, .per_second = 12.5, .length = 4'000};
  const double fluid = frames.wait_beside(on_off_background(
      {.rate = DataRate::mbps(2), .mean_on = Duration::ms(10), .mean_off = Duration::ms(15)}));
  EXPECT_NEAR(fluid, expected, 0.08 * expected);

  RandomStream random(5, "on and off");
  double left = random.exponential(on);
  const double gap = 60 * 8 / 2e6;
  const double packets = frames.wait_beside_packets(60, [&] {
    double wait = gap;
    for (left -= gap; left < 0; left += random.exponential(on)) wait += random.exponential(off);
    return seconds(wait);
  });
  EXPECT_NEAR(fluid, packets, 0.1 * packets);
}

}  // namespace
}  // namespace simcore
