// SPDX-License-Identifier: MIT
//
// What modifications and requests ask for: which flows, and what of them.
#pragma once

#include <cstdint>

#include "simcore/openflow/switch.h"

namespace simcore::openflow {

struct Switch::FlowFilter {
  Match match{};
  std::uint8_t table = kAllTables;
  bool strict = false;
  std::uint16_t priority = 0;  // where strict
  std::uint64_t cookie = 0;
  std::uint64_t cookie_mask = 0;
  std::uint32_t out_port = port_no::kAny;
  std::uint32_t out_group = kAnyGroup;

  bool chooses(const Flow& flow) const;
  // Some packet would meet both, and neither comes before the other.
  bool overlaps(const Flow& flow) const;
};

struct Switch::FlowMod {
  enum class Command : std::uint8_t { add = 0, modify = 1, modify_strict = 2, erase = 3, erase_strict = 4 };
  Command command = Command::add;
  FlowFilter filter{};
  std::uint64_t cookie = 0;
  std::uint16_t idle_timeout = 0;
  std::uint16_t hard_timeout = 0;
  std::uint16_t flags = 0;
  std::uint32_t buffer = kNoBuffer;
  bool v10 = false;
  Instructions instructions{};

  bool erases() const { return command == Command::erase || command == Command::erase_strict; }
  // In 1.0 a modification adds where there is nothing to modify.
  bool adds_without_flows() const { return v10 && !erases(); }
  bool checks_overlap() const { return (flags & flow_flag::kCheckOverlap) != 0; }
};

}  // namespace simcore::openflow
