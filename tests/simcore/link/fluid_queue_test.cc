// SPDX-License-Identifier: MIT
#include "simcore/link/fluid_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "simcore/link/constant_background.h"
#include "simcore/link/on_off_background.h"
#include "simcore/units/error.h"

namespace simcore {
namespace {

constexpr DataRate kLink = DataRate::mbps(8);  // 1,000 bytes in 1 ms

SimTime at_us(std::int64_t us) { return SimTime::at_ns(us * 1'000); }

// Sends what it was given, piece after piece, then nothing.
class Script final : public BackgroundSource {
 public:
  explicit Script(std::vector<FluidPiece> pieces) : pieces_(std::move(pieces)) {}
  FluidPiece next(SimTime, const FluidFeedback& feedback) override {
    seen.push_back(feedback);
    return seen.size() <= pieces_.size() ? pieces_[seen.size() - 1] : FluidPiece{};
  }
  std::vector<FluidFeedback> seen;

 private:
  std::vector<FluidPiece> pieces_;
};

std::unique_ptr<BackgroundSource> constant(DataRate rate) {
  return std::make_unique<ConstantBackground>(ConstantBackground::Config{.rate = rate});
}

FluidQueue queue_with(std::unique_ptr<BackgroundSource> source, std::int64_t packets = 1'000,
                      std::optional<ByteCount> bytes = {}) {
  return FluidQueue({.rate = kLink, .packets = packets, .bytes = bytes}, std::move(source),
                    RandomStream(1, "places"), SimTime::zero());
}

const ByteCount kFrame = ByteCount::bytes(1'000);

TEST(FluidQueueTest, aBurstDelaysThePacketThatComesAfterIt) {
  FluidQueue queue = queue_with(std::make_unique<Script>(
      std::vector<FluidPiece>{{.until = at_us(1'000'000), .at_once = ByteCount::bytes(5'000)}}));
  const auto place = queue.admit(kFrame, at_us(2'000));  // 3,000 bytes are left
  ASSERT_TRUE(place);
  EXPECT_EQ(place->begins, at_us(5'000));
  EXPECT_EQ(place->departs, at_us(6'000));
  EXPECT_EQ(queue.counters(at_us(5'500)).served_bytes, 5'000);
  EXPECT_EQ(queue.packets(at_us(5'999)), 1);
  EXPECT_EQ(queue.packets(at_us(6'000)), 0);
}

TEST(FluidQueueTest, aLightFluidDelaysOnlyPacketsThatComeOneAfterTheOther) {
  FluidQueue queue = queue_with(constant(DataRate::mbps(6)));
  EXPECT_EQ(queue.admit(kFrame, at_us(0))->departs, at_us(1'000));
  EXPECT_EQ(queue.admit(kFrame, at_us(100'000))->departs, at_us(101'000));
  // One that comes when the first has left finds what came meanwhile: 6 / 8 of a frame.
  EXPECT_EQ(queue.admit(kFrame, at_us(101'000))->begins, at_us(101'750));
}

TEST(FluidQueueTest, packetsThatAlwaysWaitGetWhatTheFluidLeaves) {
  // Ten packets wait at all times, offered as places become free.
  FluidQueue queue = queue_with(constant(DataRate::mbps(6)));
  std::vector<SimTime> departs;
  for (int i = 0; i < 10; ++i) departs.push_back(queue.admit(kFrame, at_us(0))->departs);
  for (int i = 0; i < 2'000; ++i) {
    const SimTime now = departs[static_cast<std::size_t>(i)];
    departs.push_back(queue.admit(kFrame, now)->departs);
  }
  const double seconds = (departs.back() - departs[1'000]).in_seconds();
  const double bits = static_cast<double>(departs.size() - 1 - 1'000) * 8'000;
  EXPECT_NEAR(bits / seconds, 2e6, 0.02 * 2e6);
}

TEST(FluidQueueTest, fluidBeyondTheLimitIsLostAndCounted) {
  FluidQueue queue = queue_with(constant(DataRate::mbps(10)), 1'000, ByteCount::bytes(25'000));
  // 2 Mbit/s too much: full after 100 ms, then a fifth is lost.
  const FluidQueue::Counters full = queue.counters(at_us(100'000));
  EXPECT_EQ(full.waiting_bytes, 25'000);
  EXPECT_EQ(full.lost_bytes, 0);
  const FluidQueue::Counters later = queue.counters(at_us(1'100'000));
  EXPECT_EQ(later.offered_bytes, 1'375'000);
  EXPECT_EQ(later.lost_bytes, 250'000);
  EXPECT_EQ(later.waiting_bytes, 25'000);
  EXPECT_EQ(later.served_bytes, 1'100'000);
  EXPECT_EQ(queue.waiting(at_us(1'100'000)), Duration::ms(25));
}

TEST(FluidQueueTest, aPacketThatFindsTheQueueFullOfABurstIsDropped) {
  FluidQueue queue = queue_with(std::make_unique<Script>(std::vector<FluidPiece>{
                                    {.until = at_us(1'000'000), .at_once = ByteCount::bytes(15'000)}}),
                                10);  // as ten packets of 1,500
  EXPECT_FALSE(queue.admit(kFrame, at_us(0)));
  EXPECT_FALSE(queue.admit(kFrame, at_us(1'499)));
  EXPECT_TRUE(queue.admit(kFrame, at_us(1'500)));  // 1,500 bytes have left
  EXPECT_FALSE(queue.admit(kFrame, at_us(1'500)));
}

TEST(FluidQueueTest, packetsGetTheirShareOfAQueueThatOverflows) {
  // 16 Mbit/s of fluid and 4 of packets on a link of 8: each gets two fifths of what it asks for.
  FluidQueue queue = queue_with(constant(DataRate::mbps(16)), 1'000, ByteCount::bytes(50'000));
  int accepted = 0;
  constexpr int kOffered = 20'000;
  RandomStream random(7, "arrivals");
  std::int64_t ns = 1'000'000'000;
  std::int64_t most = 0;
  for (int i = 0; i < kOffered; ++i) {
    ns += static_cast<std::int64_t>(random.exponential(2e6));  // 1,000 bytes each 2 ms: 4 Mbit/s
    if (queue.admit(kFrame, SimTime::at_ns(ns))) ++accepted;
    most = std::max(most, queue.waiting(SimTime::at_ns(ns)).count_ns());
  }
  const double share = 8.0 / (16 + 4);
  EXPECT_NEAR(static_cast<double>(accepted) / kOffered, share, 0.05 * share);
  EXPECT_LT(most, 60'000'000);  // 50 ms, and some packets too many
}

TEST(FluidQueueTest, howOftenSomebodyLooksChangesNothing) {
  const auto make = [] {
    return FluidQueue(
        {.rate = DataRate::bps(9'999'991), .packets = 40},
        std::make_unique<OnOffBackground>(OnOffBackground::Config{.rate = DataRate::bps(1'300'003),
                                                                  .mean_on = Duration::ms(3),
                                                                  .mean_off = Duration::ms(2),
                                                                  .flows = 15},
                                          RandomStream(3, "source")),
        RandomStream(4, "places"), SimTime::zero());
  };
  FluidQueue seldom = make();
  FluidQueue often = make();
  RandomStream random(5, "arrivals");
  std::int64_t ns = 0;
  int refused = 0;
  for (int i = 0; i < 5'000; ++i) {
    const std::int64_t gap = static_cast<std::int64_t>(random.exponential(2.5e6));
    for (int look = 1; look < 7; ++look) often.counters(SimTime::at_ns(ns + gap * look / 7));
    ns += gap;
    const ByteCount size = ByteCount::bytes(60 + static_cast<std::int64_t>(random.uniform() * 1'400));
    const auto one = seldom.admit(size, SimTime::at_ns(ns));
    const auto other = often.admit(size, SimTime::at_ns(ns));
    ASSERT_EQ(one.has_value(), other.has_value()) << i;
    if (one) {
      ASSERT_EQ(one->departs, other->departs) << i;
    } else {
      ++refused;
    }
  }
  EXPECT_GT(refused, 50);
  const FluidQueue::Counters one = seldom.counters(SimTime::at_ns(ns));
  const FluidQueue::Counters other = often.counters(SimTime::at_ns(ns));
  EXPECT_EQ(one.offered_bytes, other.offered_bytes);
  EXPECT_EQ(one.lost_bytes, other.lost_bytes);
  EXPECT_EQ(one.waiting_bytes, other.waiting_bytes);
}

TEST(FluidQueueTest, atAnotherRateTheSameWorkTakesAnotherTime) {
  FluidQueue queue = queue_with(std::make_unique<Script>(
      std::vector<FluidPiece>{{.until = at_us(1'000'000), .at_once = ByteCount::bytes(5'000)}}));
  ASSERT_EQ(queue.admit(kFrame, at_us(0))->departs, at_us(6'000));
  queue.change({.rate = DataRate::mbps(16)}, at_us(2'000));
  EXPECT_EQ(queue.place(0).begins, at_us(3'500));
  EXPECT_EQ(queue.place(0).departs, at_us(4'000));
  EXPECT_EQ(queue.counters(at_us(4'000)).served_bytes, 5'000);
}

TEST(FluidQueueTest, aLimitThatShrinksBelowWhatWaitsCountsRightAtHighRates) {
  // 1,000 places of 1,500 bytes are full when ten are left; 100 Gbit/s come, and 400 leave.
  constexpr DataRate kFast = DataRate::gbps(400);
  FluidQueue queue({.rate = kFast, .packets = 1'000},
                   std::make_unique<Script>(std::vector<FluidPiece>{
                       {.bits_per_second = 100'000'000'000, .at_once = ByteCount::bytes(1'500'000)}}),
                   RandomStream(1, "places"), SimTime::zero());
  queue.change({.rate = kFast, .packets = 10}, SimTime::zero());
  const FluidQueue::Counters all = queue.counters(at_us(1'000));
  EXPECT_EQ(all.offered_bytes, 1'500'000 + 12'500'000);
  // Nothing comes in while 990 places are sent, and a quarter of that comes meanwhile.
  EXPECT_EQ(all.lost_bytes, 990 * 1'500 / 4);
  EXPECT_EQ(all.waiting_bytes, 0);
}

TEST(FluidQueueTest, tellsTheSourceWhatItsLastPieceSaw) {
  auto script = std::make_unique<Script>(std::vector<FluidPiece>{
      {.bits_per_second = 16'000'000, .until = at_us(20'000)},
      {.bits_per_second = 16'000'000, .until = at_us(30'000)},
  });
  const Script& source = *script;
  FluidQueue queue = queue_with(std::move(script), 1'000, ByteCount::bytes(15'000));
  queue.counters(at_us(30'000));
  ASSERT_EQ(source.seen.size(), 3U);
  EXPECT_EQ(source.seen[0].waiting, Duration::zero());
  // 8 Mbit/s too much fill 15,000 bytes in 15 ms; in 5 of 20 ms half is lost, then half of all.
  EXPECT_NEAR(source.seen[1].lost, 5.0 / 20 / 2, 1e-9);
  EXPECT_NEAR(source.seen[2].lost, 0.5, 1e-9);
  EXPECT_EQ(source.seen[2].waiting, Duration::ms(15));
}

TEST(FluidQueueTest, aLongSilenceAtTheHighestRatesCountsRight) {
  FluidQueue queue({.rate = DataRate::gbps(400)}, constant(DataRate::bps(kMostFluidRate)),
                   RandomStream(1, "places"), SimTime::zero());
  const auto seconds = std::int64_t{86'400};
  const FluidQueue::Counters all = queue.counters(SimTime::zero() + Duration::seconds(seconds));
  EXPECT_EQ(all.offered_bytes, kMostFluidRate / 8 * seconds);
  EXPECT_EQ(all.served_bytes, 50'000'000'000 * seconds);
  EXPECT_EQ(all.waiting_bytes, 1'500'000);
}

TEST(OnOffBackgroundTest, sendsItsMeanRateAndAsManyFlowsAreOneSource) {
  const OnOffBackground::Config config{
      .rate = DataRate::kbps(100), .mean_on = Duration::ms(10), .mean_off = Duration::ms(30), .flows = 100};
  OnOffBackground source(config, RandomStream(1, "source"));
  SimTime now = SimTime::zero();
  double bits = 0;
  double squares = 0;
  while (now < SimTime::zero() + Duration::seconds(200)) {
    const FluidPiece piece = source.next(now, {});
    const double seconds = (piece.until - now).in_seconds();
    const auto rate = static_cast<double>(piece.bits_per_second);
    bits += rate * seconds;
    squares += rate * rate * seconds;
    now = piece.until;
  }
  const double mean = bits / now.in_seconds();
  // Binomial: a quarter of 100 flows are on, with the variance 100 * 1/4 * 3/4.
  EXPECT_NEAR(mean, 2.5e6, 0.02 * 2.5e6);
  const double variance = squares / now.in_seconds() - mean * mean;
  EXPECT_NEAR(variance, 18.75e10, 0.1 * 18.75e10);
}

TEST(BackgroundTest, whatIsOutOfRangeIsRefused) {
  EXPECT_THROW(constant_background({.rate = DataRate::bps(0)}), ConfigError);
  EXPECT_THROW(on_off_background({.rate = DataRate::mbps(1), .mean_on = Duration::zero()}), ConfigError);
  EXPECT_THROW(on_off_background({.rate = DataRate::gbps(1), .flows = 100'000}), ConfigError);
}

TEST(FluidQueueTest, whatPassesIsAddedToWhatTheSourceSends) {
  FluidQueue queue = queue_with(constant(DataRate::mbps(3)), 10);
  queue.pass(9'000'000, 0, SimTime::zero());
  // 12 on 8 Mbit/s: 500 bytes more each millisecond, until 15,000 wait.
  EXPECT_EQ(queue.counters(at_us(20'000)).waiting_bytes, 10'000);
  EXPECT_EQ(queue.counters(at_us(30'000)).lost_bytes, 0);
  EXPECT_EQ(queue.counters(at_us(40'000)).lost_bytes, 5'000);
  queue.pass(0, 0, at_us(40'000));
  // 3 on 8: 625 bytes less each millisecond.
  EXPECT_EQ(queue.counters(at_us(44'000)).waiting_bytes, 15'000 - 2'500);
}

TEST(FluidQueueTest, observeTellsWhatWaitsAndWhatWasLostSinceTheLastTime) {
  FluidQueue queue = queue_with(nullptr, 10);
  queue.pass(16'000'000, 0, SimTime::zero());
  // 1,000 bytes more each millisecond.
  const FluidFeedback growing = queue.observe(at_us(5'000));
  EXPECT_EQ(growing.waiting, Duration::us(5'000));
  EXPECT_EQ(growing.lost, 0);
  const FluidFeedback full = queue.observe(at_us(20'000));
  EXPECT_EQ(full.waiting, Duration::us(15'000));
  EXPECT_NEAR(full.lost, 5'000.0 / 30'000, 1e-9);
  EXPECT_NEAR(queue.observe(at_us(21'000)).lost, 0.5, 1e-9);
  queue.pass(0, 0, at_us(21'000));
  const FluidFeedback silent = queue.observe(at_us(50'000));
  EXPECT_EQ(silent.waiting, Duration::zero());
  EXPECT_EQ(silent.lost, 0);
}

TEST(FluidQueueTest, whatIsLostBeforeItComesOnlyCounts) {
  FluidQueue queue = queue_with(nullptr, 10);
  queue.pass(4'000'000, 2'000'000, SimTime::zero());
  EXPECT_NEAR(queue.observe(at_us(1'000'000)).lost, 1.0 / 3, 1e-9);
  const FluidQueue::Counters counters = queue.counters(at_us(1'000'000));
  EXPECT_EQ(counters.offered_bytes, 750'000);
  EXPECT_EQ(counters.lost_bytes, 250'000);
  EXPECT_EQ(counters.served_bytes, 500'000);
}

TEST(FluidQueueTest, withoutASourceOnlyWhatPassesComes) {
  FluidQueue queue = queue_with(constant(DataRate::mbps(4)));
  queue.pass(2'000'000, 0, SimTime::zero());
  queue.change_source(nullptr, at_us(1'000'000));
  EXPECT_EQ(queue.counters(at_us(2'000'000)).offered_bytes, 750'000 + 250'000);
}

}  // namespace
}  // namespace simcore
