// SPDX-License-Identifier: MIT
#include "simcore/sys/udp_socket.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>

#include "simcore/sys/clock.h"
#include "simcore/units/error.h"

namespace simcore {
namespace {

constexpr ByteCount kBuffer = ByteCount::bytes(1 << 20);

bool readable(const UdpSocket& socket, int timeout_ms) {
  pollfd watched{socket.fd(), POLLIN, 0};
  return ::poll(&watched, 1, timeout_ms) == 1;
}

// An address of this machine that no other process of these tests uses, each time with another port.
UdpEndpoint free_endpoint() {
  static std::uint16_t port = 47'000;
  return {(127u << 24) + 1 + static_cast<std::uint32_t>(::getpid()), ++port};
}

class UdpSocketTest : public testing::Test {
 protected:
  void start_b() { b.emplace(b_address, a_address, kBuffer); }

  int send(std::size_t size, std::uint16_t segment_size) {
    const iovec part = {bytes.data(), size};
    const UdpSocket::Message message = {std::span<const iovec>(&part, 1), segment_size};
    return a->send(std::span<const UdpSocket::Message>(&message, 1));
  }

  // The sizes of the datagrams that b got, as soon as `total` bytes are there.
  std::vector<std::size_t> received(std::size_t total) {
    std::vector<std::size_t> sizes;
    while (total > 0 && readable(*b, 2'000)) {
      for (const UdpSocket::Received& message : b->receive()) {
        for (std::size_t at = 0; at < message.bytes.size(); at += message.segment_size) {
          sizes.push_back(std::min(message.segment_size, message.bytes.size() - at));
        }
        total -= std::min(total, message.bytes.size());
      }
    }
    return sizes;
  }

  UdpEndpoint a_address = free_endpoint();
  UdpEndpoint b_address = free_endpoint();
  std::optional<UdpSocket> a{std::in_place, a_address, b_address, kBuffer};
  std::optional<UdpSocket> b;
  std::array<std::uint8_t, 60'000> bytes{};
};

TEST_F(UdpSocketTest, one_message_becomes_datagrams_of_the_segment_size) {
  start_b();
  if (!a->segments()) GTEST_SKIP() << "this kernel has no UDP_SEGMENT";
  ASSERT_EQ(send(3'100, 1'000), 1);
  EXPECT_EQ(received(3'100), std::vector<std::size_t>({1'000, 1'000, 1'000, 100}));
}

TEST_F(UdpSocketTest, a_message_without_segment_size_is_one_datagram) {
  start_b();
  ASSERT_EQ(send(700, 0), 1);
  EXPECT_EQ(received(700), std::vector<std::size_t>({700}));
}

TEST_F(UdpSocketTest, a_message_says_how_long_it_waited) {
  start_b();
  const std::int64_t before = realtime_ns();
  ASSERT_EQ(send(700, 0), 1);
  ASSERT_TRUE(readable(*b, 2'000));
  const auto messages = b->receive();
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_GT(messages[0].waited, Duration::zero());
  EXPECT_LE(messages[0].waited, Duration::ns(realtime_ns() - before));
}

TEST_F(UdpSocketTest, loopback_carries_the_largest_datagram_there_is) {
  EXPECT_EQ(a->largest_datagram(), 65'507u);  // its MTU is 65,536
}

TEST_F(UdpSocketTest, nothing_to_receive_is_no_error) {
  start_b();
  EXPECT_TRUE(b->receive().empty());
}

TEST_F(UdpSocketTest, an_unreachable_port_is_counted_and_the_next_datagram_goes_out) {
  ASSERT_EQ(send(100, 0),
            1);  // nobody is there: the kernel answers with ICMP, and reports that to the next call
  ASSERT_TRUE(readable(*a, 2'000));
  start_b();
  ASSERT_EQ(send(200, 0), 1);
  EXPECT_EQ(a->unreachable(), 1u);
  EXPECT_EQ(received(200), std::vector<std::size_t>({200}));
}

TEST_F(UdpSocketTest, strangers_are_not_heard) {
  start_b();
  UdpSocket stranger(free_endpoint(), b_address, kBuffer);
  const iovec part = {bytes.data(), 100};
  const UdpSocket::Message message = {std::span<const iovec>(&part, 1), 0};
  ASSERT_EQ(stranger.send(std::span<const UdpSocket::Message>(&message, 1)), 1);
  ASSERT_EQ(send(300, 0), 1);
  EXPECT_EQ(received(300), std::vector<std::size_t>({300}));
}

TEST_F(UdpSocketTest, a_datagram_too_large_for_udp_is_refused_with_its_error) {
  start_b();
  std::vector<std::uint8_t> large(70'000);
  const iovec part = {large.data(), large.size()};
  const UdpSocket::Message message = {std::span<const iovec>(&part, 1), 0};
  EXPECT_EQ(a->send(std::span<const UdpSocket::Message>(&message, 1)), -EMSGSIZE);
}

TEST_F(UdpSocketTest, without_a_remote_it_hears_everybody_says_who_it_was_and_answers_whom_it_is_told) {
  b.emplace(b_address, std::nullopt, kBuffer);
  EXPECT_EQ(b->largest_datagram(), UdpSocket::kLargestMessage);
  const iovec part = {bytes.data(), 100};
  const UdpSocket::Message message = {std::span<const iovec>(&part, 1), 0};
  const std::span<const UdpSocket::Message> one(&message, 1);
  EXPECT_EQ(b->send(one), 1);  // to nobody

  UdpSocket other(free_endpoint(), b_address, kBuffer);
  for (UdpSocket* const each : {&*a, &other}) {
    ASSERT_EQ(each->send(one), 1);
    ASSERT_TRUE(readable(*b, 2'000));
    const auto heard = b->receive();
    ASSERT_EQ(heard.size(), 1u);
    EXPECT_EQ(heard[0].from, each->local());
  }
  b->send_to(other.local());
  ASSERT_EQ(b->send(one), 1);
  EXPECT_TRUE(readable(other, 2'000));
  EXPECT_FALSE(readable(*a, 0));
}

TEST_F(UdpSocketTest, datagrams_are_cut_by_the_kernel_also_on_the_way_to_who_was_named) {
  b.emplace(b_address, std::nullopt, kBuffer);
  if (!b->segments()) GTEST_SKIP() << "this kernel cuts nothing";
  b->send_to(a_address);
  const iovec part = {bytes.data(), 3'500};
  const UdpSocket::Message message = {std::span<const iovec>(&part, 1), 1'000};
  ASSERT_EQ(b->send(std::span<const UdpSocket::Message>(&message, 1)), 1);
  std::size_t got = 0;
  while (got < 3'500 && readable(*a, 2'000))
    for (const UdpSocket::Received& each : a->receive()) got += each.bytes.size();
  EXPECT_EQ(got, 3'500u);
}

TEST_F(UdpSocketTest, a_taken_port_is_an_error_that_names_it) {
  try {
    UdpSocket second(a_address, b_address, kBuffer);
    FAIL();
  } catch (const EnvironmentError& error) {
    EXPECT_NE(std::string(error.what()).find(a_address.text()), std::string::npos) << error.what();
  }
}

TEST(UdpEndpoint, reads_what_it_writes) {
  const UdpEndpoint endpoint = UdpEndpoint::parse("198.18.0.1:47000");
  EXPECT_EQ(endpoint.address, 198u << 24 | 18u << 16 | 1u);
  EXPECT_EQ(endpoint.port, 47'000);
  EXPECT_EQ(endpoint.text(), "198.18.0.1:47000");
}

TEST(UdpEndpoint, refuses_everything_else) {
  for (const char* const text : {"", "198.18.0.1", "198.18.0.1:", "198.18.0.1:65536", "198.18.0.1:-1",
                                 "m2:47000", "198.18.0:47000", "198.18.0.1:47000 ", "198.18.0.1:0x10"}) {
    EXPECT_THROW(UdpEndpoint::parse(text), ConfigError) << text;
  }
}

}  // namespace
}  // namespace simcore
