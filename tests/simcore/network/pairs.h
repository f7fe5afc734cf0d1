// SPDX-License-Identifier: MIT
//
// A network of pairs of learning switches, each pair joined by a link: a0 - b0 by l0, a1 - b1 by l1, and so on.
#pragma once

#include <cstddef>
#include <string>

#include "simcore/network/simulated_network.h"

namespace simcore {

inline void add_pairs(SimulatedNetwork& network, std::size_t links) {
  for (std::size_t i = 0; i < links; ++i) {
    const std::string number = std::to_string(i);
    for (const std::string side : {"a", "b"}) {
      network.add_node(NodeKind::learning_switch, side + number);
      Interface::Config config;
      config.name = side + number + "-eth1";
      network.add_interface(side + number, config);
    }
    const std::string name = "l" + number;
    network.add_link(name, network.end("a" + number + "-eth1", name),
                     network.end("b" + number + "-eth1", name), LinkModel(Link::Config{}),
                     LinkModel(Link::Config{}));
  }
}

}  // namespace simcore
