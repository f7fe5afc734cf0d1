// SPDX-License-Identifier: MIT
//
// Host: an end system. It answers ARP and pings, refuses what nobody listens for, and forwards nothing.
#pragma once

#include <string>
#include <utility>

#include "simcore/node/ipv4_stack.h"

namespace simcore {

class Host final : public Ipv4Stack {
 public:
  Host(Simulation& simulation, PacketPool& pool, std::string name)
      : Ipv4Stack(simulation, pool, std::move(name), /*forwards=*/false) {}
};

}  // namespace simcore
