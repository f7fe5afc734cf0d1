// SPDX-License-Identifier: MIT
#include "simcore/stack/icmpv6_handler.h"

#include <utility>

#include "simcore/packet/train.h"
#include "simcore/stack/ipv6_stack.h"
#include "simcore/tcpip/icmpv6_echo.h"

namespace simcore {

namespace {

// RFC 4443 sections 3.1, 3.3 and 3.4.
IcmpFailure failure_of(const Icmpv6Header& icmp) {
  constexpr std::uint8_t kNoRoute = 0;
  constexpr std::uint8_t kPort = 4;
  constexpr std::uint8_t kUnknownNextHeader = 1;
  if (icmp.type() == Icmpv6Type::time_exceeded) return IcmpFailure::time_exceeded;
  if (icmp.type() == Icmpv6Type::parameter_problem) {
    return icmp.code() == kUnknownNextHeader ? IcmpFailure::refused : IcmpFailure::unreachable;
  }
  if (icmp.code() == kNoRoute) return IcmpFailure::no_way;
  return icmp.code() == kPort ? IcmpFailure::refused : IcmpFailure::unreachable;
}

}  // namespace

void Icmpv6Handler::receive(PacketPtr packet, const IpHeader& header, Interface& arrival) {
  finish_checksum(*packet);
  const auto icmp = Icmpv6Header::parse(header.payload());
  if (!icmp || !header.transport_checksum_correct()) return stack_.drop(DropReason::malformed, *packet);
  bool concerns_somebody = false;
  switch (icmp->type()) {
    case Icmpv6Type::echo_request:
      return answer(std::move(packet), header, arrival);
    case Icmpv6Type::neighbour_solicitation:
    case Icmpv6Type::neighbour_advertisement:
      return receive_neighbour_message(std::move(packet), header, arrival);
    case Icmpv6Type::echo_reply:
      concerns_somebody = listeners_.echo_replied(icmp->identifier(), header.source(), icmp->sequence());
      break;
    case Icmpv6Type::destination_unreachable:
    case Icmpv6Type::time_exceeded:
    case Icmpv6Type::parameter_problem:
    case Icmpv6Type::packet_too_big:
      concerns_somebody = report_error(*icmp, header);
      break;
    default:
      break;
  }
  if (!concerns_somebody) stack_.drop(DropReason::no_listener, *packet);
}

// Whoever asks a group is answered by an address of the interface (RFC 4443 4.2), which goes out where it came in:
// the way to a link-local address is not in any table.
void Icmpv6Handler::answer(PacketPtr packet, const IpHeader& header, Interface& arrival) {
  const Ipv6Address asker = header.source().v6();
  const Ipv6Address asked = header.destination().v6();
  if (!asker.is_unicast()) return stack_.drop(DropReason::malformed, *packet);
  const Ipv6Address of_interface =
      asker.is_link_local() ? arrival.link_local() : arrival.address6()->address();
  make_icmpv6_echo_reply(*packet, header, asked.is_multicast() ? of_interface : asked);
  asker.is_link_local() ? stack_.send_on_link(std::move(packet), arrival) : stack_.send(std::move(packet));
}

void Icmpv6Handler::receive_neighbour_message(PacketPtr packet, const IpHeader& header, Interface& arrival) {
  const auto icmp = Icmpv6Header::parse(header.payload());
  const auto message = NeighbourMessage::parse(*icmp);
  const bool valid =
      message && header.ttl() == NeighbourMessage::kHopLimit &&
      stack_.receive_neighbour_message(*message, {header.source().v6(), header.destination().v6()}, arrival);
  if (!valid) stack_.drop(DropReason::malformed, *packet);
}

// The quoted datagram is cut short: what is not there counts as virtual.
bool Icmpv6Handler::report_error(const Icmpv6Header& icmp, const IpHeader& header) {
  const std::span<const std::uint8_t> body = icmp.body();
  if (body.size() < Ipv6Header::kSize) return false;
  const std::size_t claimed = Ipv6Header::kSize + load_be16(body.data() + Ipv6Header::kPayloadLengthOffset);
  const auto quoted = Ipv6Header::parse(body, claimed > body.size() ? claimed - body.size() : 0);
  const auto upper = quoted ? quoted->upper_layer() : std::nullopt;
  if (!upper || !stack_.owns(quoted->source())) return false;
  const IpHeader datagram(*quoted, *upper);
  if (icmp.type() == Icmpv6Type::packet_too_big)
    return listeners_.fragmentation_needed(datagram, icmp.rest());
  return listeners_.failed(failure_of(icmp), header.source(), datagram);
}

void Icmpv6Handler::report_silent_neighbour(const Ipv6Header& unsent) {
  const auto upper = unsent.upper_layer();
  if (upper) listeners_.failed(IcmpFailure::no_way, unsent.source(), IpHeader(unsent, *upper));
}

}  // namespace simcore
