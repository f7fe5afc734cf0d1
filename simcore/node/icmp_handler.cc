// SPDX-License-Identifier: MIT
#include "simcore/node/icmp_handler.h"

#include <utility>

#include "simcore/node/ipv4_stack.h"
#include "simcore/tcpip/icmp_echo.h"
#include "simcore/wire/train.h"

namespace simcore {

void IcmpHandler::receive(PacketPtr packet, const Ipv4Header& header, Interface& /*arrival*/) {
  finish_checksum(*packet);
  const auto icmp = IcmpHeader::parse(header.payload());
  if (!icmp || !icmp->checksum_correct()) return stack_.drop(DropReason::malformed, *packet);
  // A ping to everyone is not answered, as RFC 1122 3.2.2.6 allows: it would draw a storm of replies.
  if (!stack_.owns(header.destination())) return stack_.drop(DropReason::no_listener, *packet);
  if (icmp->type() != IcmpType::echo_request) {
    if (!hand_on(*icmp, header)) stack_.drop(DropReason::no_listener, *packet);
    return;
  }
  make_echo_reply(*packet, stack_.next_identification());
  stack_.send(std::move(packet));
}

bool IcmpHandler::hand_on(const IcmpHeader& icmp, const Ipv4Header& header) {
  if (icmp.type() == IcmpType::destination_unreachable || icmp.type() == IcmpType::time_exceeded) {
    return report_error(icmp, header);
  }
  if (icmp.type() != IcmpType::echo_reply) return false;
  const auto place = echo_listeners_.find(icmp.identifier());
  if (place == echo_listeners_.end()) return false;
  place->second->echo_replied(icmp, header);
  return true;
}

// The quoted datagram is cut short: what is not there counts as virtual.
bool IcmpHandler::report_error(const IcmpHeader& icmp, const Ipv4Header& header) {
  constexpr std::size_t kQuotedTransport = 8;  // RFC 792: at least so much
  constexpr std::uint8_t kFragmentationNeeded = 4;
  const std::span<const std::uint8_t> body = icmp.body();
  if (body.size() < Ipv4Header::kSize) return false;
  const std::size_t claimed = load_be16(body.data() + 2);
  const auto quoted = Ipv4Header::parse(body, claimed > body.size() ? claimed - body.size() : 0);
  if (!quoted || quoted->payload().size() < kQuotedTransport || !stack_.owns(quoted->source())) return false;
  if (icmp.type() == IcmpType::destination_unreachable && icmp.code() == kFragmentationNeeded) {
    return report_path_mtu(icmp, *quoted);
  }
  if (quoted->protocol() != ip_protocol::kUdp) return false;
  const auto place = error_listeners_.find(load_be16(quoted->payload().data()));
  if (place == error_listeners_.end() || place->second == nullptr) return false;
  place->second->icmp_error(icmp, header, *quoted);
  return true;
}

bool IcmpHandler::report_path_mtu(const IcmpHeader& icmp, const Ipv4Header& quoted) {
  const auto place = path_mtu_listeners_.find(quoted.protocol());
  if (place == path_mtu_listeners_.end() || place->second == nullptr) return false;
  place->second->fragmentation_needed(quoted, static_cast<std::uint16_t>(icmp.rest()));
  return true;
}

}  // namespace simcore
