// SPDX-License-Identifier: MIT
//
// TcpRefusal: TCP of a node on which every port is closed: a segment is answered by a reset,
// and counted as no_listener.
#pragma once

#include "simcore/node/protocol_handler.h"

namespace simcore {

class Ipv4Stack;

class TcpRefusal final : public ProtocolHandler {
 public:
  explicit TcpRefusal(Ipv4Stack& stack) : stack_(stack) {}

  void receive(PacketPtr packet, const Ipv4Header& header, Interface& arrival) override;

 private:
  Ipv4Stack& stack_;
};

}  // namespace simcore
