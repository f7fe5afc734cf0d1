// SPDX-License-Identifier: MIT
#include "simcore/realtime/time_slices.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace simcore {
namespace {

constexpr std::int64_t kSlice = TimeSlices::kSlice.count_ns();

TEST(TimeSlicesTest, a_slice_is_over_half_a_second_after_the_last_one_ended) {
  TimeSlices slices;
  slices.end(1'000, Lateness(), {});
  EXPECT_FALSE(slices.over(1'000 + kSlice - 1));
  EXPECT_TRUE(slices.over(1'000 + kSlice));
}

TEST(TimeSlicesTest, what_was_late_in_one_slice_is_seen_beside_any_number_of_events_in_time) {
  TimeSlices slices;
  Lateness lateness;
  lateness.record(Duration::us(20), 1'000'000);
  slices.end(kSlice, lateness, {});
  lateness.record(Duration::ms(500), 3);
  slices.end(2 * kSlice, lateness, {});
  lateness.record(Duration::us(20), 1'000'000);
  slices.end(3 * kSlice, lateness, {});
  EXPECT_LE(lateness.percentile(99.9), Duration::us(22));
  EXPECT_EQ(slices.lateness_p999().total(), 3u);
  EXPECT_EQ(slices.lateness_p999().above(Duration::ms(400).count_ns()), 1u);
}

TEST(TimeSlicesTest, one_event_in_a_thousand_of_a_slice_may_be_late) {
  TimeSlices slices;
  Lateness lateness;
  lateness.record(Duration::us(20), 999);
  lateness.record(Duration::ms(500));
  slices.end(kSlice, lateness, {});
  EXPECT_EQ(slices.lateness_p999().above(Duration::ms(1).count_ns()), 0u);
}

TEST(TimeSlicesTest, slices_without_events_have_no_figure) {
  TimeSlices slices;
  Lateness lateness;
  lateness.record(Duration::ms(2));
  slices.end(kSlice, lateness, {});
  slices.end(2 * kSlice, lateness, {});
  EXPECT_EQ(slices.lateness_p999().total(), 1u);
  EXPECT_EQ(slices.longest_stall().total(), 0u);
  EXPECT_EQ(slices.late_ppm().total(), 0u);
}

TEST(TimeSlicesTest, the_share_of_late_packets_is_of_a_thousand_at_least) {
  TimeSlices slices;
  slices.end(kSlice, Lateness(), {.late_packets = 2, .received_packets = 10});
  EXPECT_EQ(slices.late_ppm().greatest(), 2 * 1'000'000 / 1'000);
  slices.end(2 * kSlice, Lateness(), {.late_packets = 52, .received_packets = 10'010});
  EXPECT_EQ(slices.late_ppm().greatest(), 50 * 1'000'000 / 10'000);
  EXPECT_EQ(slices.late_ppm().total(), 2u);
}

TEST(TimeSlicesTest, one_late_packet_is_no_share) {
  TimeSlices slices;
  slices.end(kSlice, Lateness(), {.late_packets = 1, .received_packets = 10});
  EXPECT_EQ(slices.late_ppm().total(), 0u);
}

TEST(TimeSlicesTest, sums_that_shrink_as_a_peer_leaves_count_for_nothing) {
  TimeSlices slices;
  slices.end(kSlice, Lateness(), {.late_packets = 10, .received_packets = 5'000});
  slices.end(2 * kSlice, Lateness(), {.late_packets = 4, .received_packets = 2'000});
  slices.end(3 * kSlice, Lateness(), {.late_packets = 7, .received_packets = 3'000});
  EXPECT_EQ(slices.late_ppm().total(), 2u);
  EXPECT_EQ(slices.late_ppm().count(TimeSlices::Histogram::bin_of(3'000)), 1u);
}

TEST(TimeSlicesTest, each_slice_with_stalls_has_its_longest) {
  TimeSlices slices;
  slices.end(kSlice, Lateness(), {.longest_stall = Duration::ms(3)});
  slices.end(2 * kSlice, Lateness(), {});
  slices.end(3 * kSlice, Lateness(), {.longest_stall = Duration::ms(40)});
  EXPECT_EQ(slices.longest_stall().total(), 2u);
  EXPECT_EQ(slices.longest_stall().greatest(), Duration::ms(40).count_ns());
}

TEST(TimeSlicesTest, the_latest_slices_that_were_late_or_stalled_are_known_by_their_instants) {
  TimeSlices slices;
  Lateness lateness;
  for (std::int64_t i = 1; i <= 40; ++i) {
    lateness.record(Duration::ms(2), 1'000);
    slices.end(i * kSlice, lateness, {});
  }
  lateness.record(Duration::us(1), 1'000);
  slices.end(41 * kSlice, lateness, {});
  slices.end(42 * kSlice, lateness, {.longest_stall = Duration::ms(7)});
  const auto noted = slices.noted();
  ASSERT_EQ(noted.size(), TimeSlices::kNoted);
  EXPECT_EQ(noted.back().ended_ns, 42 * kSlice);
  EXPECT_EQ(noted.back().stall_ns, Duration::ms(7).count_ns());
  EXPECT_EQ(noted.front().ended_ns, (40 - static_cast<std::int64_t>(TimeSlices::kNoted) + 2) * kSlice);
}

}  // namespace
}  // namespace simcore
