// SPDX-License-Identifier: MIT
//
// NumberedFlow: UDP frames of one size that a schedule makes due, each with its number and the time of its sending.
//
//   payload: | number, from 1: 8 bytes | sent at, CLOCK_REALTIME ns: 8 bytes | zeros … |
//
// It is the payload of UdpSource too, so that a simulated host can count these frames, and a Receiver a UdpSource's.
// Checksums are partial, as those of a local sender.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "simcore/packet/mac_address.h"
#include "simcore/stack/udp_datagrams.h"
#include "simcore/traffic/schedule.h"
#include "simcore/traffic/traffic_source.h"

namespace simcore {

class NumberedFlow final : public TrafficSource {
 public:
  static constexpr std::size_t kStamp = 16;    // the least payload
  static constexpr std::size_t kHeaders = 42;  // Ethernet, IPv4, UDP
  static constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

  struct Config {
    MacAddress source_mac;
    MacAddress destination_mac;
    UdpEnds ends;
    std::size_t frame_bytes = 100;  // Ethernet header included, frame check sequence not
    std::uint64_t count = kNoLimit;
    // Frames that leave together leave as trains, of at most 64 segments and 65,535 bytes.
    bool trains = false;
  };

  // Throws ConfigError for a size that no frame can have.
  NumberedFlow(const Config& config, Schedule departures);

  SimTime next() const override;
  PacketPtr take(SimTime until, std::int64_t realtime_ns, PacketPool& pool,
                 std::vector<SimTime>& due) override;
  void skip() override;
  SimTime end() const override { return departures_.end(); }

 private:
  std::size_t payload_bytes() const { return config_.frame_bytes - kHeaders; }

  Config config_;
  Schedule departures_;
  std::uint64_t taken_ = 0;
  std::uint16_t most_in_train_ = 1;
  std::vector<std::uint8_t> payload_;  // of the frame or train in the making
};

}  // namespace simcore
