// SPDX-License-Identifier: MIT
//
// PacketView: a packet as somebody sees it who looks at a simulation from outside: a copy of its first bytes and its
// sizes, which can leave the simulation's thread.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "simcore/packet/packet.h"

namespace simcore {

struct PacketView {
  static constexpr std::size_t kMostBytes = 80;  // Ethernet, IPv6 and TCP without options are 74

  PacketView() = default;
  explicit PacketView(const Packet& packet)
      : wire_bytes(packet.wire_size().count()),
        segments(packet.segments),
        stored(static_cast<std::uint8_t>(std::min(packet.size(), kMostBytes))) {
    std::copy_n(packet.bytes().begin(), stored, first.begin());
  }

  std::span<const std::uint8_t> bytes() const { return std::span(first).first(stored); }

  std::int64_t wire_bytes = 0;  // of all segments
  std::uint16_t segments = 0;
  std::uint8_t stored = 0;
  std::array<std::uint8_t, kMostBytes> first{};
};

}  // namespace simcore
