// SPDX-License-Identifier: MIT
//
// The client's side of the protocol, written out by hand; tests/system/interop_test.py has a real client.
#include "simcore/application/iperf3_server.h"

#include <memory>

#include "simcore/application/tcp_services.h"
#include "tests/simcore/stack/host_pair.h"

namespace simcore {
namespace {

using testing::Conversation;

const std::string kCookie = std::string(36, 'c') + '\0';
const std::string kOtherCookie = std::string(36, 'o') + '\0';

std::string message(const std::string& text) { return iperf3_frame(*Json::parse(text)); }

class Iperf3ServerTest : public testing::HostPair {
 protected:
  Iperf3ServerTest() {
    server_tcp_.listen(5'201, iperf3_, TcpOptions::linux_like());
    server_.udp().bind(5'201, iperf3_);
  }
  std::unique_ptr<Conversation> connect(const std::string& first) {
    auto client = std::make_unique<Conversation>(first);
    client_tcp_.connect(at_server_, 5'201, *client, TcpOptions::linux_like());
    run(Duration::ms(50));
    return client;
  }
  std::unique_ptr<Conversation> control(const std::string& parameters) {
    auto client = connect(kCookie);
    EXPECT_EQ(client->received, "\x09");
    client->say(message(parameters));
    run(Duration::ms(50));
    EXPECT_EQ(client->received, "\x09\x0a");
    client->received.clear();
    return client;
  }
  // Ends the running test and returns the server's results.
  Json finish(Conversation& client) {
    client.received.clear();
    client.say("\x04");
    run(Duration::ms(50));
    EXPECT_EQ(client.received, "\x0d");
    client.received.clear();
    client.say(message(R"({"streams":[]})"));
    run(Duration::ms(50));
    EXPECT_TRUE(client.received.ends_with('\x0e'));
    const auto results = Json::parse(std::string_view(client.received).substr(4, client.received.size() - 5));
    client.say("\x10");
    run(Duration::seconds(70));
    EXPECT_TRUE(client.closed);
    EXPECT_EQ(client.error, TcpError::none);
    return results.value_or(Json());
  }

  Iperf3Server iperf3_{simulation_, server_};
  TcpSockets client_tcp_{simulation_, client_};
  TcpSockets server_tcp_{simulation_, server_};
};

TEST_F(Iperf3ServerTest, a_test_counts_what_its_streams_carry) {
  auto client = control(R"({"tcp":true,"time":10,"parallel":2})");
  auto one = connect(kCookie + std::string(1'000, 'x'));
  EXPECT_EQ(client->received, "");
  auto two = connect(kCookie);
  EXPECT_EQ(client->received, "\x01\x02");
  two->say(std::string(500, 'y'));
  run(Duration::ms(50));
  const Json results = finish(*client);
  ASSERT_EQ(results.find("streams")->array()->size(), 2U);
  const Json::Array& streams = *results.find("streams")->array();
  EXPECT_EQ(streams[0].find("id")->integer(), 1);
  EXPECT_EQ(streams[0].find("bytes")->integer(), 1'000);
  EXPECT_EQ(streams[1].find("id")->integer(), 3);
  EXPECT_EQ(streams[1].find("bytes")->integer(), 500);
  EXPECT_EQ(iperf3_.counters().received_bytes, 1'500);
  EXPECT_EQ(iperf3_.counters().tests, 1);
  EXPECT_EQ(iperf3_.counters().failed_tests, 0);
  EXPECT_TRUE(one->closed);
  EXPECT_EQ(server_tcp_.connections(), 0U);
}

TEST_F(Iperf3ServerTest, in_reverse_the_server_keeps_to_the_rate_that_it_is_given) {
  auto client = control(R"({"tcp":true,"time":10,"reverse":true,"bandwidth":8000000,"len":1000})");
  auto stream = connect(kCookie);
  run(Duration::seconds(2));
  // 8 Mbit/s are 1 MB/s, for 2.05 s less three delays until the server has the cookie and one for the data; and a
  // first block at once.
  EXPECT_NEAR(static_cast<double>(stream->received.size()), 2.031e6, 3'000);
  const Json results = finish(*client);
  EXPECT_EQ(results.find("sender_has_retransmits")->integer(), 1);
  EXPECT_EQ(results.find("streams")->array()->front().find("retransmits")->integer(), 0);
}

TEST_F(Iperf3ServerTest, datagrams_are_counted_by_their_numbers) {
  auto client = control(R"({"udp":true,"time":10,"len":100})");
  const UdpEnds ends{.local = Ipv4Address::parse("10.0.0.1"),
                     .remote = at_server_,
                     .local_port = 6'000,
                     .remote_port = 5'201};
  const auto send = [&](std::uint8_t number) {
    const std::array<std::uint8_t, 12> stamp{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, number};
    client_.send(make_udp_frame(ends, stamp, 88, 1, pool_));
  };
  send(0);  // whatever comes first connects
  run(Duration::ms(50));
  EXPECT_EQ(client->received, "\x01\x02");
  for (const std::uint8_t number : std::array<std::uint8_t, 3>{1, 2, 5}) send(number);
  run(Duration::ms(50));
  const Json results = finish(*client);
  const Json& stream = results.find("streams")->array()->front();
  EXPECT_EQ(stream.find("bytes")->integer(), 300);
  EXPECT_EQ(stream.find("packets")->integer(), 5);
  EXPECT_EQ(stream.find("errors")->integer(), 2);
}

TEST_F(Iperf3ServerTest, while_a_test_is_under_way_others_are_denied) {
  auto client = control(R"({"tcp":true,"time":10})");
  auto other = connect(kOtherCookie);
  EXPECT_EQ(other->received, "\xff");
  EXPECT_EQ(iperf3_.counters().denied, 1);
  auto stream = connect(kCookie);
  EXPECT_EQ(client->received, "\x01\x02");
}

TEST_F(Iperf3ServerTest, parameters_that_it_cannot_serve_are_refused_with_an_error) {
  auto client = connect(kCookie);
  client->say(message(R"({"sctp":true})"));
  run(Duration::ms(50));
  EXPECT_EQ(client->received, std::string("\x09\xfe\0\0\0\x72\0\0\0\0", 10));
  EXPECT_EQ(iperf3_.counters().failed_tests, 1);
  control(R"({"tcp":true,"time":1})");  // and the next one is served
}

TEST_F(Iperf3ServerTest, a_client_that_vanishes_does_not_block_the_next) {
  auto gone = control(R"({"tcp":true,"time":10})");
  run(Iperf3Server::kPatience);
  EXPECT_EQ(iperf3_.counters().failed_tests, 1);
  auto next = control(R"({"tcp":true,"time":10})");
  next->socket->abort();
  run(Duration::ms(50));
  EXPECT_EQ(iperf3_.counters().failed_tests, 2);
  control(R"({"tcp":true,"time":10})");
}

}  // namespace
}  // namespace simcore
