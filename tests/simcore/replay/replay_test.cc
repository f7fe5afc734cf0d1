// SPDX-License-Identifier: MIT
#include "simcore/replay/replay.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "simcore/link/nowhere.h"
#include "simcore/openflow/message_type.h"
#include "simcore/units/error.h"
#include "tests/simcore/link/traffic.h"
#include "tests/simcore/openflow/support.h"

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

TEST_F(ReplayTest, a_replays_own_record_begins_when_the_runs_clock_ran) {
  {
    Simulation simulation(kSeed);
    Taps taps;
    taps.set_recorder(std::make_unique<PortalRecorder>(simulation, record_, "plan",
                                                       RecordWriter::Writing::queued, [] { return kEpoch; }));
    taps.begin(kEpoch);
    taps.clock_runs(kEpoch + 1'240'000);  // as an instance's loop says
    taps.close();
  }
  Replay replay(record_, kSeed);
  replay.add_record(path("1"));
  EXPECT_FALSE(replay.run());
  EXPECT_EQ(RecordReader(path("1")).epoch_ns(), kEpoch + 1'240'000);
}

TEST_F(ReplayTest, a_portal_that_the_plan_does_not_have_is_an_error) {
  record();
  Replay replay(record_, kSeed);
  EXPECT_THROW(replay.run(), ConfigError);
}

// A record that is written item by item, and a replay of it:   a ---- s1 ---- b, where s1 is an OpenFlow switch
class ReplayedSwitchTest : public testing::Test {
 protected:
  ReplayedSwitchTest()
      : recorder_(std::in_place, simulation_, record_, "plan", RecordWriter::Writing::at_once,
                  [this] { return kEpoch + simulation_.now().count_ns(); }) {
    for (const std::string portal : {"a", "b"}) {
      in_[portal] = &recorder_->tap(portal, nowhere_, FrameDirection::inbound);
      out_[portal] = &recorder_->tap(portal, nowhere_, FrameDirection::outbound);
    }
    recorder_->begin(kEpoch);
  }
  ~ReplayedSwitchTest() override {
    recorder_.reset();
    for (const std::string& path : {record_, again_}) std::filesystem::remove(path);
  }
  static std::string path(const std::string& name) {
    return testing::TempDir() + "replayed_switch_test." + std::to_string(::getpid()) + "." + name + ".pcapng";
  }

  void at(std::int64_t ms) { simulation_.run_until(SimTime::zero() + Duration::ms(ms)); }
  PacketPtr some_frame(std::size_t size = 100) { return frame(pool_, simulation_.now(), size); }
  void finish() { recorder_->close(); }

