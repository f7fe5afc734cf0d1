// SPDX-License-Identifier: MIT
//
// The test cases of draft-ietf-ccwg-bbr, appendix A, over a path of two state machines in virtual time.
#include "simcore/tcp/bbr3.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/simcore/tcp/pipe.h"

namespace simcore {
namespace {

using State = Bbr3::State;
using testing::PathConfig;
using testing::Pipe;

constexpr std::int64_t kMss = 1448;
constexpr double kWire = 1502;  // bytes of a whole segment on the path

// 20 Mbit/s and 40 ms: 100 kB, which are 66.6 segments, fill the path. The queue holds four times that.
PathConfig path() {
  PathConfig path;
  path.delay = Duration::ms(20);
  path.rate_bps = 20'000'000;
  path.queue_segments = 266;
  return path;
}

double payload_rate(double bits_per_second) { return bits_per_second / 8 * kMss / kWire; }

class Flow {
 public:
  struct Change {
    SimTime at;
    State to;
    std::int64_t in_flight;
  };

  explicit Flow(const PathConfig& forth, std::uint64_t seed = 1)
      : pipe_(options(), options(), forth, back(forth), seed) {
    pipe_.b().count_only();
  }

  enum class Application : std::uint8_t { greedy, slow };

  // The application writes as much as it may, or a segment every 8 ms: 1.4 Mbit/s.
  void run(Duration time, Application application = Application::greedy) {
    const SimTime end = until_ + time;
    while (until_ < end) {
      until_ = until_ + Duration::ms(1);
      const bool writes = application == Application::greedy || until_.count_ns() % 8'000'000 == 0;
      if (writes) {
        const std::int64_t room = pipe_.a().room_to_write();
        pipe_.a().write_virtual(application == Application::greedy ? room : std::min(kMss, room));
      }
      move();
    }
  }
  void write(std::int64_t bytes) { pipe_.a().write_virtual(bytes); }
  // The application writes nothing more.
  void rest(Duration time) {
    until_ = until_ + time;
    move();
  }
  // Until it is in that state; says whether it came to that in 30 s.
  bool run_to(State wanted) {
    for (int i = 0; i < 30'000 && state() != wanted; ++i) run(Duration::ms(1));
    return state() == wanted;
  }

  Pipe& pipe() { return pipe_; }
  const TcpSender& sender() { return pipe_.a().sender(); }
  const Bbr3& bbr() { return dynamic_cast<const Bbr3&>(sender().congestion_control()); }
  State state() { return bbr().state(); }
  SimTime now() const { return until_; }
  std::int64_t read() const { return read_; }
  const std::vector<Change>& changes() const { return changes_; }
  std::int64_t window() { return sender().congestion_window().cwnd; }

  // The changes to that state, in order.
  std::vector<Change> changes_to(State state) const {
    std::vector<Change> found;
    for (const Change& each : changes_) {
      if (each.to == state) found.push_back(each);
    }
    return found;
  }
  Duration longest(State state) const {
    Duration longest = Duration::zero();
    for (std::size_t i = 0; i + 1 < changes_.size(); ++i) {
      if (changes_[i].to == state) longest = std::max(longest, changes_[i + 1].at - changes_[i].at);
    }
    return longest;
  }

 private:
  static TcpOptions options() {
    TcpOptions options = TcpOptions::linux_like();
    options.congestion = CongestionAlgorithm::bbr3;
    options.longest_train = 1;
    options.send_buffer = options.receive_buffer = 16 << 20;
    options.initial_receive_buffer.reset();
    return options;
  }
  static PathConfig back(const PathConfig& forth) {
    PathConfig back;
    back.delay = forth.delay;
    return back;
  }
  void move() {
    for (;;) {
      read_ += pipe_.b().discard(pipe_.b().readable());
      pipe_.drain();
      if (state() != last_) {
        last_ = state();
        changes_.push_back({pipe_.now(), last_, sender().in_flight()});
      }
      if (!pipe_.step(until_)) return;
    }
  }

  Pipe pipe_;
  SimTime until_ = SimTime::zero();
  State last_ = State::startup;
  std::int64_t read_ = 0;
  std::vector<Change> changes_;
};

TEST(Bbr3, StartupEndsWhenTheBandwidthStopsGrowing) {
  Flow flow(path());
  ASSERT_TRUE(flow.run_to(State::drain));
  EXPECT_NEAR(flow.bbr().largest_bandwidth(), payload_rate(20e6), 0.02 * payload_rate(20e6));
  EXPECT_EQ(flow.pipe().lost(), 0U);
  // 10 segments become 2 * 66 in four round trips of 40 ms; three more show that nothing grows, with as much queued again.
  EXPECT_LT((flow.now() - SimTime::zero()).in_seconds(), 0.040 + 4 * 0.040 + 4 * 0.080);
}

TEST(Bbr3, DrainEndsWhenWhatIsInFlightIsTheProduct) {
  Flow flow(path());
  ASSERT_TRUE(flow.run_to(State::cruise));
  const double product = payload_rate(20e6) * 0.040;
  const auto ended = flow.changes().back();
  // One acknowledgement of two segments may step over it; the smallest round trip has a segment's own 0.6 ms in it.
  EXPECT_NEAR(static_cast<double>(ended.in_flight), product, 3 * kMss);
}

TEST(Bbr3, DrainEndsAfterThreeRoundTripsWhereTheBandwidthFell) {
  Flow flow(path());
  ASSERT_TRUE(flow.run_to(State::drain));
  flow.pipe().path_of_a().rate_bps = 6'000'000;
  const SimTime began = flow.now();
  ASSERT_TRUE(flow.run_to(State::down));
  EXPECT_GT(flow.changes_to(State::down).front().in_flight,
            static_cast<std::int64_t>(payload_rate(20e6) * 0.040));
  EXPECT_GT(flow.now() - began, Duration::ms(3 * 40));
}

// Of a cycle, refilling takes a round trip; the probe ends after three in which nothing grew; the cruise lasts until the 2 to
// 3 s are over, or 63 round trips.
TEST(Bbr3, ProbesForBandwidthEveryTwoToThreeSeconds) {
  Flow flow(path());
  flow.run(Duration::seconds(9));
  // What was drained needs no down.
  const std::vector<State> order = {State::drain,  State::cruise, State::refill, State::up,   State::down,
                                    State::cruise, State::refill, State::up,     State::down, State::cruise};
  ASSERT_GE(flow.changes().size(), order.size());
  for (std::size_t i = 0; i < order.size(); ++i) EXPECT_EQ(flow.changes()[i].to, order[i]) << i;
  const auto downs = flow.changes_to(State::down);
  for (std::size_t i = 0; i + 1 < downs.size(); ++i) {
    const double cycle = (downs[i + 1].at - downs[i].at).in_seconds();
    EXPECT_GT(cycle, 2.0) << i;
    EXPECT_LT(cycle, 3.0 + 5 * 0.060) << i;
  }
  EXPECT_NEAR(flow.longest(State::refill).in_seconds(), 0.040, 0.010);
  EXPECT_EQ(flow.pipe().lost(), 0U);
}

// 10 segments of 1.2 ms fill this path, and a probe comes after as many round trips: as often as Reno would have its window
// back.
TEST(Bbr3, ProbesAsOftenAsRenoWouldWhereFewSegmentsAreInFlight) {
  PathConfig slow = path();
  slow.delay = Duration::ms(6);
  slow.rate_bps = 10'000'000;
  Flow flow(slow);
  flow.run(Duration::seconds(6));
  const auto downs = flow.changes_to(State::down);
  ASSERT_GE(downs.size(), 10U);
  for (std::size_t i = 3; i + 1 < downs.size(); ++i) {
    EXPECT_LT((downs[i + 1].at - downs[i].at).in_seconds(), (10 + 8) * 0.020) << i;
  }
}

TEST(Bbr3, TenSecondsAfterTheSmallestRoundTripHalfOfTheProductIsHeldFor200Milliseconds) {
  Flow flow(path());
  flow.run(Duration::seconds(9));
  // Another flow's queue, say: from now on the round trip is 10 ms longer.
  flow.pipe().path_of_a().delay = Duration::ms(30);
  ASSERT_TRUE(flow.run_to(State::probe_rtt));
  EXPECT_GT(flow.now() - SimTime::zero(), Duration::seconds(10));
  const double half = flow.bbr().largest_bandwidth() * 0.0406 / 2;  // by the round trip of before
  flow.run(Duration::ms(150));
  ASSERT_EQ(flow.state(), State::probe_rtt);
  EXPECT_NEAR(static_cast<double>(flow.window()), half, 3 * kMss);
  EXPECT_LE(flow.sender().in_flight(), flow.window());
  ASSERT_TRUE(flow.run_to(State::cruise));
  const double held = flow.longest(State::probe_rtt).in_seconds();
  EXPECT_GT(held, 0.200);
  EXPECT_LT(held, 0.200 + 3 * 0.060);
  EXPECT_GT(flow.window(), static_cast<std::int64_t>(half * 3)) << "the window of before";
}

TEST(Bbr3, WhatRestedNeedsNoDrainedQueue) {
  Flow flow(path());
  flow.write(4'000'000);  // which takes 1.7 s
  flow.rest(Duration::seconds(15));
  ASSERT_EQ(flow.read(), 4'000'000);
  flow.write(1'000'000);
  flow.rest(Duration::seconds(1));
  EXPECT_TRUE(flow.changes_to(State::probe_rtt).empty());
  EXPECT_NEAR(flow.bbr().largest_bandwidth(), payload_rate(20e6), 0.02 * payload_rate(20e6));
}

TEST(Bbr3, AnApplicationThatSendsLittleLeavesItInStartup) {
  Flow flow(path());
  flow.run(Duration::seconds(8), Flow::Application::slow);
  EXPECT_TRUE(flow.changes().empty());
}

// From probe_rtt, too.
TEST(Bbr3, WhereThePipeWasNeverFullProbeRttLeadsBackToStartup) {
  Flow flow(path());
  flow.run(Duration::seconds(5), Flow::Application::slow);
  flow.pipe().path_of_a().delay = Duration::ms(21);
  flow.run(Duration::seconds(9), Flow::Application::slow);
  ASSERT_EQ(flow.changes().size(), 2U);
  EXPECT_EQ(flow.changes()[0].to, State::probe_rtt);
  EXPECT_EQ(flow.changes()[1].to, State::startup);
}

// 0.4 segments fill this path, and four are in flight.
TEST(Bbr3, FourSegmentsAreInFlightWhereThePathHoldsLess) {
  PathConfig slow = path();
  slow.delay = Duration::ms(1);
  slow.rate_bps = 2'000'000;
  Flow flow(slow);
  flow.run(Duration::seconds(20));
  const std::int64_t before = flow.read();
  flow.run(Duration::seconds(10));
  EXPECT_NEAR(static_cast<double>(flow.read() - before), 10 * payload_rate(2e6),
              0.05 * 10 * payload_rate(2e6));
  EXPECT_GE(flow.window(), 4 * kMss);
  EXPECT_LE(flow.window(), 12 * kMss);
}

// Each probe of 1.25 finds a quarter more, and goes on while it does: 1.25^10 = 9.3, so about ten round trips of growth; what
// may be in flight grows by 1, 2, 4 ... segments at the same time.
TEST(Bbr3, TenTimesTheBandwidthIsFoundInAFewProbes) {
  PathConfig slow = path();
  slow.rate_bps = 5'000'000;
  slow.queue_segments = 66;
  Flow flow(slow);
  flow.run(Duration::seconds(8));
  flow.pipe().path_of_a().rate_bps = 50'000'000;
  flow.pipe().path_of_a().queue_segments = 665;
  flow.run(Duration::seconds(9));
  EXPECT_GT(flow.bbr().largest_bandwidth(), 0.95 * payload_rate(50e6));
}

TEST(Bbr3, ATenthOfTheBandwidthIsKnownAfterTwoCycles) {
  PathConfig fast = path();
  fast.rate_bps = 40'000'000;
  fast.queue_segments = 133;
  Flow flow(fast);
  flow.run(Duration::seconds(8));
  flow.pipe().path_of_a().rate_bps = 4'000'000;
  const std::int64_t before = flow.window();
  flow.run(Duration::seconds(10));
  EXPECT_LT(flow.window(), before / 2);
  EXPECT_NEAR(flow.bbr().largest_bandwidth(), payload_rate(4e6), 0.05 * payload_rate(4e6));
}

// A queue of a third of the product: a probe of a quarter more overflows it, and what was in flight then is remembered: the
// queue's 22 segments, three that tell of the loss, and two whose acknowledgement is delayed.
TEST(Bbr3, LossesOfAProbeBoundWhatIsInFlight) {
  PathConfig shallow = path();
  shallow.queue_segments = 22;
  Flow flow(shallow);
  flow.run(Duration::seconds(20));
  EXPECT_GT(flow.pipe().lost(), 0U);
  const double product = payload_rate(20e6) * 0.040;
  EXPECT_LT(static_cast<double>(flow.bbr().longterm()), product + 27 * kMss);
  EXPECT_GT(static_cast<double>(flow.bbr().longterm()), 0.7 * product);
  const std::int64_t before = flow.read();
  flow.run(Duration::seconds(20));
  EXPECT_GT(static_cast<double>(flow.read() - before), 0.9 * 20 * payload_rate(20e6));
}

// Up to 1 % of losses cost little; more than 2 % tell of a path that is full.
TEST(Bbr3, RandomLossesOfOnePercentCostLittle) {
  PathConfig lossy = path();
  lossy.loss = 0.01;
  const int seeds = 6;  // one lies up to a sixth from the mean
  double read = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    Flow flow(lossy, static_cast<std::uint64_t>(seed));
    flow.run(Duration::seconds(40));
    read += static_cast<double>(flow.read());
  }
  EXPECT_GT(read / seeds, 0.8 * 40 * payload_rate(20e6));
}

TEST(Bbr3, LossesEndStartupBeforeTheBandwidthIsFound) {
  PathConfig shallow = path();
  shallow.queue_segments = 10;
  Flow flow(shallow);
  ASSERT_TRUE(flow.run_to(State::drain));
  EXPECT_NE(flow.bbr().longterm(), Bbr3::kUnbounded);
}

// The control alone, in the state machine's first up.
class Bbr3Alone : public ::testing::Test {
 protected:
  Bbr3Alone() {
    control_.on_sending_starts({.now = now_, .srtt = kRtt}, window_);
    for (int i = 0; i < 400 && control_.state() != State::up; ++i) round();
  }

