// SPDX-License-Identifier: MIT
#include "simcore/network/load_model.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "simcore/network/link_model.h"
#include "simcore/units/error.h"
#include "tests/simcore/link/traffic.h"

namespace simcore {
namespace {

// The plug-ins of the tests are built beside this program.
std::string path(const std::string& name) {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "plugins" / (name + ".so");
}

std::shared_ptr<UserModel> load(const std::string& name, std::map<std::string, std::string> arguments = {}) {
  return load_model({.file = path(name), .arguments = std::move(arguments)});
}

std::string refusal(const std::string& name, std::map<std::string, std::string> arguments = {}) {
  try {
    load(name, std::move(arguments));
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "nothing";
}

class LoadModelTest : public testing::Test {
 protected:
  void send(ModelledLink& link, int frames, std::size_t size = 1'000) {
    for (int i = 0; i < frames; ++i) link.entrance().accept(frame(pool, sim.now(), size));
  }
  // Lets the plug-in decide what it is a model of.
  static LinkModel with(const Link::Config& config, const std::shared_ptr<UserModel>& user) {
    LinkModel model(config);
    follow(model, user);
    return model;
  }
  void run(std::int64_t ms) { sim.run_until(sim.now() + Duration::ms(ms)); }

  Simulation sim{1};
  PacketPool pool;
  Recorder far{sim};
};

TEST_F(LoadModelTest, aPluginDecidesLossAndDelayOfALink) {
  ModelledLink link(
      sim, pool, "l",
      with({.propagation_delay = Duration::ms(1)}, load("every", {{"every", "3"}, {"ns_per_byte", "10"}})),
      far);
  send(link, 6, 1'000);
  send(link, 1, 100);
  run(10);
  EXPECT_EQ(link.counters().dropped.of(DropReason::impaired), 2U);
  EXPECT_EQ(far.segment_times(1),
            (std::vector<std::int64_t>{1'001'000, 1'010'000, 1'010'000, 1'010'000, 1'010'000}));
}

TEST_F(LoadModelTest, aPluginCanBeginChangeAndEndWhileTheLinkRuns) {
  ModelledLink link(sim, pool, "l", LinkModel(Link::Config{}), far);
  send(link, 3);
  link.change(with({}, load("every", {{"every", "2"}})));
  send(link, 4);
  EXPECT_EQ(link.counters().dropped.of(DropReason::impaired), 2U);
  link.change(with({}, load("every", {{"every", "1"}})));
  send(link, 2);
  link.change(LinkModel(Link::Config{}));
  run(50);
  send(link, 5);
  run(50);
  EXPECT_EQ(link.counters().dropped.of(DropReason::impaired), 4U);
  EXPECT_EQ(link.in_flight(), 0U);
  EXPECT_EQ(far.arrivals.size(), 3U + 2U + 5U);
}

TEST_F(LoadModelTest, whatIsGivenAgainGoesOn) {
  ModelledLink link(sim, pool, "l", with({}, load("every", {{"every", "3"}})), far);
  send(link, 2);
  link.change(with({.propagation_delay = Duration::ms(1)}, load("every", {{"every", "3"}})));
  send(link, 1);
  EXPECT_EQ(link.counters().dropped.of(DropReason::impaired), 1U);
  ModelledLink rated(sim, pool, "r", with({}, load("doubling")), far);
  send(rated, 1);
  rated.change(with({.propagation_delay = Duration::ms(1)}, load("doubling")));
  send(rated, 1);
  run(20);  // 8 ms at 1 Mbit/s and 4 ms at 2
  EXPECT_EQ(far.segment_times(1).back(), 13'000'000);
}

TEST_F(LoadModelTest, whatItThrowsEndsTheSimulationWithItsWords) {
  ModelledLink link(sim, pool, "l", with({}, load("thrower")), far);
  send(link, 2);
  try {
    send(link, 1);
    FAIL();
  } catch (const ConfigError& error) {
    const std::string words = error.what();
    EXPECT_NE(words.find("plug-in Thrower (" + path("thrower") + ")"), std::string::npos) << words;
    EXPECT_NE(words.find("lost: the third one is too much"), std::string::npos) << words;
  }
}

TEST_F(LoadModelTest, whatIsNoPluginIsSaidWithTheCure) {
  EXPECT_NE(refusal("absent").find("hybridnet plugin build"), std::string::npos);
  EXPECT_NE(refusal("stranger").find("no function hybridnet_plugin; end its source with"), std::string::npos);
  EXPECT_NE(refusal("future").find("version 2 of the interface, and this is version 1"), std::string::npos);
}

TEST_F(LoadModelTest, argumentsAreAllReadOrRefused) {
  EXPECT_NE(refusal("every").find("argument every is missing; write every=..."), std::string::npos);
  EXPECT_NE(refusal("every", {{"every", "x"}}).find("argument every is \"x\"; write a whole number"),
            std::string::npos);
  EXPECT_NE(refusal("every", {{"every", "1"}, {"evry", "2"}})
                .find("there is no argument evry; there are every, ns_per_byte"),
            std::string::npos);
  EXPECT_NE(refusal("every", {{"every", "0"}}).find("every must be 1 or more"), std::string::npos);
}

TEST_F(LoadModelTest, saysWhatAPluginIsAModelOf) {
  EXPECT_EQ(describe_plugin(path("every")), "Every: loss, delay");
  EXPECT_THROW(describe_plugin(path("future")), ConfigError);
}

TEST_F(LoadModelTest, twoWhoDecideTheSameAreRefused) {
  const auto every = load("every", {{"every", "3"}});
  LinkModel lossy{Link::Config{}};
  lossy.loss = independent_loss(0.1);
  EXPECT_THROW(follow(lossy, every), ConfigError);
  LinkModel late{Link::Config{}};
  late.extra_delay = constant_delay(Duration::ms(1));
  EXPECT_THROW(follow(late, every), ConfigError);
  const auto doubling = load("doubling");
  LinkModel rated{Link::Config{.rate = DataRate::mbps(1)}};
  EXPECT_THROW(follow(rated, doubling), ConfigError);
}

TEST_F(LoadModelTest, aRateOfItsOwnIsTheWire) {
  ModelledLink link(sim, pool, "l", with({}, load("doubling")), far);
  send(link, 3, 1'000);
  run(100);
  // 8000 bits at 1, 2 and 4 Mbit/s.
  EXPECT_EQ(far.segment_times(1), (std::vector<std::int64_t>{8'000'000, 12'000'000, 14'000'000}));
}

}  // namespace
}  // namespace simcore
