// SPDX-License-Identifier: MIT
#include "simcore/link/user_model.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "simcore/kernel/simulation.h"
#include "simcore/link/drop_tail.h"
#include "simcore/link/loss.h"
#include "simcore/link/served_link.h"
#include "simcore/units/error.h"
#include "tests/simcore/link/traffic.h"

namespace simcore {
namespace {

// What a model was shown, by which the tests see it.
struct Shown {
  std::size_t headers;
  std::size_t payload;
  std::int64_t length;
  int segment;
  int segments;
  std::int64_t time_ns;
  hybridnet::Direction direction;
};
std::vector<Shown> shown;

class Watcher final : public hybridnet::LossModel {
 public:
  explicit Watcher(hybridnet::Setup& setup) : probability_(setup.probability("probability", 0)) {}
  bool lost(const hybridnet::Packet& packet, hybridnet::Random& random) override {
    shown.push_back({packet.headers().size(), packet.payload().size(), packet.length(), packet.segment(),
                     packet.segments(), packet.time_ns(), packet.direction()});
    return random.chance(probability_);
  }

 private:
  double probability_;
};

// The larger a frame, the faster: 1 bit/ns for 1000 bytes and more, else 0.1.
class Uneven final : public hybridnet::RateModel {
 public:
  explicit Uneven(hybridnet::Setup& setup) : small_(setup.whole("small", 100'000'000)) {}
  std::int64_t bits_per_second(const hybridnet::Packet& packet, hybridnet::Random&) override {
    return packet.length() >= 1'000 ? 1'000'000'000 : small_;
  }

 private:
  std::int64_t small_;
};

template <class Model>
std::shared_ptr<UserModel> make(std::map<std::string, std::string> arguments = {}, bool backward = false) {
  static const hybridnet_model table = hybridnet::detail::Functions<Model>::table("Model");
  return std::make_shared<UserModel>(&table, nullptr,
                                     UserModel::Config{"here", std::move(arguments), backward});
}

class UserModelTest : public testing::Test {
 protected:
  void SetUp() override { shown.clear(); }

  Simulation sim{1};
  PacketPool pool;
  Recorder far{sim};
};

LossModel loss_of(const std::shared_ptr<UserModel>& model) {
  return [model](RandomStream& random, const SegmentView& segment) { return model->lost(segment, random); };
}

TEST_F(UserModelTest, seesEachSegmentOfATrainAndAFrameWhole) {
  Loss loss(sim, pool, "l", loss_of(make<Watcher>({}, true)), far);
  loss.accept(train(pool, sim.now(), SimTime::at_ns(2'000), 3, 542, 442));
  loss.accept(frame(pool, sim.now(), 700));
  ASSERT_EQ(shown.size(), 4U);
  for (int k = 0; k < 3; ++k) {
    const Shown& each = shown[static_cast<std::size_t>(k)];
    EXPECT_EQ(each.headers, kUdpHeaders);
    EXPECT_EQ(each.payload, k < 2 ? 500U : 400U);
    EXPECT_EQ(each.length, k < 2 ? 542 : 442);
    EXPECT_EQ(each.segment, k);
    EXPECT_EQ(each.segments, 3);
    EXPECT_EQ(each.time_ns, k * 1'000);
    EXPECT_EQ(each.direction, hybridnet::Direction::backward);
  }
  EXPECT_EQ(shown[3].headers, 700U);
  EXPECT_EQ(shown[3].payload, 0U);
  EXPECT_EQ(shown[3].length, 700);
}

TEST_F(UserModelTest, drawsFromTheLinksOwnStream) {
  // The same seed and name give what a model of our own with the same rule draws.
  Recorder other{sim};
  Loss users(sim, pool, "l", loss_of(make<Watcher>({{"probability", "30%"}})), far);
  Loss ours(sim, pool, "l", independent_loss(0.3), other);
  for (int i = 0; i < 200; ++i) {
    users.accept(frame(pool, sim.now(), 100));
    ours.accept(frame(pool, sim.now(), 100));
    EXPECT_EQ(far.arrivals.size(), other.arrivals.size());
  }
  EXPECT_GT(users.dropped().of(DropReason::impaired), 30U);
}

TEST_F(UserModelTest, aRateIsAskedForEachFrame) {
  ServedLink link(sim, pool, "l", {}, std::make_unique<DropTail>(DropTail::Config{.packets = 10}),
                  std::make_unique<UserServer>(make<Uneven>(), sim.stream("l/rate")), far);
  for (const std::size_t size : {1'000U, 100U, 1'000U}) link.accept(frame(pool, sim.now(), size));
  sim.run_until(SimTime::at_ns(1'000'000));
  // 8000 bits at 1 bit/ns, 800 at 0.1, 8000 at 1.
  EXPECT_EQ(far.segment_times(1), (std::vector<std::int64_t>{8'000, 16'000, 24'000}));
}

TEST_F(UserModelTest, aRateThatCannotBeIsAnError) {
  const auto model = make<Uneven>({{"small", "0"}});
  RandomStream random(1, "r");
  const PacketPtr small = frame(pool, sim.now(), 100);
  try {
    model->rate({*small, 0}, sim.now(), random);
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find("bits_per_second() returned 0; it must be 1 or more"),
              std::string::npos)
        << error.what();
  }
}

TEST_F(UserModelTest, aTableThatIsNoneIsRefused) {
  EXPECT_THROW(checked_table(nullptr, "x.so"), ConfigError);
  hybridnet_model table = hybridnet::detail::Functions<Watcher>::table("Watcher");
  EXPECT_EQ(&checked_table(&table, "x.so"), &table);
  table.lost = nullptr;
  EXPECT_THROW(checked_table(&table, "x.so"), ConfigError);
  table = hybridnet::detail::Functions<Watcher>::table("Watcher");
  table.create = nullptr;
  EXPECT_THROW(checked_table(&table, "x.so"), ConfigError);
  table = hybridnet::detail::Functions<Watcher>::table("Watcher");
  table.create = [](const hybridnet_setup*, char*, std::size_t) -> void* { return nullptr; };
  EXPECT_THROW(UserModel(&table, nullptr, {.file = "x.so", .arguments = {}}), ConfigError);
}

}  // namespace
}  // namespace simcore
