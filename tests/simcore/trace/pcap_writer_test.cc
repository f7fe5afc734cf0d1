// SPDX-License-Identifier: MIT
#include "simcore/trace/pcap_writer.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "simcore/packet/packet_pool.h"
#include "simcore/packet/virtio_net_fields.h"
#include "simcore/trace/capture.h"
#include "simcore/units/error.h"

namespace simcore {
namespace {

struct RecordHeader {
  std::uint32_t seconds;
  std::uint32_t nanoseconds;
  std::uint32_t captured;
  std::uint32_t length;
};

struct Record : RecordHeader {
  std::vector<std::uint8_t> bytes;
};

class PcapWriterTest : public testing::Test {
 protected:
  ~PcapWriterTest() override { std::filesystem::remove(path_); }

  std::vector<std::uint8_t> file() const {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  std::vector<Record> records() const {
    const std::vector<std::uint8_t> all = file();
    std::vector<Record> found;
    for (std::size_t at = 24; at + 16 <= all.size();) {
      RecordHeader header{};
      std::memcpy(&header, &all[at], sizeof header);
      Record record{header, {}};
      at += 16;
      const auto first = all.begin() + static_cast<std::ptrdiff_t>(at);
      record.bytes.assign(first, first + record.captured);
      at += record.captured;
      found.push_back(record);
    }
    return found;
  }

  // Ethernet, IPv4 (DF, identification 7), TCP with sequence number 1000, and `payload` bytes.
  PacketPtr tcp_frame(std::uint16_t payload) {
    PacketPtr packet = pool_.make(54u + payload);
    const auto bytes = packet->bytes();
    std::fill(bytes.begin(), bytes.end(), std::uint8_t{0});
    const std::uint16_t ip_length = static_cast<std::uint16_t>(40 + payload);
    bytes[12] = 0x08;
    bytes[14] = 0x45;
    bytes[16] = static_cast<std::uint8_t>(ip_length >> 8);
    bytes[17] = static_cast<std::uint8_t>(ip_length);
    bytes[19] = 7;
    bytes[20] = 0x40;
    bytes[22] = 64;
    bytes[23] = 6;
    bytes[26] = bytes[30] = 10;
    bytes[40] = 1000 >> 8;
    bytes[41] = 1000 & 0xff;
    bytes[46] = 0x50;
    return packet;
  }

  const std::string path_ = testing::TempDir() + "pcap_writer_test." + std::to_string(::getpid()) + ".pcap";
  PacketPool pool_;
};

// The ones' complement sum of TCP with its pseudo-header, which is 0xffff when the checksum is right.
std::uint32_t tcp_sum(const std::vector<std::uint8_t>& frame) {
  std::uint32_t sum = 6 + static_cast<std::uint32_t>(frame.size() - 34);
  for (std::size_t i = 26; i < frame.size(); i += 2) {
    sum += std::uint32_t{frame[i]} << 8;
    if (i + 1 < frame.size()) sum += frame[i + 1];
  }
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  return sum;
}

TEST_F(PcapWriterTest, an_empty_capture_is_a_nanosecond_ethernet_header) {
  PcapWriter(path_).close();
  const std::vector<std::uint8_t> bytes = file();
  ASSERT_EQ(bytes.size(), 24u);
  std::uint32_t magic = 0;
  std::uint32_t link_type = 0;
  std::memcpy(&magic, &bytes[0], 4);
  std::memcpy(&link_type, &bytes[20], 4);
  EXPECT_EQ(magic, 0xa1b23c4du);
  EXPECT_EQ(link_type, 1u);
}

TEST_F(PcapWriterTest, a_frame_is_written_with_its_arrival) {
  PcapWriter writer(path_, 5'000'000'000);
  PacketPtr packet = tcp_frame(10);
  packet->first_arrival = packet->last_arrival = SimTime::at_ns(2'000'000'345);
  writer.write(*packet);
  writer.close();
  const auto written = records();
  ASSERT_EQ(written.size(), 1u);
  EXPECT_EQ(written[0].seconds, 7u);
  EXPECT_EQ(written[0].nanoseconds, 345u);
  EXPECT_EQ(written[0].length, 64u);
  EXPECT_TRUE(std::equal(written[0].bytes.begin(), written[0].bytes.end(), packet->bytes().begin()));
}

TEST_F(PcapWriterTest, virtual_payload_counts_in_the_length_only) {
  PcapWriter writer(path_);
  PacketPtr packet = tcp_frame(0);
  packet->virtual_payload = 1'448;
  writer.write(*packet);
  writer.close();
  const auto written = records();
  ASSERT_EQ(written.size(), 1u);
  EXPECT_EQ(written[0].captured, 54u);
  EXPECT_EQ(written[0].length, 54u + 1'448u);
}

TEST_F(PcapWriterTest, a_train_is_written_as_finished_segments_and_stays_whole) {
  PcapWriter writer(path_);
  PacketPtr train = tcp_frame(2'500);
  VirtioNetFields fields;
  fields.needs_checksum = true;
  fields.checksum_start = 34;
  fields.checksum_offset = 16;
  fields.train = TrainKind::tcp_ipv4;
  fields.gso_size = 1'000;
  ASSERT_TRUE(describe_frame(*train, fields));
  // A partial checksum holds the sum of the pseudo-header: two addresses 10.0.0.0, protocol 6, TCP length
  // 2520.
  const std::uint32_t pseudo = 0x0a00 + 0x0a00 + 6 + 2'520;
  train->bytes()[50] = static_cast<std::uint8_t>(pseudo >> 8);
  train->bytes()[51] = static_cast<std::uint8_t>(pseudo);
  train->first_arrival = SimTime::at_ns(100);
  train->last_arrival = SimTime::at_ns(300);
  const std::vector<std::uint8_t> before(train->bytes().begin(), train->bytes().end());

  writer.write(*train);
  writer.close();

  const auto written = records();
  ASSERT_EQ(written.size(), 3u);
  EXPECT_EQ(writer.counters().written, 3u);
  const std::uint32_t sizes[] = {1'054, 1'054, 554};
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(written[k].length, sizes[k]);
    EXPECT_EQ(written[k].nanoseconds, 100u + 100u * k);
    EXPECT_EQ(written[k].bytes[40] * 256u + written[k].bytes[41], 1'000u + 1'000u * k) << "sequence number";
    EXPECT_EQ(tcp_sum(written[k].bytes), 0xffffu) << "segment " << k;
  }
  EXPECT_EQ(train->segments, 3);
  EXPECT_TRUE(std::equal(before.begin(), before.end(), train->bytes().begin()));
}

TEST_F(PcapWriterTest, a_full_disk_is_reported_once_and_not_by_write) {
  PcapWriter writer("/dev/full");
  PacketPtr packet = tcp_frame(1'000);
  for (int i = 0; i < 1'000; ++i) writer.write(*packet);
  EXPECT_THROW(writer.flush(), SystemError);
  EXPECT_NO_THROW(writer.write(*packet));
  EXPECT_NO_THROW(writer.close());
}

TEST_F(PcapWriterTest, a_missing_folder_is_named) {
  try {
    PcapWriter writer("/nonexistent/r1-eth1.pcap");
    FAIL() << "made a file in a folder that does not exist";
  } catch (const EnvironmentError& error) {
    EXPECT_NE(std::string(error.what()).find("/nonexistent/r1-eth1.pcap"), std::string::npos);
  }
}

TEST_F(PcapWriterTest, a_capture_taps_both_directions_and_passes_packets_on) {
  struct Keep final : PacketSink {
    void accept(PacketPtr packet) override { kept.push_back(std::move(packet)); }
    std::vector<PacketPtr> kept;
  } port, link;
  Capture capture(path_, "r1-eth1");
  PacketSink& to_port = capture.tap(port, FrameDirection::inbound);
  PacketSink& to_link = capture.tap(link, FrameDirection::outbound);
  to_port.accept(tcp_frame(1));
  to_link.accept(tcp_frame(2));
  to_link.accept(tcp_frame(3));
  capture.writer().close();
  EXPECT_EQ(port.kept.size(), 1u);
  EXPECT_EQ(link.kept.size(), 2u);
  const auto written = records();
  ASSERT_EQ(written.size(), 3u);
  EXPECT_EQ(written[1].length, 56u);
}

}  // namespace
}  // namespace simcore
