// SPDX-License-Identifier: MIT
//
// What the link tests send and what they watch: frames and trains of UDP, and a sink that writes down what
// arrives.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "simcore/kernel/simulation.h"
#include "simcore/packet/packet.h"
#include "simcore/packet/packet_pool.h"

namespace simcore {

inline constexpr std::uint16_t kUdpHeaders = 14 + 20 + 8;  // Ethernet, IPv4, UDP

// Runs what it is given, at the instant for which it is scheduled.
class At final : public Event {
 public:
  At(Simulation& simulation, SimTime time, std::function<void()> what) : what_(std::move(what)) {
    simulation.schedule(*this, time);
  }

 private:
  void fire() override { what_(); }
  std::function<void()> what_;
};

// Writes down what arrives, and destroys it.
class Recorder final : public PacketSink {
 public:
  struct Arrival {
    SimTime first;
    SimTime last;
    std::int64_t bytes;
    std::uint16_t segments;
    std::uint8_t flow;  // the frame's last byte of the source address
  };

  explicit Recorder(const Simulation& simulation) : simulation_(simulation) {}

  void accept(PacketPtr packet) override {
    EXPECT_EQ(packet->first_arrival, simulation_.now());
    EXPECT_LE(packet->first_arrival, packet->last_arrival);
    arrivals.push_back({packet->first_arrival, packet->last_arrival, packet->wire_size().count(),
                        packet->segments, packet->bytes()[29]});
  }

  // The instant at which every single segment of `flow` arrives, those of a train evenly between first and
  // last.
  std::vector<std::int64_t> segment_times(std::uint8_t flow) const {
    std::vector<std::int64_t> times;
    for (const Arrival& arrival : arrivals) {
      if (arrival.flow != flow) continue;
      const std::int64_t spread = (arrival.last - arrival.first).count_ns();
      for (std::int64_t k = 0; k < arrival.segments; ++k) {
        const std::int64_t steps = arrival.segments > 1 ? arrival.segments - 1 : 1;
        times.push_back(arrival.first.count_ns() + k * spread / steps);
      }
    }
    return times;
  }

  std::vector<Arrival> arrivals;

 private:
  const Simulation& simulation_;
};

// An IPv4/UDP frame of `size` bytes in all, from 10.0.0.<flow>, that arrives now.
inline PacketPtr frame(PacketPool& pool, SimTime now, std::size_t size, std::uint8_t flow = 1) {
  PacketPtr packet = pool.make(size);
  const auto bytes = packet->bytes();
  std::fill(bytes.begin(), bytes.end(), std::uint8_t{0});
  const auto put16 = [&](std::size_t at, std::size_t value) {
    bytes[at] = static_cast<std::uint8_t>(value >> 8);
    bytes[at + 1] = static_cast<std::uint8_t>(value);
  };
  put16(12, 0x0800);
  bytes[14] = 0x45;
  put16(16, size - 14);
  bytes[20] = 0x40;  // do not fragment
  bytes[22] = 64;
  bytes[23] = 17;
  bytes[26] = 10;
  bytes[29] = flow;
  bytes[30] = 10;
  bytes[33] = 200;
  put16(38, size - 34);
  packet->first_arrival = packet->last_arrival = now;
  return packet;
}

// A train of `segments` such frames of `size` bytes each, the last of `last_size`, all arriving between now
// and `last`.
inline PacketPtr train(PacketPool& pool, SimTime now, SimTime last, std::uint16_t segments, std::size_t size,
                       std::size_t last_size, std::uint8_t flow = 1) {
  const std::size_t payload = size - kUdpHeaders;
  PacketPtr packet =
      frame(pool, now, kUdpHeaders + payload * (segments - 1U) + (last_size - kUdpHeaders), flow);
  packet->last_arrival = last;
  packet->segments = segments;
  packet->segment_payload = static_cast<std::uint16_t>(payload);
  packet->header_size = kUdpHeaders;
  packet->train = TrainKind::udp;
  packet->checksum_partial = true;
  packet->checksum_start = 34;
  packet->checksum_offset = 6;
  return packet;
}

}  // namespace simcore
