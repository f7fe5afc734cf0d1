// SPDX-License-Identifier: MIT
//
// ProtocolHandler: what a stack gives the datagrams of one IP protocol to.
#pragma once

#include "simcore/device/interface.h"
#include "simcore/packet/ip_header.h"
#include "simcore/packet/packet.h"

namespace simcore {

class ProtocolHandler {
 public:
  // Takes `packet`, the untagged Ethernet frame of an unfragmented datagram (or a train) for this stack,
  // without padding. `header` views its IP header, which is correct, for as long as the packet is neither
  // changed nor given away.
  virtual void receive(PacketPtr packet, const IpHeader& header, Interface& arrival) = 0;

 protected:
  ~ProtocolHandler() = default;
};

}  // namespace simcore
