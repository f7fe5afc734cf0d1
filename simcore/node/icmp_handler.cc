// SPDX-License-Identifier: MIT
#include "simcore/node/icmp_handler.h"

#include <utility>

#include "simcore/node/ipv4_stack.h"
#include "simcore/tcpip/icmp_echo.h"
#include "simcore/wire/icmp.h"
#include "simcore/wire/train.h"

namespace simcore {

void IcmpHandler::receive(PacketPtr packet, const Ipv4Header& header, Interface& /*arrival*/) {
  finish_checksum(*packet);
  const auto icmp = IcmpHeader::parse(header.payload());
  if (!icmp || !icmp->checksum_correct()) return stack_.drop(DropReason::malformed, *packet);
  // A ping to everyone is not answered, as RFC 1122 3.2.2.6 allows: it would draw a storm of replies.
  if (icmp->type() != IcmpType::echo_request || !stack_.owns(header.destination())) {
    return stack_.drop(DropReason::no_listener, *packet);
  }
  make_echo_reply(*packet, stack_.next_identification());
  stack_.send(std::move(packet));
}

}  // namespace simcore
