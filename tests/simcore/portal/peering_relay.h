// SPDX-License-Identifier: MIT
//
// Two instances in one thread whose datagrams pass through the test's hands.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tests/simcore/portal/peering_pair.h"

namespace simcore::testing {

// A relay between the two that hands datagrams on one by one, or does not.
class PeeringThroughRelayTest : public PeeringPortalTest {
 protected:
  using Datagram = std::vector<std::uint8_t>;

  void start_relayed(Duration delay = Duration::ms(10)) {
    const UdpEndpoint near_a = free_endpoint();
    const UdpEndpoint near_b = free_endpoint();
    a.emplace(clock, Duration::zero(), joined(a_address, near_a), delay);
    b.emplace(clock, Duration::seconds(5), joined(b_address, near_b), delay);
    to_a.emplace(near_a, a_address, kBuffer);
    to_b.emplace(near_b, b_address, kBuffer);
    for (int i = 0; i < 400 && !(a->portal.synchronized() && b->portal.synchronized()); ++i) relayed_ms();
    ASSERT_TRUE(a->portal.synchronized() && b->portal.synchronized());
  }

  static std::vector<Datagram> take(UdpSocket& socket) {
    std::vector<Datagram> datagrams;
    while (readable(socket.fd(), 0)) {
      for (const UdpSocket::Received& message : socket.receive()) {
        for (std::size_t at = 0; at < message.bytes.size(); at += message.segment_size) {
          const auto part =
              message.bytes.subspan(at, std::min(message.segment_size, message.bytes.size() - at));
          datagrams.emplace_back(part.begin(), part.end());
        }
      }
    }
    return datagrams;
  }

  static void give(UdpSocket& socket, Datagram datagram) {
    const iovec part = {datagram.data(), datagram.size()};
    const UdpSocket::Message message = {std::span<const iovec>(&part, 1), 0};
    ASSERT_EQ(socket.send(std::span<const UdpSocket::Message>(&message, 1)), 1);
  }

  // A millisecond in which everything is handed on, in two rounds so that replies come in the same instant.
  void relayed_ms() {
    clock = clock + Duration::ms(1);
    for (int i = 0; i < 2; ++i) {
      a->turn();
      for (Datagram& d : take(*to_a)) give(*to_b, std::move(d));
      b->turn();
      for (Datagram& d : take(*to_b)) give(*to_a, std::move(d));
    }
    a->turn();
  }

  // What a sends now, as datagrams.
  std::vector<Datagram> flushed() {
    take(*to_a);
    a->portal.flush();
    EXPECT_TRUE(readable(to_a->fd(), 2'000));
    return take(*to_a);
  }

  std::optional<UdpSocket> to_a;
  std::optional<UdpSocket> to_b;
};

}  // namespace simcore::testing
