// SPDX-License-Identifier: MIT
//
// IcmpHandler: answers pings. Other messages are counted as no_listener.
#pragma once

#include "simcore/node/protocol_handler.h"

namespace simcore {

class Ipv4Stack;

class IcmpHandler final : public ProtocolHandler {
 public:
  explicit IcmpHandler(Ipv4Stack& stack) : stack_(stack) {}

  void receive(PacketPtr packet, const Ipv4Header& header, Interface& arrival) override;

 private:
  Ipv4Stack& stack_;
};

}  // namespace simcore
