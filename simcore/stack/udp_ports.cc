// SPDX-License-Identifier: MIT
#include "simcore/stack/udp_ports.h"

#include <string>
#include <utility>

#include "simcore/stack/dual_stack.h"
#include "simcore/units/error.h"

namespace simcore {

void UdpPorts::bind(std::uint16_t port, UdpListener& listener) {
  if (!listeners_.try_emplace(port, &listener).second) {
    throw ConfigError("listen at UDP port " + std::to_string(port) + " of " + stack_.name() +
                      ": the port is taken; choose another");
  }
}

std::optional<std::uint16_t> UdpPorts::bind_free(UdpListener& listener) {
  for (std::uint32_t tries = 0; tries < 65'536U - kFirstFree; ++tries) {
    const std::uint16_t port = next_free_;
    next_free_ = port == 65'535 ? kFirstFree : static_cast<std::uint16_t>(port + 1);
    if (listeners_.try_emplace(port, &listener).second) return port;
  }
  return std::nullopt;
}

void UdpPorts::receive(PacketPtr packet, const IpHeader& header, Interface& arrival) {
  const auto udp = UdpHeader::parse(header.payload(), header.virtual_payload());
  if (!udp) return stack_.drop(DropReason::malformed, *packet);
  // Over IPv6 a datagram without a checksum is discarded (RFC 8200 8.1).
  const bool without = udp->checksum() == 0 && header.source().is_v4();
  const bool to_be_checked = !packet->checksum_partial && !without;
  if (to_be_checked && !header.transport_checksum_correct())
    return stack_.drop(DropReason::malformed, *packet);
  const auto place = listeners_.find(udp->destination_port());
  if (place == listeners_.end()) {
    return stack_.refuse_port(std::move(packet));
  }
  place->second->receive(std::move(packet), header, *udp, arrival);
}

}  // namespace simcore
