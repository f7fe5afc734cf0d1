// SPDX-License-Identifier: MIT
//
// Switches and their controllers over real TCP connections of this process. Simulated time passes as the tests say.
#include "simcore/portal/openflow_portal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "simcore/openflow/message_type.h"
#include "simcore/units/error.h"
#include "tests/simcore/openflow/support.h"
#include "tests/simcore/sys/stream_peer.h"

namespace simcore {
namespace {

using openflow::Bench;
using openflow::Bytes;
using openflow::Session;
using openflow::Switch;
using openflow::Writer;
using testing::comes_true;
using testing::free_path;
using testing::free_tcp_address;

namespace type = openflow::type;

Bytes message(std::uint8_t number, std::uint32_t xid, const Bytes& body = {}, std::uint8_t version = 4) {
  Bytes bytes;
  Writer to(bytes);
  to.u8(version);
  to.u8(number);
  to.u16(static_cast<std::uint16_t>(8 + body.size()));
  to.u32(xid);
  to.bytes(body);
  return bytes;
}
const Bytes kHello = message(type::kHello, 1);

// OFPT_PACKET_OUT that sends a frame out of that port.
Bytes packet_out(std::uint32_t port) {
  Bytes body;
  Writer to(body);
  to.u32(openflow::kNoBuffer);
  to.u32(openflow::port_no::kController);
  to.u16(16);  // of actions
  to.zeros(6);
  to.u16(0);  // OFPAT_OUTPUT
  to.u16(16);
  to.u32(port);
  to.u16(0xffff);
  to.zeros(6);
  to.bytes(openflow::tcp_frame());
  return message(type::kPacketOut, 9, body);
}

std::uint8_t type_of(const Bytes& said) { return said.at(1); }
std::uint32_t xid_of(const Bytes& said) { return load_be32(said.data() + 4); }

// The other side of one connection: a controller, or who manages a switch.
class Peer {
 public:
  explicit Peer(StreamSocket socket) : socket_(std::move(socket)) {}

  // How much of it the kernel took.
  std::size_t say(const Bytes& bytes) {
    return static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, socket_.write(bytes)));
  }
  void hear() {
    std::array<std::uint8_t, 65'536> bytes;
    for (std::ptrdiff_t count = 1; count > 0;) {
      count = socket_.read(bytes);
      if (count < 0) over = true;
      if (count > 0) rest_.insert(rest_.end(), bytes.begin(), bytes.begin() + count);
    }
    std::size_t at = 0;
    while (at + 8 <= rest_.size()) {
      const std::size_t length = load_be16(rest_.data() + at + 2);
      if (length < 8 || at + length > rest_.size()) break;
      const auto begin = rest_.begin() + static_cast<std::ptrdiff_t>(at);
      heard.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(length));
      at += length;
    }
    rest_.erase(rest_.begin(), rest_.begin() + static_cast<std::ptrdiff_t>(at));
  }

  std::vector<Bytes> heard;  // whole messages
  bool over = false;         // the switch has closed

 private:
  StreamSocket socket_;
  Bytes rest_;
};

// What happened to connections: "open 1", "close 1", and how many bytes were heard.
class Log final : public openflow::ControlLog {
 public:
  void opened(const Switch&, std::uint64_t connection, Session::Kind kind) override {
    const bool service = kind == Session::Kind::service;
    told.push_back((service ? "service " : "controller ") + std::to_string(connection));
  }
  void heard(const Switch&, std::uint64_t connection, std::span<const std::uint8_t> bytes) override {
    said[connection] += bytes.size();
  }
  void closed(const Switch&, std::uint64_t connection) override {
    told.push_back("end " + std::to_string(connection));
  }

  std::vector<std::string> told;
  std::map<std::uint64_t, std::size_t> said;
};

class OpenFlowPortalTest : public ::testing::Test {
 protected:
  // As a run loop does at one instant.
  void turn() {
    bench.time = simulation.now();
    portal.poll();
    simulation.run_until(simulation.now());
    portal.flush();
  }
  template <class Condition>
  bool until(Condition condition) {
    return comes_true(condition, [this] { turn(); });
  }
  void pass(Duration time) {
    const SimTime end = simulation.now() + time;
    while (simulation.now() < end) {
      simulation.run_until(std::min(end, simulation.now() + Duration::ms(10)));
      turn();
      turn();  // what the first said is answered by who is in this process only after it
    }
  }
  std::int64_t now_ms() const { return simulation.now().count_ns() / 1'000'000; }

