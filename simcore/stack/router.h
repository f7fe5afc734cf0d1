// SPDX-License-Identifier: MIT
//
// Router: forwards IPv4 and IPv6 datagrams between its interfaces. It answers ARP, neighbour discovery, pings and
// traceroutes itself.
#pragma once

#include <string>
#include <utility>

#include "simcore/stack/dual_stack.h"

namespace simcore {

class Router final : public DualStack {
 public:
  Router(Simulation& simulation, PacketPool& pool, std::string name)
      : DualStack(simulation, pool, std::move(name), /*forwards=*/true) {}
};

}  // namespace simcore
