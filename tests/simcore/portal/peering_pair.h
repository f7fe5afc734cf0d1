// SPDX-License-Identifier: MIT
//
// Two instances in one thread, joined over 127.0.0.1. The wall clock is a number that the tests advance, so that what
// the sockets carry arrives in no time and every instant can be checked to the nanosecond.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <optional>
#include <vector>

#include "simcore/portal/peering_portal.h"
#include "simcore/sys/udp_socket.h"
#include "simcore/units/error.h"

namespace simcore::testing {

constexpr std::uint64_t kToken = 0x1234'5678'9abc'def0;
constexpr ByteCount kBuffer = ByteCount::bytes(4 << 20);

inline bool readable(int fd, int timeout_ms) {
  pollfd watched{fd, POLLIN, 0};
  return ::poll(&watched, 1, timeout_ms) == 1;
}

// An address of this machine that no other process of these tests uses, each time with another port, whose
// successor is free, too.
inline UdpEndpoint free_endpoint() {
  static std::uint16_t port = 47'000;
  return {(127u << 24) + 1 + static_cast<std::uint32_t>(::getpid()), port += 2};
}

inline PeeringPortal::Config joined(const UdpEndpoint& local, const UdpEndpoint& remote) {
  PeeringPortal::Config config;
  config.name = "the other";
  config.local = local.text();
  config.remote = remote.text();
  config.token = kToken;
  config.kernel_stamps = false;  // the clock of these tests is not the kernel's
  config.options.buffer = kBuffer;
  return config;
}

class Recorder final : public PacketSink {
 public:
  explicit Recorder(Simulation& simulation) : simulation_(simulation) {}
  void accept(PacketPtr packet) override {
    instants.push_back(simulation_.now());
    packets.push_back(std::move(packet));
  }

  std::vector<SimTime> instants;
  std::vector<PacketPtr> packets;

 private:
  Simulation& simulation_;
};

struct Instance {
  Instance(const SimTime& clock, Duration ahead, const PeeringPortal::Config& config,
           Duration incoming_delay = Duration::ms(10))
      : wall_now([&clock, ahead] { return clock + ahead; }),
        portal(simulation, pool, wall_now, config),
        channel(portal.channel(0, incoming_delay)) {
    channel.attach(sink);
  }

  void turn() {
    simulation.run_until(std::max(simulation.now(), wall_now()));
    while (readable(portal.fd(), 0)) portal.poll();
    simulation.run_until(simulation.now());
    portal.flush();
  }

  // Sends `size` bytes of value `fill` into channel 0, departing now.
  void send(std::size_t size, int fill = 0) {
    PacketPtr packet = pool.make(size);
    ASSERT_TRUE(packet);
    std::memset(packet->bytes().data(), fill, size);
    packet->first_arrival = packet->last_arrival = simulation.now();
    channel.accept(std::move(packet));
  }

  std::function<SimTime()> wall_now;
  PacketPool pool;
  Simulation simulation{1};
  Recorder sink{simulation};
  PeeringPortal portal;
  PeeringChannel& channel;
};

class PeeringPortalTest : public ::testing::Test {
 protected:
  // Instance b began 5 s before instance a.
  void start(
      const std::function<void(PeeringPortal::Config&)>& change = [](auto&) {},
      Duration delay = Duration::ms(10)) {
    PeeringPortal::Config of_a = joined(a_address, b_address);
    PeeringPortal::Config of_b = joined(b_address, a_address);
    change(of_a);
    change(of_b);
    a.emplace(clock, Duration::zero(), of_a, delay);
    b.emplace(clock, Duration::seconds(5), of_b, delay);
  }

  void pass(Duration time, Duration step = Duration::us(500)) {
    const SimTime end = clock + time;
    while (clock < end) {
      clock = std::min(clock + step, end);
      for (int i = 0; i < 2; ++i) {  // a's requests and b's replies in the same instant
        if (a) a->turn();
        if (b) b->turn();
      }
    }
  }

  void synchronize() {
    for (int i = 0; i < 200 && !(a->portal.synchronized() && b->portal.synchronized()); ++i)
      pass(Duration::ms(1));
    ASSERT_TRUE(a->portal.synchronized() && b->portal.synchronized());
  }

  // Everything that a has batched is in b's socket.
  void hand_over() {
    a->portal.flush();
    ASSERT_TRUE(readable(b->portal.fd(), 2'000));
  }

  UdpEndpoint a_address = free_endpoint();
  UdpEndpoint b_address = free_endpoint();
  SimTime clock = SimTime::zero();
  std::optional<Instance> a;
  std::optional<Instance> b;
};

}  // namespace simcore::testing
