// SPDX-License-Identifier: MIT
//
// TcpRefusal: TCP of a node on which every port is closed: a segment is answered by a reset,
// and counted as no_listener.
#pragma once

#include "simcore/stack/protocol_handler.h"

namespace simcore {

class DualStack;

class TcpRefusal final : public ProtocolHandler {
 public:
  explicit TcpRefusal(DualStack& stack) : stack_(stack) {}

  void receive(PacketPtr packet, const IpHeader& header, Interface& arrival) override;

 private:
  DualStack& stack_;
};

}  // namespace simcore
