// SPDX-License-Identifier: MIT
//
// Router: forwards IPv4 datagrams between its interfaces. It answers ARP, pings and traceroutes itself.
#pragma once

#include <string>
#include <utility>

#include "simcore/node/ipv4_stack.h"

namespace simcore {

class Router final : public Ipv4Stack {
 public:
  Router(Simulation& simulation, PacketPool& pool, std::string name)
      : Ipv4Stack(simulation, pool, std::move(name), /*forwards=*/true) {}
};

}  // namespace simcore
