// SPDX-License-Identifier: MIT
#include "simcore/stack/tcp_refusal.h"

#include <utility>

#include "simcore/packet/tcp.h"
#include "simcore/stack/dual_stack.h"
#include "simcore/tcpip/tcp_reset.h"

namespace simcore {

void TcpRefusal::receive(PacketPtr packet, const IpHeader& header, Interface& /*arrival*/) {
  const auto segment = TcpHeader::parse(header.payload());
  if (!segment || (!packet->checksum_partial && !header.transport_checksum_correct())) {
    return stack_.drop(DropReason::malformed, *packet);
  }
  stack_.drop(DropReason::no_listener, *packet);
  if (segment->has(tcp_flag::kRst) || !stack_.owns(header.destination())) return;
  PacketPtr reset = make_tcp_reset(header, *segment, stack_.next_identification(), stack_.pool());
  if (!reset) {
    stack_.dropped().add(DropReason::pool_exhausted, 1);
    return;
  }
  stack_.send(std::move(reset));
}

}  // namespace simcore