  // The switch is given a controller that listens.
  void add_controller(Duration longest_retry = Duration::seconds(1)) {
    listener = std::make_unique<StreamListener>(StreamAddress::parse(address));
    portal.add(bench.of, {.controllers = {address}, .listens = {}, .longest_retry = longest_retry});
  }
  std::unique_ptr<Peer> accept() {
    std::optional<StreamSocket> taken;
    EXPECT_TRUE(until([&] { return (taken = listener->accept()).has_value(); }));
    return std::make_unique<Peer>(std::move(*taken));
  }
  // The controller, once it and the switch have greeted.
  std::unique_ptr<Peer> greeted() {
    auto peer = accept();
    EXPECT_TRUE(hears(*peer, 1));
    peer->heard.clear();
    peer->say(kHello);
    EXPECT_TRUE(until([&] { return bench.of.connected(); }));
    return peer;
  }
  bool hears(Peer& peer, std::size_t messages) {
    return until([&] {
      peer.hear();
      return peer.heard.size() >= messages;
    });
  }
  bool ends(Peer& peer) {
    return until([&] {
      peer.hear();
      return peer.over;
    });
  }
  // What a table miss is sent to the controller whole by.
  void send_misses_to(Peer& controller) {
    controller.say(message(type::kFlowMod, 2,
                           openflow::FlowModText{.instructions = openflow::applying(
                                                     {openflow::output_to(openflow::port_no::kController)}),
                                                 .priority = 0}
                               .bytes()));
    EXPECT_TRUE(until([&] { return bench.of.counters().flow_mods == 1; }));
  }
  // A service of the switch that greets and waits.
  std::unique_ptr<Peer> service(const std::string& at) {
    auto socket = StreamSocket::connect(StreamAddress::parse(at));
    EXPECT_TRUE(socket);
    auto peer = std::make_unique<Peer>(std::move(*socket));
    EXPECT_TRUE(hears(*peer, 1));
    return peer;
  }

  // Where the controller is. By a Unix socket what one side does is done at once for the other, as tests of instants need it.
  std::string address = free_tcp_address();
  Simulation simulation{1};
  Bench bench;
  Log log;
  std::unique_ptr<StreamListener> listener;  // the controller's
  OpenFlowPortal portal{simulation, &log};
};

// OpenFlow 1.3.5, 6.3.1 and 7.5.1: both send a hello as the first message, with the highest version and a bitmap of all.
TEST_F(OpenFlowPortalTest, a_switch_connects_at_once_says_hello_and_is_connected_once_it_was_greeted) {
  add_controller();
  const auto controller = accept();
  ASSERT_TRUE(hears(*controller, 1));
  EXPECT_EQ(now_ms(), 0);
  const Bytes& hello = controller->heard[0];
  EXPECT_EQ(Bytes(hello.begin(), hello.begin() + 4), (Bytes{4, type::kHello, 0, 16}));
  EXPECT_EQ(Bytes(hello.begin() + 8, hello.end()), (Bytes{0, 1, 0, 8, 0, 0, 0, 1U << 1 | 1U << 4}));
  EXPECT_FALSE(bench.of.connected());
  controller->say(kHello);
  EXPECT_TRUE(until([&] { return bench.of.connected(); }));
  EXPECT_EQ(portal.counters().connections, 1U);
  EXPECT_EQ(portal.counters().lost, 0U);
  EXPECT_EQ(portal.counters().sent_bytes, 16U);
  EXPECT_EQ(portal.counters().received_bytes, 8U);
  EXPECT_EQ(log.told, std::vector<std::string>{"controller 1"});
  EXPECT_EQ(log.said[1], 8U);
}

