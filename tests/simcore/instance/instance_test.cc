// SPDX-License-Identifier: MIT
#include "simcore/instance/instance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "simcore/units/error.h"

namespace simcore {
namespace {

constexpr std::size_t kLinks = 1'000;  // and 2,000 switches, interfaces and directions

// A loss model for whose copies there is no memory, once that is so.
class LossTooLarge {
 public:
  explicit LossTooLarge(const bool& armed) : armed_(&armed) {}
  LossTooLarge(const LossTooLarge& other) : armed_(other.armed_) {
    if (*armed_) throw std::bad_alloc();
  }
  bool operator()(RandomStream&, const SegmentView&) const { return false; }

 private:
  const bool* armed_;
};

class InstanceTest : public testing::Test {
 protected:
  InstanceTest() {
    for (std::size_t i = 0; i < kLinks; ++i) {
      const std::string number = std::to_string(i);
      for (const std::string side : {"a", "b"}) {
        instance_.network().add_node(NodeKind::learning_switch, side + number);
        Interface::Config config;
        config.name = side + number + "-eth1";
        instance_.network().add_interface(side + number, config);
      }
      instance_.add_link("l" + number, InterfaceEnd{"a" + number + "-eth1"},
                         InterfaceEnd{"b" + number + "-eth1"}, LinkModel(Link::Config{}),
                         LinkModel(Link::Config{}));
    }
    running_ = std::thread([this] { instance_.run(); });
  }
  ~InstanceTest() override {
    instance_.stop();
    running_.join();
  }

  static std::int64_t turns(const Snapshot& snapshot) {
    const auto& figures = snapshot.loop->figures;
    return std::find_if(figures.begin(), figures.end(),
                        [](const auto& each) { return each.first == "turns"; })
        ->second;
  }

  Instance instance_{Instance::Config()};
  std::thread running_;
};

TEST_F(InstanceTest, the_loop_turns_between_the_slices_of_a_snapshot) {
  const Snapshot first = instance_.snapshot();
  const Snapshot second = instance_.snapshot(SnapshotReader::Elements::none);
  EXPECT_EQ(first.links.size() + first.nodes.size() + first.interfaces.size(), 6 * kLinks);
  constexpr std::size_t kSlices = (6 * kLinks + SnapshotReader::kSlice - 1) / SnapshotReader::kSlice;
  EXPECT_GE(turns(second) - turns(first), std::int64_t{kSlices} - 1);
}

TEST_F(InstanceTest, link_counts_name_the_directions_only_to_who_does_not_know_them) {
  const LinkCounts first = instance_.link_counts();
  ASSERT_EQ(first.directions.size(), 2 * kLinks);
  EXPECT_EQ(first.directions[2 * 7], std::make_pair(std::string("l7"), true));
  EXPECT_EQ(first.directions[2 * 7 + 1], std::make_pair(std::string("l7"), false));
  EXPECT_EQ(first.figures.size(), 2 * kLinks * LinkCounts::kFigures);
  const LinkCounts second = instance_.link_counts(first.generation);
  EXPECT_TRUE(second.directions.empty());
  EXPECT_EQ(second.generation, first.generation);
  EXPECT_EQ(second.figures, first.figures);  // nothing moves
}

TEST_F(InstanceTest, what_a_change_throws_reaches_the_caller_and_the_instance_runs_on) {
  EXPECT_THROW(instance_.change_link("nowhere", LinkModel(Link::Config{}), std::nullopt), ConfigError);
  bool armed = false;
  std::optional<LinkModel> too_large = LinkModel(Link::Config{});
  too_large->loss = LossTooLarge(armed);
  armed = true;
  EXPECT_THROW(instance_.change_link("l0", too_large, std::nullopt), std::bad_alloc);
  EXPECT_EQ(instance_.snapshot().links.size(), 2 * kLinks);
}

}  // namespace
}  // namespace simcore
