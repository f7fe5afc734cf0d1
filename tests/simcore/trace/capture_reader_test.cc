// SPDX-License-Identifier: MIT
#include "simcore/trace/capture_reader.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "simcore/trace/pcap_writer.h"
#include "simcore/trace/pcapng_reader.h"
#include "simcore/trace/pcapng_writer.h"
#include "simcore/units/error.h"
#include "tests/simcore/trace/capture_bytes.h"

namespace simcore {
namespace {

using testing::Bytes;
using testing::CaptureBytes;

class CaptureReaderTest : public ::testing::Test {
 protected:
  // A reader of these bytes, which must live on.
  static std::unique_ptr<CaptureReader> open(const Bytes& bytes) {
    std::FILE* const file = ::fmemopen(const_cast<std::uint8_t*>(bytes.data()), bytes.size(), "rb");
    return open_capture(file, "x.pcap");
  }

  // What the reader says of these bytes, all read.
  static std::string refusal(const Bytes& bytes) {
    try {
      const auto reader = open(bytes);
      while (reader->next()) continue;
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "";
  }
};

Bytes swapped(Bytes bytes, std::initializer_list<std::size_t> widths) {
  std::size_t at = 0;
  for (const std::size_t width : widths) {
    std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                 bytes.begin() + static_cast<std::ptrdiff_t>(at + width));
    at += width;
  }
  return bytes;
}

constexpr std::uint32_t kMicroseconds = 0xa1b2c3d4;
constexpr std::uint32_t kNanoseconds = 0xa1b23c4d;

CaptureBytes pcap_header(std::uint32_t magic = kNanoseconds) {
  return CaptureBytes().u32(magic).u16(2).u16(4).u32(0).u32(0).u32(65'535).u32(1);
}

TEST_F(CaptureReaderTest, a_pcap_frame_has_its_time_in_nanoseconds) {
  const Bytes nanoseconds = pcap_header().u32(7).u32(345).u32(3).u32(60).text("abc").bytes();
  const Bytes microseconds = pcap_header(kMicroseconds).u32(7).u32(345).u32(3).u32(60).text("abc").bytes();
  for (const auto& [bytes, time_ns] :
       {std::pair(nanoseconds, 7'000'000'345), std::pair(microseconds, 7'000'345'000)}) {
    const auto reader = open(bytes);
    const auto frame = reader->next();
    ASSERT_TRUE(frame);
    EXPECT_EQ(frame->time_ns, time_ns);
    EXPECT_EQ(Bytes(frame->bytes.begin(), frame->bytes.end()), (Bytes{'a', 'b', 'c'}));
    EXPECT_EQ(frame->original_length, 60u);
    EXPECT_EQ(reader->interfaces().at(frame->interface).link_type, kEthernetLinkType);
    EXPECT_FALSE(reader->next());
  }
}

TEST_F(CaptureReaderTest, a_pcap_of_the_other_byte_order_says_the_same) {
  const Bytes bytes = swapped(pcap_header().u32(7).u32(345).u32(3).u32(60).text("abc").bytes(),
                              {4, 2, 2, 4, 4, 4, 4, 4, 4, 4, 4});
  const auto frame = open(bytes)->next();
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->time_ns, 7'000'000'345);
  EXPECT_EQ(frame->original_length, 60u);
}

TEST_F(CaptureReaderTest, what_no_pcap_may_say_is_refused_with_file_and_byte) {
  const auto header = [] { return pcap_header(); };
  EXPECT_NE(refusal(header().u32(0).u32(0).u32(262'145).u32(262'145).bytes()).find("byte 24"),
            std::string::npos);
  EXPECT_NE(refusal(header().u32(0).u32(0).u32(4).u32(3).text("abcd").bytes()).find("x.pcap"),
            std::string::npos);
  EXPECT_NE(refusal(header().u32(0).u32(1'000'000'000).u32(0).u32(0).bytes()).find("nanoseconds"),
            std::string::npos);
  EXPECT_NE(refusal(header().u32(0).u32(0).u32(4).u32(4).text("abc").bytes()).find("cut off"),
            std::string::npos);
  EXPECT_NE(refusal(header().u32(0).bytes()).find("cut off"), std::string::npos);
  EXPECT_NE(refusal(CaptureBytes().u32(kNanoseconds).u16(3).u16(0).u32(0).u32(0).u32(0).u32(1).bytes())
                .find("version 3"),
            std::string::npos);
}

TEST_F(CaptureReaderTest, other_formats_are_named_with_their_cure) {
  EXPECT_NE(refusal({0x1f, 0x8b, 8, 0}).find("gunzip"), std::string::npos);
  EXPECT_NE(refusal({'t', 'e', 'x', 't'}).find("editcap"), std::string::npos);
  EXPECT_THROW(open_capture("/nonexistent/x.pcap"), EnvironmentError);
  EXPECT_THROW(open_capture("/"), EnvironmentError);
}

CaptureBytes section() {
  return CaptureBytes().block(0x0a0d0d0a, CaptureBytes().u32(0x1a2b3c4d).u16(1).u16(0).u64(~0ull));
}

CaptureBytes interface_of(const CaptureBytes& options) {
  return CaptureBytes().u16(1).u16(0).u32(0).append(options).u32(0);
}

CaptureBytes packet(std::uint32_t interface, std::uint64_t time, std::uint32_t captured,
                    std::uint32_t original) {
  return CaptureBytes()
      .u32(interface)
      .u32(static_cast<std::uint32_t>(time >> 32))
      .u32(static_cast<std::uint32_t>(time))
      .u32(captured)
      .u32(original);
}

TEST_F(CaptureReaderTest, pcapng_times_follow_each_interface_s_resolution_and_offset) {
  const auto resolution = [](std::uint8_t value) {
    return CaptureBytes().u16(9).u16(1).u8(value).u8(0).u16(0);
  };
  const Bytes bytes =
      section()
          .block(1, interface_of(CaptureBytes()))  // microseconds where nothing is said
          .block(1, interface_of(resolution(9)))
          .block(1, interface_of(resolution(0x80 | 10)))  // 1024ths of a second
          .block(1, interface_of(resolution(0).append(CaptureBytes().u16(14).u16(8).u64(100))))
          .block(6, packet(0, 5, 0, 0))
          .block(6, packet(1, (7ull << 32) + 1, 0, 0))
          .block(6, packet(2, 512, 0, 0))
          .block(6, packet(3, 3, 0, 0))
          .bytes();
  const auto reader = open(bytes);
  EXPECT_EQ(reader->next()->time_ns, 5'000);
  EXPECT_EQ(reader->next()->time_ns, 7 * 4'294'967'296 + 1);
  EXPECT_EQ(reader->next()->time_ns, 500'000'000);
  EXPECT_EQ(reader->next()->time_ns, 103'000'000'000);
  EXPECT_FALSE(reader->next());
}

TEST_F(CaptureReaderTest, unknown_blocks_and_others_custom_blocks_are_passed_over) {
  const Bytes bytes = section()
                          .block(0x77, CaptureBytes().text("abcd"))
                          .block(0xbad, CaptureBytes().u32(4'711).text("abcd"))
                          .block(1, interface_of(CaptureBytes()))
                          .block(3, CaptureBytes().u32(4).text("abcd"))
                          .bytes();
  const auto reader = open(bytes);
  const auto frame = reader->next();
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->bytes.size(), 4u);
  EXPECT_FALSE(reader->next());
}

TEST_F(CaptureReaderTest, a_second_section_has_interfaces_of_its_own) {
  const Bytes bytes = section()
                          .block(1, interface_of(CaptureBytes()))
                          .append(section())
                          .block(1, interface_of(CaptureBytes()))
                          .block(6, packet(0, 0, 0, 0))
                          .bytes();
  EXPECT_EQ(open(bytes)->next()->interface, 1u);
}

TEST_F(CaptureReaderTest, what_no_pcapng_may_say_is_refused) {
  const auto with = [](std::uint32_t type, const CaptureBytes& body) {
    return section().block(1, interface_of(CaptureBytes())).block(type, body).bytes();
  };
  EXPECT_NE(refusal(with(6, packet(1, 0, 0, 0))).find("interface 1"), std::string::npos);
  EXPECT_NE(refusal(with(6, packet(0, 0, 5, 5).text("abcd"))).find("longer than its block"),
            std::string::npos);
  EXPECT_NE(refusal(with(6, packet(0, 0, 0, 0).u16(1).u16(5).text("abcd"))).find("option 1"),
            std::string::npos);
  EXPECT_NE(refusal(with(6, packet(0, ~0ull, 0, 0))).find("2262"), std::string::npos);
  EXPECT_NE(refusal(with(2, CaptureBytes())).find("obsolete"), std::string::npos);
  EXPECT_NE(refusal(with(1, interface_of(CaptureBytes().u16(9).u16(1).u8(19).u8(0).u16(0)))).find("10^-19"),
            std::string::npos);
  Bytes unequal = with(6, packet(0, 0, 0, 0));
  unequal[unequal.size() - 4] ^= 4;
  EXPECT_NE(refusal(unequal).find("lengths differ"), std::string::npos);
  EXPECT_NE(refusal(section().u32(6).u32(13).bytes()).find("13 bytes"), std::string::npos);
  EXPECT_NE(refusal(section().u32(6).u32(1u << 24).bytes()).find("cut off"), std::string::npos);
}

class WrittenTest : public ::testing::TestWithParam<const char*> {
 protected:
  ~WrittenTest() override { std::filesystem::remove(path_); }

  const std::string path_ =
      ::testing::TempDir() + "capture_reader_test." + std::to_string(::getpid()) + GetParam();
  PacketPool pool_;
};

TEST_P(WrittenTest, what_was_written_is_read) {
  const auto writer = make_capture_writer(path_, "r1-eth1");
  writer->begin(1'700'000'000'000'000'000);
  const std::array<std::uint8_t, 5> bytes = {1, 2, 3, 4, 5};
  for (const int at_ns : {0, 123}) {
    const PacketPtr packet = pool_.copy_of(bytes);
    packet->first_arrival = packet->last_arrival = SimTime::at_ns(at_ns);
    packet->virtual_payload = 95;
    writer->write(*packet, at_ns == 0 ? FrameDirection::inbound : FrameDirection::outbound);
  }
  writer->close();
  const auto reader = open_capture(path_);
  for (const int at_ns : {0, 123}) {
    const auto frame = reader->next();
    ASSERT_TRUE(frame);
    EXPECT_EQ(frame->time_ns, 1'700'000'000'000'000'000 + at_ns);
    EXPECT_TRUE(std::equal(frame->bytes.begin(), frame->bytes.end(), bytes.begin(), bytes.end()));
    EXPECT_EQ(frame->original_length, 100u);
    if (std::string(GetParam()) == ".pcapng") {
      EXPECT_EQ(reader->interfaces().at(frame->interface).name, "r1-eth1");
      EXPECT_EQ(frame->direction, at_ns == 0 ? FrameDirection::inbound : FrameDirection::outbound);
    }
  }
  EXPECT_FALSE(reader->next());
}

INSTANTIATE_TEST_SUITE_P(formats, WrittenTest, ::testing::Values(".pcap", ".pcapng"));

TEST(PcapngBlocks, sizes_are_those_that_are_written) {
  struct Counted final : ByteSink {
    void put(const void*, std::size_t size) override { bytes += size; }
    std::size_t bytes = 0;
  };
  const Bytes frame(99, 7);
  const Bytes note(33, 8);
  CaptureRecord record;
  record.bytes = frame;
  for (const bool noted : {false, true}) {
    for (const auto direction : {FrameDirection::unknown, FrameDirection::inbound}) {
      record.note = noted ? std::span<const std::uint8_t>(note) : std::span<const std::uint8_t>();
      record.direction = direction;
      Counted sink;
      pcapng::write_packet(sink, record);
      EXPECT_EQ(sink.bytes, pcapng::size_of_packet(record));
    }
  }
  Counted own;
  pcapng::write_own(own, {1, 2, "abcde"});
  EXPECT_EQ(own.bytes, pcapng::size_of_own({1, 2, "abcde"}));
  Counted statistics;
  pcapng::write_statistics(statistics, 0, 0, 1, 2);
  EXPECT_EQ(statistics.bytes, pcapng::size_of_statistics());
}

}  // namespace
}  // namespace simcore
