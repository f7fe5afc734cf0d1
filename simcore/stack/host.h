// SPDX-License-Identifier: MIT
//
// Host: an end system. It answers ARP, neighbour discovery and pings, refuses what nobody listens for, and forwards
// nothing.
#pragma once

#include <string>
#include <utility>

#include "simcore/stack/dual_stack.h"

namespace simcore {

class Host final : public DualStack {
 public:
  Host(Simulation& simulation, PacketPool& pool, std::string name)
      : DualStack(simulation, pool, std::move(name), /*forwards=*/false) {}
};

}  // namespace simcore
