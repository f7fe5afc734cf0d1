// SPDX-License-Identifier: MIT
//
// Captures that begin and end while an instance runs:   h1 10.0.0.1 ---- path ---- h2 10.0.0.2
#include "simcore/instance/running_captures.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "simcore/instance/instance.h"
#include "simcore/instance/instance_change.h"
#include "simcore/sys/clock.h"
#include "simcore/trace/capture_reader.h"
#include "simcore/units/error.h"

namespace simcore {
namespace {

constexpr std::uint64_t kEndless = std::uint64_t{1} << 40;

LinkModel path() {
  return LinkModel(Link::Config{.rate = DataRate::mbps(100), .propagation_delay = Duration::ms(1)});
}

Interface::Config at(const std::string& name, std::uint64_t number) {
  return {name, MacAddress::of(0x0200'0000'0000 + number),
          Ipv4InterfaceAddress::parse("10.0.0." + std::to_string(number) + "/24")};
}

class RunningCapturesTest : public testing::Test {
 protected:
  RunningCapturesTest() {
    SimulatedNetwork& network = instance_.network();
    for (const unsigned number : {1U, 2U}) {
      const std::string name = "h" + std::to_string(number);
      network.add_node(NodeKind::host, name);
      network.add_interface(name, at(name + "-eth0", number));
    }
    network.add_application(
        "h2", ServiceApplication{.kind = ServiceApplication::Kind::udp_sink, .port = 9, .tcp = {}});
    UdpSource::Config source{
        .destination = IpAddress::parse("10.0.0.2"), .port = 9, .rate = DataRate::mbps(10)};
    network.add_application("h1", source);
    source.destination = IpAddress::parse("10.0.0.1");
    source.rate = DataRate::mbps(1);
    network.add_application("h2", source);
    network.add_application(
        "h1", ServiceApplication{.kind = ServiceApplication::Kind::udp_sink, .port = 9, .tcp = {}});
    std::filesystem::create_directory(folder_);
  }
  ~RunningCapturesTest() override {
    end();
    std::filesystem::remove_all(folder_);
  }

  void start() {
    instance_.add_link("path", InterfaceEnd{"h1-eth0"}, InterfaceEnd{"h2-eth0"}, path(), path());
    running_ = std::thread([this] { instance_.run(); });
  }
  void end() {
    instance_.stop();
    if (running_.joinable()) running_.join();
  }

  std::string file(const std::string& name) const { return folder_ + "/" + name; }

