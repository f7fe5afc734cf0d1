// SPDX-License-Identifier: MIT
#include "simcore/replay/replay_source.h"

#include <gtest/gtest.h>

#include <array>
#include <utility>
#include <vector>

#include "simcore/units/error.h"

namespace simcore {
namespace {

constexpr std::int64_t kBegun = 1'700'000'000'000'000'000;

// Three frames of 100, 200 and 300 bytes, recorded at 0, 10 and 40 us.
RecordedFrames three() {
  RecordedFrames frames;
  const std::vector<std::uint8_t> bytes(300, 0x5a);
  frames.add(kBegun, std::span(bytes).first(100), 100);
  frames.add(kBegun + 10'000, std::span(bytes).first(200), 200);
  frames.add(kBegun + 40'000, bytes, 300);
  return frames;
}

std::vector<std::int64_t> all_due(ReplaySource source) {
  std::vector<std::int64_t> due;
  for (; source.next() != SimTime::never(); source.skip()) due.push_back(source.next().count_ns());
  return due;
}

TEST(ReplaySource, as_recorded_and_scaled) {
  EXPECT_EQ(all_due(ReplaySource(three(), {})), (std::vector<std::int64_t>{0, 10'000, 40'000}));
  EXPECT_EQ(all_due(ReplaySource(three(), {.numerator = 2})), (std::vector<std::int64_t>{0, 5'000, 20'000}));
  EXPECT_EQ(all_due(ReplaySource(three(), {.numerator = 1, .denominator = 4})),
            (std::vector<std::int64_t>{0, 40'000, 160'000}));
}

TEST(ReplaySource, at_a_rate_of_frames_each_follows_after_one_gap) {
  EXPECT_EQ(all_due(ReplaySource(three(), {.pace = ReplaySource::Pace::frames, .numerator = 3'000})),
            (std::vector<std::int64_t>{0, 333'333, 666'666}));
}

TEST(ReplaySource, at_a_rate_of_bits_each_follows_when_those_before_have_passed) {
  // 800 bits at 1 Mbit/s are 800 us, and 1,600 more 1,600 us.
  EXPECT_EQ(
      all_due(ReplaySource(three(), {.pace = ReplaySource::Pace::bits, .numerator = 1'000'000, .loops = 2})),
      (std::vector<std::int64_t>{0, 800'000, 2'400'000, 4'800'000, 5'600'000, 7'200'000}));
}

TEST(ReplaySource, loops_follow_after_the_mean_gap) {
  // Two gaps in 40 us: the next loop begins at 60.
  EXPECT_EQ(all_due(ReplaySource(three(), {.loops = 2})),
            (std::vector<std::int64_t>{0, 10'000, 40'000, 60'000, 70'000, 100'000}));
}

TEST(ReplaySource, it_ends_with_the_count_or_the_time) {
  EXPECT_EQ(all_due(ReplaySource(three(), {.loops = 2, .count = 4})),
            (std::vector<std::int64_t>{0, 10'000, 40'000, 60'000}));
  EXPECT_EQ(all_due(ReplaySource(three(), {.loops = 2, .length = Duration::us(40)})),
            (std::vector<std::int64_t>{0, 10'000}));
  EXPECT_EQ(ReplaySource(three(), {.loops = 2}).end(), SimTime::at_ns(100'000));
  EXPECT_EQ(ReplaySource(three(), {.length = Duration::us(30)}).end(), SimTime::at_ns(30'000));
}

TEST(ReplaySource, nothing_is_due_after_its_end_at_any_pace) {
  for (const auto pace :
       {ReplaySource::Pace::recorded, ReplaySource::Pace::frames, ReplaySource::Pace::bits}) {
    const ReplaySource source(three(), {.pace = pace, .loops = 7, .count = 20});
    EXPECT_LE(all_due(ReplaySource(three(), {.pace = pace, .loops = 7, .count = 20})).back(),
              source.end().count_ns());
  }
}

TEST(ReplaySource, frames_are_as_recorded_but_for_the_addresses_that_are_given_and_a_cut_rest_is_zeros) {
  RecordedFrames frames;
  std::array<std::uint8_t, 60> bytes;
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i);
  frames.add(0, bytes, 1'000);
  EXPECT_EQ(frames.cut(), 1U);
  ReplaySource source(std::move(frames), {.destination_mac = MacAddress::of(0xabcdef)});
  PacketPool pool;
  std::vector<SimTime> due;
  const PacketPtr packet = source.take(SimTime::zero(), 0, pool, due);
  ASSERT_TRUE(packet);
  EXPECT_EQ(packet->size(), 60U);
  EXPECT_EQ(packet->wire_size(), ByteCount::bytes(1'000));
  EXPECT_EQ(MacAddress::from(packet->bytes().data()), MacAddress::of(0xabcdef));
  for (std::size_t i = 6; i < bytes.size(); ++i) EXPECT_EQ(packet->bytes()[i], i);
  EXPECT_EQ(due, std::vector{SimTime::zero()});
  EXPECT_EQ(source.next(), SimTime::never());
}

TEST(ReplaySource, both_addresses_may_be_given) {
  ReplaySource source(three(), {.source_mac = MacAddress::of(1), .destination_mac = MacAddress::of(2)});
  EXPECT_EQ(source.total(), 3U);
  EXPECT_EQ(source.recorded().wire_bytes(), 600U);
  PacketPool pool;
  std::vector<SimTime> due;
  const PacketPtr packet = source.take(SimTime::zero(), 0, pool, due);
  EXPECT_EQ(MacAddress::from(packet->bytes().data()), MacAddress::of(2));
  EXPECT_EQ(MacAddress::from(packet->bytes().data() + MacAddress::kSize), MacAddress::of(1));
  EXPECT_EQ(packet->bytes()[2 * MacAddress::kSize], 0x5a);
}

TEST(ReplaySource, a_frame_for_which_there_is_no_memory_was_due_and_the_next_follows) {
  ReplaySource source(three(), {});
  PacketPool pool(ByteCount::bytes(0));
  std::vector<SimTime> due;
  EXPECT_FALSE(source.take(SimTime::zero(), 0, pool, due));
  EXPECT_EQ(due, std::vector{SimTime::zero()});
  EXPECT_EQ(source.next(), SimTime::at_ns(10'000));
}

TEST(ReplaySource, what_is_due_after_the_end_of_time_is_never_due) {
  // A gap of a year, slowed down 2^20 times, is a million years, of which 2^63 ns have 292.
  RecordedFrames frames;
  frames.add(0, std::array<std::uint8_t, 60>{}, 60);
  frames.add(365 * 86'400 * std::int64_t{1'000'000'000}, std::array<std::uint8_t, 60>{}, 60);
  ReplaySource source(std::move(frames), {.denominator = 1 << 20});
  EXPECT_EQ(source.next(), SimTime::zero());
  source.skip();
  EXPECT_EQ(source.next(), SimTime::never());
  EXPECT_EQ(source.end(), SimTime::never());
}

TEST(RecordedFrames, what_is_no_ethernet_frame_is_left_out_and_a_step_back_in_time_is_none) {
  RecordedFrames frames;
  const std::vector<std::uint8_t> bytes(100);
  frames.add(kBegun, std::span(bytes).first(13), 13);
  frames.add(kBegun, bytes, 100);
  frames.add(kBegun + 500, bytes, 100);
  frames.add(kBegun + 200, bytes, 100);
  frames.add(kBegun + 900, bytes, PacketPool::kLargestFrame + 1);
  EXPECT_EQ(frames.left_out(), 2U);
  EXPECT_EQ(frames.out_of_order(), 1U);
  EXPECT_EQ(all_due(ReplaySource(std::move(frames), {})), (std::vector<std::int64_t>{0, 500, 500}));
}

TEST(ReplaySource, what_cannot_be_sent_as_asked_is_refused) {
  EXPECT_THROW(ReplaySource(RecordedFrames(), {}), ConfigError);
  EXPECT_THROW(ReplaySource(three(), {.numerator = 0}), ConfigError);
  EXPECT_THROW(ReplaySource(three(), {.numerator = (std::int64_t{1} << 50) + 1}), ConfigError);
  EXPECT_THROW(ReplaySource(three(), {.denominator = 0}), ConfigError);
  EXPECT_THROW(ReplaySource(three(), {.denominator = (1 << 20) + 1}), ConfigError);
  EXPECT_THROW(ReplaySource(three(), {.loops = 0}), ConfigError);
  EXPECT_THROW(ReplaySource(three(), {.loops = (std::uint64_t{1} << 32) + 1}), ConfigError);
  EXPECT_THROW(ReplaySource(three(), {.length = Duration::zero()}), ConfigError);
  RecordedFrames single;
  single.add(0, std::array<std::uint8_t, 60>{}, 60);
  EXPECT_THROW(ReplaySource(std::move(single), {.loops = 2}), ConfigError);  // at what distance?
  RecordedFrames long_ago;
  long_ago.add(0, std::array<std::uint8_t, 60>{}, 60);
  long_ago.add(1'000'000'001 * std::int64_t{1'000'000'000}, std::array<std::uint8_t, 60>{}, 60);
  EXPECT_THROW(ReplaySource(std::move(long_ago), {}), ConfigError);
}

}  // namespace
}  // namespace simcore
