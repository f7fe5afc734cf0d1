// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "simcore/trace/pcap_writer.h"
#include "simcore/trace/record_reader.h"
#include "simcore/trace/record_writer.h"
#include "simcore/units/error.h"
#include "tests/simcore/packet/frames.h"

namespace simcore {
namespace {

class RecordTest : public ::testing::TestWithParam<RecordWriter::Writing> {
 protected:
  ~RecordTest() override { std::filesystem::remove(path_); }

  // Five segments of 200 bytes, the last one of 150, with 100 of these bytes virtual.
  PacketPtr train(SimTime at = SimTime::at_ns(1'000)) {
    const testing::Ends ends;
    const auto frame = testing::tcp_frame(ends, testing::ipv4_fields(ends, ip_protocol::kTcp),
                                          {1, 2, 3, 4, tcp_flag::kAck, 5}, testing::pattern(950));
    PacketPtr packet = pool_.copy_of(std::span(frame).first(frame.size() - 100));
    packet->virtual_payload = 100;
    VirtioNetFields fields;
    fields.needs_checksum = true;
    fields.checksum_start = 34;
    fields.checksum_offset = 16;
    fields.train = TrainKind::tcp_ipv4;
    fields.gso_size = 200;
    EXPECT_TRUE(describe_frame(*packet, fields));
    packet->first_arrival = at;
    packet->last_arrival = at + Duration::ns(400);
    return packet;
  }

  void write(std::size_t queue_bytes = RecordWriter::kQueueBytes) {
    RecordWriter writer(path_, GetParam(), queue_bytes);
    writer.add_interface("p1");
    const std::uint32_t second = writer.add_interface("p2");
    writer.begin("{the plan}", 1'700'000'000'000'000'000);
    writer.write(second, FrameDirection::inbound, *train(), SimTime::at_ns(1'000), 77);
    writer.write_change("{the change}", SimTime::at_ns(2'000));
    writer.write(0, FrameDirection::outbound, *train(SimTime::at_ns(3'000)), SimTime::at_ns(3'000), 88);
    writer.close(SimTime::at_ns(4'000), 99);
    counters_ = writer.counters();
  }

  const std::string path_ = ::testing::TempDir() + "record_test." + std::to_string(::getpid()) + ".pcapng";
  PacketPool pool_;
  RecordWriter::Counters counters_;
};

TEST_P(RecordTest, what_was_recorded_is_read_in_its_order) {
  write();
  EXPECT_EQ(counters_.recorded_frames, 2u);
  EXPECT_EQ(counters_.recorded_changes, 1u);
  RecordReader reader(path_);
  EXPECT_EQ(reader.plan(), "{the plan}");
  EXPECT_EQ(reader.epoch_ns(), 1'700'000'000'000'000'000);

  const auto first = reader.next();
  ASSERT_TRUE(first && std::holds_alternative<RecordReader::Frame>(*first));
  const auto& frame = std::get<RecordReader::Frame>(*first);
  EXPECT_EQ(frame.portal, "p2");
  EXPECT_EQ(frame.direction, FrameDirection::inbound);
  EXPECT_EQ(frame.wall_ns, 77);
  EXPECT_EQ(frame.note.at, SimTime::at_ns(1'000));
  const PacketPtr expected = train();
  const auto made = packet_of(frame, pool_);
  ASSERT_TRUE(std::holds_alternative<PacketPtr>(made));
  const PacketPtr& packet = std::get<PacketPtr>(made);
  EXPECT_TRUE(std::ranges::equal(packet->bytes(), expected->bytes()));
  EXPECT_EQ(packet->segments, 5);
  EXPECT_EQ(packet->virtual_payload, 100u);
  EXPECT_EQ(packet->first_arrival, expected->first_arrival);
  EXPECT_EQ(packet->last_arrival, expected->last_arrival);
  EXPECT_EQ(virtio_net_fields(*packet), virtio_net_fields(*expected));

  const auto change = reader.next();
  ASSERT_TRUE(change && std::holds_alternative<RecordReader::Change>(*change));
  EXPECT_EQ(std::get<RecordReader::Change>(*change).text, "{the change}");
  const auto out = reader.next();
  EXPECT_EQ(std::get<RecordReader::Frame>(*out).portal, "p1");
  EXPECT_EQ(std::get<RecordReader::End>(*reader.next()).at, SimTime::at_ns(4'000));
  EXPECT_FALSE(reader.next());
  EXPECT_FALSE(reader.cut());
}

TEST_P(RecordTest, the_clock_of_a_record_is_that_which_ran) {
  for (const bool cut : {false, true}) {
    {
      RecordWriter writer(path_, GetParam());
      writer.add_interface("p1");
      writer.begin("{the plan}", 1'700'000'000'000'000'000);
      writer.clock_runs(1'700'000'000'001'240'000);
      if (!cut) writer.write_change("{the change}", SimTime::at_ns(2'000));
      writer.close(SimTime::at_ns(4'000), 99);
      const std::size_t behind = pcapng::size_of_own({}) + pcapng::size_of_statistics();
      if (cut) std::filesystem::resize_file(path_, std::filesystem::file_size(path_) - behind - 4);
    }
    RecordReader reader(path_);
    EXPECT_EQ(reader.epoch_ns(), cut ? 1'700'000'000'000'000'000 : 1'700'000'000'001'240'000);
    const auto first = reader.next();
    EXPECT_EQ(first && std::holds_alternative<RecordReader::Change>(*first), !cut);
    EXPECT_EQ(reader.cut(), cut);
  }
}

TEST_P(RecordTest, what_is_no_packet_has_its_reason) {
  write();
  RecordReader reader(path_);
  const auto first = reader.next();
  ASSERT_TRUE(first && std::holds_alternative<RecordReader::Frame>(*first));
  auto frame = std::get<RecordReader::Frame>(*first);
  PacketPool empty(ByteCount::zero());
  EXPECT_EQ(std::get<DropReason>(packet_of(frame, empty)), DropReason::pool_exhausted);
  frame.note.fields.gso_size = 0;  // of a train
  EXPECT_EQ(std::get<DropReason>(packet_of(frame, pool_)), DropReason::malformed);
  EXPECT_EQ(pool_.in_use(), 0U);
  const std::vector<std::uint8_t> large(PacketPool::kLargestFrame + 1);
  for (const std::size_t size : {std::size_t{13}, large.size()}) {
    frame.bytes = std::span(large).first(size);
    EXPECT_EQ(std::get<DropReason>(packet_of(frame, pool_)), DropReason::malformed) << size;
  }
}

TEST_P(RecordTest, a_record_of_a_killed_instance_ends_where_it_was_cut) {
  write();
  const auto size = std::filesystem::file_size(path_);
  std::filesystem::resize_file(path_, size - 200);  // the end, statistics, and part of the last frame
  RecordReader reader(path_);
  EXPECT_TRUE(reader.next());
  EXPECT_TRUE(reader.next());
  EXPECT_FALSE(reader.next());
  EXPECT_TRUE(reader.cut());
}

INSTANTIATE_TEST_SUITE_P(both, RecordTest,
                         ::testing::Values(RecordWriter::Writing::queued, RecordWriter::Writing::at_once));

class RecordFailures : public RecordTest {};

TEST_P(RecordFailures, frames_without_room_are_counted_and_left_out) {
  write(100);  // less than any frame
  EXPECT_EQ(counters_.recorded_frames, 0u);
  EXPECT_EQ(counters_.recorded_changes, 1u);
  EXPECT_EQ(counters_.queue_full, 2u);
}

INSTANTIATE_TEST_SUITE_P(queue, RecordFailures, ::testing::Values(RecordWriter::Writing::queued));

TEST(Record, a_full_disk_is_counted_and_told) {
  const std::string path =
      ::testing::TempDir() + "record_test_full." + std::to_string(::getpid()) + ".pcapng";
  std::filesystem::create_symlink("/dev/full", path);
  RecordWriter writer(path, RecordWriter::Writing::queued);
  writer.begin("", 0);
  while (writer.failure().empty()) std::this_thread::yield();  // who looks while it goes on learns of it
  writer.close(SimTime::zero(), 0);
  std::filesystem::remove(path);
  EXPECT_EQ(writer.counters().write_failed, 1u);
  EXPECT_NE(writer.failure().find(path), std::string::npos);
}

TEST(Record, its_name_says_what_it_is) {
  EXPECT_THROW(RecordWriter("m1.pcap", RecordWriter::Writing::queued), ConfigError);
}

TEST(Record, other_captures_are_told_apart) {
  const std::string path = ::testing::TempDir() + "record_test_other." + std::to_string(::getpid()) + ".pcap";
  PcapWriter(path).close();
  EXPECT_THROW(RecordReader{path}, ConfigError);
  std::filesystem::remove(path);
}

TEST(FrameNote, notes_that_contradict_themselves_are_refused) {
  const auto with = [](auto change) {
    FrameNote note;
    change(note);
    const auto bytes = note.bytes();
    return FrameNote::parse(bytes).has_value();
  };
  EXPECT_TRUE(with([](FrameNote&) {}));
  EXPECT_FALSE(with([](FrameNote& note) { note.at = SimTime::at_ns(-1); }));
  EXPECT_FALSE(with([](FrameNote& note) { note.at = SimTime::at_ns(1); }));  // behind the last
  EXPECT_FALSE(with([](FrameNote& note) { note.fields.train = static_cast<TrainKind>(9); }));
  EXPECT_FALSE(FrameNote::parse({}).has_value());
}

}  // namespace
}  // namespace simcore
