// SPDX-License-Identifier: MIT
//
// Meters: token buckets that flows send their packets through. Each band has one; a packet that finds some of them empty
// meets the band of these with the highest rate.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "simcore/openflow/protocol.h"
#include "simcore/openflow/wire.h"
#include "simcore/packet/packet.h"
#include "simcore/units/time.h"

namespace simcore::openflow {

enum class BandType : std::uint16_t { drop = 1, dscp_remark = 2 };

namespace meter_flag {
inline constexpr std::uint16_t kKbps = 1U << 0;
inline constexpr std::uint16_t kPackets = 1U << 1;
inline constexpr std::uint16_t kBurst = 1U << 2;
inline constexpr std::uint16_t kStats = 1U << 3;
}  // namespace meter_flag

inline constexpr std::size_t kMostMeters = 65'536;
inline constexpr std::size_t kMostBands = 8;

struct Band {
  BandType type = BandType::drop;
  std::uint32_t rate = 0;   // kbit/s or packets/s
  std::uint32_t burst = 0;  // kbit or packets; counts only with kBurst
  std::uint8_t levels = 0;  // of dscp_remark: by so many the drop precedence goes up
  std::uint64_t packets = 0;
  std::uint64_t bytes = 0;
  std::int64_t tokens = 0;  // 10^-6 bit or 10^-9 packets
};

struct Meter {
  // A number of a train's segments, one after the other, and the band that they meet; null: none.
  struct Run {
    std::uint16_t segments;
    Band* band;
  };

  // Begins full.
  void begin(SimTime now);
  // What happens to the segments of `packet`, in order: at most one run for each band, and one without.
  std::vector<Run> judge(const Packet& packet, SimTime now);

  std::uint16_t flags = 0;
  std::vector<Band> bands;
  SimTime created = SimTime::zero();
  SimTime filled = SimTime::zero();
  std::uint64_t packets = 0;
  std::uint64_t bytes = 0;
};

using Meters = std::map<std::uint32_t, Meter>;

// The bands of a meter modification, checked with its flags. Throws OFPMMFC_*.
std::vector<Band> read_bands(Reader from, std::uint16_t flags);
void write_bands(Writer& to, const Meter& meter);

// A packet of an assured forwarding class (RFC 2597) whose drop precedence is raised; others stay as they are.
std::uint8_t remarked(std::uint8_t dscp, std::uint8_t levels);

}  // namespace simcore::openflow
