// SPDX-License-Identifier: MIT
#include "simcore/stack/icmp_handler.h"

#include <utility>

#include "simcore/packet/train.h"
#include "simcore/stack/ipv4_stack.h"
#include "simcore/tcpip/icmp_echo.h"

namespace simcore {

namespace {

// Of the codes of "destination unreachable" (RFC 792, RFC 1122 section 3.2.2.1).
IcmpFailure failure_of(std::uint8_t code) {
  constexpr std::uint8_t kHost = 1;
  constexpr std::uint8_t kPort = 3;
  if (code <= kHost) return IcmpFailure::no_way;
  return code <= kPort ? IcmpFailure::refused : IcmpFailure::unreachable;
}

}  // namespace

void IcmpHandler::receive(PacketPtr packet, const IpHeader& header, Interface& /*arrival*/) {
  finish_checksum(*packet);
  const auto icmp = IcmpHeader::parse(header.payload());
  if (!icmp || !icmp->checksum_correct()) return stack_.drop(DropReason::malformed, *packet);
  // A ping to everyone is not answered, as RFC 1122 3.2.2.6 allows: it would draw a storm of replies.
  if (!stack_.owns(header.destination().v4())) return stack_.drop(DropReason::no_listener, *packet);
  if (icmp->type() != IcmpType::echo_request) {
    if (!hand_on(*icmp, header)) stack_.drop(DropReason::no_listener, *packet);
    return;
  }
  make_echo_reply(*packet, stack_.next_identification());
  stack_.send(std::move(packet));
}

bool IcmpHandler::hand_on(const IcmpHeader& icmp, const IpHeader& header) {
  if (icmp.type() == IcmpType::destination_unreachable || icmp.type() == IcmpType::time_exceeded) {
    return report_error(icmp, header);
  }
  return icmp.type() == IcmpType::echo_reply &&
         listeners_.echo_replied(icmp.identifier(), header.source(), icmp.sequence());
}

// The quoted datagram is cut short: what is not there counts as virtual.
bool IcmpHandler::report_error(const IcmpHeader& icmp, const IpHeader& header) {
  constexpr std::uint8_t kFragmentationNeeded = 4;
  const std::span<const std::uint8_t> body = icmp.body();
  if (body.size() < Ipv4Header::kSize) return false;
  const std::size_t claimed = load_be16(body.data() + 2);
  const auto quoted = Ipv4Header::parse(body, claimed > body.size() ? claimed - body.size() : 0);
  if (!quoted || !stack_.owns(quoted->source())) return false;
  if (icmp.type() == IcmpType::time_exceeded) {
    return listeners_.failed(IcmpFailure::time_exceeded, header.source(), IpHeader(*quoted));
  }
  if (icmp.code() == kFragmentationNeeded) {
    return listeners_.fragmentation_needed(IpHeader(*quoted), static_cast<std::uint16_t>(icmp.rest()));
  }
  return listeners_.failed(failure_of(icmp.code()), header.source(), IpHeader(*quoted));
}

void IcmpHandler::report_silent_neighbour(const Ipv4Header& unsent) {
  listeners_.failed(IcmpFailure::no_way, unsent.source(), IpHeader(unsent));
}

}  // namespace simcore