  static OpenFlowSetup setup() {
    OpenFlowSetup setup;
    setup.dpid = "0000000000000001";
    return setup;
  }
  void build(Replay& replay) const {
    replay.network().add_openflow_switch("s1", setup());
    std::uint16_t number = 0;
    for (const std::string portal : {"a", "b"}) {
      Interface::Config config;
      config.number = ++number;
      config.name = "s1-eth" + std::to_string(number);
      replay.network().add_interface("s1", config);
      replay.add_portal(portal);
      replay.add_link(portal, PortalEnd{portal}, InterfaceEnd{config.name}, LinkModel(Link::Config{}),
                      LinkModel(Link::Config{}));
    }
  }
  static openflow::Bytes message(std::uint8_t type, const openflow::Bytes& body = {}) {
    openflow::Bytes bytes;
    openflow::Writer to(bytes);
    to.u8(4);
    to.u8(type);
    to.u16(static_cast<std::uint16_t>(8 + body.size()));
    to.u32(1);
    to.bytes(body);
    return bytes;
  }
  // All that comes goes out of port 2.
  static openflow::Bytes flow_mod() {
    return message(
        openflow::type::kFlowMod,
        openflow::FlowModText{.instructions = openflow::applying({openflow::output_to(2)})}.bytes());
  }
  static const openflow::Switch& control(Replay& replay) {
    return replay.network().nodes().openflow_switches().at("s1")->control();
  }
  // The text of the ConfigError that it throws.
  template <class Attempt>
  static std::string refused(Attempt attempt) {
    try {
      attempt();
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "done";
  }

  const std::string record_ = path("record");
  const std::string again_ = path("again");
  Simulation simulation_{kSeed};
  PacketPool pool_;
  Nowhere nowhere_;
  std::optional<PortalRecorder> recorder_;
  std::map<std::string, PacketSink*> in_;
  std::map<std::string, PacketSink*> out_;
};

TEST_F(ReplayedSwitchTest,
       what_a_controller_said_is_done_again_between_the_frames_that_came_before_and_after) {
  at(10);
  in_["a"]->accept(some_frame());  // no flow yet
  at(20);
  for (const std::string note : {"open", "hear", "hear more"}) recorder_->note_change(note);
  at(30);
  in_["a"]->accept(some_frame());
  out_["b"]->accept(some_frame());
  at(40);
  recorder_->note_change("close");
  at(50);
  finish();

  Replay replay(record_, kSeed);
  replay.add_record(again_);
  build(replay);
  const openflow::Bytes mod = flow_mod();
  const auto half = static_cast<std::ptrdiff_t>(mod.size() / 2);
  while (const auto note = replay.run()) {
    if (*note == "open") {
      EXPECT_EQ(replay.now(), SimTime::zero() + Duration::ms(20));
      replay.open_control("s1", 7, false, *note);
    } else if (*note == "hear") {
      openflow::Bytes said = message(openflow::type::kHello);
      said.insert(said.end(), mod.begin(), mod.begin() + half);
      replay.hear_control("s1", 7, said, *note);
      EXPECT_TRUE(control(replay).connected());
      EXPECT_EQ(control(replay).counters().flow_mods, 0U);
    } else if (*note == "hear more") {
      replay.hear_control("s1", 7, std::span(mod).subspan(static_cast<std::size_t>(half)), *note);
      EXPECT_EQ(control(replay).counters().flow_mods, 1U);
    } else {
      replay.close_control("s1", 7, *note);
      EXPECT_FALSE(control(replay).connected());
    }
  }
  EXPECT_EQ(replay.now(), SimTime::zero() + Duration::ms(50));
  const auto reports = replay.portals();
  EXPECT_EQ(reports.at(0).name, "a");
  EXPECT_EQ(reports.at(0).entered, 2U);
  EXPECT_EQ(reports.at(1).out.replayed_frames(), 1U);
  EXPECT_TRUE(reports.at(1).out.identical());

  RecordReader again(again_);  // which has all that happened
  std::vector<std::string> notes;
  while (const auto item = again.next()) {
    if (const auto* const change = std::get_if<RecordReader::Change>(&*item))
      notes.emplace_back(change->text);
  }
  EXPECT_EQ(notes, (std::vector<std::string>{"open", "hear", "hear more", "close"}));
}

TEST_F(ReplayedSwitchTest, who_managed_the_switch_is_no_controller_in_the_replay_either) {
  finish();
  Replay replay(record_, kSeed);
  build(replay);
  replay.open_control("s1", 3, true, "");
  replay.hear_control("s1", 3, message(openflow::type::kHello), "");
  replay.hear_control("s1", 3, flow_mod(), "");
  EXPECT_EQ(control(replay).counters().flow_mods, 1U);
  EXPECT_FALSE(control(replay).connected());
}

TEST_F(ReplayedSwitchTest, what_the_switch_answers_goes_nowhere_however_much_it_is) {
  finish();
  Replay replay(record_, kSeed);
  build(replay);
  replay.open_control("s1", 1, false, "");
  replay.hear_control("s1", 1, message(openflow::type::kHello), "");
  const openflow::Bytes echo = message(openflow::type::kEchoRequest, openflow::Bytes(60'000));
  for (int i = 0; i < 100; ++i) replay.hear_control("s1", 1, echo, "");  // 6 MB, where 1 MB waits at most
  replay.hear_control("s1", 1, flow_mod(), "");
  EXPECT_EQ(control(replay).counters().flow_mods, 1U);
}

TEST_F(ReplayedSwitchTest, without_its_carrier_nothing_passes_a_portal) {
  for (const std::int64_t ms : {10, 20, 30}) {
    at(ms);
    recorder_->note_change("carrier");
    in_["a"]->accept(some_frame());
  }
  finish();
  Replay replay(record_, kSeed);
  build(replay);
  replay.open_control("s1", 1, false, "");
  replay.hear_control("s1", 1, message(openflow::type::kHello), "");
  replay.hear_control("s1", 1, flow_mod(), "");
  int times = 0;
  while (const auto note = replay.run()) replay.set_carrier("b", ++times != 2, *note);
  EXPECT_EQ(times, 3);
  EXPECT_EQ(replay.portals().at(1).out.replayed_frames(), 2U);
  EXPECT_NE(refused([&] { replay.set_carrier("c", true, ""); }).find("portal c"), std::string::npos);
}

TEST_F(ReplayedSwitchTest, a_controllers_words_that_do_not_fit_the_plan_are_refused_by_name) {
  finish();
  Replay replay(record_, kSeed);
  build(replay);
  EXPECT_NE(refused([&] { replay.open_control("s2", 1, false, ""); }).find("switch s2"), std::string::npos);
  EXPECT_NE(refused([&] { replay.hear_control("s1", 1, {}, ""); }).find("connection 1"), std::string::npos);
  EXPECT_NE(refused([&] { replay.close_control("s1", 1, ""); }).find("connection 1"), std::string::npos);
  replay.open_control("s1", 1, false, "");
  const openflow::Bytes large(openflow::Session::kMostInput + 1);
  EXPECT_NE(refused([&] { replay.hear_control("s1", 1, large, ""); }).find("more to switch s1"),
            std::string::npos);
  replay.close_control("s1", 1, "");
  EXPECT_NE(refused([&] { replay.hear_control("s1", 1, {}, ""); }).find("connection 1"), std::string::npos);
}

TEST_F(ReplayedSwitchTest, ends_that_do_not_fit_the_plan_are_refused_by_name) {
  finish();
  Replay replay(record_, kSeed);
  const LinkModel model(Link::Config{});
  EXPECT_NE(refused([&] {
              replay.add_link("l", PortalEnd{"c"}, InterfaceEnd{"s1-eth1"}, model, model);
            }).find("no portal c"),
            std::string::npos);
  replay.add_portal("c");
  EXPECT_NE(refused([&] { replay.add_portal("c"); }), "done");
  EXPECT_NE(refused([&] { replay.run(); }).find("no link joins portal c"), std::string::npos);
}

TEST_F(ReplayedSwitchTest, a_frame_that_is_none_is_counted_and_not_given) {
  at(10);
  in_["a"]->accept(pool_.make(10));
  finish();
  Replay replay(record_, kSeed);
  build(replay);
  EXPECT_FALSE(replay.run());
  EXPECT_EQ(replay.portals().at(0).entered, 0U);
  EXPECT_EQ(replay.portals().at(0).dropped.of(DropReason::malformed), 1U);
}

TEST_F(ReplayedSwitchTest, a_frame_that_finds_no_memory_is_counted_as_that) {
  at(10);
  in_["a"]->accept(some_frame());
  finish();
  Replay replay(record_, kSeed, ByteCount::zero());
  build(replay);
  EXPECT_FALSE(replay.run());
  EXPECT_EQ(replay.portals().at(0).entered, 0U);
  EXPECT_EQ(replay.portals().at(0).dropped.of(DropReason::pool_exhausted), 1U);
  EXPECT_EQ(replay.portals().at(0).dropped.total(), 1U);
}

TEST_F(ReplayedSwitchTest, a_record_without_its_end_is_replayed_up_to_there_and_known_as_cut) {
  at(10);
  in_["a"]->accept(some_frame());
  at(20);
  finish();
  std::filesystem::resize_file(record_, std::filesystem::file_size(record_) - 1);
  Replay replay(record_, kSeed);
  build(replay);
  EXPECT_FALSE(replay.run());
  EXPECT_TRUE(replay.cut());
  EXPECT_EQ(replay.now(), SimTime::zero() + Duration::ms(10));
  EXPECT_EQ(replay.portals().at(0).entered, 1U);
}

TEST_F(ReplayedSwitchTest, a_record_of_the_replay_that_could_not_be_written_is_an_error) {
  finish();
  std::filesystem::create_symlink("/dev/full", again_);
  Replay replay(record_, kSeed);
  replay.add_record(again_);
  build(replay);
  EXPECT_THROW(replay.run(), EnvironmentError);
}

TEST_F(ReplayedSwitchTest, a_snapshot_is_of_the_instant_and_the_network) {
  at(10);
  recorder_->note_change("now");
  finish();
  Replay replay(record_, kSeed);
  build(replay);
  EXPECT_TRUE(replay.run());
  const Snapshot snapshot = replay.snapshot();
  EXPECT_TRUE(snapshot.ready);
  EXPECT_EQ(snapshot.time_ns, 10'000'000);
  EXPECT_EQ(snapshot.nodes.size(), 1U);
  EXPECT_EQ(snapshot.links.size(), 4U);  // directions
}

// A channel to a peer stands in the record under its own name, and needs no adding. What a peer sent was recorded when it
// came out of the cut link, whose delay was over then.
TEST(ReplayedChannelTest, frames_of_a_channel_cross_the_link_again) {
  const std::string file =
      testing::TempDir() + "replayed_channel_test." + std::to_string(::getpid()) + ".pcapng";
  const ChannelEnd channel{"m2", 0};
  {
    Simulation simulation(kSeed);
    PacketPool pool;
    Nowhere nowhere;
    PortalRecorder recorder(simulation, file, "plan", RecordWriter::Writing::at_once, [] { return kEpoch; });
    PacketSink& in = recorder.tap(channel.name(), nowhere, FrameDirection::inbound);
    PacketSink& out = recorder.tap("p", nowhere, FrameDirection::outbound);
    recorder.begin(kEpoch);
    simulation.run_until(SimTime::at_ns(1'000));
    in.accept(frame(pool, simulation.now(), 100));
    out.accept(frame(pool, simulation.now(), 100));
    recorder.close();
  }
  Replay replay(file, kSeed);
  replay.add_portal("p");
  const LinkModel model(Link::Config{.propagation_delay = Duration::us(2)});
  replay.add_link("cut", channel, PortalEnd{"p"}, model, model);
  EXPECT_FALSE(replay.run());
  for (const auto& report : replay.portals()) {
    EXPECT_TRUE(report.out.identical());
    EXPECT_EQ(report.entered, report.name == "p" ? 0U : 1U);
    EXPECT_EQ(report.out.matched(), report.name == "p" ? 1U : 0U);
  }
  std::filesystem::remove(file);
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