TEST_F(OpenFlowPortalTest, an_echo_is_answered_with_its_number_and_data) {
  add_controller();
  const auto controller = greeted();
  controller->say(message(type::kEchoRequest, 0x1234'5678, {1, 2, 3}));
  ASSERT_TRUE(hears(*controller, 1));
  EXPECT_EQ(controller->heard[0], message(type::kEchoReply, 0x1234'5678, {1, 2, 3}));
}

TEST_F(OpenFlowPortalTest, messages_that_come_byte_by_byte_are_put_together) {
  add_controller();
  const auto controller = greeted();
  const Bytes request = message(type::kEchoRequest, 5, {1, 2, 3});
  for (const std::uint8_t byte : request) {
    EXPECT_TRUE(controller->heard.empty());
    const std::uint64_t before = portal.counters().received_bytes;
    controller->say({byte});
    ASSERT_TRUE(until([&] { return portal.counters().received_bytes == before + 1; }));
    controller->hear();
  }
  ASSERT_TRUE(hears(*controller, 1));
  EXPECT_EQ(controller->heard[0], message(type::kEchoReply, 5, {1, 2, 3}));
}

TEST_F(OpenFlowPortalTest, many_messages_at_once_are_answered_in_their_order_over_several_turns) {
  constexpr std::uint32_t kMany = 2'000;
  add_controller();
  const auto controller = greeted();
  Bytes all;
  for (std::uint32_t xid = 0; xid < kMany; ++xid) {
    const Bytes request = message(type::kEchoRequest, xid);
    all.insert(all.end(), request.begin(), request.end());
  }
  ASSERT_EQ(controller->say(all), all.size());
  const std::uint64_t before = portal.counters().sent_bytes;
  turn();
  // poll() and flush() have an effort each, of which a message costs kMessageEffort at least.
  constexpr std::uint64_t kMostInATurn = 2 * (openflow::kEffortAtOnce / openflow::kMessageEffort + 1);
  EXPECT_LE((portal.counters().sent_bytes - before) / 8, kMostInATurn);
  ASSERT_TRUE(hears(*controller, kMany));
  EXPECT_EQ(controller->heard.size(), kMany);
  for (std::uint32_t xid = 0; xid < kMany; ++xid) EXPECT_EQ(xid_of(controller->heard[xid]), xid);
}

TEST_F(OpenFlowPortalTest, a_controller_that_leaves_is_missed_and_looked_for_50_ms_later) {
  address = "unix:" + free_path();
  add_controller();
  auto controller = greeted();
  controller.reset();
  EXPECT_TRUE(until([&] { return portal.counters().lost == 1; }));
  EXPECT_FALSE(bench.of.connected());
  EXPECT_EQ(log.told, (std::vector<std::string>{"controller 1", "end 1"}));
  pass(Duration::ms(49));
  EXPECT_FALSE(listener->accept());
  pass(Duration::ms(1));
  const auto again = greeted();
  EXPECT_EQ(portal.counters().connections, 2U);
  EXPECT_EQ(log.told.back(), "controller 2");
}

// The waiting time after an attempt doubles, from 50 ms up to the longest, and starts again once both have greeted.
TEST_F(OpenFlowPortalTest, a_controller_that_hangs_up_is_tried_after_times_that_double_up_to_the_longest) {
  address = "unix:" + free_path();
  add_controller(Duration::ms(300));
  std::vector<std::int64_t> tried;
  const auto hang_up = [&] {
    while (tried.size() < 6 && now_ms() < 10'000) {
      if (listener->accept()) tried.push_back(now_ms());
      pass(Duration::ms(10));
    }
  };
  turn();
  hang_up();
  EXPECT_EQ(tried.at(0), 0);
  // The portal looks for who has hung up in turns, 10 ms apart here, and for who is due in sweeps, 50 ms apart.
  const std::array<std::int64_t, 5> waited{50, 100, 200, 300, 300};
  for (std::size_t at = 0; at < waited.size(); ++at) {
    EXPECT_GE(tried.at(at + 1) - tried.at(at), waited[at]);
    EXPECT_LE(tried.at(at + 1) - tried.at(at), waited[at] + 10 + 50);
  }
  pass(Duration::ms(360));
  auto controller = greeted();
  controller.reset();
  EXPECT_TRUE(until([&] { return portal.counters().lost == 7; }));
  pass(Duration::ms(100));
  EXPECT_TRUE(listener->accept());
}

TEST_F(OpenFlowPortalTest, a_controller_that_is_not_there_is_found_when_it_comes) {
  address = "unix:" + free_path();
  portal.add(bench.of, {.controllers = {address}, .listens = {}, .longest_retry = Duration::seconds(1)});
  turn();
  pass(Duration::ms(800));  // tried at 0, 50, 150, 350 and 750 ms, and refused
  EXPECT_EQ(portal.counters().connections, 0U);
  EXPECT_EQ(portal.counters().lost, 0U);
  EXPECT_TRUE(log.told.empty());
  listener = std::make_unique<StreamListener>(StreamAddress::parse(address));
  pass(Duration::ms(700));
  EXPECT_FALSE(listener->accept());  // 1500 ms: the next is 800 ms after the last
  pass(Duration::ms(100));
  greeted();
  EXPECT_EQ(portal.counters().connections, 1U);
}

// OpenFlow 1.3.5, 6.3.1: without a common version the answer is OFPET_HELLO_FAILED, OFPHFC_INCOMPATIBLE, and an end.
TEST_F(OpenFlowPortalTest, a_controller_of_another_version_is_told_so_and_left) {
  add_controller();
  const auto controller = accept();
  ASSERT_TRUE(hears(*controller, 1));
  controller->say(message(type::kHello, 1, {0, 1, 0, 8, 0, 0, 0, 1U << 5}, 5));  // 1.4 only
  ASSERT_TRUE(ends(*controller));
  ASSERT_EQ(controller->heard.size(), 2U);
  EXPECT_EQ(type_of(controller->heard[1]), type::kError);
  EXPECT_EQ(load_be32(controller->heard[1].data() + 8), 0U);  // type 0, code 0
  EXPECT_EQ(portal.counters().lost, 1U);
}

// OpenFlow 1.3.5, 7.5.4.3: OFPET_BAD_REQUEST (1), OFPBRC_BAD_LEN (6).
TEST_F(OpenFlowPortalTest, where_the_next_message_begins_cannot_be_known_after_a_length_below_8) {
  add_controller();
  const auto controller = greeted();
  controller->say({4, type::kEchoRequest, 0, 7, 0, 0, 0, 3});
  ASSERT_TRUE(ends(*controller));
  ASSERT_EQ(controller->heard.size(), 1U);
  EXPECT_EQ(type_of(controller->heard[0]), type::kError);
  EXPECT_EQ(load_be32(controller->heard[0].data() + 8), 1U << 16 | 6U);
}

TEST_F(OpenFlowPortalTest, what_a_controller_said_before_it_left_is_done) {
  add_controller();
  auto controller = greeted();
  Bytes all;
  for (int i = 0; i < 1'000; ++i) {  // more than a turn does
    const Bytes one = packet_out(2);
    all.insert(all.end(), one.begin(), one.end());
  }
  ASSERT_EQ(controller->say(all), all.size());
  controller.reset();
  EXPECT_TRUE(until([&] { return portal.counters().lost == 1; }));
  EXPECT_EQ(bench.of.counters().packet_outs, 1'000U);
  ASSERT_EQ(bench.sent.size(), 1'000U);
  EXPECT_EQ(bench.sent[999], std::make_pair(2U, openflow::tcp_frame()));
}

TEST_F(OpenFlowPortalTest, who_is_silent_for_5_s_is_asked_for_an_echo_and_stays_if_it_answers) {
  add_controller();
  const auto controller = greeted();
  for (std::uint32_t time = 0; time < 3; ++time) {
    pass(Switch::kProbe - Duration::ms(100));
    controller->hear();
    EXPECT_TRUE(controller->heard.empty());
    pass(Duration::ms(200));
    ASSERT_TRUE(hears(*controller, 1));
    ASSERT_EQ(controller->heard.size(), 1U);
    EXPECT_EQ(type_of(controller->heard[0]), type::kEchoRequest);
    const std::uint64_t before = portal.counters().received_bytes;
    controller->say(message(type::kEchoReply, xid_of(controller->heard[0])));
    EXPECT_TRUE(until([&] { return portal.counters().received_bytes == before + 8; }));
    controller->heard.clear();
  }
  EXPECT_TRUE(bench.of.connected());
}

TEST_F(OpenFlowPortalTest, who_does_not_answer_an_echo_for_as_long_again_is_given_up) {
  add_controller();
  const auto controller = greeted();
  pass(Switch::kProbe * 2 - Duration::ms(100));
  EXPECT_TRUE(bench.of.connected());
  pass(Duration::ms(200));
  EXPECT_FALSE(bench.of.connected());
  EXPECT_EQ(portal.counters().lost, 1U);
  controller->hear();
  EXPECT_EQ(controller->heard.size(), 1U);  // asked once
  EXPECT_TRUE(controller->over);
}

TEST_F(OpenFlowPortalTest, who_is_not_listened_to_for_what_it_said_before_is_not_given_up_as_silent) {
  // One modification a second, for which nobody wakes the switch here: all but the first wait.
  Bench slow(4, {.name = "s2", .dpid = 2, .setup_rate = 1});
  listener = std::make_unique<StreamListener>(StreamAddress::parse(address));
  portal.add(slow.of, {.controllers = {address}, .listens = {}, .longest_retry = Duration::seconds(1)});
  const auto controller = accept();
  controller->say(kHello);
  ASSERT_TRUE(until([&] { return slow.of.connected(); }));
  const Bytes one = message(type::kFlowMod, 2, openflow::FlowModText{.priority = 7}.bytes());
  Bytes fifty;
  for (int i = 0; i < 50; ++i) fifty.insert(fifty.end(), one.begin(), one.end());
  std::size_t said = 0;
  EXPECT_TRUE(until([&] { return (said += controller->say(fifty)) >= Session::kMostInput + 65'536; }));
  pass(Switch::kProbe * 2 + Duration::seconds(1));
  EXPECT_TRUE(slow.of.connected());
  portal.remove(slow.of);
}

TEST_F(OpenFlowPortalTest, who_says_something_but_no_hello_is_given_up_after_10_s) {
  add_controller();
  const auto controller = accept();
  for (int second = 0; second < 9; ++second) {
    controller->say(message(type::kEchoRequest, 1));
    pass(Duration::seconds(1));
  }
  controller->hear();
  EXPECT_FALSE(controller->over);
  controller->say(message(type::kEchoRequest, 1));
  pass(Duration::ms(1'100));
  EXPECT_TRUE(ends(*controller));
  EXPECT_EQ(portal.counters().lost, 1U);
}

// While more than kMostOutput waits for a controller that does not read, it hears of no packet and is not read itself.
TEST_F(OpenFlowPortalTest, a_controller_that_does_not_read_loses_packet_ins_that_are_counted) {
  add_controller();
  const auto controller = greeted();
  send_misses_to(*controller);
  const Bytes frame(1'500);
  const Switch::Counters& counters = bench.of.counters();
  std::uint64_t received = 0;
  // Until the kernel takes no more.
  for (int dropped_all = 0; dropped_all < 10 && received < 100'000; turn()) {
    const std::uint64_t before = counters.packet_ins_dropped;
    for (int i = 0; i < 64; ++i, ++received) bench.receive(1, frame);
    dropped_all = counters.packet_ins_dropped == before + 64 ? dropped_all + 1 : 0;
  }
  EXPECT_EQ(counters.packet_ins, received);
  ASSERT_GE(counters.packet_ins_dropped, 640U);
  // The socket's buffers take some; the session keeps no more than its bound and one message.
  EXPECT_LE((received - counters.packet_ins_dropped) * 1'500,
            portal.counters().sent_bytes + Session::kMostOutput + 2 * 2'000);
  const std::uint64_t before = portal.counters().received_bytes;
  controller->say(message(type::kEchoRequest, 77));
  for (int i = 0; i < 100; ++i) turn();
  EXPECT_EQ(portal.counters().received_bytes, before);
  const std::size_t kept = static_cast<std::size_t>(received - counters.packet_ins_dropped);
  ASSERT_TRUE(hears(*controller, kept + 1));  // all that was not dropped, whole, and then the echo
  for (std::size_t at = 0; at < kept; ++at) {
    ASSERT_EQ(type_of(controller->heard[at]), type::kPacketIn);
    EXPECT_EQ(Bytes(controller->heard[at].end() - 1'500, controller->heard[at].end()), frame);
  }
  EXPECT_EQ(xid_of(controller->heard[kept]), 77U);
  const std::uint64_t dropped = counters.packet_ins_dropped;
  bench.receive(1, frame);
  EXPECT_TRUE(hears(*controller, kept + 2));
  EXPECT_EQ(counters.packet_ins_dropped, dropped);
}

TEST_F(OpenFlowPortalTest, who_asks_and_does_not_read_is_heard_no_further_until_it_reads) {
  add_controller();
  const auto controller = greeted();
  // Longer echoes than the buffers of two sockets and the session hold.
  const Bytes request = message(type::kEchoRequest, 3, Bytes(8'000, 0x5a));
  std::size_t said = 0;
  const auto say_more = [&] {
    // The rest of the request that the kernel has not taken whole.
    const auto rest = static_cast<std::ptrdiff_t>(said % request.size());
    said += controller->say(Bytes(request.begin() + rest, request.end()));
  };
  std::uint64_t before = 0;
  do {
    before = portal.counters().received_bytes + said;
    for (int i = 0; i < 100; ++i) {
      say_more();
      turn();
    }
  } while (portal.counters().received_bytes + said != before && said < (std::size_t{1} << 30));
  ASSERT_LT(said, std::size_t{1} << 30);
  // In all: what the kernel took of the answers, the session's output, and one message above that.
  EXPECT_LE(portal.counters().received_bytes,
            portal.counters().sent_bytes + Session::kMostOutput + Session::kMostInput + request.size() + 16);
  const std::size_t whole = (said + request.size() - 1) / request.size();
  ASSERT_TRUE(until([&] {
    if (said < whole * request.size()) say_more();
    controller->hear();
    return controller->heard.size() == whole;
  }));
  EXPECT_TRUE(std::ranges::all_of(controller->heard, [&](const Bytes& each) {
    return type_of(each) == type::kEchoReply && each.size() == request.size();
  }));
}

TEST_F(OpenFlowPortalTest, a_broken_session_whose_peer_does_not_take_its_last_words_ends_after_10_s) {
  add_controller();
  const auto controller = greeted();
  send_misses_to(*controller);
  std::uint64_t received = 0;  // until the kernel takes no more, and the session has room
  while (received * 1'500 < portal.counters().sent_bytes + 100'000) {
    bench.receive(1, Bytes(1'500));
    if (++received % 32 == 0) turn();
  }
  ASSERT_EQ(bench.of.counters().packet_ins_dropped, 0U);
  controller->say({4, type::kEchoRequest, 0, 7, 0, 0, 0, 3});
  EXPECT_TRUE(until([&] { return !bench.of.connected(); }));  // broken, and not yet ended
  pass(Duration::ms(9'900));
  EXPECT_EQ(portal.counters().lost, 0U);
  pass(Duration::ms(200));
  EXPECT_EQ(portal.counters().lost, 1U);
}

TEST_F(OpenFlowPortalTest,
       of_many_switches_only_32_greet_the_same_controller_at_a_time_and_16_begin_at_once) {
  address = "unix:" + free_path();
  listener = std::make_unique<StreamListener>(StreamAddress::parse(address));
  std::deque<Bench> benches;
  for (int i = 0; i < 50; ++i) {
    benches.emplace_back();
    portal.add(benches.back().of,
               {.controllers = {address}, .listens = {}, .longest_retry = Duration::seconds(1)});
  }
  std::vector<std::unique_ptr<Peer>> controllers;
  const auto accept_all = [&] {
    while (auto taken = listener->accept()) controllers.push_back(std::make_unique<Peer>(std::move(*taken)));
    return controllers.size();
  };
  const auto accepts = [&](std::size_t number) {  // so many in all
    return until([&] { return accept_all() >= number; }) && controllers.size() == number;
  };
  EXPECT_TRUE(accepts(16));
  pass(Duration::ms(40));  // sweeps are 1 ms apart while more are to be connected
  EXPECT_TRUE(accepts(32));
  pass(Duration::ms(40));
  EXPECT_TRUE(accepts(32));
  EXPECT_EQ(portal.counters().connections, 32U);
  for (std::size_t i = 0; i < 10; ++i) controllers[i]->say(kHello);
  ASSERT_TRUE(until([&] { return portal.counters().received_bytes == 10 * kHello.size(); }));
  pass(Duration::ms(10));
  EXPECT_TRUE(accepts(42));
  controllers.clear();  // ten are lost that were greeted, 32 that were not
  ASSERT_TRUE(until([&] { return portal.counters().lost == 42; }));
  for (int i = 0; i < 200; ++i) {
    pass(Duration::ms(1));
    accept_all();
  }
  EXPECT_TRUE(accepts(32));
  for (Bench& each : benches) portal.remove(each.of);
}

TEST_F(OpenFlowPortalTest, of_two_that_say_a_lot_each_has_its_turn) {
  constexpr std::size_t kMany = 2'000;  // more than the effort of a turn is for
  Bench other;
  add_controller();
  portal.add(other.of, {.controllers = {address}, .listens = {}});
  std::array<std::unique_ptr<Peer>, 2> controllers{greeted(), accept()};
  controllers[1]->say(kHello);
  ASSERT_TRUE(until([&] { return other.of.connected(); }));
  Bytes all;
  for (std::uint32_t xid = 0; xid < kMany; ++xid) {
    const Bytes request = message(type::kEchoRequest, xid);
    all.insert(all.end(), request.begin(), request.end());
  }
  for (const auto& each : controllers) {
    each->hear();
    each->heard.clear();
    ASSERT_EQ(each->say(all), all.size());
  }
  ASSERT_TRUE(until([&] {
    for (const auto& each : controllers) each->hear();
    return std::ranges::any_of(controllers, [](const auto& each) { return each->heard.size() == kMany; });
  }));
  for (const auto& each : controllers) EXPECT_GT(each->heard.size(), kMany / 4);
  for (const auto& each : controllers) EXPECT_TRUE(hears(*each, kMany));
  portal.remove(other.of);
}

TEST_F(OpenFlowPortalTest, a_controller_whose_end_is_found_in_writing_is_missed_at_once) {
  address = "unix:" + free_path();
  add_controller();
  auto controller = greeted();
  send_misses_to(*controller);
  controller.reset();
  bench.receive(1, openflow::tcp_frame());
  portal.flush();
  EXPECT_EQ(portal.counters().lost, 1U);
  EXPECT_FALSE(bench.of.connected());
}

TEST_F(OpenFlowPortalTest, a_connection_that_is_not_decided_is_given_up_after_10_s_and_was_none) {
  listener = std::make_unique<StreamListener>(StreamAddress::parse(address));
  std::vector<StreamSocket>
      waiting;  // which fill the listener's queue: the kernel lets further ones wait outside
  const auto decided = [](const StreamSocket& socket) {
    pollfd watched{socket.fd(), POLLOUT, 0};
    return ::poll(&watched, 1, 100) == 1;
  };
  do {
    auto socket = StreamSocket::connect(StreamAddress::parse(address));
    ASSERT_TRUE(socket);
    waiting.push_back(std::move(*socket));
  } while (decided(waiting.back()) && waiting.size() < 1'000);
  ASSERT_LT(waiting.size(), 1'000U);
  portal.add(bench.of, {.controllers = {address}, .listens = {}});
  pass(Duration::seconds(25));  // given up and tried again, twice
  EXPECT_EQ(portal.counters().connections, 0U);
  EXPECT_EQ(portal.counters().lost, 0U);
  EXPECT_TRUE(log.told.empty());
}

TEST_F(OpenFlowPortalTest, nobody_needs_to_hear_of_what_peers_do) {
  OpenFlowPortal silent(simulation, nullptr);
  const std::string at = free_tcp_address();
  silent.add(bench.of, {.controllers = {}, .listens = {at}});
  auto manager = std::make_unique<Peer>(*StreamSocket::connect(StreamAddress::parse(at)));
  const auto turn_silent = [&] {
    silent.poll();
    silent.flush();
    manager->hear();
  };
  manager->say(kHello);
  manager->say(message(type::kEchoRequest, 4));
  EXPECT_TRUE(comes_true([&] { return manager->heard.size() == 2; }, turn_silent));
  silent.remove(bench.of);
  EXPECT_TRUE(comes_true([&] { return manager->over; }, turn_silent));
}

TEST_F(OpenFlowPortalTest, who_manages_a_switch_connects_by_tcp_or_a_unix_socket) {
  const std::string path = free_path();
  const std::vector<std::string> addresses{free_tcp_address(), "unix:" + path};
  portal.add(bench.of, {.controllers = {}, .listens = addresses});
  for (const std::string& each : addresses) {
    const auto manager = service(each);
    EXPECT_EQ(type_of(manager->heard[0]), type::kHello);
    manager->say(kHello);
    manager->say(message(type::kFeaturesRequest, 8));
    ASSERT_TRUE(hears(*manager, 2));
    EXPECT_EQ(type_of(manager->heard[1]), type::kFeaturesReply);
    EXPECT_EQ(load_be64(manager->heard[1].data() + 8), 1U);  // the datapath's number
  }
  EXPECT_TRUE(until([&] { return log.told.size() == 4; }));
  EXPECT_TRUE(log.told[0].starts_with("service "));
  EXPECT_FALSE(bench.of.connected());  // none of them is a controller
  EXPECT_EQ(portal.counters().connections, 0U);
  EXPECT_EQ(portal.counters().lost, 0U);
  portal.remove(bench.of);
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(OpenFlowPortalTest, a_manager_hears_of_no_packet_and_is_probed_after_a_minute) {
  const std::string at = free_tcp_address();
  portal.add(bench.of, {.controllers = {}, .listens = {at}});
  const auto manager = service(at);
  manager->say(kHello);
  send_misses_to(*manager);
  bench.receive(1, openflow::tcp_frame());
  pass(Duration::seconds(59));
  manager->hear();
  EXPECT_EQ(manager->heard.size(), 1U);
  pass(Duration::seconds(2));
  ASSERT_TRUE(hears(*manager, 2));
  EXPECT_EQ(type_of(manager->heard[1]), type::kEchoRequest);
  pass(Duration::seconds(60));
  EXPECT_TRUE(ends(*manager));
}

TEST_F(OpenFlowPortalTest, a_switch_takes_16_managers_and_closes_the_others) {
  const std::string at = free_tcp_address();
  portal.add(bench.of, {.controllers = {}, .listens = {at}});
  std::vector<std::unique_ptr<Peer>> managers;
  for (int i = 0; i < 16; ++i) managers.push_back(service(at));
  Peer refused(*StreamSocket::connect(StreamAddress::parse(at)));
  EXPECT_TRUE(ends(refused));
  EXPECT_TRUE(refused.heard.empty());
  managers.pop_back();
  EXPECT_TRUE(until([&] { return log.told.back() == "end 17"; }));  // 1 is the listener
  managers.push_back(service(at));
  for (const auto& each : managers) {
    each->hear();
    EXPECT_FALSE(each->over);
  }
}

TEST_F(OpenFlowPortalTest, a_switch_that_is_removed_leaves_its_controllers_and_its_managers) {
  const std::string at = free_tcp_address();
  Bench other;
  listener = std::make_unique<StreamListener>(StreamAddress::parse(address));
  portal.add(bench.of, {.controllers = {address}, .listens = {at}});
  const auto controller = greeted();
  portal.add(other.of, {.controllers = {address}, .listens = {free_tcp_address()}});
  pass(Duration::ms(60));
  const auto of_other = accept();
  const auto manager = service(at);
  portal.remove(bench.of);
  EXPECT_TRUE(ends(*controller));
  EXPECT_TRUE(ends(*manager));
  EXPECT_FALSE(bench.of.connected());
  const StreamListener free(StreamAddress::parse(at));
  pass(Duration::seconds(2));
  EXPECT_FALSE(listener->accept());  // it is looked for no more
  of_other->say(kHello);
  EXPECT_TRUE(until([&] { return other.of.connected(); }));
  portal.remove(other.of);
}

TEST_F(OpenFlowPortalTest, an_address_that_is_none_or_taken_adds_nothing) {
  const std::string at = free_tcp_address();
  EXPECT_THROW(portal.add(bench.of, {.controllers = {"tcp:here:6653"}, .listens = {at}}), ConfigError);
  EXPECT_THROW(portal.add(bench.of, {.controllers = {address}, .listens = {at, at}}), EnvironmentError);
  EXPECT_THROW(portal.add(bench.of, {.controllers = {address}, .listens = {at, "unix:"}}), ConfigError);
  listener = std::make_unique<StreamListener>(StreamAddress::parse(address));
  pass(Duration::ms(100));
  EXPECT_FALSE(listener->accept());
  portal.add(bench.of, {.controllers = {}, .listens = {at}});
}

TEST_F(OpenFlowPortalTest, without_anything_to_do_its_descriptor_is_not_ready) {
  add_controller();
  const auto controller = greeted();
  turn();
  pollfd watched{portal.fd(), POLLIN, 0};
  EXPECT_EQ(::poll(&watched, 1, 0), 0);
  EXPECT_EQ(portal.poll(), 0U);
  const Pollable::Flushed flushed = portal.flush();
  EXPECT_EQ(flushed.frames, 0U);
  EXPECT_FALSE(flushed.left);
  controller->say(message(type::kEchoRequest, 1));
  EXPECT_EQ(::poll(&watched, 1, 10'000), 1);
}

}  // namespace
}  // namespace simcore
