// SPDX-License-Identifier: MIT
#include "simcore/packet/transport_place.h"

#include "simcore/packet/ethernet.h"
#include "simcore/packet/ipv4.h"
#include "simcore/packet/ipv6.h"
#include "simcore/packet/tcp.h"
#include "simcore/packet/udp.h"

namespace simcore {

namespace {

struct NetworkLayer {
  std::size_t header_size;  // up to the transport header
  std::size_t total_length;
  std::uint8_t protocol;
};

std::optional<NetworkLayer> read_ipv4(std::span<const std::uint8_t> bytes, std::size_t unstored) {
  const auto header = Ipv4Header::parse(bytes, unstored);
  if (!header || header->is_fragment()) return std::nullopt;
  return NetworkLayer{header->size(), header->total_length(), header->protocol()};
}

std::optional<NetworkLayer> read_ipv6(std::span<const std::uint8_t> bytes, std::size_t unstored) {
  const auto header = Ipv6Header::parse(bytes, unstored);
  const auto upper = header ? header->upper_layer() : std::nullopt;
  if (!upper) return std::nullopt;
  return NetworkLayer{upper->offset, header->total_length(), upper->protocol};
}

}  // namespace

std::optional<TransportPlace> find_transport(std::span<const std::uint8_t> frame, std::size_t unstored) {
  const auto ethernet = EthernetHeader::parse(frame);
  if (!ethernet) return std::nullopt;
  const bool ipv6 = ethernet->ether_type() == EtherType::ipv6;
  if (!ipv6 && ethernet->ether_type() != EtherType::ipv4) return std::nullopt;
  const auto network =
      ipv6 ? read_ipv6(ethernet->payload(), unstored) : read_ipv4(ethernet->payload(), unstored);
  if (!network) return std::nullopt;

  TransportPlace place{};
  place.network = ethernet->size();
  place.transport = place.network + network->header_size;
  place.end = place.network + network->total_length;
  place.ipv6 = ipv6;
  place.udp = network->protocol == ip_protocol::kUdp;
  const std::span<const std::uint8_t> transport = frame.subspan(place.transport);
  if (place.udp) {
    const auto header = UdpHeader::parse(transport, unstored);
    if (!header || place.transport + header->length() != place.end) return std::nullopt;
    place.payload = place.transport + UdpHeader::kSize;
  } else {
    if (network->protocol != ip_protocol::kTcp) return std::nullopt;
    const auto header = TcpHeader::parse(transport);
    if (!header) return std::nullopt;
    place.payload = place.transport + header->size();
  }
  if (place.payload > place.end) return std::nullopt;
  return place;
}

}  // namespace simcore
