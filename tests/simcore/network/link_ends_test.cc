// SPDX-License-Identifier: MIT
//
// An end of a link that takes it down:   s1:1 ---- one ---- 1:s2,   where s1 and s2 are OpenFlow switches.
#include <gtest/gtest.h>

#include "simcore/network/simulated_network.h"
#include "simcore/openflow/message_type.h"

namespace simcore {
namespace {

constexpr std::uint32_t kLinkDown = openflow::port_state::kLinkDown;

class LinkEndsTest : public testing::Test {
 protected:
  LinkEndsTest() {
    for (const std::string name : {"s1", "s2"}) {
      OpenFlowSetup setup;
      setup.dpid = "0000000000000001";
      network_.add_openflow_switch(name, setup);
      network_.add_interface(name, {.name = name + "-eth1", .number = 1});
      of(name).connect(openflow::Session::Kind::service, [] {});
    }
    const LinkModel model(Link::Config{.rate = DataRate::mbps(100), .propagation_delay = Duration::ms(20)});
    network_.add_link("one", network_.end("s1-eth1", "test"), network_.end("s2-eth1", "test"), model, model);
    network_.begin("test", 0);
  }

  openflow::Switch& of(const std::string& name) {
    return network_.nodes().openflow_switches().at(name)->control();
  }
  bool down(const std::string& name) { return of(name).ports().find(1)->link_down(); }
  // The link's own state, as the switch is told of it.
  bool told_down(const std::string& name) { return (of(name).ports().find(1)->state & kLinkDown) != 0; }
  void enable(const std::string& interface, bool up) {
    network_.links().set_open(network_.nodes().interface(interface, "test"), up);
  }

  SimulatedNetwork network_{1};
};

TEST_F(LinkEndsTest, APortThatIsTakenDownTakesTheLinkDownForTheOtherEnd) {
  EXPECT_FALSE(down("s1") || down("s2"));
  enable("s1-eth1", false);
  EXPECT_TRUE(told_down("s2"));
  EXPECT_FALSE(told_down("s1"));  // which does it by itself
  enable("s1-eth1", true);
  EXPECT_FALSE(told_down("s2"));
}

TEST_F(LinkEndsTest, ALinkIsUpWhenItIsToldToAndBothEndsLetIt) {
  enable("s1-eth1", false);
  network_.set_link_up("one", false);
  EXPECT_TRUE(told_down("s1") && told_down("s2"));
  enable("s1-eth1", true);
  EXPECT_TRUE(told_down("s1") && told_down("s2"));
  enable("s2-eth1", false);
  network_.set_link_up("one", true);
  EXPECT_TRUE(told_down("s1"));
  EXPECT_FALSE(told_down("s2"));
  enable("s2-eth1", true);
  EXPECT_FALSE(told_down("s1") || told_down("s2"));
}

TEST_F(LinkEndsTest, AnEndThatIsDownAlreadyKeepsANewLinkDown) {
  network_.remove_link("one");
  EXPECT_TRUE(told_down("s1") && told_down("s2"));
  enable("s1-eth1", false);
  const LinkModel model(Link::Config{.rate = DataRate::mbps(100), .propagation_delay = Duration::ms(20)});
  network_.add_link("two", network_.end("s1-eth1", "test"), network_.end("s2-eth1", "test"), model, model);
  EXPECT_TRUE(told_down("s2"));
  enable("s1-eth1", true);
  EXPECT_FALSE(told_down("s2"));
}

}  // namespace
}  // namespace simcore
