// SPDX-License-Identifier: MIT
#include "simcore/replay/replay.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "simcore/units/error.h"
#include "tests/simcore/link/traffic.h"

namespace simcore {
namespace {

constexpr std::int64_t kEpoch = 1'700'000'000'000'000'000;
constexpr std::uint64_t kSeed = 7;

LinkModel lossy(std::int64_t mbps) {
  LinkModel model(Link::Config{.rate = DataRate::mbps(mbps), .propagation_delay = Duration::ms(2)});
  model.loss = independent_loss(0.2);
  model.extra_delay = uniform_delay(Duration::zero(), Duration::ms(1));
  return model;
}

class ReplayTest : public testing::Test {
 protected:
  ~ReplayTest() override {
    for (const std::string& path : {record_, path("1"), path("2")}) std::filesystem::remove(path);
  }

  static std::string path(const std::string& name) {
    return testing::TempDir() + "replay_test." + std::to_string(::getpid()) + "." + name + ".pcapng";
  }

  static std::string contents(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  // Frames from portal a to portal b over a lossy link whose rate changes on the way, recorded as an instance would.
  void record() {
    struct End final : Port {
      void accept(PacketPtr) override { ++accepted; }
      void give(PacketPtr packet) { emit(std::move(packet)); }
      int accepted = 0;
    };
    Simulation simulation(kSeed);
    PacketPool pool;
    Taps taps;
    taps.set_recorder(std::make_unique<PortalRecorder>(simulation, record_, "plan",
                                                       RecordWriter::Writing::queued,
                                                       [&] { return kEpoch + simulation.now().count_ns(); }));
    Links links(simulation, pool, taps);
    End a;
    End b;
    links.add("l", {.port = &a, .name = "a", .portal = true}, {.port = &b, .name = "b", .portal = true},
              lossy(10), lossy(10));
    taps.begin(kEpoch);
    for (int i = 0; i < 200; ++i) {
      simulation.run_until(SimTime::at_ns(i * 977'777));
      a.give(frame(pool, simulation.now(), 100 + static_cast<std::size_t>(i)));
      if (i == 100) {
        links.change("l", lossy(2), std::nullopt);
        taps.recorder()->note_change("slower");
      }
    }
    simulation.run_until(SimTime::zero() + Duration::seconds(1));
    taps.close();
    sent_ = b.accepted;
  }

  // One replay, itself recorded into `out`.
  std::vector<std::string> replay(const std::string& out, std::int64_t slower_mbps = 2) {
    Replay replay(record_, kSeed);
    replay.add_record(out);
    replay.add_portal("a");
    replay.add_portal("b");
    replay.add_link("l", PortalEnd{"a"}, PortalEnd{"b"}, lossy(10), lossy(10));
    std::vector<std::string> changes;
    while (const auto change = replay.run()) {
      changes.push_back(*change);
      replay.network().change_link("l", lossy(slower_mbps), std::nullopt, *change);
    }
    EXPECT_EQ(replay.now(), SimTime::zero() + Duration::seconds(1));
    const auto reports = replay.portals();
    entered_ = reports.at(0).entered;
    identical_ = reports.at(1).out.identical();
    replayed_ = reports.at(1).out.replayed_frames();
    apart_ = reports.at(1).out.greatest_difference();
    return changes;
  }

  const std::string record_ = path("record");
  int sent_ = 0;
  std::uint64_t entered_ = 0;
  std::uint64_t replayed_ = 0;
  bool identical_ = false;
  Duration apart_ = Duration::zero();
};

TEST_F(ReplayTest, a_replay_is_identical_to_the_run_and_to_the_next_replay) {
  record();
  EXPECT_EQ(replay(path("1")), std::vector<std::string>{"slower"});
  EXPECT_TRUE(identical_);
  EXPECT_EQ(entered_, 200u);
  EXPECT_EQ(replayed_, static_cast<std::uint64_t>(sent_));
  EXPECT_GT(sent_, 120);
  EXPECT_LT(sent_, 200);
  replay(path("2"));
  EXPECT_EQ(contents(path("1")), contents(path("2")));
  EXPECT_GT(contents(path("1")).size(), 10'000u);
}

TEST_F(ReplayTest, another_network_is_told_apart_from_the_recorded_one) {
  record();
  replay(path("1"), 1);
  EXPECT_FALSE(identical_);
  EXPECT_EQ(replayed_, static_cast<std::uint64_t>(sent_));  // the same frames are lost
  EXPECT_GT(apart_,
            Duration::ms(1));  // 3,000 bits take 1.5 ms longer at half the rate, more where they queue
}

TEST_F(ReplayTest, a_portal_that_the_plan_does_not_have_is_an_error) {
  record();
  Replay replay(record_, kSeed);
  EXPECT_THROW(replay.run(), ConfigError);
}

TEST(ReplayComparison, frames_match_by_what_is_in_them_first_come_first) {
  Simulation simulation(1);
  PacketPool pool;
  ReplayComparison comparison;
  const auto recorded = [&](std::size_t size, std::int64_t at_ns) {
    const PacketPtr packet = frame(pool, SimTime::zero(), size);
    comparison.recorded(packet->bytes(), virtio_net_fields(*packet), SimTime::at_ns(at_ns));
  };
  const auto replayed = [&](std::size_t size, std::int64_t at_ns) {
    comparison.replayed(*frame(pool, SimTime::zero(), size), SimTime::at_ns(at_ns));
  };
  recorded(100, 10);
  recorded(100, 20);
  replayed(100, 10);
  replayed(200, 15);
  replayed(100, 27);
  recorded(300, 40);
  EXPECT_EQ(comparison.matched(), 2u);
  EXPECT_EQ(comparison.same_instant(), 1u);
  EXPECT_EQ(comparison.greatest_difference(), Duration::ns(7));
  EXPECT_EQ(comparison.only_recorded(), 1u);
  EXPECT_EQ(comparison.only_replayed(), 1u);
  EXPECT_FALSE(comparison.identical());
}

}  // namespace
}  // namespace simcore
