// SPDX-License-Identifier: MIT
//
//   client 10.0.0.1 ---- link, 100 Mbit/s, 5 ms ---- server 10.0.0.2
#include "simcore/stack/tcp_sockets.h"

#include <gtest/gtest.h>

#include "simcore/application/tcp_services.h"
#include "simcore/stack/host.h"
#include "simcore/units/error.h"
#include "tests/simcore/stack/station.h"

namespace simcore {
namespace {

using testing::pattern;

// Writes real bytes, keeps what comes back, closes when all of it is there.
class EchoClient final : public TcpUser {
 public:
  explicit EchoClient(std::vector<std::uint8_t> bytes) : sent_(std::move(bytes)) {}
  void tcp_changed(TcpSocket& socket) override {
    written_ += static_cast<std::size_t>(socket.write(std::span(sent_).subspan(written_)));
    std::array<std::uint8_t, 1000> bytes;
    while (socket.connection().readable() > 0) {
      const std::int64_t got = socket.read(bytes);
      received.insert(received.end(), bytes.begin(), bytes.begin() + got);
    }
    if (received.size() == sent_.size()) socket.close();
  }
  void tcp_closed(TcpSocket& socket) override {
    closed = true;
    error = socket.connection().error();
  }

  std::vector<std::uint8_t> received;
  bool closed = false;
  TcpError error = TcpError::none;

 private:
  std::vector<std::uint8_t> sent_;
  std::size_t written_ = 0;
};

// Takes what comes, and never closes.
class KeepsOpen final : public TcpListener, public TcpUser {
 public:
  TcpUser& tcp_accept(TcpSocket& /*socket*/) override { return *this; }
  void tcp_changed(TcpSocket& socket) override { socket.discard(socket.connection().readable()); }
  void tcp_closed(TcpSocket& /*socket*/) override {}
};

class TcpSocketsTest : public ::testing::Test {
 protected:
  static Link::Config link() {
    Link::Config config;
    config.rate = DataRate::mbps(100);
    config.propagation_delay = Duration::ms(5);
    return config;
  }
  TcpSocketsTest() {
    client_interface_.attach(forth_);
    server_interface_.attach(back_);
  }
  void run_seconds(std::int64_t seconds) {
    simulation_.run_until(simulation_.now() + Duration::seconds(seconds));
  }

