// SPDX-License-Identifier: MIT
//
//   h1 ---- 1 s1 2 ---- h2, 1 ms each
#include "simcore/instance/switch_bench.h"

#include <gtest/gtest.h>

#include "simcore/units/error.h"

namespace simcore {
namespace {

const std::vector<std::uint8_t> kHello = {4, 0, 0, 8, 0, 0, 0, 1};
const std::vector<std::uint8_t> kFrame(60, 7);

void build(SwitchBench& bench) {
  OpenFlowSetup setup;
  setup.dpid = "0000000000000001";
  bench.network().add_openflow_switch("s1", setup);
  for (const char* number : {"1", "2"}) {
    const std::string name = std::string("s1-eth") + number;
    const std::string host = std::string("h") + number;
    Interface::Config config{name, MacAddress::parse(std::string("02:00:00:00:00:0") + number)};
    config.number = static_cast<std::uint16_t>(number[0] - '0');
    bench.network().add_interface("s1", config);
    bench.add_host(host);
    const LinkModel direction({.propagation_delay = Duration::ms(1)});
    bench.add_link(host + "-s1", host, name, direction, direction);
  }
}

// Output to port 2 of all that comes, of priority 1 (OpenFlow 1.3.5, A.3.4.1).
std::vector<std::uint8_t> flow_to_port_2() {
  std::vector<std::uint8_t> message(80, 0);
  message[0] = 4, message[1] = 14, message[3] = 80;
  message[31] = 1;                                              // priority
  for (std::size_t at = 32; at < 44; ++at) message[at] = 0xff;  // buffer, port, group: none
  message[49] = 1, message[51] = 4;                             // a match of nothing
  message[57] = 4, message[59] = 24;                            // apply
  message[65] = 0, message[67] = 16, message[71] = 2;           // output to 2
  return message;
}

TEST(SwitchBenchTest, a_controller_that_the_caller_plays_makes_the_switch_forward) {
  SwitchBench bench(1);
  build(bench);
  const auto connection = bench.connect("s1", openflow::Session::Kind::controller);
  EXPECT_EQ(bench.said(connection).size(), 16U);  // its hello has the versions
  bench.hear(connection, kHello);
  bench.hear(connection, flow_to_port_2());
  EXPECT_TRUE(bench.said(connection).empty());  // no error
  bench.send("h1", kFrame);
  bench.run(SimTime::zero() + Duration::seconds(1));
  EXPECT_EQ(bench.now(), SimTime::zero() + Duration::ms(2));  // time stands still when a frame comes
  const auto received = bench.received();
  ASSERT_EQ(received.size(), 1U);
  EXPECT_EQ(received[0].host, "h2");
  EXPECT_EQ(received[0].frame, kFrame);
  bench.run(SimTime::zero() + Duration::seconds(1));
  EXPECT_EQ(bench.now(), SimTime::zero() + Duration::seconds(1));
}

TEST(SwitchBenchTest, time_stands_still_when_a_switch_has_something_to_say) {
  SwitchBench bench(1);
  build(bench);
  const auto connection = bench.connect("s1", openflow::Session::Kind::controller);
  bench.hear(connection, kHello);
  bench.said(connection);
  bench.set_link_up("h1-s1", false);
  bench.run(SimTime::zero() + Duration::seconds(1));
  EXPECT_EQ(bench.speaking(), std::vector<std::uint64_t>{connection});
  EXPECT_EQ(bench.said(connection)[1], 12);  // PORT_STATUS
  bench.disconnect(connection);
  EXPECT_THROW(bench.said(connection), ConfigError);
}

TEST(SwitchBenchTest, what_there_is_not_is_refused_by_its_name) {
  SwitchBench bench(1);
  build(bench);
  EXPECT_THROW(bench.connect("s9", openflow::Session::Kind::controller), ConfigError);
  EXPECT_THROW(bench.send("h9", kFrame), ConfigError);
  EXPECT_THROW(bench.add_host("h1"), ConfigError);
  EXPECT_THROW(bench.hear(7, kHello), ConfigError);
}

}  // namespace
}  // namespace simcore
