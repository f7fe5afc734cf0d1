// SPDX-License-Identifier: MIT
//
// Bridge: what the port NORMAL does: learn where addresses are, in each VLAN, and forward by that (IEEE 802.1Q).
#pragma once

#include <cstdint>
#include <optional>

#include "simcore/openflow/flow_key.h"
#include "simcore/units/flat_map.h"
#include "simcore/units/time.h"

namespace simcore::openflow {

class Bridge {
 public:
  static constexpr Duration kAgeing = Duration::seconds(300);
  static constexpr std::size_t kLargestTable = 8'192;  // addresses, as Open vSwitch's mac-table-size

  void learn(const FlowKey& key, SimTime now);
  // The port behind which the destination was seen lately. None: to all.
  std::optional<std::uint32_t> find(const FlowKey& key, SimTime now);
  void forget_port(std::uint32_t port);

 private:
  struct Seen {
    std::uint32_t port;
    SimTime at;
  };
  static std::uint64_t place(const FlowKey& key, std::size_t address);

  FlatMap<std::uint64_t, Seen> seen_;
  SimTime next_sweep_ = SimTime::zero();
};

}  // namespace simcore::openflow
