// SPDX-License-Identifier: MIT
#include "simcore/instance/fidelity_governor.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace simcore {
namespace {

using Class = FidelityGovernor::Class;

constexpr FlowForm kPackets = FlowForm::packets;
constexpr FlowForm kFluid = FlowForm::fluid;

// An instance to which a segment on a link costs `cost_`, and which is busy for `base_` of its time with other things.
class FidelityGovernorTest : public testing::Test {
 protected:
  // Segments times links, per second.
  void classes(const std::vector<double>& works) {
    for (const double work : works) classes_.push_back({.work = work, .allowed = 0.02});
  }
  void take(const std::vector<FlowForm>& forms) {
    for (std::size_t i = 0; i < classes_.size(); ++i) {
      changes_ += forms[i] == classes_[i].form ? 0 : 1;
      classes_[i].form = forms[i];
    }
  }
  void period() {
    now_ = now_ + FidelityGovernor::kPeriod;
    double busy = base_;
    for (const Class& each : classes_) busy += each.form == kPackets ? each.work * cost_ : 0.0;
    take(governor_.decide(now_, {.busy = std::min(busy, 1.0), .late = late_}, classes_));
  }
  void seconds(int count) {
    for (int i = 0; i < count * 50; ++i) period();
  }
  FlowForm form(std::size_t place = 0) const { return classes_[place].form; }

  FidelityGovernor governor_;
  SimTime now_ = SimTime::zero();
  double base_ = 0.1;
  double cost_ = 1e-6;
  Duration late_ = Duration::zero();
  std::vector<Class> classes_;
  int changes_ = 0;
};

TEST_F(FidelityGovernorTest, an_instance_that_keeps_up_has_packets) {
  classes({200'000, 300'000});
  seconds(100);
  EXPECT_EQ(changes_, 0);
}

// At 1.5 us 333,333 are half of the time: the two smaller ones.
TEST_F(FidelityGovernorTest, at_the_beginning_what_would_be_too_much_is_a_fluid) {
  classes({200'000, 300'000, 100'000});
  take(governor_.begin(now_, classes_));
  EXPECT_EQ(form(0), kPackets);
  EXPECT_EQ(form(1), kFluid);
  EXPECT_EQ(form(2), kPackets);
}

// A segment costs no more than 0.5 us, as 100,000 in a second make it busy for 0.05: 300,000 are 0.15.
TEST_F(FidelityGovernorTest, what_was_a_fluid_for_caution_becomes_packets) {
  base_ = 0.02;
  cost_ = 0.3e-6;
  classes({100'000, 300'000});
  take(governor_.begin(now_, classes_));
  ASSERT_EQ(form(1), kFluid);
  seconds(3);
  EXPECT_EQ(form(1), kPackets);
}

// 0.1 + 0.2 + 0.5 + 0.1 of the time: without the largest 0.4 is left.
TEST_F(FidelityGovernorTest, the_class_that_carries_most_becomes_a_fluid) {
  classes({200'000, 500'000, 100'000});
  period();
  EXPECT_EQ(form(0), kPackets);
  EXPECT_EQ(form(1), kFluid);
  EXPECT_EQ(form(2), kPackets);
}

// 0.9 - 0.3 = 0.6 is still more than half.
TEST_F(FidelityGovernorTest, more_than_one_does_where_one_is_not_enough) {
  classes({300'000, 300'000, 200'000});
  for (int i = 0; i < 3; ++i) period();
  EXPECT_EQ(form(0), kFluid);
  EXPECT_EQ(form(2), kPackets);
  EXPECT_LE(base_ + 0.3 + 0.2, 0.6 + 1e-9);
}

TEST_F(FidelityGovernorTest, a_late_instance_is_too_busy_earlier) {
  classes({400'000});
  period();
  EXPECT_EQ(form(), kPackets);
  late_ = Duration::us(500);
  period();
  EXPECT_EQ(form(), kFluid);
}

TEST_F(FidelityGovernorTest, lateness_of_an_idle_instance_is_not_its_own) {
  classes({100'000});
  late_ = Duration::ms(5);
  seconds(10);
  EXPECT_EQ(changes_, 0);
}

TEST_F(FidelityGovernorTest, what_became_a_fluid_is_packets_again_when_the_load_is_gone) {
  classes({350'000});
  base_ = 0.5;
  period();
  ASSERT_EQ(form(), kFluid);
  seconds(10);  // 0.5: neither quiet nor pressed
  EXPECT_EQ(form(), kFluid);
  base_ = 0.1;
  seconds(3);
  EXPECT_EQ(form(), kPackets);
  EXPECT_EQ(changes_, 2);
}

TEST_F(FidelityGovernorTest, a_class_that_would_be_too_much_stays_a_fluid) {
  classes({900'000});
  seconds(60);
  EXPECT_EQ(form(), kFluid);
  EXPECT_EQ(changes_, 1);
}

// It costs 0.35, which is little, but as packets it is late each time.
TEST_F(FidelityGovernorTest, returns_that_prove_wrong_become_rare) {
  classes({350'000});
  const auto run = [this](int count) {
    for (int i = 0; i < count * 50; ++i) {
      late_ = form() == kPackets ? Duration::us(500) : Duration::zero();
      period();
    }
  };
  run(10);
  const int early = changes_;
  EXPECT_GE(early, 4);
  run(120);
  const int before = changes_;
  run(60);  // 32 s between two returns
  EXPECT_LE(changes_ - before, 4);
}

TEST_F(FidelityGovernorTest, a_class_that_differs_too_much_is_packets_for_ever) {
  classes({900'000});
  period();
  ASSERT_EQ(form(), kFluid);
  classes_[0].difference = -0.03;
  period();
  EXPECT_EQ(form(), kPackets);
  classes_[0].difference.reset();
  seconds(10);
  EXPECT_EQ(form(), kPackets);
}

TEST_F(FidelityGovernorTest, a_class_that_may_not_change_does_not) {
  classes({900'000});
  classes_[0].allowed.reset();
  take(governor_.begin(now_, classes_));
  seconds(10);
  EXPECT_EQ(changes_, 0);
}

}  // namespace
}  // namespace simcore