  // Acknowledges one window that was sent at 10 MB/s.
  void round() {
    const std::int64_t sent_at = delivered_;
    now_ = now_ + kRtt;
    AckSample sample;
    sample.now = now_;
    sample.acked = sample.delivered = 100 * kMss;
    delivered_ += sample.delivered;
    sample.in_flight = 20 * kMss;
    sample.prior_in_flight = 120 * kMss;
    sample.rtt = kRtt;
    sample.total_delivered = delivered_;
    sample.rate.delivered = sample.delivered;
    sample.rate.interval = kRtt;
    sample.rate.prior_delivered = sent_at;
    sample.rate.in_flight = 100 * kMss;
    control_.on_ack(sample, window_);
  }

  // `lost` of 100 segments in flight were found to be lost, this one the last.
  void lose(std::int64_t lost) {
    control_.on_lost({.now = now_,
                      .total_delivered = delivered_,
                      .segment = {.start = 0, .end = kMss, .in_flight = 100 * kMss, .lost = lost * kMss}},
                     window_);
  }

  static constexpr Duration kRtt = Duration::ms(10);
  SimTime now_ = SimTime::zero() + Duration::seconds(1);
  std::int64_t delivered_ = 0;
  CongestionWindow window_{10 * kMss, INT64_MAX / 4, kMss};
  Bbr3 control_{[] {
    TcpOptions options = TcpOptions::linux_like();
    options.longest_train = 1;
    return options;
  }()};
};

TEST_F(Bbr3Alone, TwoLossesInAHundredAreTolerated) {
  ASSERT_EQ(control_.state(), State::up);
  lose(2);
  EXPECT_EQ(control_.state(), State::up);
  EXPECT_EQ(control_.longterm(), Bbr3::kUnbounded);
}

// Before the third one 99 were in flight and 2 lost: 0.02 * 99 - 2 = -0.02, by 0.98, is where it became too much.
TEST_F(Bbr3Alone, TheThirdEndsTheProbeAndSaysHowMuchMayBeInFlight) {
  ASSERT_EQ(control_.state(), State::up);
  lose(3);
  EXPECT_EQ(control_.state(), State::down);
  EXPECT_NEAR(static_cast<double>(control_.longterm()), (99 - 0.02 / 0.98) * kMss, 1.0);
  lose(4);
  EXPECT_NEAR(static_cast<double>(control_.longterm()), (99 - 0.02 / 0.98) * kMss, 1.0)
      << "one answer to each probe";
}

TEST_F(Bbr3Alone, WhatWasNoLossGivesBoundsAndProbeBack) {
  ASSERT_EQ(control_.state(), State::up);
  const std::int64_t before = window_.cwnd;
  control_.reduced(CongestionEvent::loss, window_, window_.cwnd, now_);
  lose(3);
  window_.cwnd = kMss;
  control_.on_undo(window_);
  EXPECT_EQ(control_.state(), State::refill);
  EXPECT_EQ(control_.longterm(), Bbr3::kUnbounded);
  EXPECT_EQ(window_.cwnd, before);
}

// Seven tenths, or what came through.
TEST_F(Bbr3Alone, OutsideOfAProbeLossesReduceForTheRestOfTheCycle) {
  lose(3);
  ASSERT_EQ(control_.state(), State::down);
  while (control_.state() != State::cruise) round();
  lose(1);
  round();
  round();
  EXPECT_NEAR(control_.shortterm_bandwidth(), 100 * kMss / 0.010, 1.0);
  EXPECT_EQ(control_.shortterm(), std::max<std::int64_t>(100 * kMss, window_.cwnd));
}

}  // namespace
}  // namespace simcore
