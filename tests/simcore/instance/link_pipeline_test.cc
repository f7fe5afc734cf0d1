// SPDX-License-Identifier: MIT
#include "simcore/instance/link_pipeline.h"

#include <gtest/gtest.h>

#include "simcore/units/error.h"

namespace simcore {
namespace {

TEST(LinkPipeline, keeps_so_many_packets_in_flight_and_delivers_the_others) {
  LinkPipeline pipeline({.frame_bytes = 1'500, .bytes_in_flight = 150'000});
  EXPECT_EQ(pipeline.packets_in_flight(), 100U);
  const std::uint64_t before = pipeline.delivered();
  pipeline.run(5'000);
  EXPECT_EQ(pipeline.delivered() - before, 5'000U);
  EXPECT_EQ(pipeline.dropped(), 0U);
}

TEST(LinkPipeline, delivers_as_many_without_copies) {
  LinkPipeline pipeline({.frame_bytes = 64, .bytes_in_flight = 0, .copies = false});
  const std::uint64_t before = pipeline.delivered();
  pipeline.run(5'000);
  EXPECT_EQ(pipeline.delivered() - before, 5'000U);
  EXPECT_EQ(pipeline.dropped(), 0U);
}

TEST(LinkPipeline, refuses_frames_without_bytes_and_more_in_flight_than_memory) {
  EXPECT_THROW(LinkPipeline({.frame_bytes = 0}), ConfigError);
  EXPECT_THROW(LinkPipeline({.frame_bytes = 64, .bytes_in_flight = std::size_t{1} << 40}), ConfigError);
  EXPECT_THROW(TwoCopies(0, 0), ConfigError);
}

}  // namespace
}  // namespace simcore
