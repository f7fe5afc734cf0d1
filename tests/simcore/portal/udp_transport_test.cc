// SPDX-License-Identifier: MIT
#include "simcore/portal/udp_transport.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <vector>

namespace simcore::peering {
namespace {

// Addresses of this machine that no other process of these tests uses.
UdpEndpoint endpoint(std::uint16_t port) {
  return {(127u << 24) + 1 + static_cast<std::uint32_t>(::getpid()), port};
}

TEST(UdpTransportTest, a_datagram_without_content_is_received_as_one_for_somebody_to_count) {
  UdpTransport transport({.local = endpoint(47'901), .remote = std::nullopt});
  UdpSocket stranger(endpoint(47'902), endpoint(47'901), ByteCount::bytes(1 << 20));
  std::array<std::uint8_t, 8> bytes{};
  for (const std::size_t size : {std::size_t{0}, bytes.size(), std::size_t{0}}) {
    const iovec part = {bytes.data(), size};
    const UdpSocket::Message message = {std::span<const iovec>(&part, 1), 0};
    ASSERT_EQ(stranger.send(std::span<const UdpSocket::Message>(&message, 1)), 1);
  }
  std::vector<std::size_t> sizes;
  pollfd watched{transport.fd(), POLLIN, 0};
  while (sizes.size() < 3 && ::poll(&watched, 1, 2'000) == 1) {
    for (const Transport::Received& each : transport.receive()) sizes.push_back(each.bytes.size());
  }
  EXPECT_EQ(sizes, (std::vector<std::size_t>{0, 8, 0}));
}

}  // namespace
}  // namespace simcore::peering
