// SPDX-License-Identifier: MIT
//
// Icmpv6Handler: answers pings, gives neighbour discovery to the stack, and hands what concerns a sender of this
// node to it. Other messages are counted as no_listener.
#pragma once

#include "simcore/packet/icmpv6.h"
#include "simcore/stack/icmp_listeners.h"
#include "simcore/stack/protocol_handler.h"

namespace simcore {

class Ipv6Stack;

class Icmpv6Handler final : public ProtocolHandler {
 public:
  // Both must outlive it.
  Icmpv6Handler(Ipv6Stack& stack, IcmpListeners& listeners) : stack_(stack), listeners_(listeners) {}

  void receive(PacketPtr packet, const IpHeader& header, Interface& arrival) override;

  // The neighbour did not answer to which `unsent`, a whole datagram of this node, was to go. Its sender is told as by an
  // error of this node's own (Linux: arp_error_report and ndisc_error_report, which end in icmpv6_send).
  void report_silent_neighbour(const Ipv6Header& unsent);

 private:
  void answer(PacketPtr packet, const IpHeader& header, Interface& arrival);
  void receive_neighbour_message(PacketPtr packet, const IpHeader& header, Interface& arrival);
  bool report_error(const Icmpv6Header& icmp, const IpHeader& header);

  Ipv6Stack& stack_;
  IcmpListeners& listeners_;
};

}  // namespace simcore
