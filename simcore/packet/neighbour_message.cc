// SPDX-License-Identifier: MIT
#include "simcore/packet/neighbour_message.h"

#include <cassert>

namespace simcore {

namespace {

constexpr std::uint32_t kRouter = std::uint32_t{1} << 31;
constexpr std::uint32_t kSolicited = std::uint32_t{1} << 30;
constexpr std::uint32_t kOverride = std::uint32_t{1} << 29;
constexpr std::uint8_t kSourceLinkLayerAddress = 1;
constexpr std::uint8_t kTargetLinkLayerAddress = 2;
constexpr std::size_t kOptionUnit = 8;  // bytes; what an option's length counts

}  // namespace

std::optional<NeighbourMessage> NeighbourMessage::parse(const Icmpv6Header& header) {
  std::span<const std::uint8_t> body = header.body();
  if (header.code() != 0 || body.size() < Ipv6Address::kSize) return std::nullopt;
  const Ipv6Address target = Ipv6Address::from(body.data());
  if (target.is_multicast()) return std::nullopt;
  const bool advertisement = header.type() == Icmpv6Type::neighbour_advertisement;
  NeighbourMessage message{.advertisement = advertisement,
                           .target = target,
                           .mac = std::nullopt,
                           .router = (header.rest() & kRouter) != 0,
                           .solicited = (header.rest() & kSolicited) != 0,
                           .overrides = (header.rest() & kOverride) != 0};
  const std::uint8_t wanted = advertisement ? kTargetLinkLayerAddress : kSourceLinkLayerAddress;
  for (body = body.subspan(Ipv6Address::kSize); !body.empty();) {
    const std::size_t size = body.size() < kOptionUnit ? 0 : kOptionUnit * body[1];
    if (size == 0 || size > body.size()) return std::nullopt;
    if (body[0] == wanted) message.mac = MacAddress::from(body.data() + 2);
    body = body.subspan(size);
  }
  return message;
}

std::size_t NeighbourMessage::size() const {
  return Icmpv6Header::kSize + Ipv6Address::kSize + (mac ? kOptionUnit : 0);
}

void NeighbourMessage::write_to(std::span<std::uint8_t> message, const Ipv6Ends& ends) const {
  assert(message.size() == size());
  std::uint8_t* const body = message.data() + Icmpv6Header::kSize;
  target.write_to(body);
  if (mac) {
    std::uint8_t* const option = body + Ipv6Address::kSize;
    option[0] = advertisement ? kTargetLinkLayerAddress : kSourceLinkLayerAddress;
    option[1] = 1;
    mac->write_to(option + 2);
  }
  const std::uint32_t flags =
      (router ? kRouter : 0) | (solicited ? kSolicited : 0) | (overrides ? kOverride : 0);
  write_icmpv6(message,
               advertisement ? Icmpv6Type::neighbour_advertisement : Icmpv6Type::neighbour_solicitation, 0,
               flags, ends);
}

}  // namespace simcore
