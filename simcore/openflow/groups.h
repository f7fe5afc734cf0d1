// SPDX-License-Identifier: MIT
//
// Groups: sets of actions that many flows can name.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "simcore/openflow/action.h"
#include "simcore/openflow/protocol.h"
#include "simcore/units/time.h"

namespace simcore::openflow {

enum class GroupType : std::uint8_t { all = 0, select = 1, indirect = 2, fast_failover = 3 };

struct Bucket {
  std::uint16_t weight = 0;
  std::uint32_t watch_port = port_no::kAny;
  std::uint32_t watch_group = kAnyGroup;
  Actions actions;
  std::uint64_t packets = 0;
  std::uint64_t bytes = 0;
};

struct Group {
  GroupType type = GroupType::all;
  std::vector<Bucket> buckets;
  SimTime created = SimTime::zero();
  std::uint64_t packets = 0;
  std::uint64_t bytes = 0;
};

using Groups = std::map<std::uint32_t, Group>;

inline constexpr std::size_t kMostGroups = 16'384;
inline constexpr std::size_t kMostBuckets = 4'000;       // of a group: a message tells the counters of all
inline constexpr std::size_t kMostBucketBytes = 65'000;  // of a group, as a message tells it
inline constexpr std::size_t kMostGroupBytes = std::size_t{64} << 20;

std::vector<Bucket> read_buckets(Reader from);
void write_buckets(Writer& to, const Group& group);
// Throws OFPGMFC_*: the buckets are none that a group of that type has.
void check_group(GroupType type, const std::vector<Bucket>& buckets);
bool needs_single_frames(const Group& group);
std::size_t memory_of(const Group& group);

// Spreads flows over buckets: the same for both directions of a connection.
std::uint64_t flow_hash(const FlowKey& key);

}  // namespace simcore::openflow
