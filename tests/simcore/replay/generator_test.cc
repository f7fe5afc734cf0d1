// SPDX-License-Identifier: MIT
//
// A generator at one end of a veth pair, and a receiver at the other, each with its loop in a thread.
#include "simcore/traffic/generator.h"

#include <gtest/gtest.h>

#include <memory>
#include <string_view>
#include <thread>
#include <utility>

#include "simcore/replay/replay_source.h"
#include "simcore/traffic/numbered_flow.h"
#include "simcore/traffic/receiver.h"
#include "tests/simcore/sys/network_namespace.h"

namespace simcore {
namespace {

std::int64_t figure(const SnapshotRow& row, std::string_view name) {
  for (const auto& [key, value] : row.figures) {
    if (key == name) return value;
  }
  ADD_FAILURE() << "there is no figure " << name;
  return -1;
}

NumberedFlow::Config flow_config(std::size_t frame_bytes, bool trains) {
  return {.source_mac = MacAddress::of(0x02'00'00'00'00'01),
          .destination_mac = MacAddress::of(0x02'00'00'00'00'02),
          .ends = {.local = Ipv4Address::parse("198.18.0.1"),
                   .remote = Ipv4Address::parse("198.18.0.2"),
                   .local_port = 5'000,
                   .remote_port = 5'300},
          .frame_bytes = frame_bytes,
          .trains = trains};
}

// So many frames, one each 20 us.
std::unique_ptr<TrafficSource> flow(std::uint64_t count, std::size_t frame_bytes = 100, bool trains = false) {
  NumberedFlow::Config config = flow_config(frame_bytes, trains);
  config.count = count;
  return std::make_unique<NumberedFlow>(
      config, Schedule({.steps = {{.frames = 1, .per = Duration::us(20), .length = Duration::infinite()}}},
                       RandomStream(1, "departures")));
}

class GeneratorTest : public NetworkNamespaceTest {
 protected:
  void SetUp() override {
    NetworkNamespaceTest::SetUp();
    if (!IsSkipped()) make_veth("g0", "g1");
  }

  // Sends while a receiver at the other end counts, until it has `count`.
  static std::pair<Generator::Report, Receiver::Report> pass(Generator::Config config,
                                                             std::unique_ptr<TrafficSource> source,
                                                             std::uint64_t count) {
    Receiver receiver({.device = "g1",
                       .backend = config.backend,
                       .portal = {},
                       .realtime = {},
                       .port = 5'300,
                       .count = count});
    std::thread counting([&receiver] { receiver.run(); });
    Generator generator(std::move(config), std::move(source));
    generator.run();
    counting.join();
    return {generator.report(), receiver.report()};
  }
};

void expect_all(const Generator::Report& sent, const Receiver::Report& came, std::int64_t count) {
  EXPECT_EQ(figure(sent.frames, "due_packets"), count);
  EXPECT_EQ(figure(sent.frames, "sent_packets"), count);
  EXPECT_EQ(figure(sent.frames, "waiting_packets"), 0);
  EXPECT_EQ(figure(sent.frames, "unsent_packets"), 0);
  EXPECT_EQ(sent.frames.dropped.total(), 0U);
  std::uint64_t left = 0;
  for (const auto& [upper_ns, times] : sent.lateness.buckets) left += times;
  EXPECT_EQ(left, static_cast<std::uint64_t>(count));
  EXPECT_EQ(figure(came.frames, "distinct_packets"), count);
  EXPECT_EQ(figure(came.frames, "highest_number"), count);
  EXPECT_EQ(figure(came.frames, "missing_packets"), 0);
  EXPECT_EQ(figure(came.frames, "duplicate_packets"), 0);
  EXPECT_EQ(figure(came.frames, "foreign_packets"), 0);
  EXPECT_GT(figure(came.frames, "least_delay_ns"), -10'000);  // two clocks are compared, twice
}

TEST_F(GeneratorTest, every_frame_leaves_at_its_time_or_later_and_arrives_once) {
  const auto [sent, came] = pass({.device = "g0", .portal = {}, .realtime = {}}, flow(500), 500);
  expect_all(sent, came, 500);
  EXPECT_EQ(figure(sent.frames, "sent_frames"), 500);
  EXPECT_EQ(figure(came.frames, "bytes"), 500 * 100);
  const std::int64_t took = figure(sent.frames, "last_sent_ns") - figure(sent.frames, "first_sent_ns");
  EXPECT_GT(took, 499 * 20'000 - sent.lateness.greatest);
}

TEST_F(GeneratorTest, what_is_gathered_leaves_as_trains_and_arrives_as_single_numbers) {
  const auto [sent, came] = pass({.device = "g0", .portal = {}, .realtime = {}, .gather = Duration::us(200)},
                                 flow(500, 1'400, true), 500);
  expect_all(sent, came, 500);
  EXPECT_LE(figure(sent.frames, "sent_frames"), 500 / 10);  // ten are due within 200 us, and the first
  EXPECT_EQ(figure(came.frames, "bytes"), 500 * 1'400);
}

TEST_F(GeneratorTest, libpcap_sends_and_counts_too) {
  const auto [sent, came] =
      pass({.device = "g0", .backend = "pcap", .portal = {}, .realtime = {}}, flow(200, 300), 200);
  expect_all(sent, came, 200);
}

TEST_F(GeneratorTest, a_device_that_takes_nothing_is_waited_for_until_the_patience_ends) {
  ip("link set dev g0 down");
  NumberedFlow::Config config = flow_config(100, false);
  auto source = std::make_unique<NumberedFlow>(
      config, Schedule({.steps = {{.frames = 1, .per = Duration::us(20), .length = Duration::ms(2)}}},
                       RandomStream(1, "departures")));
  Generator generator({.device = "g0", .portal = {}, .realtime = {}, .patience = Duration::ms(50)},
                      std::move(source));
  generator.run();
  const Generator::Report report = generator.report();
  EXPECT_EQ(figure(report.frames, "due_packets"), 100);
  EXPECT_EQ(figure(report.frames, "sent_packets"), 0);
  EXPECT_EQ(static_cast<std::int64_t>(report.frames.dropped.total()) +
                figure(report.frames, "waiting_packets") + figure(report.frames, "unsent_packets"),
            100);
}

TEST_F(GeneratorTest, stopped_in_the_middle_it_accounts_for_what_was_due) {
  Generator generator({.device = "g0", .portal = {}, .realtime = {}}, flow(1'000'000'000));
  std::thread sending([&generator] { generator.run(); });
  while (figure(generator.report().frames, "sent_packets") < 10) {
  }
  generator.stop();
  sending.join();
  const Generator::Report report = generator.report();
  EXPECT_EQ(figure(report.frames, "due_packets"), figure(report.frames, "sent_packets") +
                                                      figure(report.frames, "waiting_packets") +
                                                      figure(report.frames, "unsent_packets"));
}

TEST_F(GeneratorTest, recorded_frames_leave_with_the_rest_that_was_cut) {
  RecordedFrames frames;
  PacketPool pool;
  std::vector<SimTime> due;
  NumberedFlow::Config config = flow_config(500, false);
  NumberedFlow original(
      config, Schedule({.steps = {{.frames = 1, .per = Duration::us(1), .length = Duration::infinite()}}},
                       RandomStream(1, "departures")));
  for (int i = 0; i < 50; ++i) {
    const PacketPtr frame = original.take(SimTime::zero(), 1, pool, due);
    frames.add(i * 10'000, frame->bytes(), 500);  // its zeros were not stored
  }
  const auto [sent, came] =
      pass({.device = "g0", .portal = {}, .realtime = {}},
           std::make_unique<ReplaySource>(std::move(frames), ReplaySource::Config{}), 50);
  expect_all(sent, came, 50);
  EXPECT_EQ(figure(came.frames, "bytes"), 50 * 500);
}

}  // namespace
}  // namespace simcore
