// SPDX-License-Identifier: MIT
#include "simcore/openflow/meters.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/simcore/openflow/frames.h"

namespace simcore::openflow {
namespace {

// Assured forwarding (RFC 2597): AFxy is 8x+2y, and y goes up by the levels of the band, to 3.
TEST(Meters, ABandThatRemarksRaisesTheDropPrecedence) {
  struct Case {
    unsigned before;
    unsigned levels;
    unsigned right;
  };
  for (const Case& each :
       {Case{10, 1, 12}, Case{10, 2, 14}, Case{10, 9, 14}, Case{14, 1, 14}, Case{34, 1, 36}, Case{0, 1, 0},
        Case{46, 1, 46}, Case{8, 1, 8}, Case{42, 1, 42}, Case{11, 1, 11}}) {
    SCOPED_TRACE(each.before);
    Bench fresh;
    fresh.greet();
    // One packet per second; the second one meets the band.
    ASSERT_EQ(fresh.said(29, joined({hex("0000 0006 00000001 0002 0010 00000001 00000001"),
                                     number(each.levels, 1), number(0, 3)})),
              Bench::kTaken);
    FlowModText mod{.instructions = applying({output_to(2)})};
    mod.instructions.meter = 1;
    ASSERT_EQ(fresh.said(type::kFlowMod, mod.bytes()), Bench::kTaken);
    PacketText packet;
    packet.tos = static_cast<std::uint8_t>(each.before << 2 | 1);
    fresh.receive(1, packet.bytes());
    fresh.receive(1, packet.bytes());
    PacketText right = packet;
    right.tos = static_cast<std::uint8_t>(each.right << 2 | 1);
    ASSERT_EQ(fresh.sent.size(), 2U);
    EXPECT_EQ(fresh.sent[0].second, packet.bytes());
    EXPECT_EQ(fresh.sent[1].second, right.bytes());
  }
}

TEST(Meters, OtherPacketsThanOfIpAreNotRemarked) {
  Bench bench;
  bench.greet();
  ASSERT_EQ(bench.said(29, hex("0000 0006 00000001 0002 0010 00000001 00000001 01 000000")), Bench::kTaken);
  FlowModText mod{.instructions = applying({output_to(2)})};
  mod.instructions.meter = 1;
  ASSERT_EQ(bench.said(type::kFlowMod, mod.bytes()), Bench::kTaken);
  const Bytes frame = frame_of(0x0806, arp_request());
  for (int count = 0; count < 2; ++count) bench.receive(1, frame);
  ASSERT_EQ(bench.sent.size(), 2U);
  EXPECT_EQ(bench.sent[1].second, frame);
}

// A train of ten segments of 100 bytes.
PacketPtr train(PacketPool& pool) {
  PacketPtr packet = pool.make(54);
  packet->segments = 10;
  packet->segment_payload = 46;
  packet->header_size = 54;
  packet->virtual_payload = 460;
  return packet;
}

TEST(Meters, ATrainMeetsTheBandsThatItsSegmentsFindEmpty) {
  PacketPool pool;
  Meter meter;
  meter.flags = meter_flag::kPackets | meter_flag::kBurst;
  meter.bands = {{.rate = 1, .burst = 3}, {.rate = 5, .burst = 7}};
  meter.begin(SimTime::zero());
  const PacketPtr packet = train(pool);
  const std::vector<Meter::Run> runs = meter.judge(*packet, SimTime::zero());
  ASSERT_EQ(runs.size(), 3U);
  EXPECT_EQ(runs[0].segments, 3);
  EXPECT_EQ(runs[0].band, nullptr);
  EXPECT_EQ(runs[1].segments, 4);
  EXPECT_EQ(runs[1].band, &meter.bands[0]);
  EXPECT_EQ(runs[2].segments, 3);  // both are empty, and the one of the higher rate counts
  EXPECT_EQ(runs[2].band, &meter.bands[1]);
  EXPECT_EQ(meter.packets, 10U);
  EXPECT_EQ(meter.bytes, 1'000U);
  EXPECT_EQ(meter.bands[0].packets, 4U);
  EXPECT_EQ(meter.bands[0].bytes, 400U);
  EXPECT_EQ(meter.bands[1].packets, 3U);
}

TEST(Meters, KilobitsAreOfWholeFramesAndComeWithTime) {
  PacketPool pool;
  Meter meter;
  meter.flags = meter_flag::kKbps;
  meter.bands = {{.rate = 4}};  // and a burst of as much: 4,000 bits are five frames
  meter.begin(SimTime::zero());
  const auto passed = [&](std::int64_t at_ms) {
    const PacketPtr packet = train(pool);
    const auto runs = meter.judge(*packet, SimTime::zero() + Duration::ms(at_ms));
    return runs[0].band == nullptr ? runs[0].segments : std::uint16_t{0};
  };
  EXPECT_EQ(passed(0), 5);
  EXPECT_EQ(passed(199), 0);    // 796 bits
  EXPECT_EQ(passed(200), 1);    // 800
  EXPECT_EQ(passed(800), 3);    // 2,400
  EXPECT_EQ(passed(9'000), 5);  // no more than the burst
}

TEST(Meters, BandsThatAreNoneAreRefused) {
  const auto said = [](const char* bands) {
    Bench bench;
    bench.greet();
    return bench.said(29, joined({hex("0000 0001 00000001"), hex(bands)}));
  };
  EXPECT_EQ(said("0002 0010 00000064 00000000 00 000000"), error::kMeterBandValue);  // no level
  EXPECT_EQ(said("ffff 0010 00000064 00000000 00001234"), error::kMeterBand);
  EXPECT_EQ(said("0002 0010 00000064 00000000 01 000000"), Bench::kTaken);
}

}  // namespace
}  // namespace simcore::openflow
