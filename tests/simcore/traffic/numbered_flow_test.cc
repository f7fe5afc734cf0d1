// SPDX-License-Identifier: MIT
#include "simcore/traffic/numbered_flow.h"

#include <gtest/gtest.h>

#include "simcore/packet/ethernet.h"
#include "simcore/packet/ipv4.h"
#include "simcore/packet/train.h"
#include "simcore/units/error.h"

namespace simcore {
namespace {

constexpr std::int64_t kSentAt = 1'700'000'000'123'456'789;

NumberedFlow::Config config(std::size_t frame_bytes) {
  return {.source_mac = MacAddress::of(1),
          .destination_mac = MacAddress::of(2),
          .ends = {.local = Ipv4Address::parse("198.18.0.1"),
                   .remote = Ipv4Address::parse("198.18.0.2"),
                   .local_port = 5'000,
                   .remote_port = 5'300},
          .frame_bytes = frame_bytes};
}

// A frame each microsecond.
Schedule each_microsecond() {
  return Schedule({.steps = {{.frames = 1, .per = Duration::us(1), .length = Duration::infinite()}}},
                  RandomStream(1, "departures"));
}

class NumberedFlowTest : public testing::Test {
 protected:
  PacketPool pool_;
  std::vector<SimTime> due_;

  PacketPtr take(NumberedFlow& flow, SimTime until) { return flow.take(until, kSentAt, pool_, due_); }
};

std::uint64_t be64(const std::uint8_t* at) { return std::uint64_t{load_be32(at)} << 32 | load_be32(at + 4); }

void expect_numbered(const Packet& frame, std::uint64_t number, std::size_t frame_bytes) {
  EXPECT_EQ(frame.size() + frame.virtual_payload, frame_bytes);
  const auto ethernet = EthernetHeader::parse(frame.bytes());
  ASSERT_TRUE(ethernet);
  EXPECT_EQ(ethernet->destination(), MacAddress::of(2));
  EXPECT_EQ(ethernet->source(), MacAddress::of(1));
  const auto ip = Ipv4Header::parse(ethernet->payload(), frame.virtual_payload);
  ASSERT_TRUE(ip);
  EXPECT_TRUE(ip->checksum_correct());
  EXPECT_TRUE(ip->transport_checksum_correct());
  EXPECT_EQ(ip->identification(), number);
  const auto udp = UdpHeader::parse(ip->payload(), ip->virtual_payload());
  ASSERT_TRUE(udp);
  EXPECT_EQ(udp->source_port(), 5'000);
  EXPECT_EQ(udp->destination_port(), 5'300);
  EXPECT_EQ(be64(udp->payload().data()), number);
  EXPECT_EQ(be64(udp->payload().data() + 8), std::uint64_t{kSentAt});
}

TEST_F(NumberedFlowTest, frames_have_their_size_their_number_and_the_time_of_their_sending) {
  NumberedFlow flow(config(100), each_microsecond());
  for (std::uint64_t number = 1; number <= 3; ++number) {
    EXPECT_EQ(flow.next(), SimTime::at_ns(static_cast<std::int64_t>(number - 1) * 1'000));
    const PacketPtr frame = take(flow, SimTime::at_ns(1'000'000));  // no trains: one at a time
    ASSERT_TRUE(frame);
    EXPECT_EQ(frame->segments, 1);
    EXPECT_EQ(due_.size(), 1U);
    finish_checksum(*frame);
    expect_numbered(*frame, number, 100);
  }
}

TEST_F(NumberedFlowTest, a_train_has_what_is_due_and_each_of_its_segments_is_such_a_frame) {
  NumberedFlow::Config with_trains = config(1'400);
  with_trains.trains = true;
  NumberedFlow flow(with_trains, each_microsecond());
  PacketPtr train = take(flow, SimTime::at_ns(2'999));  // due at 0, 1, 2 us
  ASSERT_TRUE(train);
  EXPECT_EQ(due_, (std::vector{SimTime::at_ns(0), SimTime::at_ns(1'000), SimTime::at_ns(2'000)}));
  EXPECT_EQ(train->segments, 3);
  EXPECT_EQ(train->wire_size(), ByteCount::bytes(3 * 1'400));
  EXPECT_EQ(flow.next(), SimTime::at_ns(3'000));
  for (std::uint64_t number = 1; number <= 3; ++number) {
    PacketPtr frame = number < 3 ? split_front(*train, 1, pool_) : std::move(train);
    finish_checksum(*frame);
    expect_numbered(*frame, number, 1'400);
  }
}

TEST_F(NumberedFlowTest, a_train_is_no_longer_than_64_segments_and_65535_bytes) {
  for (const auto& [frame_bytes, segments] :
       {std::pair{100, 64}, std::pair{1'500, 44}, std::pair{40'000, 1}}) {
    NumberedFlow::Config with_trains = config(static_cast<std::size_t>(frame_bytes));
    with_trains.trains = true;
    NumberedFlow flow(with_trains, each_microsecond());
    const PacketPtr train = take(flow, SimTime::at_ns(1'000'000));
    ASSERT_TRUE(train);
    EXPECT_EQ(train->segments, segments) << frame_bytes;
  }
}

TEST_F(NumberedFlowTest, it_ends_with_the_count_also_within_a_train) {
  NumberedFlow::Config counted = config(100);
  counted.trains = true;
  counted.count = 5;
  NumberedFlow flow(counted, each_microsecond());
  const PacketPtr train = take(flow, SimTime::at_ns(1'000'000));
  EXPECT_EQ(train->segments, 5);
  EXPECT_EQ(flow.next(), SimTime::never());
}

TEST_F(NumberedFlowTest, frames_for_which_there_is_no_memory_are_told_by_their_due_instants) {
  PacketPool none(ByteCount::zero());
  NumberedFlow flow(config(100), each_microsecond());
  EXPECT_FALSE(flow.take(SimTime::zero(), kSentAt, none, due_));
  EXPECT_EQ(due_, std::vector{SimTime::zero()});
  EXPECT_EQ(flow.next(), SimTime::at_ns(1'000));
}

TEST(NumberedFlow, a_size_that_no_frame_has_is_refused) {
  EXPECT_THROW(NumberedFlow(config(57), each_microsecond()),
               ConfigError);  // 42 of headers and 16 of stamp are 58
  EXPECT_NO_THROW(NumberedFlow(config(58), each_microsecond()));
  EXPECT_NO_THROW(NumberedFlow(config(65'549), each_microsecond()));
  EXPECT_THROW(NumberedFlow(config(65'550), each_microsecond()), ConfigError);
}

}  // namespace
}  // namespace simcore
