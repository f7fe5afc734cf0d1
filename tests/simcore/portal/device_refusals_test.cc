// SPDX-License-Identifier: MIT
#include "simcore/portal/device_refusals.h"

#include <gtest/gtest.h>

#include <vector>

#include "simcore/packet/packet_pool.h"

namespace simcore {
namespace {

class DeviceRefusalsTest : public testing::Test {
 protected:
  bool offer_again(std::size_t size) { return refusals_.offer_again(*pool_.make(size), now_); }

  // The device refuses frames of `size` until they are given up.
  void give_up(std::size_t size) {
    while (offer_again(size)) now_ = refusals_.next_offer();
  }

  PacketPtr train() {
    PacketPtr packet = pool_.make(3000);
    packet->segments = 2;
    return packet;
  }

  PacketPool pool_;
  DeviceRefusals refusals_;
  SimTime now_ = SimTime::zero();
};

TEST_F(DeviceRefusalsTest, a_frame_is_offered_after_twice_the_time_each_for_100_ms) {
  std::vector<std::int64_t> at_us;
  while (offer_again(1000)) {
    now_ = refusals_.next_offer();
    at_us.push_back(now_.count_ns() / 1000);
  }
  EXPECT_EQ(at_us, (std::vector<std::int64_t>{20, 60, 140, 300, 620, 1260, 2540, 5100, 10220, 20460, 40940,
                                              81900, 163820}));
  EXPECT_FALSE(refusals_.refusing());
}

TEST_F(DeviceRefusalsTest, those_as_large_are_then_lost_at_once_and_smaller_ones_are_not) {
  give_up(1000);
  EXPECT_FALSE(offer_again(1000));
  EXPECT_FALSE(offer_again(1400));
  EXPECT_FALSE(refusals_.refusing());
  EXPECT_TRUE(offer_again(999));
  EXPECT_TRUE(refusals_.refusing());
  give_up(999);
  EXPECT_FALSE(offer_again(999));
}

TEST_F(DeviceRefusalsTest, until_the_device_takes_one_as_large) {
  give_up(1000);
  refusals_.taken(*pool_.make(999));
  EXPECT_FALSE(offer_again(1000));
  refusals_.taken(*pool_.make(1000));
  EXPECT_TRUE(offer_again(1000));
}

TEST_F(DeviceRefusalsTest, a_train_says_nothing_about_the_largest_frame) {
  give_up(1000);
  refusals_.taken(*train());
  EXPECT_FALSE(offer_again(1000));
  EXPECT_TRUE(refusals_.offer_again(*train(), now_));
}

TEST_F(DeviceRefusalsTest, the_time_of_a_frame_that_was_taken_at_last_is_not_the_next_ones) {
  EXPECT_TRUE(offer_again(1000));
  now_ = SimTime::at_ns(DeviceRefusals::kPatience.count_ns());
  refusals_.taken(*pool_.make(1000));
  EXPECT_TRUE(offer_again(1000));
  EXPECT_EQ(refusals_.next_offer(), now_ + DeviceRefusals::kFirstWait);
}

}  // namespace
}  // namespace simcore