  Simulation simulation_{1};
  PacketPool pool_;
  Host client_{simulation_, pool_, "client"};
  Host server_{simulation_, pool_, "server"};
  Interface& client_interface_ = client_.add_interface(
      {"client-eth0", MacAddress::parse("02:00:00:00:00:01"), Ipv4InterfaceAddress::parse("10.0.0.1/24")});
  Interface& server_interface_ = server_.add_interface(
      {"server-eth0", MacAddress::parse("02:00:00:00:00:02"), Ipv4InterfaceAddress::parse("10.0.0.2/24")});
  Link forth_{simulation_, pool_, "forth", link(), server_interface_};
  Link back_{simulation_, pool_, "back", link(), client_interface_};
  TcpSockets at_client_{simulation_, client_};
  TcpSockets at_server_{simulation_, server_, 3};
  const Ipv4Address remote_ = Ipv4Address::parse("10.0.0.2");
};

TEST_F(TcpSocketsTest, bulk_data_arrives_at_nearly_the_rate_of_the_link) {
  for (const std::uint16_t train : {std::uint16_t{1}, std::uint16_t{44}}) {
    TcpOptions options = TcpOptions::linux_like();
    options.longest_train = train;
    TcpDiscard discard;
    const auto port = static_cast<std::uint16_t>(9 + train);
    at_server_.listen(port, discard, options);
    constexpr std::int64_t kBytes = 50'000'000;
    TcpBulkSender sender(kBytes);
    const SimTime start = simulation_.now();
    ASSERT_NE(at_client_.connect(remote_, port, sender, options), nullptr);
    // 1448 of 1514 bytes of a frame are payload: 4.18 s, and less than a tenth more to get going and to recover.
    const Duration least = Duration::ns(kBytes * 8 * 1514 / 1448 * 10);
    while (discard.received() < kBytes && simulation_.now() < start + least * 2) {
      ASSERT_TRUE(simulation_.fire_next(SimTime::never()));
    }
    EXPECT_EQ(discard.received(), kBytes);
    EXPECT_GE(simulation_.now() - start, least);
    EXPECT_LE(simulation_.now() - start, least * 11 / 10);
    run_seconds(61);
    EXPECT_TRUE(sender.finished());
    EXPECT_EQ(sender.error(), TcpError::none);
    EXPECT_EQ(discard.closed(), 1U);
  }
  EXPECT_EQ(at_client_.connections(), 0U);
  EXPECT_EQ(at_server_.connections(), 0U);
  EXPECT_EQ(pool_.in_use(), 0U);
}

TEST_F(TcpSocketsTest, an_echo_gives_every_byte_back) {
  TcpEcho echo;
  at_server_.listen(7, echo, TcpOptions::linux_like());
  const auto bytes = pattern(1'000'000);
  EchoClient client(bytes);
  ASSERT_NE(at_client_.connect(remote_, 7, client, TcpOptions::linux_like()), nullptr);
  run_seconds(70);
  EXPECT_EQ(client.received, bytes);
  EXPECT_TRUE(client.closed);
  EXPECT_EQ(client.error, TcpError::none);
}

// net.ipv4.tcp_fin_timeout: 60 s after the FIN was acknowledged.
TEST_F(TcpSocketsTest, who_closes_does_not_wait_for_ever_for_a_peer_that_does_not) {
  KeepsOpen peer;
  at_server_.listen(9, peer, TcpOptions::linux_like());
  TcpBulkSender sender(1);
  ASSERT_NE(at_client_.connect(remote_, 9, sender, TcpOptions::linux_like()), nullptr);
  run_seconds(59);
  EXPECT_EQ(at_client_.connections(), 1U);
  run_seconds(2);
  EXPECT_EQ(at_client_.connections(), 0U);
  EXPECT_EQ(sender.error(), TcpError::none);
  EXPECT_EQ(at_server_.connections(), 1U);  // in CLOSE-WAIT
}

// RFC 1122 section 4.2.2.13.
TEST_F(TcpSocketsTest, what_comes_for_who_has_closed_is_reset) {
  TcpChargen peer;
  at_server_.listen(19, peer, TcpOptions::linux_like());
  TcpBulkSender sender(1);
  ASSERT_NE(at_client_.connect(remote_, 19, sender, TcpOptions::linux_like()), nullptr);
  run_seconds(1);
  EXPECT_EQ(at_client_.connections(), 0U);
  EXPECT_EQ(at_server_.connections(), 0U);
  EXPECT_EQ(sender.error(), TcpError::aborted);
}

TEST_F(TcpSocketsTest, a_closed_port_refuses) {
  TcpBulkSender sender(1);
  ASSERT_NE(at_client_.connect(remote_, 80, sender, TcpOptions::rfc()), nullptr);
  run_seconds(1);
  EXPECT_TRUE(sender.finished());
  EXPECT_EQ(sender.error(), TcpError::refused);
  EXPECT_EQ(server_.dropped().of(DropReason::no_listener), 1U);
}

// Three requests of ARP, a second apart. Linux gives up then (tcp_v4_err), and RFC 1122 section 4.2.3.9 goes on trying.
TEST_F(TcpSocketsTest, a_peer_that_is_not_on_the_link_is_unreachable) {
  const Ipv4Address absent = Ipv4Address::parse("10.0.0.77");
  TcpBulkSender sender(1);
  ASSERT_NE(at_client_.connect(absent, 80, sender, TcpOptions::linux_like()), nullptr);
  TcpOptions options = TcpOptions::rfc();
  options.syn_retries = 2;
  TcpBulkSender patient(1);
  ASSERT_NE(at_client_.connect(absent, 80, patient, options), nullptr);
  simulation_.run_until(SimTime::zero() + Duration::ms(2'999));
  EXPECT_FALSE(sender.finished());
  simulation_.run_until(SimTime::zero() + Duration::ms(3'001));
  EXPECT_EQ(sender.error(), TcpError::unreachable);
  EXPECT_FALSE(patient.finished());
  simulation_.run_until(SimTime::zero() + Duration::seconds(8));
  EXPECT_EQ(patient.error(), TcpError::unreachable);
  EXPECT_EQ(at_client_.connections(), 0U);
}

TEST_F(TcpSocketsTest, above_the_limit_a_syn_is_dropped_and_counted) {
  TcpDiscard discard;
  at_server_.listen(9, discard, TcpOptions::rfc());
  std::vector<std::unique_ptr<TcpBulkSender>> senders;
  for (int i = 0; i < 4; ++i) {
    senders.push_back(std::make_unique<TcpBulkSender>(TcpBulkSender::kForever));
    ASSERT_NE(at_client_.connect(remote_, 9, *senders.back(), TcpOptions::rfc()), nullptr);
  }
  simulation_.run_until(SimTime::zero() + Duration::ms(500));
  EXPECT_EQ(discard.accepted(), 3U);
  EXPECT_EQ(server_.dropped().of(DropReason::queue_full), 1U);
}

TEST_F(TcpSocketsTest, without_a_route_there_is_no_connection) {
  TcpBulkSender sender(1);
  EXPECT_EQ(at_client_.connect(Ipv4Address::parse("10.9.0.1"), 80, sender, TcpOptions::rfc()), nullptr);
}

TEST_F(TcpSocketsTest, a_port_is_listened_at_once) {
  TcpDiscard discard;
  at_server_.listen(9, discard, TcpOptions::rfc());
  EXPECT_THROW(at_server_.listen(9, discard, TcpOptions::rfc()), ConfigError);
}

// Or it would send without end.
TEST_F(TcpSocketsTest, keep_alives_without_a_pause_are_refused) {
  TcpDiscard discard;
  TcpOptions options = TcpOptions::linux_like();
  options.keepalive_idle = Duration::zero();
  EXPECT_THROW(at_server_.listen(9, discard, options), ConfigError);
}

}  // namespace
}  // namespace simcore