  void capture(const std::string& interface, const std::string& name, const std::string& filter = "",
               std::uint64_t most_bytes = kEndless) {
    instance_.start_capture(interface, file(name), filter, most_bytes);
  }
  RunningCaptures::State state_of(const std::string& name) {
    const auto all = instance_.captures();
    const auto found = std::ranges::find(all, file(name), &RunningCaptures::State::file);
    EXPECT_NE(found, all.end()) << name;
    return *found;
  }
  void await(const std::string& name, std::uint64_t CaptureWriter::Counters::*count, std::uint64_t least) {
    while (state_of(name).counters.*count < least) std::this_thread::yield();
  }
  std::string refused(const std::string& interface, const std::string& name, const std::string& filter = "") {
    try {
      capture(interface, name, filter);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  }

  struct Frame {
    std::int64_t time_ns;
    std::vector<std::uint8_t> bytes;
    FrameDirection direction;
  };
  std::vector<Frame> frames(const std::string& name) const {
    const std::unique_ptr<CaptureReader> reader = open_capture(file(name));
    std::vector<Frame> all;
    while (const std::optional<CaptureRecord> record = reader->next()) {
      all.push_back({record->time_ns, {record->bytes.begin(), record->bytes.end()}, record->direction});
    }
    return all;
  }

  const std::string folder_ = testing::TempDir() + "running_captures_test." + std::to_string(::getpid());
  Instance instance_{Instance::Config()};
  std::thread running_;
};

TEST_F(RunningCapturesTest, both_directions_are_written_with_the_time_of_day_while_it_runs_and_no_longer) {
  start();
  const std::int64_t before_ns = realtime_ns();
  capture("h1-eth0", "h1.pcapng");
  await("h1.pcapng", &CaptureWriter::Counters::written, 50);
  const RunningCaptures::State state = instance_.stop_capture(file("h1.pcapng"));
  const std::int64_t after_ns = realtime_ns();
  EXPECT_FALSE(state.running);
  EXPECT_EQ(state.interface, "h1-eth0");
  const auto written = frames("h1.pcapng");
  EXPECT_EQ(written.size(), state.counters.written);
  const auto count = [&written](FrameDirection direction) {
    return std::ranges::count(written, direction, &Frame::direction);
  };
  EXPECT_GT(count(FrameDirection::outbound), count(FrameDirection::inbound));
  EXPECT_GT(count(FrameDirection::inbound), 0);
  constexpr std::int64_t kMillisecond =
      1'000'000;  // the clocks are of one computer, and read one after the other
  for (const Frame& each : written) {
    EXPECT_GT(each.time_ns, before_ns - 10 * kMillisecond);
    EXPECT_LT(each.time_ns, after_ns + 10 * kMillisecond);
  }
  capture("h1-eth0", "again.pcap");
  await("again.pcap", &CaptureWriter::Counters::written, 5);
  EXPECT_EQ(state_of("h1.pcapng").counters.written, state.counters.written);
}

TEST_F(RunningCapturesTest, what_one_end_sends_is_what_the_other_gets) {
  start();
  capture("h2-eth0", "h2.pcap", "src host 10.0.0.1 and udp");
  capture("h1-eth0", "h1.pcap", "src host 10.0.0.1 and udp");
  await("h2.pcap", &CaptureWriter::Counters::written, state_of("h2.pcap").counters.written + 20);
  instance_.stop_capture(file("h1.pcap"));
  instance_.stop_capture(file("h2.pcap"));
  const auto sent = frames("h1.pcap");
  const auto got = frames("h2.pcap");
  ASSERT_GE(got.size(), 20U);
  const auto first = std::ranges::find(got, sent.at(0).bytes, &Frame::bytes);  // others had been sent before
  ASSERT_NE(first, got.end());
  for (auto there = sent.begin(), here = first; there != sent.end() && here != got.end(); ++there, ++here) {
    EXPECT_EQ(there->bytes, here->bytes);
    EXPECT_GT(here->time_ns, there->time_ns + 1'000'000) << "the link's delay";
  }
}

TEST_F(RunningCapturesTest, a_capture_goes_on_while_its_link_changes_and_is_down) {
  start();
  capture("h2-eth0", "h2.pcap", "src host 10.0.0.1 and udp");
  LinkModel other = path();
  other.extra_delay = constant_delay(Duration::ms(1));
  other.loss = independent_loss(0.01);
  instance_.change_link("path", other, std::nullopt);
  await("h2.pcap", &CaptureWriter::Counters::written, state_of("h2.pcap").counters.written + 20);
  instance_.set_link_up("path", false);
  instance_.set_link_up("path", true);
  await("h2.pcap", &CaptureWriter::Counters::written, state_of("h2.pcap").counters.written + 20);
  instance_.stop_capture(file("h2.pcap"));
  EXPECT_GE(frames("h2.pcap").size(), 40U);
}

TEST_F(RunningCapturesTest, beside_a_capture_of_the_plan_both_have_all) {
  instance_.network().add_capture("h2-eth0", file("plan.pcap"));
  start();
  capture("h2-eth0", "h2.pcap");
  await("h2.pcap", &CaptureWriter::Counters::written, 20);
  const auto state = instance_.stop_capture(file("h2.pcap"));
  EXPECT_NE(refused("h1-eth0", "plan.pcap").find("something is written there already"), std::string::npos);
  end();
  EXPECT_GE(frames("plan.pcap").size(), state.counters.written);
}

TEST_F(RunningCapturesTest, of_a_capture_of_the_plan_the_snapshot_says_what_is_missing) {
  const std::size_t less_than_a_frame = 16 + 41;  // a record's head, and what ARP has
  instance_.network().add_capture("h1-eth0", file("whole.pcap"),
                                  {.queue_bytes = CaptureOptions::kQueueBytes});
  instance_.network().add_capture("h2-eth0", file("plan.pcap"), {.queue_bytes = less_than_a_frame});
  start();
  const auto row = [this](const std::string& of) {
    const Snapshot snapshot = instance_.snapshot(SnapshotReader::Elements::none);
    return *std::ranges::find(snapshot.captures, of, &SnapshotRow::name);
  };
  const auto figure = [](const SnapshotRow& of, std::string_view name) {
    return std::ranges::find(of.figures, name, [](const auto& each) { return each.first; })->second;
  };
  while (figure(row("h2-eth0"), "queue_full") < 20) std::this_thread::yield();
  end();
  const SnapshotRow whole = row("h1-eth0");
  EXPECT_EQ(figure(whole, "queue_full"), 0);
  EXPECT_EQ(figure(whole, "write_failed"), 0);
  EXPECT_EQ(frames("whole.pcap").size(), static_cast<std::size_t>(figure(whole, "captured_frames")));
  const SnapshotRow plan = row("h2-eth0");
  EXPECT_GE(figure(plan, "queue_full"), 20);
  EXPECT_EQ(figure(plan, "captured_frames"), 0);
  EXPECT_TRUE(frames("plan.pcap").empty());
}

TEST_F(RunningCapturesTest, what_does_not_fit_into_the_file_is_counted) {
  start();
  capture("h2-eth0", "h2.pcap", "", 10'000);
  await("h2.pcap", &CaptureWriter::Counters::file_full, 5);
  const auto state = instance_.stop_capture(file("h2.pcap"));
  EXPECT_EQ(frames("h2.pcap").size(), state.counters.written);
  EXPECT_LE(std::filesystem::file_size(file("h2.pcap")), 10'000U + 24U);
}

TEST_F(RunningCapturesTest, what_cannot_be_captured_is_refused_with_what_and_why) {
  start();
  capture("h1-eth0", "h1.pcap");
  EXPECT_NE(refused("h9-eth0", "h9.pcap").find("there is no interface h9-eth0"), std::string::npos);
  EXPECT_NE(refused("h1-eth0", "other.pcap").find("h1.pcap runs there; end that before"), std::string::npos);
  EXPECT_NE(refused("h2-eth0", "h1.pcap").find("something is written there already"), std::string::npos);
  EXPECT_NE(refused("h2-eth0", "h2.pcap", "no such words"), "");
  EXPECT_NE(refused("h2-eth0", "none/h2.pcap").find("its folder must exist"), std::string::npos);
  EXPECT_THROW(instance_.start_capture("h2-eth0", "/dev/full", "", kEndless), SystemError);
  EXPECT_THROW(instance_.stop_capture(file("h2.pcap")), ConfigError);
  EXPECT_EQ(instance_.captures().size(), 1U) << "who was refused has left nothing";
}

TEST_F(RunningCapturesTest, the_removal_of_its_link_ends_a_capture_and_the_next_link_is_captured_anew) {
  start();
  capture("h1-eth0", "h1.pcap");
  await("h1.pcap", &CaptureWriter::Counters::written, 5);
  InstanceChange change;
  change.removed_links.push_back("path");
  change.add_link("other", InterfaceEnd{"h1-eth0"}, InterfaceEnd{"h2-eth0"}, path(), path());
  instance_.change(change);
  const auto state = state_of("h1.pcap");
  EXPECT_FALSE(state.running);
  EXPECT_EQ(frames("h1.pcap").size(), state.counters.written);
  capture("h1-eth0", "again.pcap");
  await("again.pcap", &CaptureWriter::Counters::written, 20);
  EXPECT_EQ(instance_.stop_capture(file("h1.pcap")).counters.written, state.counters.written);
}

TEST_F(RunningCapturesTest, a_refused_change_lets_a_capture_go_on) {
  start();
  capture("h1-eth0", "h1.pcap");
  InstanceChange change;
  change.removed_links.push_back("path");
  change.removed_links.push_back("none");
  EXPECT_THROW(instance_.change(change), ConfigError);
  await("h1.pcap", &CaptureWriter::Counters::written, 20);
  EXPECT_TRUE(state_of("h1.pcap").running);
}

TEST_F(RunningCapturesTest, the_end_of_the_instance_completes_the_files) {
  start();
  capture("h1-eth0", "h1.pcap");
  await("h1.pcap", &CaptureWriter::Counters::written, 20);
  end();
  EXPECT_FALSE(state_of("h1.pcap").running);
  EXPECT_EQ(frames("h1.pcap").size(), state_of("h1.pcap").counters.written);
  EXPECT_NE(refused("h1-eth0", "late.pcap").find("the instance has ended"), std::string::npos);
}

TEST_F(RunningCapturesTest, a_hundred_captures_leave_the_link_as_it_was) {
  start();
  for (int i = 0; i < 100; ++i) {
    capture("h1-eth0", "h1.pcap");
    instance_.stop_capture(file("h1.pcap"));
  }
  EXPECT_EQ(instance_.captures().size(), RunningCaptures::kRemembered);
  capture("h2-eth0", "h2.pcap");
  await("h2.pcap", &CaptureWriter::Counters::written, 20);
}

}  // namespace
}  // namespace simcore
