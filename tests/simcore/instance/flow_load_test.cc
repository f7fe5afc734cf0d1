// SPDX-License-Identifier: MIT
//
//   h1 ---- 1 s1 2 ---- h2, 3 ---- h3; the test plays the controller. Links take no time, and what comes is answered at once
// or never: no test waits for the wall clock.
#include "simcore/instance/flow_load.h"

#include <gtest/gtest.h>

#include <utility>

#include "simcore/openflow/message_type.h"
#include "simcore/openflow/wire.h"

namespace simcore {
namespace {

using Bytes = std::vector<std::uint8_t>;
using openflow::Session;
using openflow::Writer;
namespace type = openflow::type;

constexpr std::size_t kHosts = 3;

Bytes message(std::uint8_t kind, const Bytes& body = {}) {
  Bytes bytes;
  Writer to(bytes);
  to.u8(4);
  to.u8(kind);
  to.u16(static_cast<std::uint16_t>(8 + body.size()));
  to.u32(1);
  to.bytes(body);
  return bytes;
}

void append_output(Writer& to, std::uint32_t port) {
  to.u16(0);
  to.u16(16);
  to.u32(port);
  to.u16(0xffff);
  to.zeros(6);
}

// All to one port: with priority 0 and no field, or, with priority 1, of what goes to a host.
Bytes flow(std::uint32_t port, const std::optional<MacAddress>& to_host = std::nullopt) {
  Bytes body;
  Writer to(body);
  to.zeros(16 + 2 + 4);
  to.u16(to_host ? 1 : 0);
  for (int at = 0; at < 3; ++at) to.u32(0xffffffff);
  to.zeros(4);
  to.u16(1);
  to.u16(to_host ? 14 : 4);
  if (to_host) {
    to.u32(0x80000606);  // eth_dst
    std::array<std::uint8_t, 6> mac{};
    to_host->write_to(mac.data());
    to.bytes(mac);
    to.zeros(2);
  } else {
    to.zeros(4);
  }
  to.u16(4);  // apply
  to.u16(24);
  to.zeros(4);
  append_output(to, port);
  return message(type::kFlowMod, body);
}

class FlowLoadTest : public ::testing::Test {
 protected:
  explicit FlowLoadTest(Duration patience = Duration::seconds(1'000))
      : load_(0, kHosts, patience, add_switch(), network_, counts_),
        controller_(switch_->connect(Session::Kind::controller, [] {})) {
    const LinkModel wire{Link::Config{}};
    for (std::size_t at = 0; at < kHosts; ++at) {
      const std::string end = "s1-eth" + std::to_string(at + 1);
      Interface::Config config{.name = end, .mac = MacAddress::of(at + 1)};
      config.number = static_cast<std::uint16_t>(at + 1);
      network_.add_interface("s1", config);
      network_.add_link("l" + std::to_string(at), {.port = &load_.host(at), .name = "h" + std::to_string(at)},
                        network_.end(end, "join"), wire, wire);
    }
    network_.begin("test", 0);
  }

  openflow::Switch& add_switch() {
    OpenFlowSetup setup;
    setup.dpid = "0000000000000001";
    network_.add_openflow_switch("s1", setup);
    switch_ = &network_.nodes().openflow_switches().at("s1")->control();
    return *switch_;
  }

  void say(const Bytes& bytes) {
    controller_.take_in(bytes);
    openflow::Effort effort(openflow::kEffortAtOnce);
    switch_->handle_input(controller_, effort);
    settle();
  }
  void settle() { network_.simulation().run_until(network_.simulation().now() + Duration::ms(1)); }

  // The packet-ins since the last call, each as the message that floods it.
  std::vector<Bytes> asked() {
    std::vector<Bytes> found;
    const Bytes said = std::exchange(controller_.output(), {});
    for (std::size_t at = 0; at < said.size(); at += load_be16(said.data() + at + 2)) {
      if (said[at + 1] != type::kPacketIn) continue;
      const std::size_t match = (load_be16(said.data() + at + 26) + 7U) / 8 * 8;
      const std::size_t frame = at + 24 + match + 2;
      Bytes body;
      Writer to(body);
      to.u32(0xffffffff);
      to.u32(load_be32(said.data() + at + 32));  // the match's first field: in_port
      to.u16(16);
      to.zeros(6);
      append_output(to, 0xfffffffb);  // OFPP_FLOOD
      to.bytes(std::span(said).subspan(frame, at + load_be16(said.data() + at + 2) - frame));
      found.push_back(message(type::kPacketOut, body));
    }
    return found;
  }

  void answer_all() {
    for (const Bytes& each : asked()) say(each);
  }
  void look() {
    load_.look_after();
    settle();
  }
  void announce_all() {
    say(message(type::kHello));
    say(flow(0xfffffffd));
    load_.announce();
    look();        // the first host, until the switch asks
    look();        // then all of them
    answer_all();  // of what they said, and of the first host's first try
    look();
    ASSERT_TRUE(load_.announced());
  }

  SimulatedNetwork network_{1};
  openflow::Switch* switch_ = nullptr;
  FlowLoad::Counts counts_;
  FlowLoad load_;
  Session& controller_;
};

class ImpatientFlowLoadTest : public FlowLoadTest {
 protected:
  ImpatientFlowLoadTest() : FlowLoadTest(Duration::zero()) {}
};

TEST_F(FlowLoadTest, hosts_announce_themselves_once_the_switch_asks) {
  load_.announce();
  look();
  EXPECT_TRUE(asked().empty());  // no controller yet
  say(message(type::kHello));
  look();
  EXPECT_TRUE(asked().empty());  // no flow: dropped
  say(flow(0xfffffffd));
  look();
  EXPECT_EQ(asked().size(), 1U);
  look();
  EXPECT_FALSE(load_.announced());
  const auto said = asked();
  EXPECT_EQ(said.size(), kHosts);
  for (const Bytes& each : said) say(each);
  look();
  EXPECT_TRUE(load_.announced());
  EXPECT_EQ(counts_.answered + counts_.unanswered, 0U);
}

TEST_F(FlowLoadTest, so_many_frames_are_under_way_and_each_answer_makes_room_for_one) {
  announce_all();
  load_.keep_under_way(5);
  settle();
  auto waiting = asked();
  EXPECT_EQ(waiting.size(), 5U);
  say(waiting[2]);  // answers may come in any order
  say(waiting[0]);
  EXPECT_EQ(counts_.answered, 2U);
  EXPECT_EQ(load_.answered(), 2U);
  EXPECT_EQ(counts_.response_ns.total(), 2U);
  EXPECT_EQ(asked().size(), 2U);
  say(waiting[0]);  // twice
  EXPECT_EQ(counts_.answered, 2U);
  load_.keep_under_way(0);
  say(waiting[1]);
  EXPECT_EQ(counts_.answered, 3U);
  EXPECT_TRUE(asked().empty());
}

TEST_F(FlowLoadTest,
       what_the_controller_installs_moves_the_packet_and_is_gone_before_the_next_flow_to_that_host) {
  announce_all();
  const std::size_t empty = switch_->tables().size();
  load_.keep_under_way(1);
  settle();
  for (std::size_t at = 0; at < 2 * kHosts; ++at) {
    const auto waiting = asked();
    ASSERT_EQ(waiting.size(), 1U) << at;  // each flow asks, though flows to its host were there
    const auto host = static_cast<std::uint32_t>(at % kHosts);
    controller_.take_in(flow(host + 1, MacAddress::of(std::uint64_t{2} << 40 | (host + 1))));
    say(waiting[0]);
    EXPECT_EQ(counts_.answered, at + 1);
    EXPECT_LE(switch_->tables().size(), empty + kHosts);
  }
}

TEST_F(ImpatientFlowLoadTest, a_frame_without_an_answer_is_given_up_and_makes_room_for_one) {
  say(message(type::kHello));
  say(flow(0xfffffffd));
  load_.announce();
  look();
  look();
  ASSERT_TRUE(load_.announced() || (look(), load_.announced()));
  EXPECT_EQ(counts_.unanswered, 0U);  // announcements are not counted
  asked();
  load_.keep_under_way(2);
  settle();
  const auto first = asked();
  EXPECT_EQ(first.size(), 2U);
  look();
  EXPECT_EQ(counts_.unanswered, 2U);
  EXPECT_EQ(asked().size(), 2U);
  say(first[0]);  // too late
  EXPECT_EQ(counts_.answered, 0U);
}

}  // namespace
}  // namespace simcore
