// SPDX-License-Identifier: MIT
//
// IcmpHandler: answers pings, and hands what concerns a sender of this node to it. Other messages are counted as
// no_listener.
#pragma once

#include "simcore/packet/icmp.h"
#include "simcore/stack/icmp_listeners.h"
#include "simcore/stack/protocol_handler.h"

namespace simcore {

class Ipv4Stack;

class IcmpHandler final : public ProtocolHandler {
 public:
  // Both must outlive it.
  IcmpHandler(Ipv4Stack& stack, IcmpListeners& listeners) : stack_(stack), listeners_(listeners) {}

  void receive(PacketPtr packet, const IpHeader& header, Interface& arrival) override;

  // The neighbour did not answer to which `unsent`, a whole datagram of this node, was to go. Its sender is told as by an
  // error of this node's own (Linux: arp_error_report and ndisc_error_report, which end in icmp_send).
  void report_silent_neighbour(const Ipv4Header& unsent);

 private:
  bool hand_on(const IcmpHeader& icmp, const IpHeader& header);
  bool report_error(const IcmpHeader& icmp, const IpHeader& header);

  Ipv4Stack& stack_;
  IcmpListeners& listeners_;
};

}  // namespace simcore
