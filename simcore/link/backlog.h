// SPDX-License-Identifier: MIT
//
// Backlog: what a Link or a ServedLink hands over to the other, when what stands in front of a transmitter changes while it
// runs: everything that was accepted and has not left. Nothing of it is lost, and its order is kept.
#pragma once

#include <vector>

#include "simcore/packet/packet.h"
#include "simcore/units/time.h"

namespace simcore {

struct Backlog {
  PacketPtr sending;  // the frame that is being sent; null: none, or the giver keeps it
  SimTime transmitter_free = SimTime::zero();  // when the last bit of what is being sent is on the wire
  std::vector<PacketPtr> waiting;              // here, in order
  std::vector<PacketPtr> arriving;  // rests of trains, not here before their first_arrival; in order
};

}  // namespace simcore
